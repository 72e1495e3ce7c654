"""Tables in the browser for tests: in this process, or served by processes that can be killed."""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx2
from calling import UNTRANSLATED
from starlette.testclient import TestClient

from edict.table.rules import load_rules
from edict.web.application import application
from edict.web.quotas import Limits
from edict.web.table_server import TableServer
from edict.web.new_tables import Offer
from edict.web.store import Store
from edict.web.sandbox import SHARE
from edict.processes.piece_of_work import Bounds

MUCH = "1000000/minute"
FREE = Limits(requests=MUCH, new_tables=MUCH, start_pages=MUCH, hints=MUCH, continuations=MUCH)
LATE = "Somebody has answered that already"
PATIENCE = 180.0  # seconds until what is waited for must have come, on however busy a machine
_VERSION = re.compile(r'name="version" value="(\d+)"')
_LINK = re.compile(r'href="/seat/([\w-]+)"')


@contextmanager
def served(
    folder: Path, limits: Limits = FREE, bots: Sequence[str] = (), share: Bounds = SHARE, offer: Offer | None = None
) -> Iterator[tuple[TableServer, TestClient]]:
    """A server in this process, and a client of it."""
    store = Store(f"sqlite:///{folder / 'tables.sqlite'}")
    serving = TableServer(store, offer or Offer(bots), limits=limits, pause=0.0, share=share)
    with TestClient(application(serving)) as client:
        yield serving, client
    serving.store.close()


def form(game: str, seats: Sequence[str], modules: Sequence[str] = ()) -> dict[str, Any]:
    """What the start page would send: for each seat `person` or a kind of bot."""
    taken = {f"seat-{number}": kind for number, kind in enumerate(seats)}
    names = {f"name-{number}": f"Player {number + 1}" for number in range(len(seats))}
    return {"game": game, "with": list(modules), **taken, **names}


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
    def of(client: Any, page: Any) -> Opened:
        """The table whose host's page this is."""
        assert page.status_code == 200, page.text
        *seats, onlookers = dict.fromkeys(_LINK.findall(page.text))
        return Opened(client, str(page.url).rsplit("/", 1)[1], seats, onlookers)

    @staticmethod
    def begun(client: Any, game: str, answers: int) -> Opened:
        """A table for two, at which so many answers have been given."""
        playing, luck = load_rules(game).new_game(["Ann", "Ben"], seed=7), Random(3)
        for _ in range(answers):
            playing.answer(luck.choice(playing.ask.options).key)
        files = {"journal": ("begun.jsonl", playing.journal.to_bytes())}
        return Opened.of(client, client.post("/tables/journal", files=files, follow_redirects=True))

    def view(self, key: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"/seat/{key}/view.json").json()
        return found

    def version(self, key: str) -> int:
        """As the page of a seat has it; 0 where the page is not there."""
        found = _VERSION.search(self.client.get(f"/seat/{key}").text)
        return int(found[1]) if found else 0

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


@dataclass
class Server:
    """A server in a process of its own, at an address of this machine."""

    process: subprocess.Popen[bytes]
    base: str
    output: Path
    store: str

    @staticmethod
    def start(store: str, folder: Path, port: int = 0, *more: str) -> Server:
        output = folder / f"server-{time.monotonic_ns()}.log"
        serve = ["serve", "--no-browser", "--port", str(port), "--store", store, *more]
        command = [sys.executable, "-c", UNTRANSLATED, *serve]
        with output.open("wb") as file:
            process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=file, stderr=subprocess.STDOUT, cwd=folder,
            )  # fmt: skip
        return Server(process, _address(process, output), output, store)

    @property
    def port(self) -> int:
        return int(self.base.rsplit(":", 1)[1])

    def client(self) -> httpx2.Client:
        return httpx2.Client(base_url=self.base, timeout=PATIENCE)

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
