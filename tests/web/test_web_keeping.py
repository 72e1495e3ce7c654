"""What a host can set: limits, and when old tables are deleted. Stores of older releases, strangers' rules."""

from __future__ import annotations

import asyncio
import re
import sqlite3
import subprocess
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from calling import wait_until
from serving import Opened, served

from edict.table.rules import load_rules
from edict.web.quotas import Limits
from edict.web.live_tables import shipped
from edict.web.table_server import DAY, FORGET_AFTER
from edict.web.store import Store
from edict.processes.pool import Pool
from edict.processes.piece_of_work import Bounds, Failed

Call = Callable[..., "subprocess.CompletedProcess[str]"]


# --- old tables --------------------------------------------------------------------------------------


def test_a_table_is_deleted_when_nobody_has_played_there_for_long(tmp_path: Path) -> None:
    """By the server itself, as soon as it is started."""
    with served(tmp_path) as (serving, client):
        old = Opened.at(client, "pig", ["person", "person"])
        _unused_for(tmp_path, days=20)
        young, played = (Opened.at(client, "pig", ["person", "person"]) for _ in range(2))
        _unused_for(tmp_path, days=FORGET_AFTER - 10)
        key, view = played.asked() or pytest.fail("nobody is asked")
        played.answer(key, played.version(key), view["question"]["options"][0]["key"])
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


# --- limits ------------------------------------------------------------------------------------------


def test_every_limit_can_be_set_and_stands_in_the_help_and_on_its_page(call: Call, root: Path) -> None:
    told = "".join(call("serve", "--help").stdout.split())
    assert Limits().in_words().replace(" ", "") in told
    page = (root / "docs" / "serving.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \| (.*?) \| .*? \|$", page[page.index("## Limits") :], re.MULTILINE)
    listed = [pair for names, values in rows for pair in zip(names.split(", "), values.split(", "), strict=True)]
    assert ", ".join(f"{name}={value}" for name, value in listed).replace("`", "") == Limits().in_words()
    changed = Limits().changed(["tables=3", "new-tables=2/day"])
    assert (changed.tables, changed.new_tables, changed.requests) == (3, "2/day", Limits().requests)


@pytest.mark.parametrize(
    ("word", "reason"),
    [("tables=x", "`x` is not a number"), ("hints=0/minute", "is not a rate"), ("t=1", "no limit `t`")],
)  # fmt: skip
def test_a_limit_that_is_none_is_named(call: Call, word: str, reason: str) -> None:
    done = call("serve", "--no-browser", "--limit", word)
    assert done.returncode == 2 and reason in done.stderr and "--limit" in done.stderr


# --- what comes over the wire ------------------------------------------------------------------------------


def test_pages_are_compressed_for_who_can_read_it(tmp_path: Path) -> None:
    with served(tmp_path) as (_, client):
        table = Opened.at(client, "pig", ["person", "person"])
        plain = client.get(f"/seat/{table.seats[0]}", headers={"Accept-Encoding": "identity"})
        packed = client.get(f"/seat/{table.seats[0]}", headers={"Accept-Encoding": "gzip"})
        assert "content-encoding" not in plain.headers and packed.headers["content-encoding"] == "gzip"
        assert packed.text == plain.text and "content-security-policy" in packed.headers
        assert 3 * int(packed.headers["content-length"]) < len(plain.content)


# --- rules that somebody brought along --------------------------------------------------------------------


def test_rules_that_take_too_long_or_too_much_hold_nobody_up() -> None:
    async def tried() -> object:
        workers = Pool(1, Bounds(seconds=1, memory=300_000_000))
        try:
            with pytest.raises(Failed, match="longer than 1 seconds"):
                await workers.done(time.sleep, 30)
            with pytest.raises(Failed, match="needs more than 300 MB"):
                await workers.done(bytearray, 1_000_000_000)
            return await workers.done(len, "it goes on")
        finally:
            workers.shutdown()

    assert asyncio.run(tried()) == 10


def test_rules_of_a_saved_game_are_trusted_only_if_they_ship() -> None:
    rules = load_rules("pig")
    begun = rules.new_game(["Ann", "Ben"], seed=1).journal
    found = shipped(begun)
    assert found is not None and found.rules == rules
    other = load_rules("kuhn-poker").bundle
    for changed in (
        replace(begun, header=replace(begun.header, game="/etc/pig")), replace(begun, keeps_rules=True),
        replace(begun, bundle=other),
    ):  # fmt: skip
        assert shipped(changed) is None
