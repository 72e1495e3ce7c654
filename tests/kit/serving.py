"""Tables in the browser for tests: in this process, or in server processes that can be killed."""

from __future__ import annotations

import asyncio
import io
import pickle
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import httpx2
import pytest
import uvicorn
from starlette.testclient import TestClient

from calling import UNTRANSLATED
from edict.apps.web.application import create_application
from edict.apps.web.connection_bounds import Limits
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.sandbox import TASK_LIMITS
from edict.apps.web.store import Store
from edict.apps.web.table_server import TableServer
from edict.apps.web.web_server import configure, open_listening_socket
from edict.game.table.rules import load_rules
from edict.support.processes.local_executor import LocalExecutor
from edict.support.processes.tasks import TaskLimits

UNLIMITED = "1000000/minute"
NO_LIMITS = Limits(
    requests=UNLIMITED, new_tables=UNLIMITED, start_pages=UNLIMITED, hints=UNLIMITED, continuations=UNLIMITED
)
ALREADY_ANSWERED = "Somebody has answered that already"
REFUSED = 'role="alert"'  # on a page with an error message
TIMEOUT = 180.0  # seconds
_VERSION = re.compile(r'name="version" value="(\d+)"')
_LINK = re.compile(r'href="(?:/games)?/seat/([\w-]+)"')


# --- in this process ---------------------------------------------------------------------------------


class _ThreadExecutor(LocalExecutor):
    """Runs work in threads of this process, pickled as if it went to another process."""

    def create_pool(self, count: int, bounds: TaskLimits) -> Any:
        return _ThreadPool(count)


