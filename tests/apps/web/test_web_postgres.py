"""Several servers on one PostgreSQL: answers count once, news cross over, and one that dies takes nothing along."""

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
from listening import Listener, answered
from serving import LATE, Opened, Server, client_of, listened

PLACES = [Path(found) for found in (shutil.which("initdb"),) if found]
PLACES += sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
pytestmark = [
    pytest.mark.skipif(not PLACES, reason="PostgreSQL is not installed (no initdb)"),
    pytest.mark.xdist_group("postgres"),
]


def _account() -> str | None:
    """Whose the cluster is: PostgreSQL refuses to run as root."""
    if os.geteuid() != 0:
        return None
    names = {entry.pw_name for entry in pwd.getpwall()}
    return "postgres" if "postgres" in names else "nobody"


def _do(program: str, *arguments: str) -> None:
    command = [str(PLACES[0].resolve().with_name(program)), *arguments]
    done = subprocess.run(
        command,
        user=_account(),
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.STDOUT,
        timeout=60,
    )
    assert done.returncode == 0, command


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """A database of its own, in a cluster that lives as long as these tests."""
    folder = Path(tempfile.mkdtemp(prefix="edict-pg-"))
    account = _account()
    if account:
        shutil.chown(folder, account)
    data = str(folder / "data")
    _do("initdb", "--no-sync", "--auth=trust", "--username=edict", "--encoding=UTF8", "--locale=C", "-D", data)
    settings = f"-c listen_addresses='' -c unix_socket_directories={folder} -c fsync=off"
    _do("pg_ctl", "-D", data, "-w", "-o", settings, "-l", str(folder / "log"), "start")
    try:
        yield f"postgresql://edict@/postgres?host={folder}"
    finally:
        _do("pg_ctl", "-D", data, "-w", "-m", "immediate", "stop")
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def servers(store: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, str]]:
    """One that can be killed, and the address of another."""
    server = Server.start(store, tmp_path_factory.mktemp("servers"))
    with listened(store) as base:
        yield server, base
    server.kill()


def test_of_two_answers_given_to_two_servers_at_once_one_counts(servers: tuple[Server, str]) -> None:
    with servers[0].client() as here, client_of(servers[1]) as there:
        table = Opened.at(here, "pig", ["person", "person"])
        there.get(f"/seat/{table.onlookers}")  # both have it in memory
        for _ in range(4):
            asked = table.asked()
            assert asked is not None
            key, version, answer = asked[0], table.version(asked[0]), asked[1]["question"]["options"][0]["key"]
            start = threading.Barrier(2)

            def send(client: Any, about: tuple[str, int, str], start: threading.Barrier = start) -> str:
                start.wait()
                return str(table.answer(*about, client).text)

            with ThreadPoolExecutor(2) as threads:
                said = list(threads.map(send, (here, there), [(key, version, answer)] * 2))
            assert sorted(LATE in text for text in said) == [False, True]
            assert table.version(key) == version + 1


def test_two_servers_serve_one_table_and_one_of_them_dies(servers: tuple[Server, str]) -> None:
    one, two = servers
    with one.client() as here, client_of(two) as there:
        table = Opened.at(here, "kuhn-poker", ["person", "person"])
        far = Opened(there, table.host, table.seats, table.onlookers)
        listener = Listener(two, table.onlookers)
        listener.begun()
        listener.until(answered(table))  # given to one server, told by the other
        one.kill()
        for _ in range(4):
            if far.asked() is not None:
                listener.until(answered(far))
        listener.close()
        journal = parse_journal(there.get(f"/seat/{table.host}/journal").content)
        assert len(journal.answers) >= 2
