"""News reach everybody who looks at a table, and a connection that was lost comes back where it was."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from listening import Listener, answered
from serving import Opened, Server, client_of, listened


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('news') / 'tables.sqlite'}"


@pytest.fixture(scope="module")
def base(store: str) -> Iterator[str]:
    with listened(store) as found:
        yield found


@pytest.fixture(scope="module")
def client(base: str) -> Iterator[Any]:
    with client_of(base) as found:
        yield found


@pytest.fixture
def table(client: Any) -> Opened:
    return Opened.at(client, "kuhn-poker", ["person", "person"])


def test_everybody_at_the_table_hears_of_an_answer_and_nobody_else(base: str, client: Any, table: Opened) -> None:
    other = Opened.at(client, "kuhn-poker", ["person", "person"])
    listeners = [Listener(base, key) for key in (*table.seats, table.seats[0], table.onlookers)]
    elsewhere = Listener(base, other.seats[0])
    for listener in [*listeners, elsewhere]:
        listener.begun()
    version = answered(table)
    for listener in listeners:
        listener.until(version)
    assert len(elsewhere.events) == 1
    for listener in [*listeners, elsewhere]:
        listener.close()


def test_a_lost_connection_hears_of_what_it_missed_and_of_nothing_twice(base: str, table: Opened) -> None:
    listener = Listener(base, table.onlookers)
    listener.begun()
    last = listener.events[-1]["id"]
    listener.close()
    same = Listener(base, table.onlookers, last)
    same.begun()
    assert [event["event"] for event in same.events] == ["here"]
    same.close()
    version = answered(table)
    back = Listener(base, table.onlookers, last)
    back.until(version)
    back.close()


def test_a_link_to_a_seat_that_was_handed_on_is_told_nothing_more(base: str, client: Any, table: Opened) -> None:
    asked = table.asked()
    assert asked is not None
    listeners = [Listener(base, key) for key in (asked[0], table.onlookers)]
    for listener in listeners:
        listener.begun()
    sent = {"seat": str(table.seats.index(asked[0])), "bot": ""}
    new = Opened.of(client, client.post(f"/host/{table.host}/hand-over", data=sent, follow_redirects=True))
    listeners[1].until(answered(new))
    listeners[0].until_event("again")
    assert [event["event"] for event in listeners[0].events].count("news") == 1  # what it began with
    for listener in listeners:
        listener.close()


def test_servers_on_the_same_file_hear_of_each_others_answers(store: str, table: Opened) -> None:
    with listened(store) as other:
        listener = Listener(other, table.onlookers)
        listener.begun()
        listener.until(answered(table))
        listener.close()


@pytest.mark.slow  # two servers that are started as people start them
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
