"""How many tables and live connections a server holds: from an answer to everybody's news, and memory a table.

    python benchmarks/serve.py --tables 500 --each 4 --rate 25 --seconds 20 --game pig

A server in a process of its own; this one plays all the browsers, so both share the machine. Whoever hears of news asks
for the table, as browsers do. `--each` are the connections at a table (two seats, the others look on), `--rate` is in
answers a second over all tables.
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
VERSION = re.compile(r'name="version" value="(\d+)"')
LINK = re.compile(r'href="/seat/([\w-]+)"')
WAIT = 60.0


def serve(store: str, port: int) -> None:
    """What the process of its own does."""
    from edict.web.web_app import listening, run
    from edict.web.quotas import Limits
    from edict.web.table_server import TableServer
    from edict.web.new_tables import Offer
    from edict.web.store import Store

    many = "10000000/minute"
    limits = Limits(many, many, many, many, connections=100_000, connections_each=100_000)
    run(TableServer(Store(store), Offer(), limits=limits), listening("127.0.0.1", port))


@dataclass
class Seat:
    """A connection at a table and the page it shows."""

    key: str
    page: str = ""
    version: int = 0


@dataclass
class Table:
    """waiting: how many connections have not heard of the version that was answered last."""

    seats: list[Seat]
    busy: bool = False
    version: int = 0
    waiting: int = 0
    heard: asyncio.Event = field(default_factory=asyncio.Event)


class Load:
    def __init__(self, base: str, wanted: argparse.Namespace) -> None:
        self.base = base
        self.wanted = wanted
        self.client = httpx2.AsyncClient(base_url=base, timeout=WAIT)
        self.tables: list[Table] = []
        self.heard: list[float] = []
        self.seen: list[float] = []
        self.looking: set[asyncio.Task[None]] = set()
        self.open_ends: list[asyncio.StreamWriter] = []  # a connection lives as long as its writer

    async def open(self) -> None:
        """One table, with everybody connected."""
        sent = {"game": self.wanted.game, "seat-0": "person", "seat-1": "person"}
        page = await self.client.post("/tables", data=sent, follow_redirects=True)
        *players, onlookers = dict.fromkeys(LINK.findall(page.text))
        keys = [*players, *[onlookers] * self.wanted.each][: self.wanted.each]
        table = Table([Seat(key) for key in keys])
        for seat in table.seats:
            await self.look(table, seat)
            reader = await self.connect(seat)
            task = asyncio.create_task(self.listen(reader, table, seat))
            self.looking.add(task)
        self.tables.append(table)

    async def connect(self, seat: Seat) -> asyncio.StreamReader:
        place = urlsplit(self.base)
        reader, writer = await asyncio.open_connection(place.hostname, place.port)
        writer.write(f"GET /seat/{seat.key}/news?since={seat.version} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        self.open_ends.append(writer)
        await reader.readuntil(b"\r\n\r\n")
        return reader

    async def listen(self, reader: asyncio.StreamReader, table: Table, seat: Seat) -> None:
        """Hear of news, and look."""
        while line := await reader.readline():
            if line.startswith(b"id: ") and int(line[4:]) == table.version:
                table.waiting -= 1
                if table.waiting == 0:
                    table.heard.set()
                if seat.version < table.version:
                    await self.look(table, seat)

    async def look(self, table: Table, seat: Seat) -> None:
        self.shown(seat, (await self.client.get(f"/seat/{seat.key}/table")).text)

    def shown(self, seat: Seat, page: str) -> None:
        found = VERSION.search(page)
        seat.page, seat.version = page, int(found[1]) if found else seat.version

    async def answer(self, table: Table) -> None:
        """Somebody answers; how long until everybody has heard of it, and until everybody sees it."""
        asked = next((seat for seat in table.seats if OPTION.search(seat.page)), None)
        if asked is None:
            return
        table.busy, table.waiting, table.version = True, len(table.seats), asked.version + 1
        table.heard.clear()
        sent = {"version": str(asked.version), "answer": random.choice(OPTION.findall(asked.page))}
        began = time.perf_counter()
        done = asyncio.create_task(
            self.client.post(f"/seat/{asked.key}/answer", data=sent, headers={"HX-Request": "true"})
        )  # fmt: skip
        await asyncio.wait_for(table.heard.wait(), WAIT)
        self.heard.append(time.perf_counter() - began)
        self.shown(asked, (await done).text)
        while any(seat.version < table.version for seat in table.seats):
            await asyncio.sleep(0.005)
        self.seen.append(time.perf_counter() - began)
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


def told(name: str, times: list[float]) -> str:
    cuts = statistics.quantiles(times, n=20)
    median, most, worst = (round(1000 * one) for one in (cuts[9], cuts[18], max(times)))
    return f"{name:<28} median {median:5} ms   95 % {most:5} ms   longest {worst:5} ms"


async def measure(base: str, pid: int, wanted: argparse.Namespace) -> None:
    load = Load(base, wanted)
    await load.open()
    before, began = memory(pid), time.perf_counter()
    for _ in range(wanted.tables - 1):
        await load.open()
    opening = time.perf_counter() - began
    after, used = memory(pid), busy(pid)
    each = (after - before) / max(wanted.tables - 1, 1)
    connections = wanted.tables * wanted.each
    print(f"{wanted.tables} tables of {wanted.game}, {connections} connections, opened in {opening:.0f} s")
    print(f"memory of the server: {after:.0f} MB, {1000 * each:.0f} kB a table with its connections")
    await load.play()
    spent = busy(pid) - used
    print(f"{len(load.heard)} answers in {wanted.seconds} s; the server used {spent:.1f} s of a processor, "
          f"{1000 * spent / max(len(load.heard), 1):.0f} ms an answer with everybody's look at it")  # fmt: skip
    print(told("everybody has heard of it", load.heard))
    print(told("everybody sees the new table", load.seen))
    print(f"load of the machine (1 minute): {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, default=500)
    parser.add_argument("--each", type=int, default=4)
    parser.add_argument("--rate", type=float, default=25.0)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--game", default="pig")
    parser.add_argument("--port", type=int, default=8642)
    parser.add_argument("--serve", default="", help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.serve:
        serve(wanted.serve, wanted.port)
        return
    with tempfile.TemporaryDirectory() as folder:
        store = f"sqlite:///{folder}/tables.sqlite"
        command = [sys.executable, __file__, "--serve", store, "--port", str(wanted.port)]
        server = subprocess.Popen(command, stdin=subprocess.DEVNULL)
        try:
            base = f"http://127.0.0.1:{wanted.port}"
            for _ in range(200):
                try:
                    httpx2.get(base)
                    break
                except httpx2.TransportError:
                    time.sleep(0.1)
            asyncio.run(measure(base, server.pid, wanted))
        finally:
            server.kill()


if __name__ == "__main__":
    main()
