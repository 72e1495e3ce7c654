"""Simultaneous questions in the browser: answers in any order, hidden until all have answered."""

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
from serving import ALREADY_ANSWERED, OpenedTable, open_server

GAME = "four-lanes"
REVEALED = "is revealed"
VERSION = re.compile(r'(data-version="|name="version" value="|id="led-|data-mark="|news\?since=)\d+(-[0-9a-f]{32})?')


def choose_option(table: OpenedTable, key: str, number: int = 0, version: int | None = None) -> Any:
    """Choose an option of a seat's question and return the response."""
    option = table.get_view(key)["question"]["options"][number]["key"]
    response = table.answer(key, table.get_version(key) if version is None else version, option)
    assert response.status_code == 200 and ALREADY_ANSWERED not in response.text
    return response


def has_revealed(table: OpenedTable) -> bool:
    return REVEALED in table.client.get(f"/seat/{table.onlookers}").text


def list_asked(table: OpenedTable) -> list[bool]:
    """Return for each seat whether it is asked."""
    return [table.get_view(key)["question"] is not None for key in table.seats]


def list_answers(table: OpenedTable) -> list[tuple[int, str]]:
    """Return the seat and the key of each answer in the journal."""
    journal = parse_journal(table.client.get(f"/seat/{table.host}/journal").content)
    return [(answer.seat, answer.key) for answer in journal.answers]


def test_results_are_revealed_when_all_seats_have_answered(client: TestClient) -> None:
    table = OpenedTable.open_at(client, GAME, ["person"] * 3)
    ann, ben, cleo = table.seats
    assert list_asked(table) == [True, True, True]
    before, version = table.get_view(ben), table.get_version(ann)
    choose_option(table, cleo)
    choose_option(table, ann, version=version)  # answers of others do not make an answer late
    assert ALREADY_ANSWERED in table.answer(ann, version, "card-1").text, "none counts twice"
    assert list_asked(table) == [False, True, False] and table.get_view(ben) == before
    assert table.get_view(ann)["waiting_for"] == "Player 2" and not has_revealed(table)
    assert REVEALED in choose_option(table, ben).text
    assert [seat for seat, _ in list_answers(table)] == [0, 1, 2]


def test_answer_can_be_changed_and_is_hidden_until_all_have_answered(
    client: TestClient, subtests: pytest.Subtests
) -> None:
    table = OpenedTable.open_at(client, GAME, ["person"] * 2)
    ann, ben = table.seats
    parts = ("", "/table", "/view.json", "/missed", "/why-not", "/scores.json")
    first, second = (option["key"] for option in table.get_view(ben)["question"]["options"][:2])
    pages_of_others = []
    for number in (0, 1):
        with subtests.test(number=number):
            page = choose_option(table, ben, number).text
            assert "Change my answer" in page and (first, second)[number].replace("card-", "Card ") in page
            pages = [client.get(f"/seat/{key}{part}").text for key in (ann, table.onlookers) for part in parts]
            pages_of_others.append([VERSION.sub("", page) for page in pages])
            assert list_asked(table) == [True, False]
            table.undo(ben)
            assert list_asked(table) == [True, True]
    assert pages_of_others[0] == pages_of_others[1]
    choose_option(table, ben, 1)
    choose_option(table, ann)
    assert [key for seat, key in list_answers(table) if seat == 1] == [second]


def test_pending_answers_survive_a_restart_and_are_shared_through_the_store(tmp_path: Path) -> None:
    with open_server(tmp_path) as (_, client):
        table = OpenedTable.open_at(client, GAME, ["person"] * 2)
        version = table.get_version(table.seats[0])
        choose_option(table, table.seats[1])
        raw = client.get(f"/seat/{table.host}/journal").content
    game = load_rules(GAME).replay(parse_journal(raw))
    assert game.seat == 0 and not game.answers, "a saved game asks again elsewhere"
    with open_server(tmp_path) as (_, client), open_server(tmp_path) as (_, other_client):
        table.client = client
        assert list_asked(table) == [True, False]
        option = table.get_view(table.seats[0])["question"]["options"][0]["key"]
        assert REVEALED in table.answer(table.seats[0], version, option, other_client).text
        assert has_revealed(table)


def test_bots_and_seats_handed_over_to_bots_answer_by_themselves(client: TestClient) -> None:
    table = OpenedTable.open_at(client, GAME, ["person", "random", "person"])
    assert list_asked(table) == [True, True]
    choose_option(table, table.seats[1])
    client.post(f"/host/{table.host}/hand-over", data={"seat": "0", "bot": "random"})
    wait_until(lambda: has_revealed(table))


def test_person_may_answer_before_the_bots_do(
    server: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    serving, client = server
    with monkeypatch.context() as patch:
        patch.setattr(serving.bots, "start_turns", lambda *_: None)  # the bots are still thinking
        table = OpenedTable.open_at(client, GAME, ["random", "person"])
        assert "Change my answer" in choose_option(table, table.seats[0]).text
    link = serving.store.get_link(table.host)
    assert link is not None and client.portal is not None
    client.portal.call(serving.on_table_changed, link.table)
    wait_until(lambda: has_revealed(table))


def test_uploaded_rules_may_ask_several_simultaneous_questions(client: TestClient) -> None:
    table = OpenedTable.open_with_module(client, "pig", ["person"] * 2, FILES)
    ann, ben = table.seats
    assert list_asked(table) == [True, False]
    choose_option(table, ann)
    choose_option(table, ben, 3)
    assert table.get_view(ben)["question"]["prompt"] == "Bluff?"
    assert "has answered since" in table.undo(ann).text
    choose_option(table, ben)
    page = table.undo(ben).text
    assert "Bluff?" in page and "How much?" in page
    choose_option(table, ben)
    for _ in range(2):
        choose_option(table, ann)
    assert [score["score"] for score in table.get_view(ann)["scores"]] == [0, 3] and list_asked(table) == [True, True]
