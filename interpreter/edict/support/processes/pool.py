"""Processes for work that may take long, take much memory, or die: whoever asked for it continues in any case.

A process that dies or takes too long is replaced; the others continue.
"""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from pebble import CONSTS, ProcessExpired, ProcessPool

from edict.support.processes.futures import relayed
from edict.support.processes.piece_of_work import Bounds, Failed

CONSTS.term_timeout = 0.5  # seconds in which a process may end by itself: in native code no signal reaches it


def spawned() -> Any:
    """Processes that begin with nothing, for those who have threads or are to be kept from what is read here."""
    return multiprocessing.get_context("spawn")


def forked(*ready: str) -> Any:
    """Processes that begin with these modules read, where the system can have such; never copies of this process."""
    context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
    context.set_forkserver_preload(["__main__", *ready])
    return context


class _KeptLocks:
    """A context, as Pebble asks for one, whose locks last as long as this: it lets go of its own before its processes
    have ended, and one of them that is just beginning would not find them."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._locks: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def RLock(self) -> Any:
        self._locks.append(self._context.RLock())
        return self._locks[-1]


UNBOUNDED = Bounds()


class Pool(Executor):
    """So many processes, started when first needed. What they cannot do raises `Failed`."""

    def __init__(self, count: int, bounds: Bounds = UNBOUNDED, context: Any = None) -> None:
        self._count, self._bounds, self._context = count, bounds, context or spawned()
        self._closed = False
        self._lock = threading.Lock()
        self._pool = self._made()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """See `Executor`. A process whose work is cancelled is ended."""
        work = pickle.dumps((fn, args, kwargs))
        with self._lock:
            if not self._closed and not self._is_active():
                self._end()  # a process died that had nothing to do: Pebble gives the others up then
                self._pool = self._made()
            limit = self._bounds.seconds or None
            asked = self._pool.schedule(_carry_out, args=[self._bounds.busy, work], timeout=limit)
        return relayed(asked, self._meant)

    async def done(self, work: Callable[..., Any], *about: object) -> Any:
        """What a function of a module gives. Raises `Failed`, and whatever the function does."""
        return await asyncio.wrap_future(self.submit(work, *about))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes, whatever they are doing."""
        self._closed = True
        self._end()

    def _made(self) -> ProcessPool:
        initial: Sequence[int] = (self._bounds.nice, self._bounds.memory)
        context = _KeptLocks(self._context)
        return ProcessPool(max_workers=self._count, context=context, initializer=_bound, initargs=initial)

    def _is_active(self) -> bool:
        """Whether it can take work; its processes are begun now, if they were not. In a thread: Ctrl-C, which comes to
        the main one, would leave a process behind that nobody knows of yet."""
        found: list[bool] = []
        thread = threading.Thread(target=lambda: found.append(self._pool.active))
        thread.start()
        thread.join()
        return found == [True]

    def _end(self) -> None:
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()

    def _meant(self, problem: Exception) -> Exception:
        """What went wrong, in words if it was the process and not the work itself."""
        bounds = self._bounds
        if isinstance(problem, BrokenProcessPool):
            return Failed("the process that was to do it died before it began")
        if isinstance(problem, ProcessExpired):
            if hasattr(signal, "SIGPROF") and problem.exitcode == -signal.SIGPROF:
                return Failed(f"it took more than {bounds.busy} seconds of processor time")
            return Failed(f"the process that did it died ({problem})")
        if isinstance(problem, TimeoutError) and bounds.seconds:
            return Failed(f"it took longer than {bounds.seconds:g} seconds")
        if isinstance(problem, MemoryError) and bounds.memory:
            return Failed(f"it needs more than {bounds.memory / 1e6:.0f} MB of memory")
        return problem


def _carry_out(busy: int, work: bytes) -> Any:
    """What the work gives; the process ends if that takes so many seconds of its time (0: however many).

    Raises `ImportError` if what it is to do cannot be had there.
    """
    try:
        fn, args, kwargs = pickle.loads(work)  # here, as Pebble would lose what it cannot read
    except (AttributeError, ImportError) as problem:
        raise ImportError(str(problem)) from None
    if not busy or not hasattr(signal, "setitimer"):
        return fn(*args, **kwargs)
    signal.setitimer(signal.ITIMER_PROF, busy)
    try:
        return fn(*args, **kwargs)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _bound(nice: int, memory: int) -> None:
    """Limit the memory of the process that this is called in, and let others go first."""
    if hasattr(os, "nice"):
        os.nice(nice)
    try:
        import resource
    except ImportError:
        return
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
