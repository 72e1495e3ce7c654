"""Routes of the studio: their responses, access rights and refusals."""

from __future__ import annotations

import io
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from edict.apps.web.application import create_application
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.page_templates import get_pages
from edict.apps.web.store import Store
from edict.apps.web.studio import side_panels
from edict.apps.web.studio.open_variants import StudioServer
from edict.apps.web.studio.tutorial import TutorialStep
from edict.apps.web.table_server import TableServer
from edict.prose.rulebook.typesetting import can_typeset
from edict.tools.studio.collection import Collection
from edict.tools.studio.evaluation import EvaluatedThing, EvaluationReport, Figure, ThingUse, describe_worth
from serving import NO_LIMITS
from tea_house import RULES

TIMEOUT = 60.0  # seconds
# a variant of Pig; its content does not matter
COACH = "when end of turn\n  each player with fewest point of it\n    gain 1 point\n"


@dataclass
class StudioClient:
    """A client of a server with the studio."""

    client: TestClient
    room: StudioServer

    def create_variant(self, name: str = "Tea", **form: str) -> VariantPage:
        """Create a variant, by default over a small game, and return its page as its author sees it."""
        fields = {"name": name, "over": "pig", **form}
        response = self.client.post("/studio/new", data=fields, follow_redirects=False)
        assert response.status_code == 303, response.text
        return VariantPage(self.client, response.headers["location"].partition("#")[0])


@dataclass
class VariantPage:
    """The requests of the page of a variant."""

    client: TestClient
    path: str

    def post(self, route: str, status: int = 200, **body: Any) -> Any:
        response = self.client.post(f"{self.path}/{route}", json=body)
        assert response.status_code == status, f"{route}: {response.status_code} {response.text}"
        return response.json() if response.headers["content-type"] == "application/json" else response.text

    def get_text(self, file: str = "rules.edict") -> str:
        return str(self.post("texts")[file][0])

    def get(self, route: str = "", status: int = 200) -> str:
        response = self.client.get(f"{self.path}/{route}" if route else self.path)
        assert response.status_code == status, response.text
        return str(response.text)

    def post_form(self, route: str, **answers: str) -> str:
        response = self.client.post(f"{self.path}/forms/{route}", data=answers)
        assert response.status_code == 200, response.text
        return str(response.text)

    def ask_language_service(self, question: str, **body: Any) -> Any:
        return self.post(f"ask/{question}", **{"file": "rules.edict", "line": 4, "column": 12, **body})

    def wait_until(self, condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + TIMEOUT
        while not condition():
            assert time.monotonic() < deadline
            time.sleep(0.1)


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioClient]:
    folder = tmp_path_factory.mktemp("studio")
    serving = TableServer(Store(f"sqlite:///{folder / 'tables.sqlite'}"), TableOffer(), limits=NO_LIMITS, pause=0.0)
    room = StudioServer(serving, Collection(folder / "variants"))
    with TestClient(create_application(serving, room)) as client:
        yield StudioClient(client, room)
    serving.store.close()


@pytest.fixture(scope="module")
def tea(studio: StudioClient) -> VariantPage:
    """A variant with a building of its own; tests do not change its rules."""
    page = studio.create_variant("Tea", over="kingsburg", tutorial="yes")
    page.post("typed", file="rules.edict", text=RULES)
    return page


@pytest.fixture(scope="module")
def any_variant(studio: StudioClient) -> VariantPage:
    return studio.create_variant("Coach")


@pytest.fixture
def coach(any_variant: VariantPage) -> VariantPage:
    """A variant restored to one rule of its own."""
    any_variant.post("typed", file="rules.edict", text=COACH)
    return any_variant


# --- creating, sharing and opening variants ------------------------------------------------------------


