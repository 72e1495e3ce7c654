"""A file that only one process may write to. The one door to portalocker.

The lock is the system's, on a hidden file beside the one it is for: it dies with its process, however that dies.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import socket
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

MOST_TOLD = 1000  # bytes that say who holds a lock
PAUSE = 0.02  # seconds between two looks whether a lock is free
FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class InUse(BlockingIOError):
    """Another process, or another part of this one, has locked the file; `holder` says who, as `by process 7 ...`."""

    def __init__(self, path: Path, holder: str) -> None:
        self.holder = holder
        super().__init__(errno.EAGAIN, f"it is being used {holder}", str(path))


class Lock:
    """A file held for this process until `release`; the file itself need not be there yet."""

    def __init__(self, path: Path) -> None:
        """Take the lock at once. Raises `InUse`, or `OSError` if files cannot be locked there."""
        self.path = lock_file(path)
        self._file = self._taken()
        if self._file < 0:
            raise InUse(path, self._holder())
        self.held, self._process = True, os.getpid()
        self._sign()

    def _taken(self) -> int:
        """The open lock file, or -1 if somebody else holds it."""
        while True:
            file = os.open(self.path, FLAGS, 0o600)
            try:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    raise OSError(errno.EINVAL, "its lock is not an ordinary file", str(self.path))
                if not _locked(file):
                    os.close(file)
                    return -1
                if self._is_there(file):
                    return file
            except BaseException:
                with contextlib.suppress(OSError):
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


def wait_for(path: Path, patience: float) -> Lock:
    """The file's lock, as soon as whoever has it lets it go.

    Raises `InUse` if that takes longer than so many seconds, `OSError` as `Lock` does.
    """
    end = time.monotonic() + patience
    while True:
        try:
            return Lock(path)
        except InUse:
            if time.monotonic() > end:
                raise
        time.sleep(PAUSE)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the file's lock. Raises as `Lock` does."""
    lock = Lock(path)
    try:
        yield
    finally:
        lock.release()


def lock_file(path: Path) -> Path:
    """Return the lock that belongs to a file, by whatever way one comes to it. Raises `OSError` for the root folder."""
    whole = path.resolve()
    if not whole.name:
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    return whole.with_name(f".{whole.name}.lock")


def _locked(file: int) -> bool:
    """Lock an open file; False if somebody else has. Raises `OSError` where files cannot be locked."""
    import portalocker  # not before a file is kept: it takes a while to load

    try:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as problem:
        raise OSError(errno.ENOLCK, str(problem)) from None
    return True
