"""Processes for work that may take long, take much memory, or die: the server continues in any case.

The one door to Pebble. A process that dies or takes too long is replaced; the others continue.
"""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from pebble import CONSTS, ProcessExpired, ProcessPool

NICE = 10  # whatever else the machine has to do goes first, the server above all
CONSTS.term_timeout = 0.5  # seconds in which a process may end by itself: in native code no signal reaches it


class Failed(Exception):
    """The process died, took too long or wanted too much; the text says which."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one piece of work may take: seconds, bytes of memory, seconds of processor time (0: as much as there is).

    Where the system has no such limits (Windows), only the seconds are bounded.
    """

    seconds: float
    memory: int = 0
    busy: int = 0


class Workers:
    """So many processes, started when first needed; not forked, since the server has threads."""

    def __init__(self, count: int, bounds: Bounds) -> None:
        self._count, self._bounds = count, bounds
        self._closed = False
        self._pool = self._made()

    async def done(self, work: Callable[..., Any], *about: object) -> Any:
        """What a function of a module gives. Raises `Failed`, and whatever the function does."""
        with self._told():
            return await asyncio.wrap_future(self._begun(work, *about))

    def close(self) -> None:
        """End the processes, whatever they are doing."""
        self._closed = True
        self._end()

    def _begun(self, work: Callable[..., Any], *about: object) -> Future[Any]:
        if not self._closed and not self._pool.active:
            self._end()  # a process died that had nothing to do: Pebble gives the others up then
            self._pool = self._made()
        found: Future[Any] = self._pool.schedule(
            _measured, args=[self._bounds.busy, work, *about], timeout=self._bounds.seconds
        )
        return found

    def _made(self) -> ProcessPool:
        return ProcessPool(
            max_workers=self._count, context=get_context("spawn"), initializer=_bound, initargs=[self._bounds.memory]
        )

    def _end(self) -> None:
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except BrokenProcessPool:
            raise Failed("the process that was to do it died before it began") from None
        except ProcessExpired as problem:
            if problem.exitcode == -getattr(signal, "SIGPROF", 0):
                raise Failed(f"it took more than {self._bounds.busy} seconds of processor time") from None
            raise Failed(f"the process that did it died ({problem})") from None
        except (TookTooLong, TimeoutError):
            raise Failed(f"it took longer than {self._bounds.seconds:g} seconds") from None
        except MemoryError:
            raise Failed(f"it needs more than {self._bounds.memory / 1e6:.0f} MB of memory") from None


def _measured(busy: int, work: Callable[..., Any], *about: object) -> Any:
    """What the work gives; the process ends if that takes so many seconds of its time (0: however many)."""
    if not busy or not hasattr(signal, "setitimer"):
        return work(*about)
    signal.setitimer(signal.ITIMER_PROF, busy)
    try:
        return work(*about)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _bound(memory: int) -> None:
    """Limit the memory of the process that this is called in, and let others go first."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    try:
        import resource
    except ImportError:
        return
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
