"""The studio's doors, one by one: what they answer, to whom, and what they refuse."""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from edict.apps.web.application import application
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.store import Store
from edict.apps.web.studio.open_variants import StudioServer
from edict.apps.web.table_server import TableServer
from edict.prose.rulebook.typesetting import can_typeset
from edict.tools.studio.collection import Collection
from serving import FREE
from tea_house import RULES

PATIENCE = 60.0
COACH = "when end of turn\n  each player with fewest point of it\n    gain 1 point\n"
"""Of a variant of Pig, where it does not matter what is varied."""


@dataclass
class Studio:
    client: TestClient
    room: StudioServer

    def new(self, name: str = "Tea", **form: str) -> Page:
        """A variant over a small game, or from what a form says, as its author sees it."""
        sent = {"name": name, "over": "pig", **form}
        made = self.client.post("/studio/new", data=sent, follow_redirects=False)
        assert made.status_code == 303, made.text
        return Page(self.client, made.headers["location"].partition("#")[0])


@dataclass
class Page:
    """A variant as the page asks about it."""

    client: TestClient
    path: str

    def post(self, door: str, status: int = 200, **body: Any) -> Any:
        answer = self.client.post(f"{self.path}/{door}", json=body)
        assert answer.status_code == status, f"{door}: {answer.status_code} {answer.text}"
        return answer.json() if answer.headers["content-type"] == "application/json" else answer.text

    def text(self, file: str = "rules.edict") -> str:
        return str(self.post("texts")[file][0])

    def get(self, door: str = "", status: int = 200) -> str:
        answer = self.client.get(f"{self.path}/{door}" if door else self.path)
        assert answer.status_code == status, answer.text
        return str(answer.text)

    def form(self, door: str, **answers: str) -> str:
        answer = self.client.post(f"{self.path}/forms/{door}", data=answers)
        assert answer.status_code == 200, answer.text
        return str(answer.text)

    def ask(self, question: str, **body: Any) -> Any:
        return self.post(f"ask/{question}", **{"file": "rules.edict", "line": 4, "column": 12, **body})

    def until(self, found: Callable[[], bool]) -> None:
        end = time.monotonic() + PATIENCE
        while not found():
            assert time.monotonic() < end
            time.sleep(0.1)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    folder = tmp_path_factory.mktemp("studio")
    serving = TableServer(Store(f"sqlite:///{folder / 'tables.sqlite'}"), TableOffer(), limits=FREE, pause=0.0)
    room = StudioServer(serving, Collection(folder / "variants"))
    with TestClient(application(serving, room)) as client:
        yield Studio(client, room)
    serving.store.close()


@pytest.fixture(scope="module")
def tea(studio: Studio) -> Page:
    """A variant with a building of its own; tests leave its rules as they are."""
    page = studio.new("Tea", over="kingsburg", tutorial="yes")
    page.post("typed", file="rules.edict", text=RULES)
    return page


@pytest.fixture(scope="module")
def any_variant(studio: Studio) -> Page:
    return studio.new("Coach")


@pytest.fixture
def coach(any_variant: Page) -> Page:
    """A variant with a rule of its own, whatever was typed into it before."""
    any_variant.post("typed", file="rules.edict", text=COACH)
    return any_variant


# --- coming and going ----------------------------------------------------------------------------------


def test_a_variant_begins_as_whatever_is_offered(studio: Studio) -> None:
    assert "Begin the tutorial" in studio.client.get("/studio").text
    for form in (
        {},
        {"from": "copy", "copied": "long-winter"},
        {"from": "form", "transcribed": "more-buildings"},
        {"from": "game"},
    ):
        page = studio.new("One of each", **form)
        texts = page.post("texts")
        assert "module.yaml" in texts and any(name.endswith(".edict") for name in texts), form
        assert page.ask("problems", file="module.yaml") == [] or form.get("from") == "form"
        assert "<h1>" in page.get()


