"""A game belongs to one table at a time. This is the one file that knows portalocker.

The lock is a file beside the game's, and the system's: it dies with its process, however that dies.
"""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
from datetime import datetime
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

from edict.table.errors import JournalError

MOST_TOLD = 1000  # bytes that say who holds a lock
FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class InUse(JournalError):
    """Another process plays this game."""


class Lock:
    """A game's file, held for this process until `release`; whoever takes it again in this process takes it over."""

    _mine: WeakValueDictionary[Path, Lock] = WeakValueDictionary()

    def __init__(self, game: Path) -> None:
        """Take the lock of a game's file. Raises `InUse`, or `JournalError` if it cannot be locked."""
        self.path = lock_file(game)
        earlier = Lock._mine.get(self.path)
        if earlier is not None:
            earlier.release()
        try:
            self._file = self._taken()
        except OSError as problem:
            remedy = "make its folder writable, or copy the game elsewhere"
            raise JournalError(f"it cannot be locked: {problem.strerror or problem}", remedy, place=str(game)) from None
        if self._file < 0:
            remedy = "leave it there first; meanwhile `watch` shows it here"
            raise InUse(f"this game is being played {self._holder()}", remedy, place=str(game))
        self.held, self._process = True, os.getpid()
        self._sign()
        Lock._mine[self.path] = self

    def _taken(self) -> int:
        """The open lock file, or -1 if somebody else holds it."""
        while True:
            file = os.open(self.path, FLAGS, 0o600)
            try:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    raise OSError(None, "its lock is not an ordinary file")
                if not _locked(file):
                    os.close(file)
                    return -1
                if self._is_there(file):
                    return file
            except BaseException:
                os.close(file)
                raise
            os.close(file)  # whoever held it has taken it away meanwhile

    def _is_there(self, file: int) -> bool:
        """Whether the file we locked is still the one that others would lock."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(file))
        except FileNotFoundError:
            return False

    def _sign(self) -> None:
        """Say who holds it."""
        told = {"pid": os.getpid(), "host": socket.gethostname(), "since": f"{datetime.now():%Y-%m-%d %H:%M}"}
        with contextlib.suppress(OSError):  # the lock holds all the same
            os.ftruncate(self._file, 0)
            os.write(self._file, json.dumps(told).encode())

    def _holder(self) -> str:
        """Who holds it, as far as is known."""
        try:
            with open(self.path, "rb") as file:
                told: Any = json.loads(file.read(MOST_TOLD))
            pid, host, since = int(told["pid"]), str(told["host"]), str(told["since"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return "by another process"
        where = "" if host == socket.gethostname() else f" on {host}"
        return f"by process {pid}{where} since {since}"

    def release(self) -> None:
        """Let others have it; does nothing the second time."""
        if not self.held:
            return
        self.held = False
        if os.getpid() != self._process:  # a fork has the lock of its parent
            return
        with contextlib.suppress(OSError):
            self.path.unlink()  # before it is let go: what is unlinked later could be somebody else's
        with contextlib.suppress(OSError):
            os.close(self._file)

    def __del__(self) -> None:
        if getattr(self, "held", False):
            self.release()


def lock_file(game: Path) -> Path:
    """The lock that belongs to a game's file, by whatever way one comes to it."""
    whole = game.resolve()
    return whole.with_name(f".{whole.name}.lock")


def _locked(file: int) -> bool:
    """Lock an open file; False if somebody else has. Raises `OSError` where files cannot be locked."""
    import portalocker  # not before a game is kept: it takes a while to load

    try:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as problem:
        raise OSError(None, str(problem)) from None
    return True
