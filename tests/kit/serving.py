"""Tables in the browser for tests: in this process, or served by processes that can be killed."""

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
from edict.apps.web.application import application
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.quotas import Limits
from edict.apps.web.sandbox import SHARE
from edict.apps.web.store import Store
from edict.apps.web.table_server import TableServer
from edict.apps.web.web_server import configure, listening
from edict.game.table.rules import load_rules
from edict.support.processes.local_executor import LocalExecutor
from edict.support.processes.tasks import TaskLimits

MUCH = "1000000/minute"
FREE = Limits(requests=MUCH, new_tables=MUCH, start_pages=MUCH, hints=MUCH, continuations=MUCH)
LATE = "Somebody has answered that already"
REFUSED = 'role="alert"'  # on a page that says why something was not done
PATIENCE = 180.0  # seconds until what is waited for must have come, on however busy a machine
_VERSION = re.compile(r'name="version" value="(\d+)"')
_LINK = re.compile(r'href="/seat/([\w-]+)"')


# --- in this process ---------------------------------------------------------------------------------


class _Threads(LocalExecutor):
    """Work in threads of this process, which nobody has to wait for; it comes and goes as it would to a process."""

    def create_pool(self, count: int, bounds: TaskLimits) -> Any:
        return _InThreads(count)


class _InThreads:
    def __init__(self, count: int) -> None:
        self._threads = ThreadPoolExecutor(count)

    async def run(self, work: Callable[..., Any], *about: object) -> Any:
        sent = pickle.dumps((work, about))
        return pickle.loads(await asyncio.get_running_loop().run_in_executor(self._threads, _carried_out, sent))

    def shutdown(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)


def _carried_out(sent: bytes) -> bytes:
    work, about = pickle.loads(sent)
    return pickle.dumps(work(*about))


@contextmanager
def _serving(
    store: str,
    limits: Limits = FREE,
    bots: Sequence[str] = (),
    share: TaskLimits = SHARE,
    offer: TableOffer | None = None,
    apart: bool = False,
) -> Iterator[TableServer]:
    """A server that nobody can ask yet. apart: bots and strangers' rules have processes, as everywhere but in tests."""
    kept = Store(store)
    with pytest.MonkeyPatch.context() as patch:
        if not apart:
            patch.setattr("edict.support.processes.executor._executor", _Threads())
        serving = TableServer(kept, offer or TableOffer(bots), limits=limits, pause=0.0, share=share)
    yield serving
    kept.close()


@contextmanager
def served(folder: Path, **about: Any) -> Iterator[tuple[TableServer, TestClient]]:
    """A server in this process, and a client of it. about: see `_serving`."""
    with _serving(f"sqlite:///{folder / 'tables.sqlite'}", **about) as serving:
        with TestClient(application(serving)) as client:
            yield serving, client


@contextmanager
def listened(store: str, limits: Limits = FREE, most: int = 1000) -> Iterator[str]:
    """A server in this process that listens for others, too, over so many connections; its address."""
    with _serving(store, limits) as serving:
        config = configure(application(serving), limits, most)
        place, server = listening("127.0.0.1", 0), uvicorn.Server(config)
        thread = Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        try:
            yield f"http://127.0.0.1:{place.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join(PATIENCE)


def client_of(base: str) -> httpx2.Client:
    """Somebody who asks a server that listens."""
    return httpx2.Client(base_url=base, timeout=PATIENCE)


# --- tables ------------------------------------------------------------------------------------------


def form(game: str, seats: Sequence[str], modules: Sequence[str] = ()) -> dict[str, Any]:
    """What the start page would send: for each seat `person` or a kind of bot."""
    taken = {f"seat-{number}": kind for number, kind in enumerate(seats)}
    names = {f"name-{number}": f"Player {number + 1}" for number in range(len(seats))}
    return {"game": game, "with": list(modules), **taken, **names}


