"""Where everybody answers at once, whoever is quick is first, and nobody sees anything before all have answered."""

from __future__ import annotations

import re
import time
from pathlib import Path
from typing import Any

from sealed_bids import FILES
from serving import LATE, PATIENCE, Opened, form, served
from test_web_uploads import zipped

from edict.table.journal import parse_journal
from edict.table.rules import load_rules

GAME = "four-lanes"
REVEALED = "is revealed"
VERSION = re.compile(r'(data-version="|name="version" value="|data-mark="|news\?since=)\d+(-[0-9a-f]{32})?')


def choose(table: Opened, key: str, number: int = 0, version: int | None = None) -> Any:
    """Take an option of what a seat is asked."""
    option = table.view(key)["question"]["options"][number]["key"]
    done = table.answer(key, table.version(key) if version is None else version, option)
    assert done.status_code == 200 and LATE not in done.text
    return done


def undo(table: Opened, key: str, version: int | None = None) -> str:
    sent = {"version": table.version(key) if version is None else version}
    page = table.client.post(f"/seat/{key}/undo", data=sent, headers={"HX-Request": "true"})
    assert page.status_code == 200
    return str(page.text)


def until_revealed(table: Opened) -> None:
    """Until the bots have answered, too."""
    end = time.monotonic() + PATIENCE
    while REVEALED not in table.client.get(f"/seat/{table.onlookers}").text:
        assert time.monotonic() < end
        time.sleep(0.1)


def asked(table: Opened) -> list[bool]:
    return [table.view(key)["question"] is not None for key in table.seats]


def test_everybody_is_asked_and_the_results_come_when_all_have_answered(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, GAME, ["person"] * 3)
        ann, ben, cleo = table.seats
        assert asked(table) == [True, True, True]
        before = table.view(ben)
        choose(table, cleo)
        choose(table, ann)
        assert asked(table) == [False, True, False] and table.view(ben) == before
        assert table.view(ann)["waiting_for"] == "Player 2"
        assert REVEALED not in client.get(f"/seat/{table.onlookers}").text
        assert REVEALED in choose(table, ben).text
        journal = parse_journal(client.get(f"/seat/{table.host}/journal").content)
        assert [one.seat for one in journal.answers] == [0, 1, 2]


def test_an_answer_can_be_changed_until_all_have_answered(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, GAME, ["person"] * 2)
        ann, ben = table.seats
        first, second = (one["key"] for one in table.view(ben)["question"]["options"][:2])
        page = choose(table, ben).text
        assert "Change my answer" in page and first.replace("card-", "Card ") in page
        undo(table, ben)
        assert asked(table) == [True, True]
        choose(table, ben, 1)
        choose(table, ann)
        journal = parse_journal(client.get(f"/seat/{table.host}/journal").content)
        assert [one.key for one in journal.answers if one.seat == 1] == [second]


def test_no_page_tells_what_others_have_answered(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, GAME, ["person"] * 3)
        ann, ben, _ = table.seats
        parts = ("", "/table", "/view.json", "/missed", "/why-not", "/scores.json")
        told = []
        for option in (0, 1):
            choose(table, ben, option)
            pages = [client.get(f"/seat/{key}{part}").text for key in (ann, table.onlookers) for part in parts]
            told.append([VERSION.sub("", page) for page in pages])
            undo(table, ben)
        assert told[0] == told[1]


def test_what_others_answer_meanwhile_makes_no_answer_late_and_none_counts_twice(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, GAME, ["person"] * 3)
        ann, ben, _ = table.seats
        version = table.version(ann)
        choose(table, ben, version=version)
        choose(table, ann, version=version)
        assert LATE in table.answer(ann, version, "card-1").text


def test_what_was_answered_is_there_after_the_server_has_gone(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, GAME, ["person"] * 2)
        version = table.version(table.seats[0])
        choose(table, table.seats[1])
    with served(tmp_path) as (_, client):
        table.client = client
        assert asked(table) == [True, False]
        assert REVEALED in choose(table, table.seats[0], version=version).text


def test_two_servers_on_one_store_take_what_is_answered_at_the_same_time(tmp_path: Path) -> None:
    with served(tmp_path) as (_, here), served(tmp_path) as (_, there):
        table = Opened.at(here, GAME, ["person"] * 2)
        options = [table.view(key)["question"]["options"][0]["key"] for key in table.seats]
        version = table.version(table.seats[0])
        assert LATE not in table.answer(table.seats[1], version, options[1], there).text
        assert REVEALED in table.answer(table.seats[0], version, options[0], here).text
        assert REVEALED in there.get(f"/seat/{table.onlookers}").text


def test_bots_answer_when_it_is_their_turn_and_nobody_waits_for_them(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, GAME, ["person", "random", "person"])
        assert asked(table) == [True, True]
        choose(table, table.seats[1])
        choose(table, table.seats[0])
        until_revealed(table)


def test_a_seat_that_goes_to_a_bot_is_not_waited_for(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, GAME, ["person"] * 2)
        choose(table, table.seats[0])
        client.post(f"/host/{table.host}/hand-over", data={"seat": "1", "bot": "random"})
        until_revealed(table)


def test_strangers_rules_ask_several_things_of_everybody_at_once(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        sent, files = form("pig", ["person"] * 2), {"module": ("bids.zip", zipped(FILES))}
        table = Opened.of(client, client.post("/tables", data=sent, files=files, follow_redirects=True))
        ann, ben = table.seats
        assert asked(table) == [True, False]
        choose(table, ann)
        choose(table, ben, 3)
        assert table.view(ben)["question"]["prompt"] == "Bluff?"
        assert "has answered since" in undo(table, ann)
        choose(table, ben)
        page = undo(table, ben)
        assert "Bluff?" in page and "How much?" in page
        choose(table, ben)
        for _ in range(2):
            choose(table, ann)
        assert [one["score"] for one in table.view(ann)["scores"]] == [0, 3] and asked(table) == [True, True]


def test_a_game_saved_in_the_midst_of_it_asks_again_elsewhere(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, GAME, ["person"] * 2)
        choose(table, table.seats[1])
        raw = client.get(f"/seat/{table.host}/journal").content
    game = load_rules(GAME).replay(parse_journal(raw))
    assert game.seat == 0 and not game.answers
