"""Journals on disk: written by one process at a time, a line for each answer, and repaired where damaged."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from edict.game.table.game_errors import JournalError
from edict.game.table.journal import Answer, Journal, JournalReading, read_bytes, unusable
from edict.support import locks
from edict.support.files import NEW, replace_keeping
from edict.support.locks import Lock

# --- one process at a time ------------------------------------------------------------------------------


class InUse(JournalError):
    """Another process plays this game."""


_mine: WeakValueDictionary[Path, locks.Lock] = WeakValueDictionary()


def lock(game: Path) -> locks.Lock:
    """Take the lock of a game's file; taking it again in this process takes it over.

    Raises `InUse`, or `JournalError` if it cannot be locked.
    """
    earlier = _mine.get(locks.lock_file(game))
    if earlier is not None:
        earlier.release()
    try:
        taken = locks.Lock(game)
    except locks.InUse as problem:
        remedy = "leave it there first; meanwhile `games watch` shows it here"
        raise InUse(f"this game is being played {problem.holder}", remedy, place=str(game)) from None
    except OSError as problem:
        remedy = "make its folder writable, or copy the game elsewhere"
        raise JournalError(f"it cannot be locked: {problem.strerror or problem}", remedy, place=str(game)) from None
    _mine[taken.path] = taken
    return taken


# --- writing --------------------------------------------------------------------------------------------

APPENDING = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Recorder:
    """Adds lines to a journal on disk; when a method returns, they are there to stay.

    Only bots' answers may be lost if the power fails before a person answers: the file has them at once, but waiting
    for the disk after each takes much longer than playing. `journal` is what the file held when it was opened. Only its
    owner may read a file that is made here.
    """

    def __init__(self, path: Path, lock: Lock, reading: JournalReading) -> None:
        self.path = path
        self.journal = reading.journal
        self._lock = lock
        self._chain = reading.chain
        self._size = reading.journal.size
        self._file = -1

    @staticmethod
    def create(path: str | os.PathLike[str], journal: Journal) -> Recorder:
        """A new file with what the journal holds so far. Raises `JournalError`, also if there is such a file."""
        where, text = Path(path), journal.to_bytes()
        return _opened(where, lambda lock: Recorder(where, lock, JournalReading(text, str(path)))._begin(text))

    @staticmethod
    def resume(path: str | os.PathLike[str]) -> Recorder:
        """Continue writing to a journal's file, without what was cut off at its end.

        Raises `InUse` if another process does, `JournalError` if the file is damaged or cannot be used.
        """
        where = Path(path)
        return _opened(where, lambda lock: Recorder(where, lock, JournalReading(read_bytes(where), str(path)))._go_on())

    def _begin(self, text: bytes) -> Recorder:
        try:
            self._file = os.open(self.path, NEW | os.O_APPEND, 0o600)
        except FileExistsError:
            remedy = "resume it, or choose another name"
            raise JournalError("the file already exists", remedy, place=str(self.path)) from None
        self._size = 0
        try:
            self._write(text)
        except OSError:
            self.close()
            self.path.unlink()  # nothing is in it, and it would stand in the way of the next one
            raise
        return self

    def _go_on(self) -> Recorder:
        self.journal.checked()
        self._file = os.open(self.path, APPENDING)
        os.ftruncate(self._file, self._size)
        if self.journal.open_end:
            self._write(b"\n")
        return self

    def answer(self, answer: Answer) -> None:
        bots = self.journal.header.bots
        self._add(answer.to_data(), settled=not (0 <= answer.seat < len(bots) and bots[answer.seat]))

    def undo(self, answers: int) -> None:
        """Take back this many answers."""
        self._add({"undo": answers})

    def keep_rules(self) -> None:
        """From now on the game is played under the rules it was started with, even if they change elsewhere."""
        self._add({"keeps_rules": True})

    def rewrite(self, journal: Journal, ending: str) -> Path:
        """Write another journal in this one's place, and continue with that; returns where the old one is kept."""
        text = journal.to_bytes()
        os.close(self._file)  # some systems replace no open file
        try:
            kept = replace_keeping(self.path.resolve(), text, ending)
        except OSError as problem:
            raise unusable(self.path, problem) from None
        finally:
            self._file = os.open(self.path, APPENDING)
        reading = JournalReading(text, str(self.path))
        self.journal, self._chain, self._size = reading.journal, reading.chain, len(text)
        return kept

    def close(self) -> None:
        """Write no more, and let others have the game."""
        if self._file >= 0:
            with contextlib.suppress(OSError):  # then the lines are where the system has put them
                os.fsync(self._file)
            os.close(self._file)
            self._file = -1
        self._lock.release()

    def __del__(self) -> None:
        if getattr(self, "_file", -1) >= 0:
            self.close()

    def _add(self, data: dict[str, Any], settled: bool = True) -> None:
        trial = self._chain.copy()
        line = trial.line(data)
        try:
            self._write(line, settled)
        except (OSError, ValueError) as problem:
            raise unusable(self.path, problem) from None
        self._chain = trial

    def _write(self, raw: bytes, settled: bool = True) -> None:
        """All of it or nothing; and nothing where the file is not as it was left. `settled`: wait for the disk."""
        if self._file < 0 or not self._lock.held:
            remedy = "continue it there"
            raise JournalError("the game is being played elsewhere in this program", remedy, place=str(self.path))
        if os.fstat(self._file).st_size != self._size:
            remedy = "resume it to continue from what the file contains now"
            raise JournalError("the file was changed by somebody else", remedy, place=str(self.path))
        try:
            written = 0
            while written < len(raw):
                written += os.write(self._file, raw[written:])
            if settled:
                os.fsync(self._file)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(raw)


def save(path: Path, journal: Journal) -> None:
    """Write a journal to a new file. Raises `JournalError` if there is one of that name already."""
    Recorder.create(path, journal).close()


def _opened(path: Path, make: Callable[[Lock], Recorder]) -> Recorder:
    """A recorder that holds the lock; if it cannot be had, nobody does."""
    if not path.parent.is_dir() or "\0" in str(path):
        raise unusable(path, OSError(None, "there is no such folder"))
    taken = lock(path)
    try:
        return make(taken)
    except OSError as problem:
        taken.release()
        raise unusable(path, problem) from None
    except BaseException:
        taken.release()
        raise


# --- repairing ------------------------------------------------------------------------------------------

ENDING = "damaged"


@dataclass(frozen=True, slots=True)
class Repaired:
    """The journal now; if anything was wrong: in which line, why, how many lines went, and where they are kept."""

    journal: Journal
    line: int = 0
    reason: str = ""
    lost: int = 0
    kept: Path | None = None


def repair(path: Path) -> Repaired:
    """Keep in a journal's file everything before the first damage. Raises `JournalError` if that is nothing."""
    JournalReading(read_bytes(path), str(path)).journal.header  # noqa: B018 - before anything is locked or written
    taken = lock(path)
    try:
        raw = read_bytes(path)
        journal = JournalReading(raw, str(path)).journal
        good, rest = raw[: journal.size], raw[journal.size :]
        if not rest:
            return Repaired(journal)
        kept = replace_keeping(path.resolve(), good, ENDING)
    except OSError as problem:
        raise unusable(path, problem) from None
    finally:
        taken.release()
    line = good.count(b"\n") + 1
    reason = journal.damage.reason if journal.damage else "it was cut off before it was written"
    return Repaired(journal, line, reason, len(rest.splitlines()), kept)
