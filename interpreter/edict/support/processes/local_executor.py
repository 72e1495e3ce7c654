"""The executor of servers and the command line: processes of this machine, run by Pebble.

A process of a pool that dies or takes too long is replaced; the others continue.
"""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import pickle
import signal
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Executor, Future
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import Any, Generic

from pebble import CONSTS, ProcessExpired, ProcessFuture, ProcessPool, concurrent

from edict.support.processes.tasks import WORKER_DIED, Report, TaskFailed, TaskLimits, wrap_future

# seconds before a process is killed, because native code does not react to the signal to terminate
CONSTS.term_timeout = 0.5


def spawn_context() -> Any:
    """Return the context for processes that start empty.

    It is the one for parents with threads, and for children that must not see what this process has read.
    """
    return multiprocessing.get_context("spawn")


def fork_server_context(*preload: str) -> Any:
    """Return the context for processes that start with modules imported, where the system can do that.

    They are never copies of this process. The fork server imports the modules `preload` once.
    """
    context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
    context.set_forkserver_preload(["__main__", *preload])
    return context


class _LockKeepingContext:
    """A multiprocessing context for Pebble that keeps its locks alive.

    Pebble drops its locks before its processes have ended, and a process that is just starting would not find them.
    """

    def __init__(self, context: Any) -> None:
        self._context = context
        self._locks: list[Any] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._context, name)

    def RLock(self) -> Any:  # noqa: N802  as multiprocessing calls it
        """Create a lock and keep a reference to it, so that it outlives its pool."""
        self._locks.append(self._context.RLock())
        return self._locks[-1]


UNLIMITED = TaskLimits()


class ProcessWorkerPool(Executor):
    """A fixed number of processes, started when first needed.

    A task that its process could not finish raises `TaskFailed`.
    """

    def __init__(self, count: int, bounds: TaskLimits = UNLIMITED, context: Any = None) -> None:
        self._count, self._bounds, self._context = count, bounds, context or spawn_context()
        self._closed = False
        self._lock = threading.Lock()
        self._pool = self._create_pool()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Schedule a call, see `concurrent.futures.Executor`; cancelling it kills its process."""
        work = pickle.dumps((fn, args, kwargs))
        with self._lock:
            if not self._closed and not self._is_active():
                self._stop()  # an idle process died: Pebble then abandons the others
                self._pool = self._create_pool()
            limit = self._bounds.seconds or None
            pebble_future = self._pool.schedule(_run_task, args=[self._bounds.busy, work], timeout=limit)
        return wrap_future(pebble_future, self._translate_error)

    async def run(self, work: Callable[..., Any], *about: object) -> Any:
        """Run a function of a module in the pool and return its result.

        Raises:
            TaskFailed: If the process died or exceeded a limit. Exceptions of the function are raised as well.
        """
        return await asyncio.wrap_future(self.submit(work, *about))

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Kill the processes, whatever they are doing."""
        self._closed = True
        self._stop()

    def _create_pool(self) -> ProcessPool:
        """Create a Pebble pool whose processes limit their memory and priority when they start."""
        limits: Sequence[int] = (self._bounds.nice, self._bounds.memory)
        context = _LockKeepingContext(self._context)
        return ProcessPool(max_workers=self._count, context=context, initializer=_limit_process, initargs=limits)

    def _is_active(self) -> bool:
        """Return True if the pool accepts work, after starting its processes if needed.

        It runs in a thread: Ctrl-C goes to the main thread and could leave a process behind that is not yet registered.
        """
        results: list[bool] = []
        thread = threading.Thread(target=lambda: results.append(self._pool.active))
        thread.start()
        thread.join()
        return results == [True]

    def _stop(self) -> None:
        self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()

    def _translate_error(self, problem: Exception) -> Exception:
        """Translate an error of the process into `TaskFailed`; errors of the work itself are returned unchanged."""
        bounds = self._bounds
        if isinstance(problem, BrokenProcessPool):
            return TaskFailed("the worker process died before it started")
        if isinstance(problem, ProcessExpired):
            if hasattr(signal, "SIGPROF") and problem.exitcode == -signal.SIGPROF:
                return TaskFailed(f"it took more than {bounds.busy} seconds of processor time")
            return TaskFailed(f"the worker process died ({problem})")
        if isinstance(problem, TimeoutError) and bounds.seconds:
            return TaskFailed(f"it took longer than {bounds.seconds:g} seconds")
        if isinstance(problem, MemoryError) and bounds.memory:
            return TaskFailed(f"it needs more than {bounds.memory / 1e6:.0f} MB of memory")
        return problem