class _ThreadPool:
    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count)

    async def run(self, work: Callable[..., Any], *about: object) -> Any:
        sent = pickle.dumps((work, about))
        return pickle.loads(await asyncio.get_running_loop().run_in_executor(self._threads, _run_pickled, sent))

    def shutdown(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def _run_pickled(sent: bytes) -> bytes:
    work, about = pickle.loads(sent)
    return pickle.dumps(work(*about))


@contextmanager
def _create_server(
    store: str,
    limits: Limits = NO_LIMITS,
    bots: Sequence[str] = (),
    share: TaskLimits = TASK_LIMITS,
    offer: TableOffer | None = None,
    apart: bool = False,
) -> Iterator[TableServer]:
    """Create a server without a network address.

    With `apart`, bots and strangers' rules run in processes of their own, as they do outside of tests.
    """
    table_store = Store(store)
    with pytest.MonkeyPatch.context() as patch:
        if not apart:
            patch.setattr("edict.support.processes.executor._executor", _ThreadExecutor())
        serving = TableServer(table_store, offer or TableOffer(bots), limits=limits, pause=0.0, share=share)
    yield serving
    table_store.close()


@contextmanager
def open_server(folder: Path, **options: Any) -> Iterator[tuple[TableServer, TestClient]]:
    """Open a server in this process with a client. See `_create_server` for the options."""
    with _create_server(f"sqlite:///{folder / 'tables.sqlite'}", **options) as serving:
        with TestClient(create_application(serving)) as client:
            yield serving, client


@contextmanager
def listen(store: str, limits: Limits = NO_LIMITS, most: int = 1000) -> Iterator[str]:
    """Run a server in this process that listens on a port, with a limit of connections; yield its address."""
    with _create_server(store, limits) as serving:
        config = configure(create_application(serving), limits, most)
        socket_of_server, server = open_listening_socket("127.0.0.1", 0), uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [socket_of_server]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{socket_of_server.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(TIMEOUT)


def create_client(base: str) -> httpx2.Client:
    """Return a client of a server at an address."""
    return httpx2.Client(base_url=base, timeout=TIMEOUT)


# --- tables ------------------------------------------------------------------------------------------


def make_table_form(game: str, seats: Sequence[str], modules: Sequence[str] = ()) -> dict[str, Any]:
    """Return the form of the start page, with `person` or a kind of bot for each seat."""
    seat_fields = {f"seat-{number}": kind for number, kind in enumerate(seats)}
    name_fields = {f"name-{number}": f"Player {number + 1}" for number in range(len(seats))}
    return {"game": game, "with": list(modules), **seat_fields, **name_fields}


def zip_module(files: Mapping[str, str | bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Return a module as a zip file."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", packing) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return buffer.getvalue()


@dataclass
class OpenedTable:
    """A table with the keys of its host, seats and spectators."""

    client: Any  # of this process or over the network
    host: str
    seats: list[str]
    onlookers: str
    given: list[str] = field(default_factory=list)  # answers that the server said it took

    @staticmethod
    def open_at(client: Any, game: str, seats: Sequence[str], modules: Sequence[str] = (), **more: Any) -> OpenedTable:
        return OpenedTable.from_page(
            client, client.post("/tables", data=make_table_form(game, seats, modules), follow_redirects=True, **more)
        )

    @staticmethod
    def open_with_module(client: Any, game: str, seats: Sequence[str], files: Mapping[str, str | bytes]) -> OpenedTable:
        """Open a table with an uploaded module."""
        return OpenedTable.open_at(client, game, seats, files={"module": ("module.zip", zip_module(files))})

    @staticmethod
    def from_page(client: Any, page: Any) -> OpenedTable:
        """Return the table whose host page this is."""
        assert page.status_code == 200, page.text
        *seats, onlookers = dict.fromkeys(_LINK.findall(page.text))
        return OpenedTable(client, str(page.url).rsplit("/", 1)[1], seats, onlookers)

    @staticmethod
    def open_after_answers(client: Any, game: str, answers: int, **form_fields: str) -> OpenedTable:
        """Open a table for two after a number of random answers."""
        game_in_progress, rng = load_rules(game).new_game(["Ann", "Ben"], seed=7), Random(3)
        for _ in range(answers):
            game_in_progress.answer(rng.choice(game_in_progress.ask.options).key)
        return OpenedTable.open_from_journal(client, game_in_progress.journal.to_bytes(), **form_fields)

    @staticmethod
    def open_from_journal(client: Any, raw: bytes, **form_fields: str) -> OpenedTable:
        """Open a table that continues the game in a file."""
        files = {"journal": ("begun.jsonl", raw)}
        return OpenedTable.from_page(
            client, client.post("/tables/journal", files=files, data=form_fields, follow_redirects=True)
        )

    def get_view(self, key: str) -> dict[str, Any]:
        data: dict[str, Any] = self.client.get(f"/seat/{key}/view.json").json()
        return data

    def get_version(self, key: str) -> int:
        """Return the version on the page of a seat; 0 if the page is missing."""
        match = _VERSION.search(self.client.get(f"/seat/{key}").text)
        return int(match[1]) if match else 0

    def undo(self, key: str, version: int | None = None) -> Any:
        sent = {"version": self.get_version(key) if version is None else version}
        return self.client.post(f"/seat/{key}/undo", data=sent, headers={"HX-Request": "true"})

    def play(self, answers: int = 3000, rng: Random | None = None) -> None:
        """Give a number of answers or play to the end, choosing the first option or a random one."""
        while answers and (asked := self.find_asked()) is not None:
            key, view = asked
            options = view["question"]["options"]
            chosen = (rng.choice(options) if rng else options[0])["key"]
            done = self.answer(key, self.get_version(key), chosen)
            assert done.status_code == 200 and REFUSED not in done.text, done.text
            self.given.append(chosen)
            answers -= 1

    def answer(self, key: str, version: int, answer: str, client: Any = None) -> Any:
        sent = {"version": version, "answer": answer}
        return (client or self.client).post(f"/seat/{key}/answer", data=sent, headers={"HX-Request": "true"})

    def find_asked(self) -> tuple[str, dict[str, Any]] | None:
        """Return the key and view of the person who is asked; None if nobody is."""
        for key in self.seats:
            view = self.get_view(key)
            if view["question"]:
                return key, view
        return None


# --- in processes ------------------------------------------------------------------------------------


@dataclass
class ServerOnPort:
    """A server in a process of its own at a local address."""

    process: subprocess.Popen[bytes]
    base: str
    output: Path
    store: str

    @staticmethod
    def start(store: str, folder: Path, port: int = 0, *more: str, files: int = 0) -> ServerOnPort:
        """Start a server.

        Args:
            store: Address of its database.
            folder: Folder for its output.
            port: Its port; 0 for a free one.
            more: Further words of the command.
            files: Limit of open files and connections; 0 for that of this process.
        """
        output = folder / f"server-{time.monotonic_ns()}.log"
        serve = ["serve", "--no-browser", "--port", str(port), "--store", store, *more]
        command = [sys.executable, "-c", UNTRANSLATED, *serve]
        with output.open("wb") as file:
            process = subprocess.Popen(
                [*(("sh", "-c", f'ulimit -n {files} && exec "$@"', "sh") if files else ()), *command],
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.STDOUT,
                cwd=folder,
            )
        return ServerOnPort(process, _wait_for_address(process, output), output, store)

    @property
    def port(self) -> int:
        return int(self.base.rsplit(":", 1)[1])

    def create_client(self) -> httpx2.Client:
        return create_client(self.base)

    def kill(self) -> None:
        """Kill it with SIGKILL, so that it cannot clean up."""
        self.process.kill()
        self.process.wait(TIMEOUT)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()


def _wait_for_address(process: subprocess.Popen[bytes], output: Path) -> str:
    until = time.monotonic() + TIMEOUT
    while time.monotonic() < until and process.poll() is None:
        found = re.search(r"Open a table at (http://[^/]+)/", output.read_text())
        if found:
            return found[1]
        time.sleep(0.05)
    process.kill()
    raise AssertionError(f"no server: {output.read_text()}")