def test_variant_can_start_from_every_offered_source(studio: StudioClient, subtests: pytest.Subtests) -> None:
    assert "Begin the tutorial" in studio.client.get("/studio").text
    for form in (
        {},
        {"from": "copy", "copied": "long-winter"},
        {"from": "form", "transcribed": "more-buildings"},
        {"from": "game"},
    ):
        with subtests.test(form=form):
            page = studio.create_variant("One of each", **form)
            texts = page.post("texts")
            assert "module.yaml" in texts and any(file_name.endswith(".edict") for file_name in texts)
            assert page.ask_language_service("problems", file="module.yaml") == [] or form.get("from") == "form"
            assert "<h1>" in page.get()


def test_new_variant_refuses_sources_that_are_not_offered(studio: StudioClient, subtests: pytest.Subtests) -> None:
    for form in ({"over": "/etc"}, {"from": "copy", "copied": "../rules"}, {"from": "zip"}):
        with subtests.test(form=form):
            response = studio.client.post("/studio/new", data={"name": "Thief", **form}, follow_redirects=False)
            assert response.status_code == 422 and 'role="alert"' in response.text


def test_exported_variant_can_be_imported(studio: StudioClient, coach: VariantPage) -> None:
    raw = studio.client.get(f"{coach.path}/zip").content
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        assert any(name.endswith("/rules.edict") for name in archive.namelist())
    fields, files = {"name": "Coach again", "from": "zip"}, {"zip": ("coach.zip", raw, "application/zip")}
    response = studio.client.post("/studio/new", data=fields, files=files, follow_redirects=False)
    assert VariantPage(studio.client, response.headers["location"]).get_text() == COACH


def test_shared_link_allows_reading_and_forking_but_no_changes(studio: StudioClient, coach: VariantPage) -> None:
    share = coach.get("share")
    assert "Open a table" in share
    reader = next(path for path in re.findall(r'href="(/studio/[^"]+)"', share) if path != coach.path)
    shared = VariantPage(studio.client, reader)
    assert "data-readonly" in shared.get() and shared.get_text() == COACH
    assert shared.ask_language_service("hover", line=3, column=13)["html"]
    shared.post("typed", 403, file="rules.edict", text="")
    shared.post("file", 403, name="other.edict")
    shared.post("save", 403)
    shared.get("share", 403)
    fork = studio.client.post(f"{reader}/fork", follow_redirects=False)
    copy = VariantPage(studio.client, fork.headers["location"])
    copy.post("typed", file="rules.edict", text="")
    assert coach.get_text() == COACH


def test_friends_claim_seats_at_a_table_with_a_variant(studio: StudioClient, coach: VariantPage) -> None:
    page = studio.client.post(f"{coach.path}/friends", data={"players": "2"}, follow_redirects=True)
    assert page.status_code == 200 and "/host/" in str(page.url)
    seats = re.findall(r'href="/seat/([\w-]+)"', page.text)
    claimed = studio.client.post(f"/seat/{seats[0]}/claim", follow_redirects=True)
    assert "Coach" in studio.client.get(f"{claimed.url.path}/rules").text
    assert studio.client.post(f"{coach.path}/friends", data={"players": "99"}).status_code == 422


def test_variants_open_only_by_their_links(studio: StudioClient, coach: VariantPage, subtests: pytest.Subtests) -> None:
    name, _, key = coach.path.rpartition("/")[2].partition("~")
    another = key[:-1] + ("y" if key.endswith("x") else "x")
    for wrong in (name, f"{name}~", f"{name}~{another}", f"other~{key}", "..~" + key, "x" * 30):
        with subtests.test(wrong=wrong):
            assert studio.client.get(f"/studio/{wrong}").status_code == 404
    assert studio.client.get("/studio/all/guess").status_code == 404
    everything = studio.client.get(f"/studio/all/{studio.room.all_key}").text
    assert coach.path in everything and coach.path not in studio.client.get("/studio").text


