"""Processes for work that may take long, take much memory, or die: the server continues in any case.

The one door to Pebble. A process that dies or takes too long is replaced; the others continue.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from concurrent.futures import TimeoutError as TookTooLong
from contextlib import contextmanager
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Any

from pebble import ProcessExpired, ProcessPool


class Failed(Exception):
    """The process died, took too long or wanted too much; the text says which."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one piece of work may take: seconds, and bytes of memory (0: as much as there is).

    Where the system has no such limit (Windows), memory is not bounded.
    """

    seconds: float
    memory: int = 0


class Workers:
    """So many processes, started when first needed; not forked, since the server has threads."""

    def __init__(self, count: int, bounds: Bounds) -> None:
        self._bounds = bounds
        self._pool = ProcessPool(
            max_workers=count, context=get_context("spawn"), initializer=_bound, initargs=[bounds.memory]
        )

    async def done(self, work: Callable[..., Any], *about: object) -> Any:
        """What a function of a module gives. Raises `Failed`, and whatever the function does."""
        with self._told():
            return await asyncio.wrap_future(self._begun(work, *about))

    def wait(self, work: Callable[..., Any], *about: object) -> Any:
        """The same in a thread that can wait."""
        with self._told():
            return self._begun(work, *about).result()

    def close(self) -> None:
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()

    def _begun(self, work: Callable[..., Any], *about: object) -> Future[Any]:
        found: Future[Any] = self._pool.schedule(work, args=list(about), timeout=self._bounds.seconds)
        return found

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except ProcessExpired as problem:
            raise Failed(f"the process that did it died ({problem})") from None
        except (TookTooLong, TimeoutError):
            raise Failed(f"it took longer than {self._bounds.seconds:g} seconds") from None
        except MemoryError:
            raise Failed(f"it needs more than {self._bounds.memory / 1e6:.0f} MB of memory") from None


def _bound(memory: int) -> None:
    """Limit the memory of the process that this is called in."""
    try:
        import resource
    except ImportError:
        return
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
