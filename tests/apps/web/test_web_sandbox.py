"""Strangers' rules at tables: played in separate processes that can be ended, without delaying other tables."""

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

from calling import wait_until, write_files
from edict.apps.web.live_tables import Link, LiveTable, PlayableGame
from edict.apps.web.sandbox import TASK_LIMITS, EndedTableError
from edict.apps.web.store import Store
from edict.apps.web.table_server import TableServer
from edict.game.table.carry_over import CarryOverError
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import parse_journal
from edict.game.table.rules import Rules, load_rules
from edict.support.processes.local_executor import ProcessWorkerPool
from edict.support.processes.tasks import TaskLimits
from edict.tools.studio import FileConflict
from examples import choose_examples
from serving import TIMEOUT, OpenedTable, ServerOnPort, open_server

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


PATHS = ("", "/table", "/view.json", "/look.css", "/missed", "/rules", "/why-not", "/line/0", "/scores.json")
TABLES = choose_examples(30, 100)
PAGE_COUNT = 12  # pages of another table, fetched meanwhile


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TableServer, TestClient]]:
    """A server with a single process for strangers' rules."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("edict.apps.web.sandbox.PROCESS_COUNT", 1)
        with open_server(tmp_path_factory.mktemp("strangers"), apart=True) as both:
            yield both


def open_slow_table(client: TestClient, kinds: tuple[str, str] = ("person", "person")) -> OpenedTable:
    return OpenedTable.open_with_module(client, "pig", kinds, FILES)


def forbid_playing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make this process fail if it plays any rules."""

    def refuse(*about: object) -> None:
        raise AssertionError("rules are played in the server")

    for place in (
        "edict.game.table.game.advance",
        "edict.game.table.game_steps.advance",
        "edict.game.explanations.option_trials.run_and_collect_events",
    ):
        monkeypatch.setattr(place, refuse)


def test_strangers_rules_are_not_played_in_the_server_process(
    both: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests
) -> None:
    forbid_playing(monkeypatch)
    _, client = both
    table = open_slow_table(client)
    for key in (table.seats[1], table.host):
        for path in PATHS:
            with subtests.test(path=path):
                assert client.get(f"/seat/{key}{path}").status_code == 200
    key_and_view, version = table.find_asked(), table.get_version(table.seats[0])
    assert key_and_view is not None
    key, view = key_and_view
    assert [option["prospect"]["ends"] for option in view["question"]["options"]] == ["", "unknown"]
    assert client.get(f"/seat/{key}").text.count("too long to try out") == 1, "and it is offered all the same"
    assert 'role="alert"' not in table.answer(key, version, "slowly").text
    assert "has answered" in table.answer(key, version, "fast").text, "a question is answered once"
    assert client.get(f"/seat/{key}/at/0").status_code == 200 and client.get(f"/seat/{key}/at/9").status_code == 404
    other_question = table.find_asked()
    assert other_question is not None and other_question[0] != key
    assert "is not an answer to" in table.answer(other_question[0], version + 1, "sideways").text
    assert (
        "Hint" in client.get(f"/seat/{other_question[0]}").text
        and client.get(f"/seat/{other_question[0]}/hint").status_code == 200
    )
    fields = {"version": table.get_version(key)}
    undone = client.post(f"/seat/{key}/undo", data=fields, headers={"HX-Request": "true"})
    assert 'role="alert"' not in undone.text
    journal = parse_journal(client.get(f"/seat/{table.host}/journal").content)
    assert journal.keeps_rules and not journal.answers


def test_errors_survive_pickling_between_processes(subtests: pytest.Subtests) -> None:
    journal_error, on = JournalError("no", "try", 3, "game"), CarryOverError("no", "purse", "try")
    for problem in (GameError("no", "try"), journal_error, on, FileConflict("no", "try")):
        with subtests.test(problem=problem):
            unpickled = pickle.loads(pickle.dumps(problem))
            assert (
                type(unpickled) is type(problem) and str(unpickled) == str(problem) and vars(unpickled) == vars(problem)
            )


def test_bots_play_strangers_rules_in_other_processes(
    both: tuple[TableServer, TestClient], monkeypatch: pytest.MonkeyPatch
) -> None:
    forbid_playing(monkeypatch)
    _, client = both
    table = open_slow_table(client, ("random", "person"))

    def has_bot_answered() -> bool:
        table.play(1)  # if it is the person's turn
        return any(
            answer.seat == 0 for answer in parse_journal(client.get(f"/seat/{table.host}/journal").content).answers
        )

    wait_until(has_bot_answered)


def test_answers_added_by_another_server_are_loaded(both: tuple[TableServer, TestClient]) -> None:
    serving, client = both
    table = open_slow_table(client)
    link = serving.store.get_link(table.host)
    assert link is not None and table.find_asked() is not None
    other = TableServer(serving.store, serving.offer, pause=0.0)

    async def answer(key: str) -> None:
        from edict.apps.web import table_actions

        here = serving.store.get_link(key)
        assert here is not None
        version = serving.store.get_version(here.table)
        await other.tables.ask(here.table, table_actions.answer, here.seat, version, "fast", [])

    try:
        for _ in range(3):
            before = table.find_asked()
            assert before is not None
            asyncio.run(answer(before[0]))
            after = table.find_asked()
            assert after is not None and after[0] != before[0]
            response = table.answer(after[0], table.get_version(after[0]), "fast")
            assert 'role="alert"' not in response.text
    finally:
        other.close()


