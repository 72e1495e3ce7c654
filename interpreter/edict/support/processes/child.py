"""A process that answers one request after another, each within a time limit.

Requests are pickled; answers are bytes, because data that foreign code wrote must not be unpickled.
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

MAX_BYTES = 1_000_000  # of an answer


class ChildTimeout(Exception):
    """No answer came in time; the process is still working on it."""


class ChildProcess:
    """A new, empty process that calls `target(*about, pipe)`."""

    def __init__(self, target: Callable[..., None], *about: object) -> None:
        context: Any = multiprocessing.get_context("spawn")
        self._pipe, child_pipe = context.Pipe()
        self._process = context.Process(target=target, args=(*about, child_pipe), daemon=True)
        self._process.start()
        child_pipe.close()

    def send(self, request: object) -> None:
        """Send a request.

        Raises:
            OSError: If the process is gone.
        """
        self._pipe.send(request)

    def receive(self, seconds: float) -> bytes:
        """Return the answer.

        Raises:
            ChildTimeout: If there is none within so many seconds.
            EOFError: If the process is gone, or `OSError`.
        """
        if not self._pipe.poll(seconds):
            raise ChildTimeout
        answer: bytes = self._pipe.recv_bytes(MAX_BYTES)
        return answer

    def kill(self) -> None:
        """Kill the process, whatever it is doing."""
        self._process.kill()
        self._process.join()
        self._pipe.close()