def _run_task(busy: int, work: bytes) -> Any:
    """Unpickle and run a call; the process is killed after `busy` seconds of processor time (0 for no limit).

    Raises:
        ImportError: If the function does not exist in this process.
    """
    try:
        fn, args, kwargs = pickle.loads(work)  # unpickled here, because Pebble loses a task that it cannot unpickle
    except (AttributeError, ImportError) as problem:
        raise ImportError(str(problem)) from None
    if not busy or not hasattr(signal, "setitimer"):
        return fn(*args, **kwargs)
    signal.setitimer(signal.ITIMER_PROF, busy)
    try:
        return fn(*args, **kwargs)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _limit_process(nice: int, memory: int) -> None:
    """Limit the memory of this process, and lower its priority."""
    if hasattr(os, "nice"):
        os.nice(nice)
    try:
        import resource
    except ImportError:
        return
    if memory:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))


_log = logging.getLogger(__name__)


class ProcessJob(Generic[Report]):
    """A process that calls `work(*about, report)`; each report replaces the one before. Thread-safe.

    Args:
        work: A function of a module, sent to the process with its arguments.
        *about: Its arguments.
        context: The multiprocessing context; spawns by default.
        nice: Added to the niceness of the process.
        reason: Explains an exception of the work to users; empty for an unexpected one.
    """

    def __init__(
        self,
        work: Callable[..., None],
        *about: object,
        context: Any = None,
        nice: int = 0,
        reason: Callable[[Exception], str] = str,
    ) -> None:
        context = context or spawn_context()
        self._reader, writer = context.Pipe(duplex=False)
        self._changed = threading.Condition()
        self._last: Report | None = None
        self._report_count = 0
        self._problem = ""
        self._ended = self._stopped = False
        self._reason = reason
        start = concurrent.process(context=context)  # type: ignore[call-overload]  # as its manual says
        self._future: ProcessFuture[None] = start(_run_job)(writer, nice, work, about)
        writer.close()
        threading.Thread(target=self._receive_reports, daemon=True).start()

    @property
    def running(self) -> bool:
        """Return True until the job has ended."""
        return not self._ended

    @property
    def problem(self) -> str:
        """Return why it ended early, as a sentence; empty if it finished or was stopped."""
        return "" if self._stopped else self._problem

    def latest_report(self) -> Report | None:
        """Return the latest report; None before the first."""
        return self._last

    def wait_for_report(self, seconds: float | None = None) -> Report | None:
        """Wait for a new report or the end, and return the latest report."""
        with self._changed:
            before = self._report_count
            self._changed.wait_for(lambda: self._ended or self._report_count > before, seconds)
            return self._last

    def wait_until_done(self, seconds: float | None = None) -> Report | None:
        """Wait for the end, and return the latest report."""
        with self._changed:
            self._changed.wait_for(lambda: self._ended, seconds)
            return self._last

    def stop(self) -> None:
        """Stop the job at once; its latest report stays."""
        with self._changed:
            self._stopped = True
        self._future.cancel()  # type: ignore[no-untyped-call]

    def _receive_reports(self) -> None:
        """Receive reports until the process is gone."""
        try:
            while True:
                self._store_report(self._reader.recv())
        except (EOFError, OSError):
            pass
        problem = self._find_problem()
        with self._changed:
            self._problem = problem
            self._ended = True
            self._changed.notify_all()
        self._reader.close()

    def _store_report(self, report: Report) -> None:
        """Keep a report as the latest one unless the job was stopped, and wake those who wait."""
        with self._changed:
            if not self._stopped:
                self._last = report
                self._report_count += 1
            self._changed.notify_all()

    def _find_problem(self) -> str:
        """Wait for the job's end; return why it failed as a sentence, or an empty text if it finished."""
        try:
            self._future.result()
        except (CancelledError, ProcessExpired):
            return WORKER_DIED
        except Exception as problem:
            explanation = self._reason(problem)
            if not explanation:
                _log.error("Work in another process failed", exc_info=problem)
            return explanation or WORKER_DIED
        return ""


def _run_job(writer: Connection, nice: int, work: Callable[..., None], about: tuple[Any, ...]) -> None:
    """In the job's process, lower the priority by `nice` and call `work(*about, send)`, which sends reports."""
    if hasattr(os, "nice"):
        os.nice(nice)
    with writer:
        work(*about, writer.send)


class LocalExecutor:
    """An `Executor` whose workers are processes of this machine."""

    def create_pool(self, count: int, limits: TaskLimits) -> ProcessWorkerPool:
        """Create a pool of processes, see `Executor`."""
        return ProcessWorkerPool(count, limits)

    def start_job(
        self,
        work: Callable[..., None],
        *about: object,
        at_hand: tuple[str, ...],
        nice: int,
        reason: Callable[[Exception], str],
    ) -> ProcessJob[Any]:
        """Start a job in a process of its own, see `Executor`."""
        return ProcessJob(work, *about, context=fork_server_context(*at_hand), nice=nice, reason=reason)

    def preload_modules(self, *modules: str) -> None:
        """Import modules in the fork server, see `Executor`."""
        fork_server_context(*modules)
        if os.name == "posix":
            forkserver.ensure_running()
