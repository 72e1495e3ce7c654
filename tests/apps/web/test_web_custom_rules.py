"""Rules that are not shipped, at tables: the host's own folders, uploaded zip files, and recipes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient

from calling import GAME, ROOT, make_manifest, write_files
from edict.apps.web.new_tables import InvalidSetupError, TableOffer, load_uploaded_rules
from edict.apps.web.table_server import TableServer
from edict.compiler.sources.input_limits import MOST_BYTES, MOST_FILES
from edict.game.table.game import Game
from edict.game.table.game_links import GameLink
from edict.game.table.journal import parse_journal
from edict.game.table.rules import Rules, load_rules
from edict.support.processes.tasks import TaskFailed
from examples import choose_examples
from serving import OpenedTable, make_table_form, open_server, zip_module

TWO = ["person", "person"]

# --- the host's own ----------------------------------------------------------------------------------

ISLE = {
    "module.yaml": make_manifest("isle", "game", title="The Isle"),
    "isle.edict": GAME.replace("sample", "isle").replace("Sample", "The Isle").replace("1 to 2", "2 to 2"),
}
MANIFEST = """\
name: loud
title: "<b>Loud</b>"
version: 1.0.0
kind: module
language: 1
requires: [pig]
"""
RULES = """\
setting noise "<script>alert(1)</script>" is 3 from 1 to 9
"""
LOUD = {"module.yaml": MANIFEST, "loud.edict": RULES, "README.md": "me", "scenes/a.yaml": "x"}


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the game `isle` and the module `loud`."""
    parent = tmp_path_factory.mktemp("own")
    for name, files in {"isle": ISLE, "loud": LOUD}.items():
        write_files(parent / name, files)
    return parent


@pytest.fixture(scope="module")
def own(folders: Path) -> Iterator[TestClient]:
    """A client of a server with the game `isle`."""
    with open_server(folders, offer=TableOffer(game=str(folders / "isle"))) as (_, client):
        yield client


def test_own_game_is_selected_on_the_start_page_and_linked_in_the_gallery(own: TestClient) -> None:
    start, gallery = own.get("/").text, own.get("/gallery").text
    assert '<option value="isle" selected>The Isle</option>' in start
    assert "Seats (2 to 2)" in start and "Seats (2 to 2)" not in own.get("/primer", params={"game": "pig"}).text
    assert 'href="/gallery"' in start
    assert 'href="/?game=isle"' in gallery and 'href="/?game=kingsburg&amp;with=governors"' in gallery
    assert gallery.count('role="img"') == gallery.count("<li>") and "recipe-" not in gallery


def test_table_keeps_the_rules_of_an_own_game_when_their_files_change(own: TestClient, folders: Path) -> None:
    table, rules = OpenedTable.open_at(own, "isle", TWO), folders / "isle" / "isle.edict"
    journal = parse_journal(own.get(f"/seat/{table.host}/journal").content)
    assert (journal.header.game, journal.keeps_rules) == ("isle", True)
    rules.write_text(ISLE["isle.edict"].replace("gain 1 coin", "gain 7 coin"))
    old, new = (own.get(f"/seat/{opened.seats[0]}").text for opened in (table, OpenedTable.open_at(own, "isle", TWO)))
    assert "7 coins" not in old and str(folders) not in old and "7 coins" in new
    rules.write_text(ISLE["isle.edict"])


def test_own_game_works_in_quick_play_and_in_rooms(own: TestClient) -> None:
    seat = own.post("/play", data={"game": "isle", "name": "Ann"}, follow_redirects=True)
    assert seat.status_code == 200 and own.get(f"{seat.url.path}/view.json").json()["seat"] == "Ann"
    room = own.post("/rooms", data={"game": "isle", "name": "Ann"}, follow_redirects=True)
    assert room.status_code == 200 and "The Isle" in room.text
    table_page = own.post(f"{room.url.path}/begin", data={"bots": "1"}, follow_redirects=True)
    assert table_page.status_code == 200 and "/seat/" in table_page.url.path