def test_nothing_is_read_that_was_not_offered(studio: Studio) -> None:
    for form in ({"over": "/etc"}, {"from": "copy", "copied": "../rules"}, {"from": "zip"}):
        answer = studio.client.post("/studio/new", data={"name": "Thief", **form}, follow_redirects=False)
        assert answer.status_code == 422 and 'role="alert"' in answer.text, form


def test_what_is_exported_can_be_imported(studio: Studio, coach: Page) -> None:
    raw = studio.client.get(f"{coach.path}/zip").content
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert any(name.endswith("/rules.edict") for name in archive.namelist())
    sent, files = {"name": "Coach again", "from": "zip"}, {"zip": ("coach.zip", raw, "application/zip")}
    made = studio.client.post("/studio/new", data=sent, files=files, follow_redirects=False)
    assert Page(studio.client, made.headers["location"]).text() == COACH


def test_a_shared_link_reads_plays_and_copies_but_changes_nothing(studio: Studio, coach: Page) -> None:
    share = coach.get("share")
    assert "Open a table with this" in share
    reader = next(path for path in re.findall(r'href="(/studio/[^"]+)"', share) if path != coach.path)
    shared = Page(studio.client, reader)
    assert "data-readonly" in shared.get() and shared.text() == COACH
    assert shared.ask("hover", line=3, column=13)["html"]
    shared.post("typed", 403, file="rules.edict", text="")
    shared.post("file", 403, name="other.edict")
    shared.post("save", 403)
    shared.get("share", 403)
    fork = studio.client.post(f"{reader}/fork", follow_redirects=False)
    copy = Page(studio.client, fork.headers["location"])
    copy.post("typed", file="rules.edict", text="")
    assert coach.text() == COACH


def test_friends_play_a_variant_at_a_table_whose_seats_they_take(studio: Studio, coach: Page) -> None:
    page = studio.client.post(f"{coach.path}/friends", data={"players": "2"}, follow_redirects=True)
    assert page.status_code == 200 and "/host/" in str(page.url)
    seats = re.findall(r'href="/seat/([\w-]+)"', page.text)
    taken = studio.client.post(f"/seat/{seats[0]}/claim", follow_redirects=True)
    assert "Coach" in studio.client.get(f"{taken.url.path}/rules").text
    assert studio.client.post(f"{coach.path}/friends", data={"players": "99"}).status_code == 422


def test_only_links_open_anything(studio: Studio, coach: Page) -> None:
    name, _, key = coach.path.rpartition("/")[2].partition("~")
    another = key[:-1] + ("y" if key.endswith("x") else "x")
    for wrong in (name, f"{name}~", f"{name}~{another}", f"other~{key}", "..~" + key, "x" * 30):
        assert studio.client.get(f"/studio/{wrong}").status_code == 404
    assert studio.client.get("/studio/all/guess").status_code == 404
    everything = studio.client.get(f"/studio/all/{studio.room.all_key}").text
    assert coach.path in everything and coach.path not in studio.client.get("/studio").text


def test_pages_allow_no_strangers_scripts_and_only_this_server_may_frame_them(studio: Studio) -> None:
    page = studio.new("<script>alert(1)</script>")
    manifest = page.text("module.yaml")
    evil = re.sub("title: .*", 'title: "<script>alert(1)</script>"', manifest)
    page.post("typed", file="module.yaml", text=evil)
    page.post("typed", file="rules.edict", text='resource gem "<b>A</b>"\nwhen end of turn\n  gain 1 gem\n')
    shown = (page.get("changes"), page.get("rulebook"), page.ask("hover", line=1, column=12)["html"])
    assert all("&lt;b&gt;A" in text for text in shown)
    for text in (*shown, page.get(), studio.client.get(f"/studio/all/{studio.room.all_key}").text):
        assert "<script>alert" not in text and "<b>A" not in text
    policy = studio.client.get(page.path).headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'self'" in policy and "unsafe" not in policy


# --- the editor ----------------------------------------------------------------------------------------


