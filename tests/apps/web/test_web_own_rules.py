"""Rules that do not ship, at tables: the host's own, named by a folder, strangers', sent as a zip file, and recipes."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest
from starlette.testclient import TestClient

from calling import GAME, ROOT, manifest, write
from edict.apps.web.new_tables import TableOffer, WrongUpload, rules_with
from edict.apps.web.table_server import TableServer
from edict.compiler.sources.input_limits import MOST_BYTES, MOST_FILES
from edict.game.table.game import Game
from edict.game.table.game_links import GameLink
from edict.game.table.journal import parse_journal
from edict.game.table.rules import Rules, load_rules
from edict.support.processes.tasks import TaskFailed
from examples import examples
from serving import Opened, form, served, zipped

TWO = ["person", "person"]

# --- the host's own ----------------------------------------------------------------------------------

ISLE = {
    "module.yaml": manifest("isle", "game", title="The Isle"),
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
    found = tmp_path_factory.mktemp("own")
    for name, files in {"isle": ISLE, "loud": LOUD}.items():
        write(found / name, files)
    return found


@pytest.fixture(scope="module")
def own(folders: Path) -> Iterator[TestClient]:
    with served(folders, offer=TableOffer(game=str(folders / "isle"))) as (_, client):
        yield client


def test_the_start_page_begins_with_it_and_the_gallery_leads_to_it(own: TestClient) -> None:
    start, gallery = own.get("/").text, own.get("/gallery").text
    assert '<option value="isle" selected>The Isle</option>' in start
    assert "Seats (2 to 2)" in start and "Seats (2 to 2)" not in own.get("/primer", params={"game": "pig"}).text
    assert 'href="/gallery"' in start
    assert 'href="/?game=isle"' in gallery and 'href="/?game=kingsburg&amp;with=governors"' in gallery
    assert gallery.count("<svg") == gallery.count("<li>") and "recipe-" not in gallery


def test_it_is_played_under_its_name_by_the_rules_that_the_table_keeps(own: TestClient, folders: Path) -> None:
    table, rules = Opened.at(own, "isle", TWO), folders / "isle" / "isle.edict"
    journal = parse_journal(own.get(f"/seat/{table.host}/journal").content)
    assert (journal.header.game, journal.keeps_rules) == ("isle", True)
    rules.write_text(ISLE["isle.edict"].replace("gain 1 coin", "gain 7 coin"))
    old, new = (own.get(f"/seat/{one.seats[0]}").text for one in (table, Opened.at(own, "isle", TWO)))
    assert "7 coins" not in old and str(folders) not in old and "7 coins" in new
    rules.write_text(ISLE["isle.edict"])


def test_it_is_played_at_once_and_in_a_room_like_any_other(own: TestClient) -> None:
    seat = own.post("/play", data={"game": "isle", "name": "Ann"}, follow_redirects=True)
    assert seat.status_code == 200 and own.get(f"{seat.url.path}/view.json").json()["seat"] == "Ann"
    room = own.post("/rooms", data={"game": "isle", "name": "Ann"}, follow_redirects=True)
    assert room.status_code == 200 and "The Isle" in room.text
    begun = own.post(f"{room.url.path}/begin", data={"bots": "1"}, follow_redirects=True)
    assert begun.status_code == 200 and "/seat/" in begun.url.path


def test_a_module_can_be_sent_for_it(own: TestClient) -> None:
    files = LOUD | {"module.yaml": MANIFEST.replace("[pig]", "[isle]")}
    table = Opened.with_module(own, "isle", TWO, files)
    view = table.view(table.seats[0])
    assert (view["game"]["name"], view["game"]["modules"]) == ("isle", ["loud"])


def test_a_variant_is_ticked_with_the_game_it_is_for(folders: Path, tmp_path: Path) -> None:
    with served(tmp_path, offer=TableOffer(game="pig", modules=[str(folders / "loud")])) as (_, client):
        assert 'value="loud" checked' in client.get("/").text
        assert 'value="loud"> ' in client.get("/primer", params={"game": "pig"}).text  # the tick was taken away
        table = Opened.at(client, "pig", TWO, ["loud"])
        assert table.view(table.seats[0])["game"]["modules"] == ["loud"]


# --- a stranger's zip file ---------------------------------------------------------------------------

MODULE = {f"loud/{name}": text for name, text in LOUD.items()}


def test_a_module_that_is_sent_is_played_at_a_table_and_the_game_keeps_it(client: TestClient) -> None:
    for files in (MODULE, LOUD):
        table = Opened.with_module(client, "pig", TWO, files)
        page = client.get(f"/seat/{table.seats[0]}", headers={"Accept-Language": "de"}).text
        assert "<script>alert" not in page and '<html lang="de">' in page
        assert table.view(table.seats[0])["game"]["modules"] == ["loud"]
        journal = parse_journal(client.get(f"/seat/{table.host}/journal").content)
        assert journal.header.modules == ("loud",) and journal.keeps_rules and journal.bundle


def test_nothing_of_it_stays_on_the_disk_and_what_lies_elsewhere_in_it_is_not_read(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    outside = dict.fromkeys(("../evil.edict", "loud/../../evil.edict", "other/evil.edict"), "nonsense")
    assert rules_with(zipped({**MODULE, **outside}), "pig", ()).modules == ("loud",)
    assert not list(tmp_path.iterdir())


MANY = {"module.yaml": MANIFEST} | {f"{number}.edict": RULES for number in range(MOST_FILES + 1)}
EVIL = {
    "module.yaml": manifest("sample", "game"),
    "rules.edict": GAME,
    "look.yaml": "light: {accent: 'url(https://evil.example.org)'}\n",
}
WRONG = {
    "no zip": (b"hello", "not a zip file"),
    "empty": (zipped({}), "no file `module.yaml`"),
    "only elsewhere": (zipped({"../module.yaml": MANIFEST}), "no file `module.yaml`"),
    "absolute": (zipped({"/etc/module.yaml": MANIFEST}), "no file `module.yaml`"),
    "two": (zipped({"a/module.yaml": MANIFEST, "b/module.yaml": MANIFEST}), "several files `module.yaml`"),
    "same name": (zipped({"module.yaml": MANIFEST, "A.edict": RULES, "a.edict": RULES}), "the same name"),
    "bomb": (zipped({"module.yaml": MANIFEST, "a.edict": b"#" * (MOST_BYTES + 1)}), "a file may have"),
    "many": (zipped(MANY), "are allowed"),
    "unusual": (zipped({"module.yaml": MANIFEST}, zipfile.ZIP_LZMA), "unusual"),
    "torn": (zipped(MODULE)[:-8], "not a zip file"),
    "binary": (zipped({"module.yaml": b"\xff\xfe\0"}), "UTF-8"),
    "no map": (zipped({"module.yaml": "~", "a.edict": RULES}), "this file cannot be"),
    "no look": (zipped(EVIL), "look.yaml"),
    "not allowed": (zipped({"module.yaml": MANIFEST, "a.edict": "nonsense"}), "The module cannot be played"),
}


def test_anything_else_is_refused_with_a_reason(client: TestClient) -> None:
    for what, (raw, reason) in WRONG.items():
        sent = form("pig", TWO)
        done = client.post("/tables", data=sent, files={"module": ("x.zip", raw)})
        assert done.status_code == 422, what
        assert reason in done.text.replace("&#34;", '"').replace("&#39;", "'"), what


def test_a_file_whose_check_is_wrong_is_damaged() -> None:
    raw = bytearray(zipped({"module.yaml": MANIFEST}, zipfile.ZIP_STORED))
    place = raw.index(b"loud")
    raw[place] ^= 1
    with pytest.raises(WrongUpload, match="damaged"):
        rules_with(bytes(raw), "pig", ())


def test_rules_that_take_too_much_as_they_are_read_are_refused_wherever_they_come_from(
    server: tuple[TableServer, TestClient], folders: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def stopped(*about: object) -> None:
        raise TaskFailed("it took too long")

    serving, client = server
    monkeypatch.setattr(serving.sandbox, "done", stopped)
    journal, module = load_rules(folders / "isle").new_game(["Ann", "Ben"]).journal, ("loud.zip", zipped(MODULE))
    link = GameLink(replace(journal, keeps_rules=True)).encode()
    table = Opened.at(client, "pig", TWO)
    for done, reason in (
        (client.post("/tables", data=form("pig", TWO), files={"module": module}), "rules were stopped"),
        (client.post("/tables/journal", files={"journal": ("x.jsonl", journal.to_bytes())}), "rules were stopped"),
        (client.post("/tables/link", data={"link": f"#game={link}"}), "rules in this link cannot be played"),
        (client.post(f"/seat/{table.seats[0]}/try", data={"who": "me"}, files={"module": module}), "were stopped"),
    ):
        assert done.status_code == 422 and f"{reason}: it took too long" in done.text


# --- recipes -----------------------------------------------------------------------------------------

ANSWERS = 240  # of one game, at most
TIMES = examples(2, 4)  # at which a game is looked at, besides the beginning
MORE = examples(1, 3)  # answers given there
RECIPES = {  # which the start page does not offer
    folder.parent.name: folder.parent for folder in sorted((ROOT / "examples" / "recipes").glob("*/module.yaml"))
}


def played(rules: Rules, answers: int) -> Game:
    """A game in which a bot that answers anything has given so many answers."""
    players = [f"Player {number}" for number in range(1, rules.program.least_players + 1)]
    game, luck = rules.new_game(players, seed=7), Random(3)
    while answers and not game.over:
        game.answer(luck.choice(game.ask.options).key)
        answers -= 1
    return game


def opens(table: Opened) -> None:
    """Every page that shows the table can be opened."""
    for key in (*table.seats, table.onlookers):
        for place in (f"/seat/{key}", f"/seat/{key}/view.json", f"/seat/{key}/missed", f"/seat/{key}/rules"):
            assert table.client.get(place).status_code == 200, place


@pytest.mark.parametrize("name", RECIPES)
@pytest.mark.sample(2)
def test_every_recipe_can_be_seen_and_played_at_its_seats(client: TestClient, name: str) -> None:
    rules, luck = load_rules(RECIPES[name]), Random(5)
    most = sum(one.seat >= 0 for one in played(rules, ANSWERS).journal.answers)
    for time in range(TIMES + 1):
        journal = replace(played(rules, most * time // TIMES).journal, keeps_rules=True)
        table = Opened.resumed(client, journal.to_bytes())
        opens(table)
        for _ in range(MORE):
            table.play(1, luck)
            opens(table)