def test_module_can_be_uploaded_for_an_own_game(own: TestClient) -> None:
    files = LOUD | {"module.yaml": MANIFEST.replace("[pig]", "[isle]")}
    table = OpenedTable.open_with_module(own, "isle", TWO, files)
    view = table.get_view(table.seats[0])
    assert (view["game"]["name"], view["game"]["modules"]) == ("isle", ["loud"])


def test_own_module_is_preselected_for_its_game(folders: Path, tmp_path: Path) -> None:
    with open_server(tmp_path, offer=TableOffer(game="pig", modules=[str(folders / "loud")])) as (_, client):
        assert 'value="loud" checked' in client.get("/").text
        assert 'value="loud"> ' in client.get("/primer", params={"game": "pig"}).text  # offered but not preselected
        table = OpenedTable.open_at(client, "pig", TWO, ["loud"])
        assert table.get_view(table.seats[0])["game"]["modules"] == ["loud"]


# --- a stranger's zip file ---------------------------------------------------------------------------

MODULE = {f"loud/{name}": text for name, text in LOUD.items()}


def test_uploaded_module_is_played_and_kept_with_the_game(client: TestClient, subtests: pytest.Subtests) -> None:
    for files in (MODULE, LOUD):
        with subtests.test(files=files):
            table = OpenedTable.open_with_module(client, "pig", TWO, files)
            page = client.get(f"/seat/{table.seats[0]}", headers={"Accept-Language": "de"}).text
            assert "<script>alert" not in page and '<html lang="de">' in page
            assert table.get_view(table.seats[0])["game"]["modules"] == ["loud"]
            journal = parse_journal(client.get(f"/seat/{table.host}/journal").content)
            assert journal.header.modules == ("loud",) and journal.keeps_rules and journal.bundle


