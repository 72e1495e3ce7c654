"""Clocks of tables: display, restarts of the server, and bots that answer when time is up."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from calling import wait_until
from edict.game.table.journal import parse_journal
from edict.game.table.rules import load_rules
from serving import OpenedTable, make_table_form, open_server

_LEFT = re.compile(r'data-left="(\d+)"( data-runs)?')
GAME = {"clock": "game", "clock-minutes": "1", "clock-seconds": "0"}
TURN = {"clock": "turn", "clock-hours": "2"}


class FakeTime:
    """A replacement of the `time` module for servers."""

    def __init__(self) -> None:
        self.now = 1_000_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeTime]:
    """The time of the server, which a test moves forward."""
    watch = FakeTime()
    for module in ("live_tables", "table_actions"):
        monkeypatch.setattr(f"edict.apps.web.{module}.time", watch)
    yield watch


def open_table(client: Any, game: str, clock: dict[str, str]) -> OpenedTable:
    fields = make_table_form(game, ["person"] * 2) | clock
    return OpenedTable.from_page(client, client.post("/tables", data=fields, follow_redirects=True))


def read_clocks(table: OpenedTable) -> list[tuple[int, bool]]:
    """Return the seconds that each player has left and whether the clock runs, as spectators see it."""
    page = table.client.get(f"/seat/{table.onlookers}").text
    return [(int(left), bool(runs)) for left, runs in _LEFT.findall(page)]


def choose_last_option(table: OpenedTable, seat: int) -> str:
    key = table.seats[seat]
    option = table.get_view(key)["question"]["options"][-1]["key"]
    return str(table.answer(key, table.get_version(key), option).text)


def get_asked_seat(table: OpenedTable) -> int:
    return next(seat for seat, key in enumerate(table.seats) if table.get_view(key)["question"])


def test_clock_is_shown_survives_a_restart_and_at_its_end_a_bot_answers(tmp_path: Path, watch: FakeTime) -> None:
    with open_server(tmp_path) as (_, client):
        table = open_table(client, "kuhn-poker", GAME)
        assert "1 minute each" in client.get(f"/seat/{table.seats[0]}").text
        assert read_clocks(table) == [(60, False), (60, False)]
        choose_last_option(table, 0)
        watch.now += 20
        assert read_clocks(table) == [(60, False), (40, True)]
    with open_server(tmp_path) as (_, client):
        table.client = client
        watch.now += 15
        assert read_clocks(table) == [(60, False), (25, True)]
        raw, before = client.get(f"/seat/{table.host}/journal").content, table.get_version(table.seats[1])
        assert len(load_rules("kuhn-poker").replay(parse_journal(raw)).answers) == 1, "at the terminal without a clock"
        watch.now += 26
        assert "Your time is up" in choose_last_option(table, 1)
        wait_until(lambda: table.get_version(table.seats[1]) > before)


def test_turn_clock_is_full_again_at_the_next_turn(client: TestClient, watch: FakeTime) -> None:
    table = open_table(client, "pig", TURN)
    choose_last_option(table, get_asked_seat(table))  # the clock starts with the first answer
    first = get_asked_seat(table)
    assert read_clocks(table) == [(7200, True)]
    watch.now += 7000
    assert read_clocks(table) == [(200, True)]
    while get_asked_seat(table) == first:
        choose_last_option(table, first)
    assert read_clocks(table) == [(7200, True)]


@pytest.mark.parametrize("late", [0, 1])
def test_bot_answers_a_simultaneous_question_for_a_player_out_of_time(
    client: TestClient, watch: FakeTime, late: int
) -> None:
    table = open_table(client, "four-lanes", GAME)
    choose_last_option(table, 1 - late)
    watch.now += 30
    assert read_clocks(table)[late] == (30, True) and read_clocks(table)[1 - late] == (60, False)
    watch.now += 31
    assert "Your time is up" in choose_last_option(table, late)
    wait_until(lambda: table.get_view(table.seats[1 - late])["question"] is not None)


def test_rematch_has_the_same_clock(client: TestClient, watch: FakeTime) -> None:
    table = open_table(client, "kuhn-poker", GAME)
    table.play()
    page = client.post(f"/seat/{table.seats[0]}/rematch", follow_redirects=True)
    assert "1 minute each" in page.text


def test_clock_without_a_time_is_refused(client: TestClient, subtests: pytest.Subtests) -> None:
    for clock in ({"clock": "game", "clock-minutes": "0"}, {"clock": "turn", "clock-hours": "soon"}):
        with subtests.test(clock=clock):
            page = client.post("/tables", data=make_table_form("pig", ["person"] * 2) | clock)
            assert page.status_code == 422 and "A clock needs at least one minute" in page.text
            assert client.post("/rooms", data={"game": "pig", "name": "Ann"} | clock).status_code == 422


def test_room_and_seat_show_the_clock(client: TestClient) -> None:
    page = client.post("/rooms", data={"game": "pig", "name": "Ann"} | TURN, follow_redirects=True)
    assert "2 hours a turn" in page.text
    seat = client.post(f"{page.url.path}/begin", data={"bots": "1"}, follow_redirects=True)
    assert "2 hours a turn" in seat.text
