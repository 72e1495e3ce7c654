"""News reach everybody who looks at a table, and a connection that was lost comes back where it was."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import edict
from listening import Listener, answered
from serving import Opened, Server, served

from edict.web.live_tables import Link
from edict.web.store import StoreError

Call = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("news")
    server = Server.start(f"sqlite:///{folder / 'tables.sqlite'}", folder)
    yield server
    server.stop()


def test_everybody_at_the_table_hears_of_an_answer_and_nobody_else(server: Server) -> None:
    with server.client() as client:
        table, other = (Opened.at(client, "kuhn-poker", ["person", "person"]) for _ in range(2))
        listeners = [Listener(server.base, key) for key in (*table.seats, table.seats[0], table.onlookers)]
        elsewhere = Listener(server.base, other.seats[0])
        for listener in [*listeners, elsewhere]:
            listener.begun()
        version = answered(table)
        for listener in listeners:
            listener.until(version)
        assert len(elsewhere.events) == 1
        for listener in [*listeners, elsewhere]:
            listener.close()


def test_a_lost_connection_hears_of_what_it_missed_and_of_nothing_twice(server: Server) -> None:
    with server.client() as client:
        table = Opened.at(client, "kuhn-poker", ["person", "person"])
        listener = Listener(server.base, table.onlookers)
        listener.begun()
        last = listener.events[-1]["id"]
        listener.close()
        same = Listener(server.base, table.onlookers, last)
        same.begun()
        assert [event["event"] for event in same.events] == ["here"]
        same.close()
        version = answered(table)
        back = Listener(server.base, table.onlookers, last)
        back.until(version)
        back.close()


def test_a_link_to_a_seat_that_was_handed_on_is_told_nothing_more(server: Server) -> None:
    with server.client() as client:
        table = Opened.at(client, "kuhn-poker", ["person", "person"])
        asked = table.asked()
        assert asked is not None
        listeners = [Listener(server.base, key) for key in (asked[0], table.onlookers)]
        for listener in listeners:
            listener.begun()
        seat = str(table.seats.index(asked[0]))
        sent = {"seat": seat, "bot": ""}
        new = Opened.of(client, client.post(f"/host/{table.host}/hand-over", data=sent, follow_redirects=True))
        listeners[1].until(answered(new))
        listeners[0].until_event("again")
        assert [event["event"] for event in listeners[0].events].count("news") == 1  # what it began with
        for listener in listeners:
            listener.close()


def test_whoever_looks_while_the_store_is_away_is_told_so_and_sees_the_table_when_it_is_back(tmp_path: Path) -> None:
    with served(tmp_path) as (serving, client):
        table, there = Opened.at(client, "pig", ["person", "person"]), [False]
        links = serving.store.links

        def away(name: str) -> list[Link]:
            if not there[0]:
                raise StoreError("it is away", "wait")
            return links(name)

        serving.audience._links = away
        assert client.get(f"/seat/{table.seats[0]}/table").status_code == 503
        there[0] = True
        assert client.get(f"/seat/{table.seats[0]}/table").status_code == 200


def test_servers_on_the_same_file_hear_of_each_others_answers(server: Server, tmp_path: Path) -> None:
    other = Server.start(server.store, tmp_path)
    with server.client() as client:
        table = Opened.at(client, "kuhn-poker", ["person", "person"])
        listener = Listener(other.base, table.onlookers)
        listener.begun()
        listener.until(answered(table))
        listener.close()
    other.stop()


@pytest.mark.slow
def test_after_the_server_was_killed_bots_go_on_as_soon_as_somebody_looks(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'tables.sqlite'}"
    server = Server.start(store, tmp_path)
    with server.client() as client:
        table = Opened.at(client, "pig", ["random", "random"])
    server.kill()
    again = Server.start(store, tmp_path, server.port)
    listener = Listener(again.base, table.onlookers)
    listener.until(3 + 2)
    listener.close()
    again.stop()


def test_a_saved_game_is_opened_at_the_start_and_saved_from_the_store(call: Call, tmp_path: Path) -> None:
    game = edict.load("pig").new_game(["Ann", "Ben"], seed=5, journal=tmp_path / "begun.jsonl")
    game.answer(0)
    game.close()
    store = f"sqlite:///{tmp_path / 'tables.sqlite'}"
    server = Server.start(store, tmp_path, 0, "--open", str(tmp_path / "begun.jsonl"))
    links = re.findall(rf"{server.base}/(seat|host)/([\w-]+)", server.output.read_text())
    table = re.search(r"Table ([\w-]+):", server.output.read_text())
    assert table and [sort for sort, _ in links] == ["host", "seat", "seat", "seat"]
    with server.client() as client:
        assert client.get(f"/seat/{links[1][1]}/view.json").json()["seat"] == "Ann"
    server.stop()

    def tables(*arguments: str) -> subprocess.CompletedProcess[str]:
        return call("games", "tables", "--store", store, *arguments)

    listed = tables().stdout
    assert table[1] in listed and "Pig" in listed
    assert tables(table[1]).returncode == 0
    assert tables("-o", "again.jsonl", table[1]).returncode == 0
    assert edict.load("pig").replay(tmp_path / "again.jsonl").answers == game.answers
    assert tables("-o", "again.jsonl", table[1]).returncode == 2
    assert "there is no table" in tables("none").stderr