def test_upload_leaves_no_files_and_files_outside_its_folder_are_ignored(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    outside = dict.fromkeys(("../evil.edict", "loud/../../evil.edict", "other/evil.edict"), "nonsense")
    assert load_uploaded_rules(zip_module({**MODULE, **outside}), "pig", ()).modules == ("loud",)
    assert not list(tmp_path.iterdir())


MANY = {"module.yaml": MANIFEST} | {f"{number}.edict": RULES for number in range(MOST_FILES + 1)}
EVIL = {
    "module.yaml": make_manifest("sample", "game"),
    "rules.edict": GAME,
    "look.yaml": "light: {accent: 'url(https://evil.example.org)'}\n",
}
INVALID_UPLOADS = {
    "no zip": (b"hello", "not a zip file"),
    "empty": (zip_module({}), "no file `module.yaml`"),
    "only elsewhere": (zip_module({"../module.yaml": MANIFEST}), "no file `module.yaml`"),
    "absolute": (zip_module({"/etc/module.yaml": MANIFEST}), "no file `module.yaml`"),
    "two": (zip_module({"a/module.yaml": MANIFEST, "b/module.yaml": MANIFEST}), "several files `module.yaml`"),
    "same name": (zip_module({"module.yaml": MANIFEST, "A.edict": RULES, "a.edict": RULES}), "the same name"),
    "bomb": (zip_module({"module.yaml": MANIFEST, "a.edict": b"#" * (MOST_BYTES + 1)}), "a file may have"),
    "many": (zip_module(MANY), "are allowed"),
    "unusual": (zip_module({"module.yaml": MANIFEST}, zipfile.ZIP_LZMA), "unusual"),
    "torn": (zip_module(MODULE)[:-8], "not a zip file"),
    "binary": (zip_module({"module.yaml": b"\xff\xfe\0"}), "UTF-8"),
    "no map": (zip_module({"module.yaml": "~", "a.edict": RULES}), "this file cannot be"),
    "no look": (zip_module(EVIL), "look.yaml"),
    "not allowed": (zip_module({"module.yaml": MANIFEST, "a.edict": "nonsense"}), "The module cannot be played"),
}


def test_invalid_upload_is_refused_with_a_reason(client: TestClient, subtests: pytest.Subtests) -> None:
    for case, (raw, reason) in INVALID_UPLOADS.items():
        with subtests.test(case=case):
            fields = make_table_form("pig", TWO)
            response = client.post("/tables", data=fields, files={"module": ("x.zip", raw)})
            assert response.status_code == 422
            assert reason in response.text.replace("&#34;", '"').replace("&#39;", "'")


def test_upload_with_a_wrong_checksum_is_refused() -> None:
    raw = bytearray(zip_module({"module.yaml": MANIFEST}, zipfile.ZIP_STORED))
    offset = raw.index(b"loud")
    raw[offset] ^= 1
    with pytest.raises(InvalidSetupError, match="damaged"):
        load_uploaded_rules(bytes(raw), "pig", ())


def test_rules_that_exceed_the_limits_while_read_are_refused_from_every_source(
    server: tuple[TableServer, TestClient], folders: Path, monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    async def fail(*about: object) -> None:
        raise TaskFailed("it took too long")

    serving, client = server
    monkeypatch.setattr(serving.sandbox, "run", fail)
    journal, module = load_rules(folders / "isle").new_game(["Ann", "Ben"]).journal, ("loud.zip", zip_module(MODULE))
    link = GameLink(replace(journal, keeps_rules=True)).encode()
    table = OpenedTable.open_at(client, "pig", TWO)
    for response, reason in (
        (client.post("/tables", data=make_table_form("pig", TWO), files={"module": module}), "rules were stopped"),
        (client.post("/tables/journal", files={"journal": ("x.jsonl", journal.to_bytes())}), "rules were stopped"),
        (client.post("/tables/link", data={"link": f"#game={link}"}), "rules in this link cannot be played"),
        (client.post(f"/seat/{table.seats[0]}/try", data={"who": "me"}, files={"module": module}), "were stopped"),
    ):
        with subtests.test(reason=reason):
            assert response.status_code == 422 and f"{reason}: it took too long" in response.text


# --- recipes -----------------------------------------------------------------------------------------

MAX_ANSWERS = 240  # of one game
POSITIONS = choose_examples(2, 4)  # at which a game is looked at, besides its start
FURTHER_ANSWERS = choose_examples(1, 3)  # given at each position
RECIPES = {  # not offered on the start page
    folder.parent.name: folder.parent for folder in sorted((ROOT / "examples" / "recipes").glob("*/module.yaml"))
}


def play_randomly(rules: Rules, answers: int) -> Game:
    """Return a game after a number of random answers or at its end."""
    players = [f"Player {number}" for number in range(1, rules.program.least_players + 1)]
    game, rng = rules.new_game(players, seed=7), Random(3)
    while answers and not game.over:
        game.answer(rng.choice(game.ask.options).key)
        answers -= 1
    return game


def assert_pages_open(table: OpenedTable) -> None:
    """Assert that every page about the table can be opened."""
    for key in (*table.seats, table.onlookers):
        for path in (f"/seat/{key}", f"/seat/{key}/view.json", f"/seat/{key}/missed", f"/seat/{key}/rules"):
            assert table.client.get(path).status_code == 200, path


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.sample(2)
def test_recipe_can_be_opened_and_played_at_its_seats(client: TestClient, name: str) -> None:
    rules, rng = load_rules(RECIPES[name]), Random(5)
    answer_count = sum(answer.seat >= 0 for answer in play_randomly(rules, MAX_ANSWERS).journal.answers)
    for position in range(POSITIONS + 1):
        journal = replace(play_randomly(rules, answer_count * position // POSITIONS).journal, keeps_rules=True)
        table = OpenedTable.open_from_journal(client, journal.to_bytes())
        assert_pages_open(table)
        for _ in range(FURTHER_ANSWERS):
            table.play(1, rng)
            assert_pages_open(table)
