"""The store of tables: deletion of old tables, older releases, shared files, and stores that cannot be used."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from calling import wait_until
from edict.apps.web.live_tables import Link, find_shipped_rules
from edict.apps.web.store import Store, StoreError
from edict.apps.web.table_server import DAY, DEFAULT_FORGET_AFTER, TableServer
from edict.game.table.rules import load_rules
from serving import OpenedTable, open_server

# --- old tables --------------------------------------------------------------------------------------


def test_unused_table_is_deleted(tmp_path: Path) -> None:
    """The server deletes it as soon as it starts."""
    with open_server(tmp_path) as (serving, client):
        old = OpenedTable.open_at(client, "pig", ["person", "person"])
        client.post(f"/seat/{old.seats[0]}/talk", data={"text": "What is said there goes along"})
        _age_tables(tmp_path, days=20)
        young, played = (OpenedTable.open_at(client, "pig", ["person", "person"]) for _ in range(2))
        _age_tables(tmp_path, days=DEFAULT_FORGET_AFTER - 10)
        played.play(1)
        link = serving.store.get_link(old.host)
        assert link is not None and serving.store.lines(link.table)
    with open_server(tmp_path) as (serving, client):
        wait_until(lambda: serving.store.count_tables() == 2)
        assert [client.get(f"/seat/{opened.seats[0]}").status_code for opened in (old, young, played)] == [
            404,
            200,
            200,
        ]
        assert client.get(f"/host/{old.host}").status_code == 404 and not serving.store.lines(link.table)


def _age_tables(folder: Path, days: int) -> None:
    with sqlite3.connect(folder / "tables.sqlite") as database:
        database.execute("update tables set used = used - ?", (days * DAY,))


def test_store_of_an_older_release_keeps_its_tables(tmp_path: Path) -> None:
    file = tmp_path / "tables.sqlite"
    with open_server(tmp_path) as (_, client):
        table = OpenedTable.open_at(client, "pig", ["person", "person"])
    with sqlite3.connect(file) as database:
        for table_name, column in [("tables", "used"), ("tables", "sealed"), ("links", "taken"), ("links", "again")]:
            database.execute(f"alter table {table_name} drop column {column}")
    with open_server(tmp_path) as (serving, client):
        assert not serving.store.delete_unused_tables(time.time() - DAY)
        assert client.get(f"/seat/{table.seats[0]}").status_code == 200


def test_store_sees_lines_added_by_another_store_on_the_same_file(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'tables.sqlite'}"
    one, two = Store(address), Store(address)
    table, _ = one.add_table("Pig", [b"first\n"], [""])
    last, added_versions = two.find_changes(None)
    assert not added_versions
    one.add_lines(table, 1, [b"second\n", b"third\n"])
    last, added_versions = two.find_changes(last)
    assert added_versions == {table: 3} and two.find_changes(last) == (last, {})
    for store in (one, two):
        store.close()


@pytest.mark.parametrize("text", ["no address", "mysql://x/y", "sqlite:////no/such/folder/at/all.sqlite"])
def test_unusable_store_address_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(StoreError, match="database") as error:
        Store(text)
    assert error.value.remedy


def test_table_is_unavailable_while_the_store_is_down_and_returns_with_it(
    server: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch, pig: OpenedTable
) -> None:
    serving, client = server

    def fail(name: str) -> list[Link]:
        raise StoreError("it is away", "wait")

    with monkeypatch.context() as patch:
        patch.setattr(serving.audience, "_links", fail)
        assert client.get(f"/seat/{pig.seats[0]}/table").status_code == 503
    assert client.get(f"/seat/{pig.seats[0]}/table").status_code == 200


# --- rules in saved games ---------------------------------------------------------------------------------


def test_rules_of_a_saved_game_are_trusted_only_if_they_are_shipped(subtests: pytest.Subtests) -> None:
    rules = load_rules("pig")
    journal = rules.new_game(["Ann", "Ben"], seed=1).journal
    playable = find_shipped_rules(journal)
    assert playable is not None and playable.rules == rules
    other_bundle = load_rules("kuhn-poker").bundle
    for tampered in (
        replace(journal, header=replace(journal.header, game="/etc/pig")),
        replace(journal, keeps_rules=True),
        replace(journal, bundle=other_bundle),
    ):
        with subtests.test(tampered=tampered):
            assert find_shipped_rules(tampered) is None
