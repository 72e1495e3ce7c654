"""Several servers on one PostgreSQL database: concurrent answers, shared events, and a killed server."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from edict.game.table.journal import parse_journal
from listening import EventListener, answer_first_option
from serving import ALREADY_ANSWERED, OpenedTable, ServerOnPort, create_client, listen

INITDB_PATHS = [Path(found) for found in (shutil.which("initdb"),) if found]
INITDB_PATHS += sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
pytestmark = [
    pytest.mark.skipif(not INITDB_PATHS, reason="PostgreSQL is not installed (no initdb)"),
    pytest.mark.xdist_group("postgres"),
]


def _choose_account() -> str | None:
    """Return the account that runs PostgreSQL, which refuses to run as root; None for the current one."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _run_program(program: str, *arguments: str) -> None:
    command = [str(INITDB_PATHS[0].resolve().with_name(program)), *arguments]
    result = subprocess.run(
        command,
        user=_choose_account(),
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    assert result.returncode == 0, command


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """The address of a database in a cluster that lives as long as these tests."""
    folder = Path(tempfile.mkdtemp(prefix="edict-pg-"))
    account = _choose_account()
    if account:
        shutil.chown(folder, account)
    data = str(folder / "data")
    _run_program("initdb", "--no-sync", "--auth=trust", "--username=edict", "--encoding=UTF8", "--locale=C", "-D", data)
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    _run_program("pg_ctl", "-D", data, "-w", "-o", settings, "-l", str(folder / "log"), "start")
    try:
        yield f"postgresql://edict@/postgres?host={folder}"
    finally:
        _run_program("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def servers(store: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServerOnPort, str]]:
    """A server that can be killed, and the address of another one."""
    server = ServerOnPort.start(store, tmp_path_factory.mktemp("servers"))
    with listen(store) as base:
        yield server, base
    server.kill()


def test_only_one_of_two_concurrent_answers_at_two_servers_counts(servers: tuple[ServerOnPort, str]) -> None:
    with servers[0].create_client() as first_client, create_client(servers[1]) as second_client:
        table = OpenedTable.open_at(first_client, "pig", ["person", "person"])
        second_client.get(f"/seat/{table.onlookers}")  # both servers have loaded the table
        for _ in range(4):
            key_and_view = table.find_asked()
            assert key_and_view is not None
            key, version, answer = (
                key_and_view[0],
                table.get_version(key_and_view[0]),
                key_and_view[1]["question"]["options"][0]["key"],
            )
            start = threading.Barrier(2)

            def send(client: Any, about: tuple[str, int, str], start: threading.Barrier = start) -> str:
                start.wait()
                return str(table.answer(*about, client).text)

            with ThreadPoolExecutor(2) as threads:
                pages = list(threads.map(send, (first_client, second_client), [(key, version, answer)] * 2))
            assert sorted(ALREADY_ANSWERED in text for text in pages) == [False, True]
            assert table.get_version(key) == version + 1


def test_table_at_two_servers_survives_the_death_of_one(servers: tuple[ServerOnPort, str]) -> None:
    server, other_base = servers
    with server.create_client() as first_client, create_client(other_base) as second_client:
        table = OpenedTable.open_at(first_client, "kuhn-poker", ["person", "person"])
        remote_table = OpenedTable(second_client, table.host, table.seats, table.onlookers)
        listener = EventListener(other_base, table.onlookers)
        listener.wait_for_any()
        listener.wait_for_version(answer_first_option(table))  # answered at one server, reported by the other
        server.kill()
        for _ in range(4):
            if remote_table.find_asked() is not None:
                listener.wait_for_version(answer_first_option(remote_table))
        listener.close()
        journal = parse_journal(second_client.get(f"/seat/{table.host}/journal").content)
        assert len(journal.answers) >= 2
