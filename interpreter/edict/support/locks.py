"""Locks for files that only one process may write to. The only importer of portalocker.

The operating system locks a hidden file beside the real one, so the lock ends with its process, however that ends.
"""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

MAX_HOLDER_BYTES = 1000  # length of the record that names the holder
PAUSE = 0.02  # seconds between two attempts
FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


class FileLockedError(BlockingIOError):
    """Another process, or another part of this one, has locked the file.

    `holder` says who, like `by process 7 since ...`.
    """

    def __init__(self, path: Path, holder: str) -> None:
        self.holder = holder
        super().__init__(errno.EAGAIN, f"it is being used {holder}", str(path))


class Lock:
    """An exclusive lock on a file, held by this process until `release`.

    The file itself need not exist yet.
    """

    def __init__(self, path: Path) -> None:
        """Acquire the lock without waiting.

        Raises:
            FileLockedError: If somebody else holds it.
            OSError: If files cannot be locked there.
        """
        self.path = lock_path(path)
        self._file = self._acquire()
        if self._file < 0:
            raise FileLockedError(path, self._read_holder())
        self.held, self._process = True, os.getpid()
        self._write_holder()

    def _acquire(self) -> int:
        """Open and lock the lock file; return its descriptor, or -1 if somebody else holds it."""
        while True:
            file = os.open(self.path, FLAGS, 0o600)
            try:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    raise OSError(errno.EINVAL, "its lock is not an ordinary file", str(self.path))
                if not _try_lock(file):
                    os.close(file)
                    return -1
                if self._is_current(file):
                    return file
            except BaseException:
                with contextlib.suppress(OSError):
                    os.close(file)
                raise
            os.close(file)  # its holder has removed it meanwhile: try again

    def _is_current(self, file: int) -> bool:
        """Return True if the locked file is still the one that others would lock."""
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(file))
        except FileNotFoundError:
            return False

    def _write_holder(self) -> None:
        """Write process, host and time into the lock file."""
        record = {"pid": os.getpid(), "host": _get_host_name(), "since": f"{datetime.now():%Y-%m-%d %H:%M}"}
        with contextlib.suppress(OSError):  # the lock is valid without the record
            os.ftruncate(self._file, 0)
            os.write(self._file, json.dumps(record).encode())

    def _read_holder(self) -> str:
        """Describe the holder, as far as the lock file says."""
        try:
            with open(self.path, "rb") as file:
                record: Any = json.loads(file.read(MAX_HOLDER_BYTES))
            pid, host, since = int(record["pid"]), str(record["host"]), str(record["since"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return "by another process"
        where = "" if host == _get_host_name() else f" on {host}"
        return f"by process {pid}{where} since {since}"

    def release(self) -> None:
        """Release the lock; a second call does nothing."""
        if not self.held:
            return
        self.held = False
        if os.getpid() != self._process:  # a fork has the lock of its parent
            return
        with contextlib.suppress(OSError):
            self.path.unlink()  # before it is released: afterwards the file could be somebody else's
        with contextlib.suppress(OSError):
            os.close(self._file)

    def __del__(self) -> None:
        if getattr(self, "held", False):
            self.release()


def _get_host_name() -> str:
    """Return the name of this computer."""
    import socket  # not before it is needed: only who holds or waits for a lock asks

    return socket.gethostname()


def wait_for_lock(path: Path, patience: float) -> Lock:
    """Acquire the file's lock as soon as it is released.

    Args:
        path: The file to lock.
        patience: Seconds to wait at most.

    Raises:
        FileLockedError: If that takes longer.
        OSError: If files cannot be locked there.
    """
    deadline = time.monotonic() + patience
    while True:
        try:
            return Lock(path)
        except FileLockedError:
            if time.monotonic() > deadline:
                raise
        time.sleep(PAUSE)


@contextmanager
def hold_lock(path: Path) -> Iterator[None]:
    """Hold the file's lock within a `with` block.

    Raises:
        FileLockedError: If somebody else holds it.
        OSError: If files cannot be locked there.
    """
    lock = Lock(path)
    try:
        yield
    finally:
        lock.release()


def lock_path(path: Path) -> Path:
    """Return the path of a file's lock, the same for every path to the file.

    Raises:
        OSError: For the root folder.
    """
    resolved = path.resolve()
    if not resolved.name:
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    return resolved.with_name(f".{resolved.name}.lock")


def _try_lock(file: int) -> bool:
    """Lock an open file, and return False if somebody else holds the lock.

    Raises:
        OSError: Where files cannot be locked.
    """
    import portalocker  # imported late, because it loads slowly

    try:
        portalocker.lock(file, portalocker.LockFlags.EXCLUSIVE | portalocker.LockFlags.NON_BLOCKING)
    except portalocker.AlreadyLocked:
        return False
    except portalocker.LockException as problem:
        raise OSError(errno.ENOLCK, str(problem)) from None
    return True
