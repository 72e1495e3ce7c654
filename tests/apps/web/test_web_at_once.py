"""Where everybody answers at once, whoever is quick is first, and nobody sees anything before all have answered."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from calling import wait_until
from edict.apps.web.table_server import TableServer
from edict.game.table.journal import parse_journal
from edict.game.table.rules import load_rules
from sealed_bids import FILES
from serving import LATE, Opened, served

GAME = "four-lanes"
REVEALED = "is revealed"
VERSION = re.compile(r'(data-version="|name="version" value="|data-mark="|news\?since=)\d+(-[0-9a-f]{32})?')


def choose(table: Opened, key: str, number: int = 0, version: int | None = None) -> Any:
    """Take an option of what a seat is asked."""
    option = table.view(key)["question"]["options"][number]["key"]
    done = table.answer(key, table.version(key) if version is None else version, option)
    assert done.status_code == 200 and LATE not in done.text
    return done


def revealed(table: Opened) -> bool:
    return REVEALED in table.client.get(f"/seat/{table.onlookers}").text


def asked(table: Opened) -> list[bool]:
    return [table.view(key)["question"] is not None for key in table.seats]


def answers(table: Opened) -> list[tuple[int, str]]:
    journal = parse_journal(table.client.get(f"/seat/{table.host}/journal").content)
    return [(one.seat, one.key) for one in journal.answers]


def test_everybody_is_asked_and_the_results_come_when_all_have_answered(client: TestClient) -> None:
    table = Opened.at(client, GAME, ["person"] * 3)
    ann, ben, cleo = table.seats
    assert asked(table) == [True, True, True]
    before, version = table.view(ben), table.version(ann)
    choose(table, cleo)
    choose(table, ann, version=version)  # what others answer meanwhile makes no answer late
    assert LATE in table.answer(ann, version, "card-1").text, "none counts twice"
    assert asked(table) == [False, True, False] and table.view(ben) == before
    assert table.view(ann)["waiting_for"] == "Player 2" and not revealed(table)
    assert REVEALED in choose(table, ben).text
    assert [seat for seat, _ in answers(table)] == [0, 1, 2]


def test_an_answer_can_be_changed_until_all_have_answered_and_no_page_tells_it_to_others(client: TestClient) -> None:
    table = Opened.at(client, GAME, ["person"] * 2)
    ann, ben = table.seats
    parts = ("", "/table", "/view.json", "/missed", "/why-not", "/scores.json")
    first, second = (one["key"] for one in table.view(ben)["question"]["options"][:2])
    told = []
    for number in (0, 1):
        page = choose(table, ben, number).text
        assert "Change my answer" in page and (first, second)[number].replace("card-", "Card ") in page
        pages = [client.get(f"/seat/{key}{part}").text for key in (ann, table.onlookers) for part in parts]
        told.append([VERSION.sub("", page) for page in pages])
        assert asked(table) == [True, False]
        table.undo(ben)
        assert asked(table) == [True, True]
    assert told[0] == told[1]
    choose(table, ben, 1)
    choose(table, ann)
    assert [key for seat, key in answers(table) if seat == 1] == [second]


def test_what_was_answered_is_there_after_the_server_has_gone_and_at_another_of_the_same_store(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, GAME, ["person"] * 2)
        version = table.version(table.seats[0])
        choose(table, table.seats[1])
        raw = client.get(f"/seat/{table.host}/journal").content
    game = load_rules(GAME).replay(parse_journal(raw))
    assert game.seat == 0 and not game.answers, "a saved game asks again elsewhere"
    with served(tmp_path) as (_, client), served(tmp_path) as (_, there):
        table.client = client
        assert asked(table) == [True, False]
        option = table.view(table.seats[0])["question"]["options"][0]["key"]
        assert REVEALED in table.answer(table.seats[0], version, option, there).text
        assert revealed(table)


def test_nobody_waits_for_bots_nor_for_a_seat_that_goes_to_one(client: TestClient) -> None:
    table = Opened.at(client, GAME, ["person", "random", "person"])
    assert asked(table) == [True, True]
    choose(table, table.seats[1])
    client.post(f"/host/{table.host}/hand-over", data={"seat": "0", "bot": "random"})
    wait_until(lambda: revealed(table))


def test_whoever_is_alone_with_bots_may_answer_before_they_do(
    server: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    serving, client = server
    with monkeypatch.context() as patch:
        patch.setattr(serving.bots, "look", lambda table: None)  # they think
        table = Opened.at(client, GAME, ["random", "person"])
        assert "Change my answer" in choose(table, table.seats[0]).text
    link = serving.store.link(table.host)
    assert link is not None and client.portal is not None
    client.portal.call(serving.changed, link.table)
    wait_until(lambda: revealed(table))


def test_strangers_rules_ask_several_things_of_everybody_at_once(client: TestClient) -> None:
    table = Opened.with_module(client, "pig", ["person"] * 2, FILES)
    ann, ben = table.seats
    assert asked(table) == [True, False]
    choose(table, ann)
    choose(table, ben, 3)
    assert table.view(ben)["question"]["prompt"] == "Bluff?"
    assert "has answered since" in table.undo(ann).text
    choose(table, ben)
    page = table.undo(ben).text
    assert "Bluff?" in page and "How much?" in page
    choose(table, ben)
    for _ in range(2):
        choose(table, ann)
    assert [one["score"] for one in table.view(ann)["scores"]] == [0, 3] and asked(table) == [True, True]
