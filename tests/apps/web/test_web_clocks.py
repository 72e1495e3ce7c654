"""A table may have clocks: all see them, they survive the server, and a bot answers for whoever is out of time."""

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
from serving import Opened, form, served

_LEFT = re.compile(r'data-left="(\d+)"( data-runs)?')
GAME = {"clock": "game", "clock-minutes": "1", "clock-seconds": "0"}
TURN = {"clock": "turn", "clock-hours": "2"}


class Watch:
    """What servers take the time from."""

    def __init__(self) -> None:
        self.now = 1_000_000_000.0

    def time(self) -> float:
        return self.now


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> Iterator[Watch]:
    watch = Watch()
    for module in ("live_tables", "table_actions"):
        monkeypatch.setattr(f"edict.apps.web.{module}.time", watch)
    yield watch


def opened(client: Any, game: str, clock: dict[str, str]) -> Opened:
    sent = form(game, ["person"] * 2) | clock
    return Opened.of(client, client.post("/tables", data=sent, follow_redirects=True))


def clocks(table: Opened) -> list[tuple[int, bool]]:
    """How many seconds each player has left, and whether their clock runs, as onlookers see it."""
    page = table.client.get(f"/seat/{table.onlookers}").text
    return [(int(left), bool(runs)) for left, runs in _LEFT.findall(page)]


def play(table: Opened, seat: int) -> str:
    key = table.seats[seat]
    option = table.view(key)["question"]["options"][-1]["key"]
    return str(table.answer(key, table.version(key), option).text)


def asked_seat(table: Opened) -> int:
    return next(seat for seat, key in enumerate(table.seats) if table.view(key)["question"])


def test_a_clock_runs_for_all_to_see_goes_on_after_the_server_has_gone_and_then_a_bot_answers(
    tmp_path: Path, watch: Watch
) -> None:
    with served(tmp_path) as (_, client):
        table = opened(client, "kuhn-poker", GAME)
        assert "1 minute each" in client.get(f"/seat/{table.seats[0]}").text
        assert clocks(table) == [(60, False), (60, False)]
        play(table, 0)
        watch.now += 20
        assert clocks(table) == [(60, False), (40, True)]
    with served(tmp_path) as (_, client):
        table.client = client
        watch.now += 15
        assert clocks(table) == [(60, False), (25, True)]
        raw, before = client.get(f"/seat/{table.host}/journal").content, table.version(table.seats[1])
        assert len(load_rules("kuhn-poker").replay(parse_journal(raw)).answers) == 1, "at the terminal without a clock"
        watch.now += 26
        assert "Your time is up" in play(table, 1)
        wait_until(lambda: table.version(table.seats[1]) > before)


def test_a_time_for_each_turn_is_whole_again_with_the_next(client: TestClient, watch: Watch) -> None:
    table = opened(client, "pig", TURN)
    play(table, asked_seat(table))  # from then on it runs
    first = asked_seat(table)
    assert clocks(table) == [(7200, True)]
    watch.now += 7000
    assert clocks(table) == [(200, True)]
    while asked_seat(table) == first:
        play(table, first)
    assert clocks(table) == [(7200, True)]


@pytest.mark.parametrize("late", [0, 1])
def test_whoever_is_out_of_time_keeps_nobody_waiting_where_all_answer_at_once(
    client: TestClient, watch: Watch, late: int
) -> None:
    table = opened(client, "four-lanes", GAME)
    play(table, 1 - late)
    watch.now += 30
    assert clocks(table)[late] == (30, True) and clocks(table)[1 - late] == (60, False)
    watch.now += 31
    assert "Your time is up" in play(table, late)
    wait_until(lambda: table.view(table.seats[1 - late])["question"] is not None)


def test_a_rematch_has_the_same_clock(client: TestClient, watch: Watch) -> None:
    table = opened(client, "kuhn-poker", GAME)
    table.play()
    page = client.post(f"/seat/{table.seats[0]}/rematch", follow_redirects=True)
    assert "1 minute each" in page.text


def test_a_clock_without_a_time_is_refused(client: TestClient) -> None:
    for clock in ({"clock": "game", "clock-minutes": "0"}, {"clock": "turn", "clock-hours": "soon"}):
        page = client.post("/tables", data=form("pig", ["person"] * 2) | clock)
        assert page.status_code == 422 and "A clock needs at least one minute" in page.text
        assert client.post("/rooms", data={"game": "pig", "name": "Ann"} | clock).status_code == 422


def test_friends_are_told_of_the_clock_before_they_join(client: TestClient) -> None:
    page = client.post("/rooms", data={"game": "pig", "name": "Ann"} | TURN, follow_redirects=True)
    assert "2 hours a turn" in page.text
    seat = client.post(f"{page.url.path}/begin", data={"bots": "1"}, follow_redirects=True)
    assert "2 hours a turn" in seat.text