def test_pages_escape_scripts_and_may_be_framed_only_by_this_server(
    studio: StudioClient, subtests: pytest.Subtests
) -> None:
    page = studio.create_variant("<script>alert(1)</script>")
    manifest = page.get_text("module.yaml")
    evil = re.sub("title: .*", 'title: "<script>alert(1)</script>"', manifest)
    page.post("typed", file="module.yaml", text=evil)
    page.post("typed", file="rules.edict", text='resource gem "<b>A</b>"\nwhen end of turn\n  gain 1 gem\n')
    shown = (page.get("changes"), page.get("rulebook"), page.ask_language_service("hover", line=1, column=12)["html"])
    assert all("&lt;b&gt;A" in text for text in shown)
    for text in (*shown, page.get(), studio.client.get(f"/studio/all/{studio.room.all_key}").text):
        with subtests.test(text=text):
            assert "<script>alert" not in text and "<b>A" not in text
    policy = studio.client.get(page.path).headers["content-security-policy"]
    assert "default-src 'self'" in policy and "frame-ancestors 'self'" in policy and "unsafe" not in policy


# --- the editor ----------------------------------------------------------------------------------------


def test_typed_text_survives_a_restart_and_files_can_be_renamed_and_deleted(studio: StudioClient) -> None:
    page = studio.create_variant("Kept")
    page.post("typed", file="rules.edict", text='building half "Ha')
    serving = TableServer(studio.room.serving.store, TableOffer(), limits=NO_LIMITS)  # as after a kill -9
    with TestClient(
        create_application(serving, StudioServer(serving, Collection(studio.room.collection.folder)))
    ) as client:
        assert VariantPage(client, page.path).get_text() == 'building half "Ha'
    page.post("typed", 422, file="nowhere.edict", text="")
    page.post("typed", 422, file="../module.yaml", text="")
    page.post("typed", 400, file="rules.edict")
    assert page.post("file", name="more.edict") == {"file": "more.edict", "text": ""}
    assert "already" in page.post("file", 422, name="more.edict")["refused"]
    page.post("typed", file="more.edict", text="# kept\n")
    assert page.post("file/rename", file="more.edict", name="less.edict") == {"file": "less.edict"}
    assert page.get_text("less.edict") == "# kept\n" and "more.edict" not in page.post("texts")
    assert "already" in page.post("file/rename", 422, file="less.edict", name="rules.edict")["refused"]
    assert "needs its" in page.post("file/delete", 422, file="module.yaml")["refused"]
    page.post("file/delete", file="less.edict")
    assert "less.edict" not in page.post("texts")


