"""Strangers' rules at tables: they are played in processes that can be ended, and hold nobody else up."""

from __future__ import annotations

import asyncio
import os
import pickle
import signal
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.testclient import TestClient

from calling import wait_until, write
from edict.apps.web.live_tables import Link, LiveTable, PlayableGame
from edict.apps.web.sandbox import SHARE, Ended
from edict.apps.web.store import Store
from edict.apps.web.table_server import TableServer
from edict.game.table.carry_over import CarryOverError
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import parse_journal
from edict.game.table.rules import Rules, load_rules
from edict.support.processes.pool import ProcessWorkerPool
from edict.support.processes.tasks import TaskLimits
from edict.tools.studio.studio_errors import Clash
from examples import examples
from serving import PATIENCE, Opened, Server, served

MANIFEST = """\
name: slow
title: Slow
version: 1.0.0
kind: game
language: 1
"""
GAME = """\
resource point "point/points"
keep turn-order as order of player, quiet
keep work "work" as number from 0 to 999, quiet

game slow "Slow"
  players 2 to 2
  order turn-order
  winners players with most point of it
  score point of you
  course
    repeat until some player has point of it >= 50
      each player
        play turn

phase turn "Turn"
  choose one "How?"
    option "Fast"
      gain 1 point
    option "Slowly"
      repeat 250 times
        repeat 250 times
          if work + point of you > 999
            set work to 0
      gain 1 point
"""


FILES = {"module.yaml": MANIFEST, "slow.edict": GAME}


