"""A bot in a separate process: it cannot hang, end or overwrite the one that plays.

What comes back is JSON. Processes are used again, game after game, until they die or are late.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from math import isfinite
from multiprocessing.connection import Connection
from typing import Any

from edict.agents.bots.agents import Spec, Unfit
from edict.agents.bots.minds import STARTING, BotInProcess, Fault, Reply
from edict.agents.bots.seen import Seen
from edict.game.table.game_steps import GameTable
from edict.game.table.log_entries import Entry
from edict.support.processes.child import ChildProcess, ChildTimeout
from edict.support.processes.main_script import GUARD, main_script_problem

MOST_WORDS = 500  # characters of what a bot says went wrong
GRACE = 0.5  # seconds that an answer may travel


def try_apart(spec: Spec) -> None:
    """Load a bot's class in a process that ends then. Raises `Unfit`."""
    problem = main_script_problem()
    if problem:
        raise Unfit(problem, "save it as a file, or leave out +process")
    child = ChildProcess(_load, spec)
    try:
        told = json.loads(child.receive(STARTING))
    except ChildTimeout:
        raise Unfit(f"`{spec.module}` was not loaded within {STARTING:.0f} s", "correct it first") from None
    except (EOFError, OSError, ValueError):
        raise Unfit(f"the process in which `{spec.module}` was loaded has ended", _ENDED) from None
    finally:
        child.kill()
    if told:
        raise Unfit(*told)


_ENDED = f"correct it first; a script that plays must do so below `{GUARD}`"


class _Player:
    """A process that plays for one seat at a time."""

    def __init__(self, spec: Spec, table: GameTable) -> None:
        self.table = table
        self.child = ChildProcess(_serve, spec)
        self.child.send(table)

    def begin(self, seed: int) -> None:
        """Its bot is made for another game, which may take longer than an answer. Raises `Fault`."""
        told = self.asked(seed, STARTING)
        if told != {}:
            raise Fault(_words(told))

    def asked(self, what: object, limit: float) -> object:
        """What it answers within so many seconds. Raises `_TooLate`, or `EOFError`, `OSError` or `ValueError`."""
        self.child.send(what)
        try:
            return json.loads(self.child.receive(limit + GRACE))
        except ChildTimeout:
            raise _TooLate(limit) from None


_IDLE: dict[tuple[Spec, int], list[_Player]] = {}  # by the bot and the table it knows


def _idle(spec: Spec, table: GameTable) -> _Player | None:
    """A process that plays this bot at this table and has nothing to do."""
    try:
        return _IDLE.setdefault((spec, id(table)), []).pop()
    except IndexError:
        return None


class Apart:
    """Asks the process; see `minds.Mind`."""

    def __init__(self, spec: Spec, seed: int) -> None:
        self._spec, self._seed = spec, seed
        self._player: _Player | None = None
        self._sent: list[Entry] = []

    def reply(self, seen: Seen, limit: float) -> Reply:
        try:
            return self._asked(seen, limit)
        except (EOFError, OSError, ValueError, RecursionError):
            self.end()
            raise Fault("ended its process") from None
        except _TooLate as late:
            self.end()
            raise Fault(f"took longer than {late.limit:g} s and was stopped") from None
        except Fault:
            raise
        except BaseException:
            self.end()
            raise

    def _asked(self, seen: Seen, limit: float) -> Reply:
        if self._player is None:
            self._begin(seen.table)
        player = self._player
        assert player is not None
        log, known = list(seen.log), len(self._sent)
        same = log[:known] == self._sent  # not so when answers were taken back
        self._sent = log
        asked = (seen.watcher, seen.cells, log[known:] if same else log, not same, limit)
        return _read(player.asked(asked, limit), len(seen.ask.options))

    def _begin(self, table: GameTable) -> None:
        self._player, self._sent = _idle(self._spec, table) or _Player(self._spec, table), []
        try:
            self._player.begin(self._seed)
        except Fault:
            self.close()  # the next question begins again
            raise

    def end(self) -> None:
        """Its process is given up; the next question gets a new one, which remembers nothing."""
        if self._player is not None:
            self._player.child.kill()
            self._player = None

    def close(self) -> None:
        if self._player is not None:
            _IDLE[self._spec, id(self._player.table)].append(self._player)
            self._player = None


class _TooLate(Exception):
    def __init__(self, limit: float) -> None:
        super().__init__()
        self.limit = limit


def _words(data: object) -> str:
    """What it says went wrong; raises `ValueError` if it does not say."""
    if not isinstance(data, dict) or set(data) != {"fault"}:
        raise ValueError
    return str(data["fault"])[:MOST_WORDS]


def _read(data: Any, options: int) -> Reply:
    """What came back; raises `ValueError` for what the other process should not have written."""
    if not isinstance(data, dict) or set(data) != {"index", "values"}:
        raise Fault(_words(data))
    index, values = data.get("index"), data.get("values")
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < options:
        raise ValueError
    if values is not None and not (isinstance(values, list) and len(values) == options and all(map(_usable, values))):
        raise ValueError
    return index, values


def _usable(value: object) -> bool:
    return isinstance(value, float) and isfinite(value)


def _quiet() -> None:
    """What a bot prints is not what the command prints, nor what its libraries in C or its programs print."""
    sys.stdout = sys.stderr
    with contextlib.suppress(OSError):
        os.dup2(2, 1)


def _load(spec: Spec, pipe: Connection) -> None:
    """In the other process: say why the bot cannot be seated, and what to do about it; nothing if it can."""
    _quiet()
    told: tuple[str, ...] = ()
    try:
        spec.load()
    except Unfit as wrong:
        told = (str(wrong), wrong.remedy)
    pipe.send_bytes(json.dumps(told).encode())


def _serve(spec: Spec, pipe: Connection) -> None:
    """In the other process: answer until nobody asks any more."""
    _quiet()
    mind, table, log = BotInProcess(spec, 0), pipe.recv(), list[Entry]()
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            told = pipe.recv()
            data: dict[str, object] = {}
            try:
                if isinstance(told, int):  # the seed of another game
                    mind, log = BotInProcess(spec, told), []
                    mind.make()
                else:
                    seat, cells, new, anew, limit = told
                    log = [*new] if anew else [*log, *new]
                    data["index"], data["values"] = mind.reply(Seen(table, seat, cells, log), limit)
            except Fault as fault:
                data = {"fault": str(fault)}
            pipe.send_bytes(json.dumps(data).encode())
