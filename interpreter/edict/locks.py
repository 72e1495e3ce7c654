"""A file that only one process may write to. The one door to filelock."""

from __future__ import annotations

import contextlib
import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


class InUse(BlockingIOError):
    """Another process has locked the file."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EAGAIN, "another process is using it", str(path))


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the file's lock; the file itself need not be there yet. Raises `InUse` at once, or `OSError`.

    It is a lock of the operating system on a hidden file beside it, so it ends with its process, however that ends.
    """
    from filelock import FileLock, Timeout

    path = path.resolve()
    beside = path.with_name(f".{path.name}.lock")
    lock = FileLock(beside, timeout=0)
    try:
        lock.acquire()
    except Timeout:
        raise InUse(path) from None
    try:
        yield
    finally:
        with contextlib.suppress(OSError):  # Windows removes no open file; filelock sees to it that no lock is lost so
            beside.unlink()
        lock.release()