def test_what_is_typed_outlives_the_server_and_files_get_other_names_and_go(studio: Studio) -> None:
    page = studio.new("Kept")
    page.post("typed", file="rules.edict", text='building half "Ha')
    serving = TableServer(studio.room.serving.store, TableOffer(), limits=FREE)  # as after a kill -9
    with TestClient(application(serving, StudioServer(serving, Collection(studio.room.collection.folder)))) as client:
        assert Page(client, page.path).text() == 'building half "Ha'
    page.post("typed", 422, file="nowhere.edict", text="")
    page.post("typed", 422, file="../module.yaml", text="")
    page.post("typed", 400, file="rules.edict")
    assert page.post("file", name="more.edict") == {"file": "more.edict", "text": ""}
    assert "already" in page.post("file", 422, name="more.edict")["refused"]
    page.post("typed", file="more.edict", text="# kept\n")
    assert page.post("file/rename", file="more.edict", name="less.edict") == {"file": "less.edict"}
    assert page.text("less.edict") == "# kept\n" and "more.edict" not in page.post("texts")
    assert "already" in page.post("file/rename", 422, file="less.edict", name="rules.edict")["refused"]
    assert "needs its" in page.post("file/delete", 422, file="module.yaml")["refused"]
    page.post("file/delete", file="less.edict")
    assert "less.edict" not in page.post("texts")