def exhaust_memory(playing: LiveTable) -> int:
    return len(bytearray(TASK_LIMITS.memory))


def kill_process(playing: LiveTable) -> None:
    os._exit(9)


def test_table_that_exceeds_its_limits_ends_alone_and_its_game_is_saved(
    both: tuple[TableServer, TestClient],
    subtests: pytest.Subtests,
) -> None:
    serving, client = both
    other = open_slow_table(client)
    for action, message in ((exhaust_memory, "needs more than 1500 MB"), (kill_process, "died")):
        with subtests.test(message=message):
            table = open_slow_table(client)
            key_and_view, link = table.find_asked(), serving.store.get_link(table.host)
            assert key_and_view is not None and link is not None and client.portal is not None
            table.answer(key_and_view[0], table.get_version(key_and_view[0]), "fast")
            with pytest.raises(EndedTableError, match=message):
                client.portal.call(serving.tables.ask, link.table, action)
            late = table.answer(key_and_view[0], 0, "fast")
            assert late.status_code == 410 and late.headers["HX-Refresh"] == "true"
            for key in (*table.seats, table.onlookers):
                page = client.get(f"/seat/{key}")
                assert page.status_code == 410 and message in page.text and "is saved" in page.text
            assert message in client.get(f"/host/{table.host}").text
            journal_response = client.get(f"/seat/{table.host}/journal")
            assert journal_response.status_code == 200 and [
                given.key for given in parse_journal(journal_response.content).answers
            ] == ["fast"]
            assert other.find_asked() is not None


def test_idle_process_that_is_killed_is_replaced() -> None:
    async def run_after_kill() -> int:
        workers = ProcessWorkerPool(1, TaskLimits(seconds=TIMEOUT))
        try:
            os.kill(await workers.run(os.getpid), signal.SIGKILL)
            await asyncio.sleep(0.5)
            length: int = await workers.run(len, "it goes on")
            return length
        finally:
            workers.shutdown()

    assert asyncio.run(run_after_kill()) == 10


# --- many tables ------------------------------------------------------------------------------------------


@pytest.mark.slow  # as much work as thirty strangers cause
def test_many_slow_tables_do_not_delay_others_and_stop_with_the_server(tmp_path: Path) -> None:
    write_files(tmp_path / "slow", FILES)
    rules = load_rules(tmp_path / "slow")
    store = Store(f"sqlite:///{tmp_path / 'tables.sqlite'}")
    slow = [_add_table(store, rules) for _ in range(TABLES)]
    trusted = _add_table(store, load_rules("pig"))
    store.close()
    server = ServerOnPort.start(f"sqlite:///{tmp_path / 'tables.sqlite'}", tmp_path)
    try:
        durations = asyncio.run(_measure_page_times(server, slow, next(link for link in trusted if link.seat == 0)))
        assert statistics.median(durations) < 0.1
        children, start = _list_children(server), time.monotonic()
        server.process.send_signal(signal.SIGINT)
        server.process.wait(TIMEOUT)
        assert time.monotonic() - start < 4
        deadline = time.monotonic() + TIMEOUT  # the system may still end them after the server has ended
        while any(map(_is_running, children)) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert not [child for child in children if _is_running(child)]
    finally:
        server.kill()


def _add_table(store: Store, rules: Rules) -> list[Link]:
    journal = rules.new_game(["Ann", "Ben"], seed=1).journal
    game = PlayableGame.from_journal(journal, rules, ("", ""))
    return store.add_table(game.title, game.lines, game.bots)[1]


async def _measure_page_times(server: ServerOnPort, slow: list[list[Link]], link: Link) -> list[float]:
    """Send two slow answers to each table; return the seconds that each page of another table took meanwhile."""
    durations = list[float]()
    limits = httpx2.Limits(max_connections=2 * len(slow) + 2)
    async with httpx2.AsyncClient(base_url=server.base, timeout=TIMEOUT, limits=limits) as client:
        await client.get(f"/seat/{link.key}")  # the server loads the table before the measurement
        posts = [
            asyncio.create_task(client.post(f"/seat/{seat_link.key}/answer", data={"version": 2, "answer": "slowly"}))
            for links in slow
            for seat_link in links
            if seat_link.seat >= 0
        ]
        while len(durations) < PAGE_COUNT:
            await asyncio.sleep(0.05)
            start = time.monotonic()
            assert (await client.get(f"/seat/{link.key}")).status_code == 200
            durations.append(time.monotonic() - start)
        assert not all(post.done() for post in posts), "they are still at it"
        for post in posts:
            post.cancel()
        await asyncio.gather(*posts, return_exceptions=True)
    return durations


def _list_children(server: ServerOnPort) -> list[Path]:
    """Return the child processes of the server, if the system lists them."""
    children_file = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children")
    children = [Path("/proc", pid) for pid in children_file.read_text().split()] if children_file.exists() else []
    assert children or not Path("/proc/self").exists()
    return children


def _is_running(process: Path) -> bool:
    """Return True if a process runs; one that has ended may still be listed without a command."""
    try:
        return bool((process / "cmdline").read_bytes())
    except OSError:
        return False
