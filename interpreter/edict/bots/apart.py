"""A bot in a separate process: it cannot hang, end or overwrite the one that plays.

What goes there is pickled; what comes back is JSON, as nobody should unpickle what a stranger's code has written.
Processes are used again, game after game, until they die or are late.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import os
import sys
from collections.abc import Callable
from math import isfinite
from multiprocessing.connection import Connection
from typing import Any

from edict.bots.agents import Spec
from edict.bots.loading import Unfit
from edict.bots.minds import STARTING, Fault, Here, Reply
from edict.bots.seen import Seen
from edict.table.log_entries import Entry
from edict.table.game_steps import Table

MOST_BYTES, MOST_WORDS = 1_000_000, 500
GRACE = 0.5  # seconds that an answer may travel


def try_apart(spec: Spec) -> None:
    """Load a bot's class in a process that ends then. Raises `Unfit`."""
    process, pipe = _started(_load, spec)
    try:
        if not pipe.poll(STARTING):
            raise Unfit(f"`{spec.module}` was not loaded within {STARTING:.0f} s", "correct it first")
        told = json.loads(pipe.recv_bytes(MOST_BYTES))
    except (EOFError, OSError, ValueError):
        raise Unfit(f"the process in which `{spec.module}` was loaded has ended", _ENDED) from None
    finally:
        process.kill()
        process.join()
        pipe.close()
    if told:
        raise Unfit(*told)


_ENDED = "correct it first; a script that plays must do so below `if __name__ == '__main__':`"


def _started(target: Callable[[Spec, Connection], None], spec: Spec) -> tuple[Any, Connection]:
    """A process for a bot, and the pipe to it."""
    context: Any = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=target, args=(spec, theirs), daemon=True)
    process.start()
    theirs.close()
    return process, ours


class _Child:
    """A process that plays for one seat at a time."""

    def __init__(self, spec: Spec, table: Table) -> None:
        self.table = table
        self.process, self.pipe = _started(_serve, spec)
        self.pipe.send(table)

    def begin(self, seed: int) -> None:
        """Its bot is made for another game, which may take longer than an answer. Raises `Fault`."""
        self.pipe.send(seed)
        told = self.told(STARTING)
        if told != {}:
            raise Fault(_words(told))

    def told(self, limit: float) -> object:
        """What it sends within so many seconds."""
        if not self.pipe.poll(limit + GRACE):
            raise _TooLate(limit)
        return json.loads(self.pipe.recv_bytes(MOST_BYTES))

    def kill(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()


_IDLE: dict[tuple[Spec, int], list[_Child]] = {}  # by the bot and the table it knows


def _idle(spec: Spec, table: Table) -> _Child | None:
    """A process that plays this bot at this table and has nothing to do."""
    try:
        return _IDLE.setdefault((spec, id(table)), []).pop()
    except IndexError:
        return None


class Apart:
    """Asks the process; see `minds.Mind`."""

    def __init__(self, spec: Spec, seed: int) -> None:
        self._spec, self._seed = spec, seed
        self._child: _Child | None = None
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
        if self._child is None:
            self._begin(seen.table)
        child = self._child
        assert child is not None
        log, known = list(seen.log), len(self._sent)
        same = log[:known] == self._sent  # not so when answers were taken back
        child.pipe.send((seen.watcher, seen.cells, log[known:] if same else log, not same, limit))
        self._sent = log
        return _read(child.told(limit), len(seen.ask.options))

    def _begin(self, table: Table) -> None:
        self._child, self._sent = _idle(self._spec, table) or _Child(self._spec, table), []
        try:
            self._child.begin(self._seed)
        except Fault:
            self.close()  # the next question begins again
            raise

    def end(self) -> None:
        """Its process is given up; the next question gets a new one, which remembers nothing."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def close(self) -> None:
        if self._child is not None:
            _IDLE[self._spec, id(self._child.table)].append(self._child)
            self._child = None


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
    mind, table, log = Here(spec, 0), pipe.recv(), list[Entry]()
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            told = pipe.recv()
            data: dict[str, object] = {}
            try:
                if isinstance(told, int):  # the seed of another game
                    mind, log = Here(spec, told), []
                    mind.make()
                else:
                    seat, cells, new, anew, limit = told
                    log = [*new] if anew else [*log, *new]
                    data["index"], data["values"] = mind.reply(Seen(table, seat, cells, log), limit)
            except Fault as fault:
                data = {"fault": str(fault)}
            pipe.send_bytes(json.dumps(data).encode())