def test_variant_closed_for_lack_of_room_is_opened_again(
    studio: StudioClient, coach: VariantPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("edict.apps.web.studio.open_variants.MAX_OPEN", 1)
    page = studio.create_variant("In its place")
    page.post("typed", file="rules.edict", text="# half\n")
    assert (coach.get_text(), page.get_text()) == (COACH, "# half\n")


def test_typing_over_a_newer_text_is_refused(studio: StudioClient) -> None:
    page = studio.create_variant("Two tabs")
    mark = page.post("texts")["rules.edict"][1]
    mine = page.post("typed", file="rules.edict", text="# mine\n", over=mark)["mark"]
    refused = page.post("typed", 409, file="rules.edict", text="# from another tab\n", over=mark)
    assert refused["clash"] and "changed elsewhere" in refused["refused"]
    assert page.get_text() == "# mine\n"
    page.post("typed", file="rules.edict", text="# mine, and more\n", over=mine)
    page.post("typed", file="rules.edict", text="# from another tab\n")
    assert page.get_text() == "# from another tab\n"


def test_saving_does_not_overwrite_files_changed_on_disk(studio: StudioClient) -> None:
    page = studio.create_variant("On disk")
    file = studio.room.collection.folder / "on-disk" / "rules.edict"
    page.post("typed", file="rules.edict", text="# typed\n")
    file.write_text("# by another editor\n")
    assert page.post("save", 409)["clash"] and file.read_text() == "# by another editor\n"
    page.post("give-way")
    assert page.get_text() == "# by another editor\n"
    page.post("typed", file="rules.edict", text="# typed and saved\n")
    page.post("save")
    assert file.read_text() == "# typed and saved\n"
    page.post("typed", file="rules.edict", text="# typed again\n")
    file.write_text("# by another editor again\n")
    page.post("save", over=True)
    assert file.read_text() == page.get_text() == "# typed again\n"


def test_code_generation_errors_are_reported_only_by_the_full_check(studio: StudioClient) -> None:
    page = studio.create_variant("In a circle")
    page.post("typed", file="rules.edict", text="routine a\n  do b\nroutine b\n  do a\n")
    assert not any("without end" in str(problem) for problem in page.ask_language_service("problems"))
    assert any("without end" in str(problem) for problem in page.ask_language_service("problems", whole=True))


def test_language_service_answers_every_question(tea: VariantPage) -> None:
    assert tea.ask_language_service("problems", whole=True) == []
    assert [1, 1, 4, "kind"] in [
        [line, *token] for line, *tokens in tea.ask_language_service("colours") for token in tokens
    ]
    offered = tea.ask_language_service("complete", line=10, column=16)
    assert {"gold", "wood"} <= {entry["label"] for entry in offered}
    assert "1 gold" in tea.ask_language_service("words", name="tea-house")
    assert "Tea House" in tea.ask_language_service("hover", column=14)["html"]
    assert "Tea House" in tea.ask_language_service("meaning", line=8, column=3)
    assert tea.ask_language_service("definition", line=5, column=8)[0]["file"] == "rules.edict"
    assert tea.ask_language_service("renamable", column=14) == "tea-house"
    assert tea.ask_language_service("rename", column=14, name="inn-of-tea")[0]["edits"][0]["text"] == "inn-of-tea"
    refused = tea.post("ask/rename", 422, file="rules.edict", line=4, column=14, name="nothing")["refused"]
    assert "word of the language" in refused
    assert tea.ask_language_service("layout") == RULES
    assert any("adjusted by" in entry["text"] for entry in tea.ask_language_service("hints"))
    assert tea.ask_language_service("references", column=14)[0]["text"] == 'building tea-house "Tea House"'
    assert tea.ask_language_service("signature") is None
    assert tea.ask_language_service("indent", before=RULES.partition("\n    may")[0]) == 4
    tea.post("ask/anything", 404)
    tea.post("ask/hover", 422, file="elsewhere.edict", line=1, column=1)
    tea.post("ask/hover", 422, file="rules.edict", line="1", column=1)


def test_scenes_are_shown_above_the_things_they_mention(tea: VariantPage) -> None:
    tea.post("file", name="scenes/tea.yaml")
    text = "scenes:\n  - name: Tea\n    start: phase winter\n    given: {Ann: {built: [Tea House]}}\n    play: []\n"
    tea.post("typed", file="scenes/tea.yaml", text=text)
    (lens,) = tea.post("lenses", file="rules.edict")
    assert (lens["line"], lens["said"]) == (4, "1 scene")
    assert lens["scenes"] == [{"name": "Tea", "file": "scenes/tea.yaml", "line": 2, "column": 11}]
    tea.wait_until(lambda: "of 1 scenes pass" in tea.get("scenes"))
    (lens,) = tea.post("lenses", file="rules.edict")
    assert lens["said"].startswith("1 scene: ") and lens["unplayed"][0]["file"] == "rules.edict"
    tea.post("lenses", 422, file="elsewhere.edict")
    tea.post("file/delete", file="scenes/tea.yaml")


def test_study_page_begins_with_the_verdict_and_tells_each_figure_once() -> None:
    share = Figure(0.5, 0.4, 0.6)
    oven = ThingUse("held", share, 0.5, Figure(0.06, 0.02, 0.1), None)
    things = (EvaluatedThing("oven", "Oven", "stall", "added", oven, None),)
    verdict = "With “Oven”, scores are 2 VP higher (±0.4)."
    found = EvaluationReport(40, 40, 40, 2, "greedy", (), (), things, (verdict,), ())
    page = get_pages().render(
        "studio/study.html", key="k", found=found, more=False, problem="", describe_worth=describe_worth
    )
    assert 0 < page.index(verdict) < page.index("<progress") < page.index("<table")
    assert page.count("higher (+2 to +10 percentage points)") == page.count("have it at the end") == 1


def test_question_is_answered_kept_and_shown_by_a_link(studio: StudioClient) -> None:
    page = studio.create_variant("Fair", over="gem-fair")
    forms = page.get("questions")
    assert "What should it cost?" in forms and '<option value="jade-palace">Jade Palace</option>' in forms
    fields = {"kind": "strength", "thing": "jade-palace", "players": "2", "bot": "random"}
    answer = studio.client.post(f"{page.path}/questions", data=fields).text
    assert "<h4>Is Jade Palace too strong?</h4>" in answer
    (key,) = set(re.findall(r"/questions/([0-9a-f]{16})", answer))
    page.wait_until(lambda: "link to it" in page.get(f"questions/{key}"))
    answer = page.get(f"questions/{key}")
    assert "hx-trigger" not in answer and '<figure class="noted">' in answer and "style=" not in answer
    link = re.findall(r'href="([^"]+/answers/[^"]+)"', answer)[0]
    assert not link.startswith(page.path), "it does not allow to change the variant"
    shown = studio.client.get(link)
    assert shown.status_code == 200 and "<h1>Is Jade Palace too strong?</h1>" in shown.text
    assert "pairs of games with the same luck" in shown.text and "The rules have changed since" not in shown.text
    again = studio.client.post(f"{page.path}/questions", data=fields).text
    assert "link to it" in again, "the same question of the same rules has its answer"
    page.post("typed", file="rules.edict", text="when end of turn\n  each player\n    gain 1 ruby\n")
    assert "The rules have changed since" in studio.client.get(link).text


def test_question_can_be_stopped(studio: StudioClient) -> None:
    page = studio.create_variant("Fair", over="gem-fair")
    fields = {"kind": "strategies", "first": "first jade-palace", "bot": "greedy", "games": "8000", "players": "4"}
    answer = studio.client.post(f"{page.path}/questions", data=fields).text
    key = re.findall(r"/questions/([0-9a-f]{16})/stop", answer)[0]
    assert "<progress" in answer and 'hx-trigger="load delay:1s"' in answer
    stopped = studio.client.post(f"{page.path}/questions/{key}/stop").text
    assert "<progress" not in stopped and "hx-trigger" not in stopped
    assert "<progress" in studio.client.post(f"{page.path}/questions", data=fields).text, "it can be asked again"
    assert "<progress" not in studio.client.post(f"{page.path}/questions/{key}/stop").text


def test_questions_say_why_they_have_no_answer(
    studio: StudioClient, coach: VariantPage, subtests: pytest.Subtests
) -> None:
    questions = f"{coach.path}/questions"
    for fields, said in (
        ({}, "That is no question that the studio answers"),
        ({"kind": "strength", "thing": "nothing"}, "Choose something that players can choose"),
        ({"kind": "strategies", "first": "prefer it", "bot": "module:Bot"}, "There is no such bot."),
    ):
        with subtests.test(fields=fields):
            assert said in studio.client.post(questions, data=fields).text
    answer = studio.client.post(questions, data={"kind": "strategies", "first": "prefer nonsense"}).text
    key = re.findall(r"/questions/([0-9a-f]{16})", answer)[0]
    coach.wait_until(lambda: 'role="alert"' in coach.get(f"questions/{key}"))
    assert "nonsense" in coach.get(f"questions/{key}")
    coach.get("questions/0000000000000000", 404)
    coach.get("answers/0000000000000000", 404)
    coach.post("typed", file="rules.edict", text=COACH.replace("1 point", "1 poimt"))
    assert "Fix the errors in the rules" in coach.get("questions")
    assert "Fix the errors in the rules" in studio.client.post(questions, data={"kind": "cost"}).text


def test_broken_file_still_has_colours_completions_and_fixes(coach: VariantPage) -> None:
    assert coach.ask_language_service("problems") == []
    coach.post("typed", file="rules.edict", text=COACH.replace("1 point", "1 poimt"))
    assert coach.ask_language_service("problems")[0]["fix"]["changes"] == [
        {"file": "rules.edict", "edits": [{"at": [3, 12, 3, 17], "text": "point"}]}
    ]
    coach.post("typed", file="rules.edict", text=COACH + 'resource half "Half\n')
    problems = coach.ask_language_service("problems")
    assert problems and problems[0]["file"] == "rules.edict" and problems[0]["severity"] == "error"
    assert [1, [1, 5, "keyword"]] in [line[:2] for line in coach.ask_language_service("colours")]
    assert "point" in {completion["label"] for completion in coach.ask_language_service("complete", line=3, column=12)}
    assert "Fix the errors in the rules" in coach.get("changes")
    assert "Fix the errors" in coach.get("study")
    coach.get("rulebook", 409)
    coach.get("sheet", 409)


def test_manifest_that_is_not_a_mapping_is_reported_as_a_problem(
    studio: StudioClient, subtests: pytest.Subtests
) -> None:
    page = studio.create_variant("Shapeless")
    for text in ("~", "hello", "- a", "5", ""):
        with subtests.test(text=text):
            page.post("typed", file="module.yaml", text=text)
            (problem,) = page.ask_language_service("problems")
            assert (problem["file"], problem["severity"]) == ("module.yaml", "error")
            page.post("save")
            assert page.get() and page.get_text("module.yaml") == text
            assert studio.client.get("/studio").status_code == 200


def test_changed_pages_of_the_rulebook_are_shown(tea: VariantPage) -> None:
    shown = tea.get("changes")
    assert "Tea House" in shown and "you may gain 1 gold" in shown and "Palisade" not in shown
    sheet = tea.get("sheet")
    assert "Tea House" in sheet and "Palisade" not in sheet
    assert "Palisade" in tea.get("rulebook")


def test_rulebook_and_sheet_are_typeset_as_pdf(
    studio: StudioClient, coach: VariantPage, subtests: pytest.Subtests
) -> None:
    if not can_typeset():
        pytest.skip("typst, of the extra `print`, is not installed")
    for document in ("rulebook", "sheet"):
        with subtests.test(document=document):
            response = studio.client.get(f"{coach.path}/{document}.pdf")
            assert (
                response.content.startswith(b"%PDF") and f"-{document}.pdf" in response.headers["content-disposition"]
            )
    coach.get("other.pdf", 404)


def test_form_previews_its_rules_and_writes_them(studio: StudioClient) -> None:
    page = studio.create_variant("By forms", over="kingsburg", **{"from": "forms"})
    assert "Add a new one" in page.get("forms")
    fields = {"what": "change", "kind": "advisor", "thing": "squire"}
    shown = studio.client.get(f"{page.path}/forms/of", params=fields).text
    rule = studio.client.get(f"{page.path}/forms/of", params={"what": "rule"}).text
    assert "rule-form" in rule and 'role="alert"' not in rule
    assert 'name="field.reward.1.count"' in shown and "Now: " in shown
    fields |= {"field.reward.1.count": "2"}
    assert "Write it" not in page.post_form("supposed", **fields)
    fields |= {"field.reward.1.what": "wood"}
    assert "Gain 2 wood." in page.post_form("supposed", **fields)
    before = page.get_text()
    assert before == page.get_text(), "nothing is written yet"
    page.post_form("write", **fields)
    assert (
        page.get_text().startswith(before.rstrip())
        and "amend advisor squire\n  reward gain 2 wood\n" in page.get_text()
    )
    building = {
        "what": "add",
        "kind": "building",
        "title": "Smithy",
        "field.row": "B",
        "field.column": "1",
        "field.cost.wood": "2",
        "field.worth": "1",
    }
    assert "have the same `row` and `column`" in page.post_form("write", **building)
    assert "Smithy" not in page.get_text()
    assert "is no such thing" in page.post_form("supposed", what="change", kind="advisor", thing="nobody")


# --- the table -----------------------------------------------------------------------------------------


def test_game_of_a_variant_continues_under_changed_rules(
    studio: StudioClient, coach: VariantPage, subtests: pytest.Subtests
) -> None:
    assert "New game" in coach.get("table")
    opened = coach.post("table/begin", players="2", bot="greedy", scene="")
    view = studio.client.get(f"/seat/{opened['seat']}/view.json").json()
    assert view["players"] == ["You", "Greedy 1"]
    for route in ("renew", "moment", "stands"):
        with subtests.test(route=route):
            assert "no longer exists" in coach.post(f"table/{route}", 422, host=opened["seat"], answers=0)["refused"]
    coach.post("table/begin", 422, players="9")
    coach.post("table/begin", 422, players="2", bot="cheat")
    assert coach.post("table/stands", host=opened["host"])["seat"] == opened["seat"]
    rewound = coach.post("table/moment", host=opened["host"], answers=0)
    assert rewound["seat"] not in ("", opened["seat"])
    assert coach.post("table/renew", host=opened["host"])["seat"] == opened["seat"]
    coach.post("typed", file="rules.edict", text=COACH.replace("gain 1", "gain 2"))
    renewed = coach.post("table/renew", host=opened["host"])
    assert renewed["seat"] != opened["seat"] and "new rules" in renewed["said"]
    coach.post("typed", file="rules.edict", text="nonsense\n")
    assert "errors" in coach.post("table/renew", 422, host=opened["host"])["refused"]
    assert "Fix the errors in the rules" in coach.get("table")


def test_scene_is_made_from_the_last_answers(studio: StudioClient) -> None:
    page = studio.create_variant("With a scene")
    page.post("typed", file="rules.edict", text=COACH)
    opened = page.post("table/begin", players="2", bot="greedy")
    nothing = page.post("table/scene", 422, host=opened["host"], answers=0, name="Nothing")
    assert "not made any moves" in nothing["refused"]
    seat = f"/seat/{opened['seat']}"
    assert studio.client.portal is not None
    studio.client.portal.call(studio.room.serving.bots.start_turns, opened["table"])  # as the page's event stream does
    page.wait_until(lambda: studio.client.get(f"{seat}/view.json").json()["question"] is not None)
    question = studio.client.get(f"{seat}/view.json").json()["question"]
    version = re.search(r'name="version" value="(\d+)"', studio.client.get(seat).text)
    assert version
    studio.client.post(f"{seat}/answer", data={"answer": question["options"][0]["key"], "version": version[1]})
    scene = page.post("table/scene", host=opened["host"], answers=99, name="Rolled once")
    assert "Rolled once" in page.get_text(scene["file"]).split("\n")[scene["line"] - 1]
    page.wait_until(lambda: "2 of 2 scenes pass" in page.get("scenes"))
    assert f"the scene “{scene['name']}”" in page.get("table")
    again = page.post("table/begin", bot="greedy", scene=f"{scene['file']}\n{scene['name']}")
    view = studio.client.get(f"/seat/{again['seat']}/view.json").json()
    assert view["players"] == ["You", "Greedy 1"]
    assert "no scene" in page.post("table/begin", 422, bot="greedy", scene=f"{scene['file']}\nAnother")["refused"]


# --- the tutorial --------------------------------------------------------------------------------------


def test_tutorial_steps_are_completed_by_what_the_author_does(studio: StudioClient) -> None:
    page = studio.create_variant("Learning", over="kingsburg", tutorial="yes")

    def get_reached_step() -> int:
        match = re.search(r'data-reached="(\d+)"', page.post("tutorial"))
        assert match
        return int(match[1])

    def type_rules(text: str) -> None:
        page.post("typed", file="rules.edict", text=text)
        page.ask_language_service("problems")

    assert get_reached_step() == 0
    type_rules(RULES.partition("  when")[0])
    assert get_reached_step() == 1
    type_rules(RULES)
    assert get_reached_step() == 2, "nothing was wrong, so nothing was mended"
    type_rules(RULES.replace("gold", "golld"))
    assert get_reached_step() == 2
    type_rules(RULES)
    assert get_reached_step() == 3
    page.ask_language_service("meaning", line=6, column=4, looked=True)
    assert get_reached_step() == 4
    assert "Play it" in page.post("tutorial")
    type_rules("")
    assert get_reached_step() == 4, "what was done stays done"


def test_concurrent_requests_complete_a_step_of_the_tutorial_once(
    studio: StudioClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = studio.create_variant("Learning", over="kingsburg", tutorial="yes")

    def is_first(step: TutorialStep, _: object) -> bool:
        """Return True for the first step, after both requests had time to ask about it."""
        time.sleep(0.2)
        return step.title == "Add a building"

    monkeypatch.setattr(side_panels, "is_done", is_first)
    with ThreadPoolExecutor(2) as executor:
        pages = list(executor.map(lambda _: page.post("tutorial"), range(2)))
    assert [re.findall(r'data-reached="(\d+)"', html) for html in pages] == [["1"], ["1"]]


def test_tutorial_shows_any_existing_step_and_otherwise_the_reached_one(
    tea: VariantPage, subtests: pytest.Subtests
) -> None:
    reached = int(re.findall(r'data-reached="(\d+)"', tea.post("tutorial"))[0])
    steps = tea.post("tutorial").count("data-step=")
    for shown, expected in (
        (0, 0),
        (steps - 1, steps - 1),
        (steps, reached),
        (steps + 1, reached),
        (-1, reached),
        ("1", reached),
        (None, reached),
    ):
        with subtests.test(shown=shown):
            html = tea.post("tutorial", shown=shown)
            assert f'data-step="{expected}" aria-current="step"' in html and "All steps are done" not in html


def test_oversized_or_malformed_requests_are_refused(tea: VariantPage) -> None:
    response = tea.client.post(f"{tea.path}/typed", content=b'{"file": "' + b"x" * 5_000_000)
    assert response.status_code == 413
    assert tea.client.post(f"{tea.path}/typed", content=b"[" * 20_000).status_code == 400
    assert tea.client.post(f"{tea.path}/ask/hover", content=b"[]").status_code == 400
    tea.post("typed", 422, file="rules.edict", text="#" * 1_100_000)


def test_requests_from_other_sites_are_refused(studio: StudioClient, subtests: pytest.Subtests) -> None:
    before = len(studio.room.collection.list_variants())
    for site, status in (("cross-site", 403), ("same-origin", 303)):
        with subtests.test(site=site):
            form, headers = {"name": "Foreign", "over": "pig"}, {"Sec-Fetch-Site": site}
            response = studio.client.post("/studio/new", data=form, headers=headers, follow_redirects=False)
            assert response.status_code == status
    assert len(studio.room.collection.list_variants()) == before + 1


def test_page_loads_only_files_of_this_server(
    studio: StudioClient, tea: VariantPage, subtests: pytest.Subtests
) -> None:
    static = Path(__file__).resolve().parents[3] / "interpreter" / "edict" / "apps" / "web" / "static"
    for file in re.findall(r'(?:src|href)="(/static/[^"]+)"', tea.get()):
        with subtests.test(file=file):
            assert studio.client.get(file).status_code == 200
    for script in (static / "studio").glob("*.js"):
        for imported in re.findall(r'from "([^"]+)"', script.read_text(encoding="utf-8")):
            with subtests.test(imported=imported):
                assert (script.parent / imported).is_file()
