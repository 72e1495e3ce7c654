"""How many tables and live connections servers hold: from an answer to everybody's news, and memory a table.

    python benchmarks/serve.py --tables 500 --each 4 --rate 25 --seconds 20 --game kingsburg
    python benchmarks/serve.py --tables 1000 --processes 2 --store postgresql://edict@/postgres?host=/run/postgresql

Each server is a process; this one plays all the browsers, so all share the machine. Games are in the middle, each
somewhere in its second third: before the servers start, `--games` of them are played at random, and each is put into
the store for several tables. A server wakes a table when its first browser connects. `--each` are
the connections at a table (the seats first, the others look on), `--rate` is in answers a second over all tables. Where
there are several processes, the connections of a table are spread over them, as a proxy would spread them.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import httpx2

OPTION = re.compile(r'name="answer" value="([^"]+)"')
QUESTION = re.compile(r'<section class="question[^"]*" id="question".*?</section>', re.DOTALL)
VERSION = re.compile(r'data-version="(\d+)"')
MARK = re.compile(r'data-mark="([^"]+)"')
WAIT = 60.0
PROMPT = 0.15  # seconds until news come that nobody waits for


def serve(store: str, port: int) -> None:
    """Serve the tables of a store until the process is killed."""
    from edict.apps.web.connection_bounds import Limits
    from edict.apps.web.new_tables import TableOffer
    from edict.apps.web.store import Store
    from edict.apps.web.table_server import TableServer
    from edict.apps.web.web_server import open_listening_socket, serve

    many = "10000000/minute"
    limits = Limits(many, many, many, many, connections=100_000, connections_each=100_000)
    serve(TableServer(Store(store), TableOffer(), limits=limits), open_listening_socket("127.0.0.1", port))


def fill_store(store: str, wanted: argparse.Namespace) -> list[list[str]]:
    """Add tables with games in the middle, and return for each the keys of its connections."""
    from edict.apps.web.live_tables import ONLOOKER, PlayableGame
    from edict.apps.web.store import Store
    from edict.game.table.rules import load_rules

    luck, rules, kept = random.Random(1), load_rules(wanted.game), Store(store)
    players, began = ["Ann", "Ben", "Cid", "Dee", "Eve"][: wanted.players], time.perf_counter()
    game = rules.new_game(players, seed=0)
    while not game.over:
        game.answer(luck.randrange(game.count))
    length = len(game.answers)  # of one game, about as long as the others
    begun, found = [], []
    for number in range(min(wanted.games, wanted.tables)):
        game = rules.new_game(players, seed=number)
        for _ in range(luck.randint(length // 3, 2 * length // 3)):
            if not game.over:
                game.answer(luck.randrange(game.count))
        begun.append(PlayableGame.from_journal(game.journal, rules, ("",) * len(players)))
    for number in range(wanted.tables):
        playable = begun[number % len(begun)]
        _, links = kept.add_table(playable.title, playable.lines, playable.bots)
        seats = [link.key for link in links if link.seat >= 0]
        onlookers = [link.key for link in links if link.seat == ONLOOKER]
        found.append([*seats, *onlookers * wanted.each][: wanted.each])
    print(f"{wanted.tables} tables filled in {time.perf_counter() - began:.0f} s", flush=True)
    kept.close()
    return found


@dataclass
class Seat:
    """A connection at a table, and what its page shows: its version and mark, the options."""

    key: str
    base: str  # address of the server that it is connected to
    version: int = 0
    mark: str = ""
    options: list[str] = field(default_factory=list)

    def shown(self, page: str) -> None:
        """What it shows from now on; of a question that is as it was, the page may say nothing."""
        self.version, self.mark = int(VERSION.findall(page)[0]), MARK.findall(page)[0]
        question = QUESTION.search(page)
        if question is not None:
            self.options = OPTION.findall(question[0])


@dataclass
class Table:
    """waiting: how many connections do not show the version that was answered last."""

    seats: list[Seat]
    busy: bool = False
    version: int = 0
    waiting: int = 0
    seen: asyncio.Event = field(default_factory=asyncio.Event)


class Load:
    """The browsers of all tables.

    Args:
        bases: The addresses of the servers.
        wanted: The options.
    """

    def __init__(self, bases: list[str], wanted: argparse.Namespace) -> None:
        self.bases = bases
        self.wanted = wanted
        # a connection that is idle for as long as the server waits may be closed just when it is used again
        self.client = httpx2.AsyncClient(timeout=WAIT, limits=httpx2.Limits(keepalive_expiry=1.0))
        self.tables: list[Table] = []
        self.seen: list[float] = []
        self.sent: list[int] = []  # bytes of news
        self.listening: set[asyncio.Task[None]] = set()
        self.open_ends: list[asyncio.StreamWriter] = []  # a connection lives as long as its writer

    async def open(self, keys: list[str]) -> None:
        """Connect everybody at a table."""
        first = len(self.tables)
        table = Table([Seat(key, self.bases[(first + i) % len(self.bases)]) for i, key in enumerate(keys)])
        for seat in table.seats:
            seat.shown((await self.client.get(f"{seat.base}/seat/{seat.key}/table")).text)
            reader = await self.connect(seat)
            self.listening.add(asyncio.create_task(self.listen(reader, table, seat)))
        self.tables.append(table)

    async def connect(self, seat: Seat) -> asyncio.StreamReader:
        """Open the event stream of a seat."""
        place = urlsplit(seat.base)
        reader, writer = await asyncio.open_connection(place.hostname, place.port, limit=2**22)
        writer.write(f"GET /seat/{seat.key}/news?since={seat.mark} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        self.open_ends.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        return reader

    async def listen(self, reader: asyncio.StreamReader, table: Table, seat: Seat) -> None:
        """Take in the news."""
        event, page = b"", list[bytes]()
        while line := await reader.readline():
            name, _, value = line.rstrip().partition(b": ")
            if name == b"event":
                event, page = value, []
            elif name == b"data":
                page.append(value)
            elif not name and event == b"news":
                self.sent.append(sum(map(len, page)))
                event, before = b"", seat.version
                seat.shown(b"\n".join(page).decode())
                if before < table.version <= seat.version:
                    table.waiting -= 1
                    if table.waiting == 0:
                        table.seen.set()

    async def answer(self, table: Table) -> None:
        """Somebody answers; how long until everybody shows the new table."""
        asked = next((seat for seat in table.seats if seat.options), None)
        if asked is None:
            return
        table.busy, table.waiting, table.version = True, len(table.seats), asked.version + 1
        table.seen.clear()
        answer = {"version": str(asked.version), "answer": random.choice(asked.options), "since": asked.mark}
        began = time.perf_counter()
        done = asyncio.create_task(
            self.client.post(f"{asked.base}/seat/{asked.key}/answer", data=answer, headers={"HX-Request": "true"})
        )
        await asyncio.wait_for(table.seen.wait(), WAIT)
        self.seen.append(time.perf_counter() - began)
        await done
        table.busy = False

    async def play(self) -> None:
        until, running = time.perf_counter() + self.wanted.seconds, set[asyncio.Task[None]]()
        while time.perf_counter() < until:
            free = [table for table in random.sample(self.tables, min(20, len(self.tables))) if not table.busy]
            if free:
                running.add(asyncio.create_task(self.answer(free[0])))
            await asyncio.sleep(random.expovariate(self.wanted.rate))
        await asyncio.gather(*running)


def memory(pid: int) -> float:
    """Of a process, in megabytes."""
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+)", status)
    return int(found[1]) / 1000 if found else 0.0


def busy(pid: int) -> float:
    """Seconds of processor time of a process so far."""
    parts = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")


def describe_times(name: str, times: list[float]) -> str:
    """Return percentiles and the longest of times in seconds, and the share of those that nobody notices."""
    cuts = statistics.quantiles(times, n=100, method="inclusive")
    median, most, nearly_all, worst = (round(1000 * one) for one in (cuts[49], cuts[94], cuts[98], max(times)))
    share = 100 * sum(one <= PROMPT for one in times) / len(times)
    return (
        f"{name}: median {median} ms, 95 % {most} ms, 99 % {nearly_all} ms, longest {worst} ms; "
        f"{share:.1f} % within {1000 * PROMPT:.0f} ms"
    )


async def measure(bases: list[str], pids: list[int], keys: list[list[str]], wanted: argparse.Namespace) -> None:
    """Connect all browsers, let them play, and print what it took."""
    load = Load(bases, wanted)
    await load.open(keys[0])
    before, woke, began = sum(map(memory, pids)), sum(map(busy, pids)), time.perf_counter()
    for one in keys[1:]:
        await load.open(one)
    opening = time.perf_counter() - began
    after, used = sum(map(memory, pids)), sum(map(busy, pids))
    each = (after - before) / max(wanted.tables - 1, 1)
    connections = wanted.tables * wanted.each
    woken = 1000 * (used - woke) / max(wanted.tables - 1, 1)
    print(
        f"{wanted.tables} tables of {wanted.game}, {connections} connections, opened in {opening:.0f} s, "
        f"{woken:.0f} ms of a processor to wake one and show it to them"
    )
    print(
        f"memory of {len(pids)} servers: {after:.0f} MB, {1000 * each:.0f} kB a table with its connections", flush=True
    )
    own, began = time.process_time(), time.perf_counter()
    await load.play()
    lasted, spent, own = time.perf_counter() - began, sum(map(busy, pids)) - used, time.process_time() - own
    count = max(len(load.seen), 1)
    print(
        f"{count} answers in {lasted:.0f} s; the servers used {spent:.1f} s of a processor, "
        f"{1000 * spent / count:.1f} ms an answer with everybody's news of it; the browsers used {own:.1f} s"
    )
    print(f"{statistics.mean(load.sent) / 1000:.1f} kB of news to a connection for an answer")
    print(describe_times("from an answer until everybody sees it", load.seen))
    print(f"load of the machine (1 minute): {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--games", type=int, default=50, help="different ones, which the tables share")
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--rate", type=float, default=25.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--game", default="kingsburg")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--port", type=int, default=8642, help="of the first server; the others take the next ones")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("--store", default="", help="URL of an empty database [default: an SQLite file]")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.serve:
        serve(wanted.store, wanted.port)
        return
    with tempfile.TemporaryDirectory() as folder:
        store = wanted.store or f"sqlite:///{folder}/tables.sqlite"
        keys = fill_store(store, wanted)
        ports = [wanted.port + number for number in range(wanted.processes)]
        command = [sys.executable, __file__, "--serve", "--store", store, "--port"]
        servers = [subprocess.Popen([*command, str(port)], stdin=subprocess.DEVNULL) for port in ports]
        try:
            bases = [f"http://127.0.0.1:{port}" for port in ports]
            for base in bases:
                wait_for(base)
            asyncio.run(measure(bases, [server.pid for server in servers], keys, wanted))
        finally:
            for server in servers:
                server.kill()


def wait_for(base: str) -> None:
    """Wait until a server answers."""
    for _ in range(300):
        try:
            httpx2.get(base)
            return
        except httpx2.TransportError:
            time.sleep(0.1)


if __name__ == "__main__":
    main()
