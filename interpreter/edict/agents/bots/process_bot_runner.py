"""Bots in separate processes, which cannot hang, end or corrupt the process that plays.

Their replies are JSON. Processes are reused from game to game until they die or are late.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from math import isfinite
from multiprocessing.connection import Connection
from typing import Any

from edict.agents.bots.bot_runners import START_LIMIT, BotFault, InProcessBotRunner, Reply
from edict.agents.bots.bot_views import BotSnapshot
from edict.agents.bots.user_bots import BotSpec, InvalidBot
from edict.game.table.game_steps import GameTable
from edict.game.table.log_entries import Entry
from edict.support.processes.child import GUARD, ChildProcess, ChildTimeout, main_script_problem

MAX_FAULT_LENGTH = 500  # characters of a reported fault
GRACE = 0.5  # seconds for transferring an answer


def check_in_process(spec: BotSpec) -> None:
    """Load a bot's class in a process that ends afterwards. Raises `InvalidBot`."""
    problem = main_script_problem()
    if problem:
        raise InvalidBot(problem, "save it as a file, or leave out +process")
    child = ChildProcess(_report_loading, spec)
    try:
        load_error = json.loads(child.receive(START_LIMIT))
    except ChildTimeout:
        raise InvalidBot(f"`{spec.module}` was not loaded within {START_LIMIT:.0f} s", "correct it first") from None
    except (EOFError, OSError, ValueError):
        raise InvalidBot(f"the process in which `{spec.module}` was loaded has ended", _PROCESS_ENDED_HINT) from None
    finally:
        child.kill()
    if load_error:
        raise InvalidBot(*load_error)


_PROCESS_ENDED_HINT = f"correct it first; a script that plays must do so below `{GUARD}`"


class _BotProcess:
    """A process that plays for one seat at a time."""

    def __init__(self, spec: BotSpec, table: GameTable) -> None:
        self.table = table
        self.child = ChildProcess(_serve_requests, spec)
        self.child.send(table)

    def start_game(self, seed: int) -> None:
        """Create the bot for another game, which may take longer than an answer. Raises `BotFault`."""
        reply = self.request(seed, START_LIMIT)
        if reply != {}:
            raise BotFault(_parse_fault(reply))

    def request(self, message: object, limit: float) -> object:
        """Send a request and return the reply.

        Raises:
            _TooLate: If there is no reply within the limit, in seconds.
            EOFError, OSError, ValueError: If the process fails.
        """
        self.child.send(message)
        try:
            return json.loads(self.child.receive(limit + GRACE))
        except ChildTimeout:
            raise _ReplyTimeout(limit) from None


_IDLE_PROCESSES: dict[tuple[BotSpec, int], list[_BotProcess]] = {}


def _take_idle_process(spec: BotSpec, table: GameTable) -> _BotProcess | None:
    """Return an idle process that plays this bot at this table; None if there is none."""
    try:
        return _IDLE_PROCESSES.setdefault((spec, id(table)), []).pop()
    except IndexError:
        return None


class ProcessBotRunner:
    """A runner that asks a bot in a separate process, see `bot_runners.BotRunner`."""

    def __init__(self, spec: BotSpec, seed: int) -> None:
        self._spec, self._seed = spec, seed
        self._process: _BotProcess | None = None
        self._sent: list[Entry] = []

    def answer(self, snapshot: BotSnapshot, limit: float) -> Reply:
        """Return the bot's reply; ends the process, and raises `BotFault`, if it fails or is late."""
        try:
            return self._request_reply(snapshot, limit)
        except (EOFError, OSError, ValueError, RecursionError):
            self.terminate()
            raise BotFault("ended its process") from None
        except _ReplyTimeout as late:
            self.terminate()
            raise BotFault(f"took longer than {late.limit:g} s and was stopped") from None
        except BotFault:
            raise
        except BaseException:
            self.terminate()
            raise

    def _request_reply(self, snapshot: BotSnapshot, limit: float) -> Reply:
        """Send a question with the new log lines to the bot's process, started if needed; return its reply."""
        if self._process is None:
            self._start_process(snapshot.table)
        process = self._process
        assert process is not None
        log, sent_count = list(snapshot.log), len(self._sent)
        is_extended = log[:sent_count] == self._sent  # false after an undo
        self._sent = log
        message = (snapshot.watcher, snapshot.cells, log[sent_count:] if is_extended else log, not is_extended, limit)
        return _parse_reply(process.request(message, limit), len(snapshot.ask.options))

    def _start_process(self, table: GameTable) -> None:
        """Take an idle process of this bot or start one, and create the bot in it. Raises `BotFault`."""
        self._process, self._sent = _take_idle_process(self._spec, table) or _BotProcess(self._spec, table), []
        try:
            self._process.start_game(self._seed)
        except BotFault:
            self.close()  # the next question starts again
            raise

    def terminate(self) -> None:
        """Kill the process; the next question gets a new one without memory."""
        if self._process is not None:
            self._process.child.kill()
            self._process = None

    def close(self) -> None:
        """Return the process to the idle ones."""
        if self._process is not None:
            _IDLE_PROCESSES[self._spec, id(self._process.table)].append(self._process)
            self._process = None


class _ReplyTimeout(Exception):
    def __init__(self, limit: float) -> None:
        super().__init__()
        self.limit = limit


def _parse_fault(data: object) -> str:
    """Return the fault that a reply reports; raise `ValueError` if it reports none."""
    if not isinstance(data, dict) or set(data) != {"fault"}:
        raise ValueError
    return str(data["fault"])[:MAX_FAULT_LENGTH]


def _parse_reply(data: Any, options: int) -> Reply:
    """Return the answer of a reply; raise `ValueError` if it is malformed."""
    if not isinstance(data, dict) or set(data) != {"index", "values"}:
        raise BotFault(_parse_fault(data))
    index, values = data.get("index"), data.get("values")
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < options:
        raise ValueError
    if values is not None and not (
        isinstance(values, list) and len(values) == options and all(map(_is_finite_float, values))
    ):
        raise ValueError
    return index, values


def _is_finite_float(value: object) -> bool:
    return isinstance(value, float) and isfinite(value)


def _redirect_output() -> None:
    """Send everything that a bot prints to stderr, also from C libraries and child processes."""
    sys.stdout = sys.stderr
    with contextlib.suppress(OSError):
        os.dup2(2, 1)


def _report_loading(spec: BotSpec, pipe: Connection) -> None:
    """Run in the child process: send the reason and remedy if the bot cannot be loaded."""
    _redirect_output()
    load_error: tuple[str, ...] = ()
    try:
        spec.load()
    except InvalidBot as error:
        load_error = (str(error), error.remedy)
    pipe.send_bytes(json.dumps(load_error).encode())


def _serve_requests(spec: BotSpec, pipe: Connection) -> None:
    """Run in the child process: answer requests until the pipe is closed."""
    _redirect_output()
    runner, table, log = InProcessBotRunner(spec, 0), pipe.recv(), list[Entry]()
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            message = pipe.recv()
            data: dict[str, object] = {}
            try:
                if isinstance(message, int):  # the seed of another game
                    runner, log = InProcessBotRunner(spec, message), []
                    runner.ensure_bot()
                else:
                    seat, cells, new_entries, restart, limit = message
                    log = [*new_entries] if restart else [*log, *new_entries]
                    data["index"], data["values"] = runner.answer(BotSnapshot(table, seat, cells, log), limit)
            except BotFault as fault:
                data = {"fault": str(fault)}
            pipe.send_bytes(json.dumps(data).encode())
