"""The event stream of a table: updates for everybody who looks at it, and reconnection without loss."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from listening import EventListener, answer_first_option
from serving import OpenedTable, ServerOnPort, create_client, listen


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of an empty store."""
    return f"sqlite:///{tmp_path_factory.mktemp('news') / 'tables.sqlite'}"


@pytest.fixture(scope="module")
def base(store: str) -> Iterator[str]:
    """The address of a server on the store."""
    with listen(store) as address:
        yield address


@pytest.fixture(scope="module")
def client(base: str) -> Iterator[Any]:
    with create_client(base) as web_client:
        yield web_client


@pytest.fixture
def table(client: Any) -> OpenedTable:
    return OpenedTable.open_at(client, "kuhn-poker", ["person", "person"])


def test_answer_is_sent_to_everybody_at_the_table_and_nobody_else(base: str, client: Any, table: OpenedTable) -> None:
    other = OpenedTable.open_at(client, "kuhn-poker", ["person", "person"])
    listeners = [EventListener(base, key) for key in (*table.seats, table.seats[0], table.onlookers)]
    elsewhere = EventListener(base, other.seats[0])
    for listener in [*listeners, elsewhere]:
        listener.wait_for_any()
    version = answer_first_option(table)
    for listener in listeners:
        listener.wait_for_version(version)
    assert len(elsewhere.events) == 1
    for listener in [*listeners, elsewhere]:
        listener.close()


def test_reconnected_stream_gets_missed_events_and_none_twice(base: str, table: OpenedTable) -> None:
    listener = EventListener(base, table.onlookers)
    listener.wait_for_any()
    last = listener.events[-1]["id"]
    listener.close()
    reconnected = EventListener(base, table.onlookers, last)
    reconnected.wait_for_any()
    assert [event["event"] for event in reconnected.events] == ["here"]
    reconnected.close()
    version = answer_first_option(table)
    reconnected_later = EventListener(base, table.onlookers, last)
    reconnected_later.wait_for_version(version)
    reconnected_later.close()


def test_old_link_of_a_handed_over_seat_gets_no_further_updates(base: str, client: Any, table: OpenedTable) -> None:
    key_and_view = table.find_asked()
    assert key_and_view is not None
    listeners = [EventListener(base, key) for key in (key_and_view[0], table.onlookers)]
    for listener in listeners:
        listener.wait_for_any()
    fields = {"seat": str(table.seats.index(key_and_view[0])), "bot": ""}
    new = OpenedTable.from_page(
        client, client.post(f"/host/{table.host}/hand-over", data=fields, follow_redirects=True)
    )
    listeners[1].wait_for_version(answer_first_option(new))
    listeners[0].wait_for_event("again")
    assert [event["event"] for event in listeners[0].events].count("news") == 1  # the first event of the stream
    for listener in listeners:
        listener.close()


def test_server_sends_answers_given_to_another_server_on_the_same_store(store: str, table: OpenedTable) -> None:
    with listen(store) as other_base:
        listener = EventListener(other_base, table.onlookers)
        listener.wait_for_any()
        listener.wait_for_version(answer_first_option(table))
        listener.close()


@pytest.mark.slow  # starts two server processes
def test_bots_continue_after_a_crash_as_soon_as_somebody_looks(tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path / 'tables.sqlite'}"
    server = ServerOnPort.start(store, tmp_path)
    with server.create_client() as client:
        table = OpenedTable.open_at(client, "pig", ["random", "random"])
    server.kill()
    restarted = ServerOnPort.start(store, tmp_path, server.port)
    listener = EventListener(restarted.base, table.onlookers)
    listener.wait_for_version(3 + 2)
    listener.close()
    restarted.stop()
