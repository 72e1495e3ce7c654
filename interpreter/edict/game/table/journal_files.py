"""Journals on disk: written by one process at a time, a line for each answer, and repaired if damaged."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from edict.game.table.game_errors import JournalError
from edict.game.table.journal import Answer, Journal, JournalReader, file_error, read_journal_bytes
from edict.support import locks
from edict.support.files import CREATE_FLAGS, replace_with_backup
from edict.support.locks import Lock
from edict.support.records import dataclass

# --- one process at a time ------------------------------------------------------------------------------


class GameInUse(JournalError):
    """An error for a game that another process plays."""


_own_locks: WeakValueDictionary[Path, locks.Lock] = WeakValueDictionary()


def lock_game(game: Path) -> locks.Lock:
    """Take the lock of a game's file; a lock that this process already holds is taken over.

    Raises `GameInUse` if another process holds it, `JournalError` if the file cannot be locked.
    """
    former = _own_locks.get(locks.lock_path(game))
    if former is not None:
        former.release()
    try:
        new_lock = locks.Lock(game)
    except locks.FileLockedError as error:
        remedy = "leave it there first; meanwhile `games watch` shows it here"
        raise GameInUse(f"this game is being played {error.holder}", remedy, place=str(game)) from None
    except OSError as error:
        remedy = "make its folder writable, or copy the game elsewhere"
        raise JournalError(f"it cannot be locked: {error.strerror or error}", remedy, place=str(game)) from None
    _own_locks[new_lock.path] = new_lock
    return new_lock


# --- writing --------------------------------------------------------------------------------------------

APPEND_FLAGS = os.O_WRONLY | os.O_APPEND | getattr(os, "O_BINARY", 0)


class Recorder:
    """A writer of a journal file; when a method returns, its line is on disk.

    Only bots' answers may be lost in a power failure before a person answers: the file has them at once, but waiting
    for the disk after each would take much longer than playing. `journal` is the content of the file when it was
    opened. Only its owner may read a file that is created here.
    """

    def __init__(self, path: Path, lock: Lock, reading: JournalReader) -> None:
        self.path = path
        self.journal = reading.journal
        self._lock = lock
        self._chain = reading.chain
        self._size = reading.journal.size
        self._file = -1

    @staticmethod
    def create(path: str | os.PathLike[str], journal: Journal) -> Recorder:
        """Create a file with the journal so far. Raises `JournalError`, also if the file exists."""
        file, text = Path(path), journal.to_bytes()
        return _open_recorder(
            file, lambda lock: Recorder(file, lock, JournalReader(text, str(path)))._write_new_file(text)
        )

    @staticmethod
    def resume(path: str | os.PathLike[str]) -> Recorder:
        """Continue a journal's file, without a line that was cut off at its end.

        Raises `GameInUse` if another process writes it, `JournalError` if the file is damaged or unusable.
        """
        file = Path(path)
        return _open_recorder(
            file, lambda lock: Recorder(file, lock, JournalReader(read_journal_bytes(file), str(path)))._continue_file()
        )

    def _write_new_file(self, text: bytes) -> Recorder:
        """Create the file with this text and return the recorder. Raise `JournalError` if the file exists."""
        try:
            self._file = os.open(self.path, CREATE_FLAGS | os.O_APPEND, 0o600)
        except FileExistsError:
            remedy = "resume it, or choose another name"
            raise JournalError("the file already exists", remedy, place=str(self.path)) from None
        self._size = 0
        try:
            self._write(text)
        except OSError:
            self.close()
            self.path.unlink()  # it is empty and would block the next attempt
            raise
        return self

    def _continue_file(self) -> Recorder:
        """Open the file for appending, cut off a torn last line and return the recorder."""
        self.journal.checked()
        self._file = os.open(self.path, APPEND_FLAGS)
        os.ftruncate(self._file, self._size)
        if self.journal.open_end:
            self._write(b"\n")
        return self

    def answer(self, answer: Answer) -> None:
        """Record an answer."""
        bots = self.journal.header.bots
        self._append(answer.to_data(), sync=not (0 <= answer.seat < len(bots) and bots[answer.seat]))

    def undo(self, answers: int) -> None:
        """Record that this many answers are taken back."""
        self._append({"undo": answers})

    def record_pinned_rules(self) -> None:
        """Record that the game keeps the rules it was started with, even if they change elsewhere."""
        self._append({"keeps_rules": True})

    def rewrite(self, journal: Journal, ending: str) -> Path:
        """Replace the journal by another and continue with that; return the path of the old one."""
        text = journal.to_bytes()
        os.close(self._file)  # some systems cannot replace an open file
        try:
            backup = replace_with_backup(self.path.resolve(), text, ending)
        except OSError as error:
            raise file_error(self.path, error) from None
        finally:
            self._file = os.open(self.path, APPEND_FLAGS)
        reading = JournalReader(text, str(self.path))
        self.journal, self._chain, self._size = reading.journal, reading.chain, len(text)
        return backup

    def close(self) -> None:
        """Stop writing and release the game for others."""
        if self._file >= 0:
            with contextlib.suppress(OSError):  # the system still has the lines
                os.fsync(self._file)
            os.close(self._file)
            self._file = -1
        self._lock.release()

    def __del__(self) -> None:
        if getattr(self, "_file", -1) >= 0:
            self.close()

    def _append(self, data: dict[str, Any], sync: bool = True) -> None:
        """Append data as a line with checksum; the chain advances only if it was written. Raise `JournalError`."""
        chain = self._chain.copy()
        line = chain.append_data(data)
        try:
            self._write(line, sync)
        except (OSError, ValueError) as error:
            raise file_error(self.path, error) from None
        self._chain = chain

    def _write(self, raw: bytes, sync: bool = True) -> None:
        """Write all or nothing; raise `JournalError` if the file was changed since. `sync` waits for the disk."""
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
            if sync:
                os.fsync(self._file)
        except OSError:
            with contextlib.suppress(OSError):
                os.ftruncate(self._file, self._size)
            raise
        self._size += len(raw)


def save_journal(path: Path, journal: Journal) -> None:
    """Write a journal to a new file. Raises `JournalError` if the file exists."""
    Recorder.create(path, journal).close()


def _open_recorder(path: Path, make: Callable[[Lock], Recorder]) -> Recorder:
    """Create a recorder that holds the lock, or release the lock if that fails."""
    if not path.parent.is_dir() or "\0" in str(path):
        raise file_error(path, OSError(None, "there is no such folder"))
    game_lock = lock_game(path)
    try:
        return make(game_lock)
    except OSError as error:
        game_lock.release()
        raise file_error(path, error) from None
    except BaseException:
        game_lock.release()
        raise


# --- repairing ------------------------------------------------------------------------------------------

DAMAGED_SUFFIX = "damaged"


@dataclass(frozen=True, slots=True)
class JournalRepair:
    """The result of a repair."""

    journal: Journal  # the journal after the repair
    line: int = 0  # first damaged line, 0 if there was none
    reason: str = ""
    lost: int = 0  # number of lines removed
    backup: Path | None = None  # file with the damaged journal


def repair_journal(path: Path) -> JournalRepair:
    """Cut a journal's file before its first damage. Raises `JournalError` if not even the header is valid."""
    JournalReader(read_journal_bytes(path), str(path)).journal.header  # noqa: B018 - validates before anything is locked or written
    game_lock = lock_game(path)
    try:
        raw = read_journal_bytes(path)
        journal = JournalReader(raw, str(path)).journal
        valid, rest = raw[: journal.size], raw[journal.size :]
        if not rest:
            return JournalRepair(journal)
        kept = replace_with_backup(path.resolve(), valid, DAMAGED_SUFFIX)
    except OSError as error:
        raise file_error(path, error) from None
    finally:
        game_lock.release()
    line = valid.count(b"\n") + 1
    reason = journal.damage.reason if journal.damage else "it was cut off before it was written"
    return JournalRepair(journal, line, reason, len(rest.splitlines()), kept)
