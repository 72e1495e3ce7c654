"""A process that is asked one thing after another, each within a time limit, until nobody asks any more.

What goes there is pickled; what comes back is bytes, as nobody should unpickle what a stranger's code has written.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

MOST_BYTES = 1_000_000


class ChildTimeout(Exception):
    """It has not answered in time; it is still at it."""


class Child:
    """Calls `target(*about, pipe)` in a new process, which begins with nothing."""

    def __init__(self, target: Callable[..., None], *about: object) -> None:
        context: Any = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=target, args=(*about, theirs), daemon=True)
        self._process.start()
        theirs.close()

    def tell(self, what: object) -> None:
        """Send it something. Raises `OSError` if it is gone."""
        self._pipe.send(what)

    def answer(self, seconds: float) -> bytes:
        """What it sends within so many seconds. Raises `ChildTimeout`, or `EOFError` or `OSError` if it is gone."""
        if not self._pipe.poll(seconds):
            raise ChildTimeout
        answer: bytes = self._pipe.recv_bytes(MOST_BYTES)
        return answer

    def kill(self) -> None:
        """End it, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()