def test_a_variant_that_was_put_away_is_opened_again(
    studio: Studio, coach: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edict.apps.web.studio.open_variants.MOST_OPEN", 1)
    page = studio.new("In its place")
    page.post("typed", file="rules.edict", text="# half\n")
    assert (coach.text(), page.text()) == (COACH, "# half\n")


def test_nobody_types_over_what_somebody_else_has_typed(studio: Studio) -> None:
    page = studio.new("Two tabs")
    mark = page.post("texts")["rules.edict"][1]
    mine = page.post("typed", file="rules.edict", text="# mine\n", over=mark)["mark"]
    refused = page.post("typed", 409, file="rules.edict", text="# from another tab\n", over=mark)
    assert refused["clash"] and "changed elsewhere" in refused["refused"]
    assert page.text() == "# mine\n"
    page.post("typed", file="rules.edict", text="# mine, and more\n", over=mine)
    page.post("typed", file="rules.edict", text="# from another tab\n")
    assert page.text() == "# from another tab\n"


def test_saving_writes_plain_files_but_not_over_what_has_changed_there(studio: Studio) -> None:
    page = studio.new("On disk")
    file = studio.room.collection.folder / "on-disk" / "rules.edict"
    page.post("typed", file="rules.edict", text="# typed\n")
    file.write_text("# by another editor\n")
    assert page.post("save", 409)["clash"] and file.read_text() == "# by another editor\n"
    page.post("give-way")
    assert page.text() == "# by another editor\n"
    page.post("typed", file="rules.edict", text="# typed and saved\n")
    page.post("save")
    assert file.read_text() == "# typed and saved\n"
    page.post("typed", file="rules.edict", text="# typed again\n")
    file.write_text("# by another editor again\n")
    page.post("save", over=True)
    assert file.read_text() == page.text() == "# typed again\n"


def test_what_only_making_the_code_finds_out_is_told_when_all_is_asked_for(studio: Studio) -> None:
    page = studio.new("In a circle")
    page.post("typed", file="rules.edict", text="routine a\n  do b\nroutine b\n  do a\n")
    assert not any("without end" in str(one) for one in page.ask("problems"))
    assert any("without end" in str(one) for one in page.ask("problems", whole=True))


def test_the_language_service_answers(tea: Page) -> None:
    assert tea.ask("problems", whole=True) == []
    assert [1, 1, 4, "kind"] in [[line, *some] for line, *all_ in tea.ask("colours") for some in all_]
    offered = tea.ask("complete", line=10, column=16)
    assert {"gold", "wood"} <= {one["label"] for one in offered}
    assert "1 gold" in tea.ask("words", name="tea-house")
    assert "Tea House" in tea.ask("hover", column=14)["html"]
    assert "Tea House" in tea.ask("meaning", line=8, column=3)
    assert tea.ask("definition", line=5, column=8)[0]["file"] == "rules.edict"
    assert tea.ask("renamable", column=14) == "tea-house"
    assert tea.ask("rename", column=14, name="inn-of-tea")[0]["edits"][0]["text"] == "inn-of-tea"
    refused = tea.post("ask/rename", 422, file="rules.edict", line=4, column=14, name="nothing")["refused"]
    assert "word of the language" in refused
    assert tea.ask("layout") == RULES
    assert any("adjusted by" in one["text"] for one in tea.ask("hints"))
    assert tea.ask("references", column=14)[0]["text"] == 'building tea-house "Tea House"'
    assert tea.ask("signature") is None
    assert tea.ask("indent", before=RULES.partition("\n    may")[0]) == 4
    tea.post("ask/anything", 404)
    tea.post("ask/hover", 422, file="elsewhere.edict", line=1, column=1)
    tea.post("ask/hover", 422, file="rules.edict", line="1", column=1)


def test_scenes_stand_above_the_things_they_speak_of(tea: Page) -> None:
    tea.post("file", name="scenes/tea.yaml")
    text = "scenes:\n  - name: Tea\n    start: phase winter\n    given: {Ann: {built: [Tea House]}}\n    play: []\n"
    tea.post("typed", file="scenes/tea.yaml", text=text)
    (one,) = tea.post("lenses", file="rules.edict")
    assert (one["line"], one["said"]) == (4, "1 scene")
    assert one["scenes"] == [{"name": "Tea", "file": "scenes/tea.yaml", "line": 2, "column": 11}]
    tea.until(lambda: "of 1 scenes pass" in tea.get("scenes"))
    (one,) = tea.post("lenses", file="rules.edict")
    assert one["said"].startswith("1 scene: ") and one["unplayed"][0]["file"] == "rules.edict"
    tea.post("lenses", 422, file="elsewhere.edict")
    tea.post("file/delete", file="scenes/tea.yaml")


def test_a_broken_file_keeps_its_colours_and_its_completion_and_a_remedy_is_offered(coach: Page) -> None:
    assert coach.ask("problems") == []
    coach.post("typed", file="rules.edict", text=COACH.replace("1 point", "1 poimt"))
    assert coach.ask("problems")[0]["fix"]["changes"] == [
        {"file": "rules.edict", "edits": [{"at": [3, 12, 3, 17], "text": "point"}]}
    ]
    coach.post("typed", file="rules.edict", text=COACH + 'resource half "Half\n')
    found = coach.ask("problems")
    assert found and found[0]["file"] == "rules.edict" and found[0]["severity"] == "error"
    assert [1, [1, 5, "keyword"]] in [line[:2] for line in coach.ask("colours")]
    assert "point" in {one["label"] for one in coach.ask("complete", line=3, column=12)}
    assert "once the rules have no errors" in coach.get("changes")
    assert "no errors" in coach.get("study")
    coach.get("rulebook", 409)
    coach.get("sheet", 409)


def test_a_manifest_that_is_no_map_is_a_problem_like_any_other(studio: Studio) -> None:
    page = studio.new("Shapeless")
    for text in ("~", "hello", "- a", "5", ""):
        page.post("typed", file="module.yaml", text=text)
        (found,) = page.ask("problems")
        assert (found["file"], found["severity"]) == ("module.yaml", "error"), text
        page.post("save")
        assert page.get() and page.text("module.yaml") == text
        assert studio.client.get("/studio").status_code == 200, text


def test_the_changed_pages_of_the_rulebook_are_shown(tea: Page) -> None:
    shown = tea.get("changes")
    assert "Tea House" in shown and "you may gain 1 gold" in shown and "Palisade" not in shown
    sheet = tea.get("sheet")
    assert "Tea House" in sheet and "Palisade" not in sheet
    assert "Palisade" in tea.get("rulebook")


def test_rulebook_and_sheet_are_set_for_printing(studio: Studio, coach: Page) -> None:
    if not can_typeset():
        pytest.skip("typst, of the extra `print`, is not installed")
    for which in ("rulebook", "sheet"):
        found = studio.client.get(f"{coach.path}/{which}.pdf")
        assert found.content.startswith(b"%PDF") and f"-{which}.pdf" in found.headers["content-disposition"]
    coach.get("other.pdf", 404)


def test_a_form_says_what_would_come_of_it_and_writes_its_lines(studio: Studio) -> None:
    page = studio.new("By forms", over="kingsburg", **{"from": "forms"})
    assert "Add a new one" in page.get("forms")
    about = {"what": "change", "kind": "advisor", "thing": "squire"}
    shown = studio.client.get(f"{page.path}/forms/of", params=about).text
    rule = studio.client.get(f"{page.path}/forms/of", params={"what": "rule"}).text
    assert "rule-form" in rule and 'role="alert"' not in rule
    assert 'name="field.reward.1.count"' in shown and "Now: " in shown
    about |= {"field.reward.1.count": "2"}
    assert "Write it" not in page.form("supposed", **about)
    about |= {"field.reward.1.what": "wood"}
    assert "Gain 2 wood." in page.form("supposed", **about)
    before = page.text()
    assert before == page.text(), "nothing is written yet"
    page.form("write", **about)
    assert page.text().startswith(before.rstrip()) and "amend advisor squire\n  reward gain 2 wood\n" in page.text()
    building = {
        "what": "add",
        "kind": "building",
        "title": "Smithy",
        "field.row": "B",
        "field.column": "1",
        "field.cost.wood": "2",
        "field.worth": "1",
    }
    assert "have the same `row` and `column`" in page.form("write", **building)
    assert "Smithy" not in page.text()
    assert "have no such thing" in page.form("supposed", what="change", kind="advisor", thing="nobody")


# --- the table -----------------------------------------------------------------------------------------


def test_a_game_is_begun_and_goes_on_under_the_new_rules(studio: Studio, coach: Page) -> None:
    assert "New game" in coach.get("table")
    begun = coach.post("table/begin", players="2", bot="greedy", scene="")
    view = studio.client.get(f"/seat/{begun['seat']}/view.json").json()
    assert view["players"] == ["You", "Greedy 1"]
    for door in ("renew", "moment", "stands"):
        assert "no longer exists" in coach.post(f"table/{door}", 422, host=begun["seat"], answers=0)["refused"]
    coach.post("table/begin", 422, players="9")
    coach.post("table/begin", 422, players="2", bot="cheat")
    assert coach.post("table/stands", host=begun["host"])["seat"] == begun["seat"]
    back = coach.post("table/moment", host=begun["host"], answers=0)
    assert back["seat"] not in ("", begun["seat"])
    assert coach.post("table/renew", host=begun["host"])["seat"] == begun["seat"]
    coach.post("typed", file="rules.edict", text=COACH.replace("gain 1", "gain 2"))
    renewed = coach.post("table/renew", host=begun["host"])
    assert renewed["seat"] != begun["seat"] and "new rules" in renewed["said"]
    coach.post("typed", file="rules.edict", text="nonsense\n")
    assert "errors" in coach.post("table/renew", 422, host=begun["host"])["refused"]
    assert "once the rules have no errors" in coach.get("table")


def test_a_scene_is_made_of_what_was_just_done(studio: Studio) -> None:
    page = studio.new("With a scene")
    page.post("typed", file="rules.edict", text=COACH)
    begun = page.post("table/begin", players="2", bot="greedy")
    nothing = page.post("table/scene", 422, host=begun["host"], answers=0, name="Nothing")
    assert "not answered anything" in nothing["refused"]
    seat = f"/seat/{begun['seat']}"
    assert studio.client.portal is not None
    studio.client.portal.call(studio.room.serving.bots.look, begun["table"])  # as the page's news do
    page.until(lambda: studio.client.get(f"{seat}/view.json").json()["question"] is not None)
    question = studio.client.get(f"{seat}/view.json").json()["question"]
    version = re.search(r'name="version" value="(\d+)"', studio.client.get(seat).text)
    assert version
    studio.client.post(f"{seat}/answer", data={"answer": question["options"][0]["key"], "version": version[1]})
    made = page.post("table/scene", host=begun["host"], answers=99, name="Rolled once")
    assert "Rolled once" in page.text(made["file"]).split("\n")[made["line"] - 1]
    page.until(lambda: "2 of 2 scenes pass" in page.get("scenes"))
    assert f"the scene “{made['name']}”" in page.get("table")
    again = page.post("table/begin", bot="greedy", scene=f"{made['file']}\n{made['name']}")
    view = studio.client.get(f"/seat/{again['seat']}/view.json").json()
    assert view["players"] == ["You", "Greedy 1"]
    assert "no scene" in page.post("table/begin", 422, bot="greedy", scene=f"{made['file']}\nAnother")["refused"]


# --- the tutorial --------------------------------------------------------------------------------------


def test_steps_of_the_tutorial_check_themselves(studio: Studio) -> None:
    page = studio.new("Learning", over="kingsburg", tutorial="yes")

    def reached() -> int:
        found = re.search(r'data-reached="(\d+)"', page.post("tutorial"))
        assert found
        return int(found[1])

    def typed(text: str) -> None:
        page.post("typed", file="rules.edict", text=text)
        page.ask("problems")

    assert reached() == 0
    typed(RULES.partition("  when")[0])
    assert reached() == 1
    typed(RULES)
    assert reached() == 2, "nothing was wrong, so nothing was mended"
    typed(RULES.replace("gold", "golld"))
    assert reached() == 2
    typed(RULES)
    assert reached() == 3
    page.ask("meaning", line=6, column=4, looked=True)
    assert reached() == 4
    assert "Play it" in page.post("tutorial")
    typed("")
    assert reached() == 4, "what was done stays done"


def test_any_step_of_the_tutorial_can_be_looked_at_and_none_beyond_the_last(tea: Page) -> None:
    reached = int(re.findall(r'data-reached="(\d+)"', tea.post("tutorial"))[0])
    steps = tea.post("tutorial").count("data-step=")
    for shown, looked_at in (
        (0, 0),
        (steps - 1, steps - 1),
        (steps, reached),
        (steps + 1, reached),
        (-1, reached),
        ("1", reached),
        (None, reached),
    ):
        told = tea.post("tutorial", shown=shown)
        assert f'data-step="{looked_at}" aria-current="step"' in told and "All steps are done" not in told, shown


def test_too_much_is_refused(tea: Page) -> None:
    answer = tea.client.post(f"{tea.path}/typed", content=b'{"file": "' + b"x" * 5_000_000)
    assert answer.status_code == 413
    assert tea.client.post(f"{tea.path}/typed", content=b"[" * 20_000).status_code == 400
    assert tea.client.post(f"{tea.path}/ask/hover", content=b"[]").status_code == 400
    tea.post("typed", 422, file="rules.edict", text="#" * 1_100_000)


def test_other_sites_can_send_nothing(studio: Studio) -> None:
    before = len(studio.room.collection.all())
    for site, status in (("cross-site", 403), ("same-origin", 303)):
        form, headers = {"name": "Foreign", "over": "pig"}, {"Sec-Fetch-Site": site}
        answer = studio.client.post("/studio/new", data=form, headers=headers, follow_redirects=False)
        assert answer.status_code == status
    assert len(studio.room.collection.all()) == before + 1


def test_the_page_needs_only_files_of_this_server(studio: Studio, tea: Page) -> None:
    static = Path(__file__).resolve().parents[3] / "interpreter" / "edict" / "apps" / "web" / "static"
    for file in re.findall(r'(?:src|href)="(/static/[^"]+)"', tea.get()):
        assert studio.client.get(file).status_code == 200
    for script in (static / "studio").glob("*.js"):
        for wanted in re.findall(r'from "([^"]+)"', script.read_text(encoding="utf-8")):
            assert (script.parent / wanted).is_file(), wanted
