"""A bot in a separate process: it cannot hang, end or overwrite the one that plays.

What goes there is pickled; what comes back is JSON, as nobody should unpickle what a stranger's code has written.
Processes are used again, game after game, until they die or are late.
"""

from __future__ import annotations

import contextlib
import json
import multiprocessing
import sys
from multiprocessing.connection import Connection
from typing import Any

from edict.bots.agents import Spec
from edict.bots.minds import STARTING, Fault, Here, Reply
from edict.bots.seen import Seen
from edict.table.log import Entry
from edict.table.steps import Table

MOST_BYTES, MOST_WORDS = 1_000_000, 500
GRACE = 0.5  # seconds that an answer may travel


class _Child:
    """A process that plays for one seat at a time."""

    def __init__(self, spec: Spec, table: Table) -> None:
        self.table = table
        context: Any = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(spec, theirs), daemon=True)
        self.process.start()
        theirs.close()
        self.pipe.send(table)
        self.fresh = True

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
        self._sent = 0

    def reply(self, seen: Seen, limit: float) -> Reply:
        try:
            return self._asked(seen, limit)
        except (EOFError, OSError, ValueError, RecursionError):
            self._lose()
            raise Fault("ended its process") from None
        except _TooLate:
            self._lose()
            raise Fault(f"took longer than {limit:g} s and was stopped") from None
        except Fault:
            raise
        except BaseException:
            self._lose()
            raise

    def _asked(self, seen: Seen, limit: float) -> Reply:
        if self._child is None:
            self._child, self._sent = _idle(self._spec, seen.table) or _Child(self._spec, seen.table), 0
            self._child.pipe.send(self._seed)
        child = self._child
        same = self._sent <= len(seen.log)
        new: list[Entry] = list(seen.log[self._sent if same else 0 :])
        child.pipe.send((seen.watcher, seen.cells, new, not same, limit))
        self._sent = len(seen.log)
        if not child.pipe.poll(limit + GRACE + (STARTING if child.fresh else 0.0)):
            raise _TooLate
        child.fresh = False
        return _read(json.loads(child.pipe.recv_bytes(MOST_BYTES)), len(seen.ask.options))

    def _lose(self) -> None:
        """Its process is given up; the next question gets a new one, which remembers nothing."""
        if self._child is not None:
            self._child.kill()
            self._child = None

    def close(self) -> None:
        if self._child is not None:
            _IDLE[self._spec, id(self._child.table)].append(self._child)
            self._child = None


class _TooLate(Exception):
    pass


def _read(data: Any, options: int) -> Reply:
    """What came back; raises `ValueError` for what the other process should not have written."""
    if not isinstance(data, dict) or set(data) - {"fault", "index", "values"}:
        raise ValueError
    if "fault" in data:
        raise Fault(str(data["fault"])[:MOST_WORDS])
    index, values = data.get("index"), data.get("values")
    if not isinstance(index, int) or isinstance(index, bool) or not 0 <= index < options:
        raise ValueError
    if values is not None and not (isinstance(values, list) and len(values) == options):
        raise ValueError
    return index, None if values is None else [float(value) for value in values]


def _serve(spec: Spec, pipe: Connection) -> None:
    """In the other process: answer until nobody asks any more."""
    sys.stdout = sys.stderr  # what a bot prints is not what the command prints
    mind, table, log = Here(spec, 0), pipe.recv(), list[Entry]()
    with contextlib.suppress(EOFError, OSError, KeyboardInterrupt):
        while True:
            told = pipe.recv()
            if isinstance(told, int):  # the seed of another game
                mind, log = Here(spec, told), []
                continue
            seat, cells, new, anew, limit = told
            log = [*new] if anew else [*log, *new]
            try:
                index, values = mind.reply(Seen(table, seat, cells, log), limit)
                data: dict[str, object] = {"index": index, "values": values}
            except Fault as fault:
                data = {"fault": str(fault)}
            pipe.send_bytes(json.dumps(data).encode())
