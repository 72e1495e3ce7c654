"""What the store keeps and for how long, stores of older releases, and one that cannot be used."""

from __future__ import annotations

import sqlite3
import time
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from calling import wait_until
from edict.apps.web.live_tables import Link, shipped
from edict.apps.web.store import Store, StoreError
from edict.apps.web.table_server import DAY, FORGET_AFTER, TableServer
from edict.game.table.rules import load_rules
from serving import Opened, served

# --- old tables --------------------------------------------------------------------------------------


def test_a_table_is_deleted_when_nobody_has_played_there_for_long(tmp_path: Path) -> None:
    """By the server itself, as soon as it is started."""
    with served(tmp_path) as (serving, client):
        old = Opened.at(client, "pig", ["person", "person"])
        client.post(f"/seat/{old.seats[0]}/talk", data={"text": "What is said there goes along"})
        _unused_for(tmp_path, days=20)
        young, played = (Opened.at(client, "pig", ["person", "person"]) for _ in range(2))
        _unused_for(tmp_path, days=FORGET_AFTER - 10)
        played.play(1)
        link = serving.store.link(old.host)
        assert link is not None and serving.store.lines(link.table)
    with served(tmp_path) as (serving, client):
        wait_until(lambda: serving.store.count() == 2)
        assert [client.get(f"/seat/{one.seats[0]}").status_code for one in (old, young, played)] == [404, 200, 200]
        assert client.get(f"/host/{old.host}").status_code == 404 and not serving.store.lines(link.table)


def _unused_for(folder: Path, days: int) -> None:
    with sqlite3.connect(folder / "tables.sqlite") as database:
        database.execute("update tables set used = used - ?", (days * DAY,))


def test_a_store_of_an_older_release_keeps_its_tables(tmp_path: Path) -> None:
    file = tmp_path / "tables.sqlite"
    with served(tmp_path) as (_, client):
        table = Opened.at(client, "pig", ["person", "person"])
    with sqlite3.connect(file) as database:
        for table_name, column in [("tables", "used"), ("tables", "sealed"), ("links", "taken"), ("links", "again")]:
            database.execute(f"alter table {table_name} drop column {column}")
    with served(tmp_path) as (serving, client):
        assert not serving.store.forget(time.time() - DAY)
        assert client.get(f"/seat/{table.seats[0]}").status_code == 200


def test_whoever_serves_the_same_file_sees_what_others_added(tmp_path: Path) -> None:
    address = f"sqlite:///{tmp_path / 'tables.sqlite'}"
    one, two = Store(address), Store(address)
    table, _ = one.add_table("Pig", [b"first\n"], [""])
    last, found = two.added(None)
    assert not found
    one.add_lines(table, 1, [b"second\n", b"third\n"])
    last, found = two.added(last)
    assert found == {table: 3} and two.added(last) == (last, {})
    for store in (one, two):
        store.close()


@pytest.mark.parametrize("text", ["no address", "mysql://x/y", "sqlite:////no/such/folder/at/all.sqlite"])
def test_a_store_that_cannot_be_used_is_named(text: str) -> None:
    with pytest.raises(StoreError, match="database") as found:
        Store(text)
    assert found.value.remedy


def test_whoever_looks_while_the_store_is_away_is_told_so_and_sees_the_table_when_it_is_back(
    server: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch, pig: Opened
) -> None:
    serving, client = server

    def away(name: str) -> list[Link]:
        raise StoreError("it is away", "wait")

    with monkeypatch.context() as patch:
        patch.setattr(serving.audience, "_links", away)
        assert client.get(f"/seat/{pig.seats[0]}/table").status_code == 503
    assert client.get(f"/seat/{pig.seats[0]}/table").status_code == 200


# --- rules that somebody brought along --------------------------------------------------------------------


def test_rules_of_a_saved_game_are_trusted_only_if_they_ship() -> None:
    rules = load_rules("pig")
    begun = rules.new_game(["Ann", "Ben"], seed=1).journal
    found = shipped(begun)
    assert found is not None and found.rules == rules
    other = load_rules("kuhn-poker").bundle
    for changed in (
        replace(begun, header=replace(begun.header, game="/etc/pig")),
        replace(begun, keeps_rules=True),
        replace(begun, bundle=other),
    ):
        assert shipped(changed) is None