def zipped(files: Mapping[str, str | bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A stranger's module, as it is sent."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packing) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


@dataclass
class Opened:
    """A table: the host's key, each person's, and the onlookers'."""

    client: Any  # of this process or over the network
    host: str
    seats: list[str]
    onlookers: str
    given: list[str] = field(default_factory=list)  # answers that the server said it took

    @staticmethod
    def at(client: Any, game: str, seats: Sequence[str], modules: Sequence[str] = (), **more: Any) -> Opened:
        return Opened.of(client, client.post("/tables", data=form(game, seats, modules), follow_redirects=True, **more))

    @staticmethod
    def with_module(client: Any, game: str, seats: Sequence[str], files: Mapping[str, str | bytes]) -> Opened:
        """The same, with a stranger's module that is sent along."""
        return Opened.at(client, game, seats, files={"module": ("module.zip", zipped(files))})

    @staticmethod
    def of(client: Any, page: Any) -> Opened:
        """The table whose host's page this is."""
        assert page.status_code == 200, page.text
        *seats, onlookers = dict.fromkeys(_LINK.findall(page.text))
        return Opened(client, str(page.url).rsplit("/", 1)[1], seats, onlookers)

    @staticmethod
    def begun(client: Any, game: str, answers: int, **more: str) -> Opened:
        """A table for two, at which so many answers have been given. more: of the form."""
        playing, luck = load_rules(game).new_game(["Ann", "Ben"], seed=7), Random(3)
        for _ in range(answers):
            playing.answer(luck.choice(playing.ask.options).key)
        return Opened.resumed(client, playing.journal.to_bytes(), **more)

    @staticmethod
    def resumed(client: Any, raw: bytes, **more: str) -> Opened:
        """A table at which the game in a file goes on."""
        files = {"journal": ("begun.jsonl", raw)}
        return Opened.of(client, client.post("/tables/journal", files=files, data=more, follow_redirects=True))

    def view(self, key: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"/seat/{key}/view.json").json()
        return found

    def version(self, key: str) -> int:
        """As the page of a seat has it; 0 where the page is not there."""
        found = _VERSION.search(self.client.get(f"/seat/{key}").text)
        return int(found[1]) if found else 0

    def undo(self, key: str, version: int | None = None) -> Any:
        sent = {"version": self.version(key) if version is None else version}
        return self.client.post(f"/seat/{key}/undo", data=sent, headers={"HX-Request": "true"})

    def play(self, answers: int = 3000, luck: Random | None = None) -> None:
        """Give so many answers, or fewer if the game ends: the first that is offered, or any."""
        while answers and (asked := self.asked()) is not None:
            key, view = asked
            options = view["question"]["options"]
            chosen = (luck.choice(options) if luck else options[0])["key"]
            done = self.answer(key, self.version(key), chosen)
            assert done.status_code == 200 and REFUSED not in done.text, done.text
            self.given.append(chosen)
            answers -= 1

    def answer(self, key: str, version: int, answer: str, client: Any = None) -> Any:
        sent = {"version": version, "answer": answer}
        return (client or self.client).post(f"/seat/{key}/answer", data=sent, headers={"HX-Request": "true"})

    def asked(self) -> tuple[str, dict[str, Any]] | None:
        """The key of the person who is asked, and their view; None if nobody is."""
        for key in self.seats:
            view = self.view(key)
            if view["question"]:
                return key, view
        return None


# --- in processes ------------------------------------------------------------------------------------


@dataclass
class Server:
    """A server in a process of its own, at an address of this machine."""

    process: subprocess.Popen[bytes]
    base: str
    output: Path
    store: str

    @staticmethod
    def start(store: str, folder: Path, port: int = 0, *more: str, files: int = 0) -> Server:
        """Start one. files: how many it may have open, connections too; as many as here if 0."""
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
        return Server(process, _address(process, output), output, store)

    @property
    def port(self) -> int:
        return int(self.base.rsplit(":", 1)[1])

    def client(self) -> httpx2.Client:
        return client_of(self.base)

    def kill(self) -> None:
        """With -9: it can put nothing in order."""
        self.process.kill()
        self.process.wait(PATIENCE)

    def stop(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.kill()


def _address(process: subprocess.Popen[bytes], output: Path) -> str:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until and process.poll() is None:
        found = re.search(r"Open a table at (http://[^/]+)/", output.read_text())
        if found:
            return found[1]
        time.sleep(0.05)
    process.kill()
    raise AssertionError(f"no server: {output.read_text()}")
