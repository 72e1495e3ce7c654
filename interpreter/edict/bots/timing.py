"""Somebody else's code under a time limit."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

AGAIN = 0.2  # seconds after which somebody who caught the first alarm hears the next


class Late(BaseException):
    """The time is over. No `Exception`, so that `except Exception` does not catch it."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Raise `Late` in the block when the time is over.

    Only in the main thread, and only where there are alarms (not on Windows); elsewhere the block ends when it ends.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise Late

    begun = time.monotonic()
    before = signal.signal(signal.SIGALRM, ring)
    others = signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN)
    try:
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.signal(signal.SIGALRM, before)
        if others[0]:  # an alarm that somebody else has set rings when it would have
            signal.setitimer(signal.ITIMER_REAL, max(0.001, others[0] - (time.monotonic() - begun)), others[1])