DOORS = ("", "/table", "/view.json", "/look.css", "/missed", "/rules", "/why-not", "/line/0", "/scores.json")
TABLES = examples(30, 100)
PAGES = 12  # of another table, asked for meanwhile


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TableServer, TestClient]]:
    """A server with a single process for all rules of strangers."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("edict.apps.web.sandbox.ROOMS", 1)
        with served(tmp_path_factory.mktemp("strangers"), apart=True) as both:
            yield both


def uploaded(client: TestClient, kinds: tuple[str, str] = ("person", "person")) -> Opened:
    return Opened.with_module(client, "pig", kinds, FILES)


def nothing_is_played_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """From now on this process plays no rules."""

    def refuse(*about: object) -> None:
        raise AssertionError("rules are played in the server")

    for place in (
        "edict.game.table.game.advance",
        "edict.game.table.game_steps.advance",
        "edict.game.explanations.option_trials.run_logged",
    ):
        monkeypatch.setattr(place, refuse)


def test_they_are_played_elsewhere(both: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_is_played_here(monkeypatch)
    _, client = both
    table = uploaded(client)
    for key in (table.seats[1], table.host):
        for door in DOORS:
            assert client.get(f"/seat/{key}{door}").status_code == 200, door
    first, version = table.asked(), table.version(table.seats[0])
    assert first is not None
    key, view = first
    assert [one["prospect"]["ends"] for one in view["question"]["options"]] == ["", "unknown"]
    assert client.get(f"/seat/{key}").text.count("too long to try out") == 1, "and it is offered all the same"
    assert 'role="alert"' not in table.answer(key, version, "slowly").text
    assert "has answered" in table.answer(key, version, "fast").text, "a question is answered once"
    assert client.get(f"/seat/{key}/at/0").status_code == 200 and client.get(f"/seat/{key}/at/9").status_code == 404
    other = table.asked()
    assert other is not None and other[0] != key
    assert "is not an answer to" in table.answer(other[0], version + 1, "sideways").text
    assert "Hint" in client.get(f"/seat/{other[0]}").text and client.get(f"/seat/{other[0]}/hint").status_code == 200
    sent = {"version": table.version(key)}
    undone = client.post(f"/seat/{key}/undo", data=sent, headers={"HX-Request": "true"})
    assert 'role="alert"' not in undone.text
    journal = parse_journal(client.get(f"/seat/{table.host}/journal").content)
    assert journal.keeps_rules and not journal.answers


def test_what_is_wrong_is_said_in_the_same_words_elsewhere() -> None:
    at, on = JournalError("no", "try", 3, "game"), CarryOverError("no", "purse", "try")
    for problem in (GameError("no", "try"), at, on, Clash("no", "try")):
        sent = pickle.loads(pickle.dumps(problem))
        assert type(sent) is type(problem) and str(sent) == str(problem) and vars(sent) == vars(problem)


def test_bots_play_them(both: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch) -> None:
    nothing_is_played_here(monkeypatch)
    _, client = both
    table = uploaded(client, ("random", "person"))

    def answered() -> bool:
        table.play(1)  # if it is the turn of the other
        return any(one.seat == 0 for one in parse_journal(client.get(f"/seat/{table.host}/journal").content).answers)

    wait_until(answered)


def test_what_another_server_adds_is_taken_in(both: tuple[TableServer, TestClient]) -> None:
    serving, client = both
    table = uploaded(client)
    link = serving.store.link(table.host)
    assert link is not None and table.asked() is not None
    other = TableServer(serving.store, serving.offer, pause=0.0)

    async def answer(key: str) -> None:
        from edict.apps.web import table_actions

        here = serving.store.link(key)
        assert here is not None
        version = serving.store.version(here.table)
        await other.tables.ask(here.table, table_actions.answer, here.seat, version, "fast", [])

    try:
        for _ in range(3):
            before = table.asked()
            assert before is not None
            asyncio.run(answer(before[0]))
            after = table.asked()
            assert after is not None and after[0] != before[0]
            done = table.answer(after[0], table.version(after[0]), "fast")
            assert 'role="alert"' not in done.text
    finally:
        other.close()


def hungry(playing: LiveTable) -> int:
    return len(bytearray(SHARE.memory))


def dying(playing: LiveTable) -> None:
    os._exit(9)


def test_whatever_takes_too_much_ends_only_that_table_which_keeps_its_game(
    both: tuple[TableServer, TestClient],
) -> None:
    serving, client = both
    other = uploaded(client)
    for deed, says in ((hungry, "needs more than 1500 MB"), (dying, "died")):
        table = uploaded(client)
        asked, link = table.asked(), serving.store.link(table.host)
        assert asked is not None and link is not None and client.portal is not None
        table.answer(asked[0], table.version(asked[0]), "fast")
        with pytest.raises(Ended, match=says):
            client.portal.call(serving.tables.ask, link.table, deed)
        late = table.answer(asked[0], 0, "fast")
        assert late.status_code == 410 and late.headers["HX-Refresh"] == "true"
        for key in (*table.seats, table.onlookers):
            page = client.get(f"/seat/{key}")
            assert page.status_code == 410 and says in page.text and "is saved" in page.text
        assert says in client.get(f"/host/{table.host}").text
        kept = client.get(f"/seat/{table.host}/journal")
        assert kept.status_code == 200 and [one.key for one in parse_journal(kept.content).answers] == ["fast"]
        assert other.asked() is not None


def test_a_process_that_is_killed_while_it_waits_is_replaced() -> None:
    async def tried() -> int:
        workers = ProcessWorkerPool(1, TaskLimits(seconds=PATIENCE))
        try:
            os.kill(await workers.run(os.getpid), signal.SIGKILL)
            await asyncio.sleep(0.5)
            found: int = await workers.run(len, "it goes on")
            return found
        finally:
            workers.shutdown()

    assert asyncio.run(tried()) == 10


# --- many of them -----------------------------------------------------------------------------------------


@pytest.mark.slow  # plays as much as thirty strangers do
def test_many_tables_hold_nobody_up_and_end_with_the_server(tmp_path: Path) -> None:
    write(tmp_path / "slow", FILES)
    rules = load_rules(tmp_path / "slow")
    store = Store(f"sqlite:///{tmp_path / 'tables.sqlite'}")
    slow = [_opened(store, rules) for _ in range(TABLES)]
    trusted = _opened(store, load_rules("pig"))
    store.close()
    server = Server.start(f"sqlite:///{tmp_path / 'tables.sqlite'}", tmp_path)
    try:
        took = asyncio.run(_played(server, slow, next(link for link in trusted if link.seat == 0)))
        assert statistics.median(took) < 0.1
        children, begun = _children(server), time.monotonic()
        server.process.send_signal(signal.SIGINT)
        server.process.wait(PATIENCE)
        assert time.monotonic() - begun < 4
        ended = time.monotonic() + PATIENCE  # the system may still be at it when the server has gone
        while any(map(_runs, children)) and time.monotonic() < ended:
            time.sleep(0.05)
        assert not [one for one in children if _runs(one)]
    finally:
        server.kill()


def _opened(store: Store, rules: Rules) -> list[Link]:
    begun = rules.new_game(["Ann", "Ben"], seed=1).journal
    game = PlayableGame.of(begun, rules, ("", ""))
    return store.add_table(game.title, game.lines, game.bots)[1]


async def _played(server: Server, slow: list[list[Link]], link: Link) -> list[float]:
    """Two slow answers are sent to each table; gives how long each page of another took meanwhile."""
    took = list[float]()
    limits = httpx2.Limits(max_connections=2 * len(slow) + 2)
    async with httpx2.AsyncClient(base_url=server.base, timeout=PATIENCE, limits=limits) as client:
        await client.get(f"/seat/{link.key}")  # read once
        posts = [
            asyncio.create_task(client.post(f"/seat/{one.key}/answer", data={"version": 2, "answer": "slowly"}))
            for links in slow
            for one in links
            if one.seat >= 0
        ]
        while len(took) < PAGES:
            await asyncio.sleep(0.05)
            begun = time.monotonic()
            assert (await client.get(f"/seat/{link.key}")).status_code == 200
            took.append(time.monotonic() - begun)
        assert not all(post.done() for post in posts), "they are still at it"
        for post in posts:
            post.cancel()
        await asyncio.gather(*posts, return_exceptions=True)
    return took


def _children(server: Server) -> list[Path]:
    """The processes of the server, where the system lists them."""
    listed = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    found = [Path("/proc", one) for one in listed.read_text().split()] if listed.exists() else []
    assert found or not Path("/proc/self").exists()
    return found


def _runs(process: Path) -> bool:
    """Whether it does; one that has ended may still be listed, without a command."""
    try:
        return bool((process / "cmdline").read_bytes())
    except OSError:
        return False
