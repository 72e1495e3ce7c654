"""The process-wide executor for work that may take long, take much memory, or crash.

By default tasks run in processes of this machine (`local_executor`). Where there are no processes, as in a browser,
the program installs another executor with `set_executor` at its start.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar

from edict.support.processes.tasks import TaskLimits

Reported = TypeVar("Reported", covariant=True)


class WorkerPool(Protocol):
    """A pool of workers that run tasks, each within the pool's limits."""

    async def run(self, work: Callable[..., Any], *about: object) -> Any:
        """Run a function of a module in the pool and return its result.

        Raises:
            TaskFailed: If the worker died or exceeded a limit. Exceptions of the function are raised as well.
        """
        ...

    def shutdown(self) -> None:
        """Stop the workers, whatever they are doing."""
        ...


class BackgroundJob(Protocol[Reported]):
    """A long task that reports its progress; each report replaces the one before."""

    @property
    def running(self) -> bool:
        """Return True until the job has ended."""

    @property
    def problem(self) -> str:
        """Return why it ended early, as a sentence; empty if it finished or was stopped."""
        ...

    def latest_report(self) -> Reported | None:
        """Return the latest report; None before the first."""
        ...

    def wait_for_report(self, seconds: float | None = None) -> Reported | None:
        """Wait for a new report or the end, and return the latest report."""
        ...

    def wait_until_done(self, seconds: float | None = None) -> Reported | None:
        """Wait for the end, and return the latest report."""
        ...

    def stop(self) -> None:
        """Stop the job at once; its latest report stays."""
        ...


class Executor(Protocol):
    """Creates pools and jobs in whatever runs work outside of this process."""

    def create_pool(self, count: int, limits: TaskLimits) -> WorkerPool:
        """Create a pool of `count` workers, started when first needed."""
        ...

    def start_job(
        self,
        work: Callable[..., None],
        *about: object,
        at_hand: tuple[str, ...],
        nice: int,
        reason: Callable[[Exception], str],
    ) -> BackgroundJob[Any]:
        """Start a job that calls `work(*about, report)`.

        Args:
            work: A function of a module.
            *about: Its arguments, which are sent to the worker.
            at_hand: Modules that it imports, to be preloaded.
            nice: Added to the niceness of the process.
            reason: Explains an exception of the work to users; empty for an unexpected one.
        """
        ...

    def preload_modules(self, *modules: str) -> None:
        """Import modules in advance, so that later jobs start faster."""
        ...


_executor: Executor | None = None


def get_executor() -> Executor:
    """Return the process-wide executor, a `LocalExecutor` unless another one was set."""
    global _executor
    if _executor is None:
        from edict.support.processes.local_executor import LocalExecutor  # late: Pebble is missing in browsers

        _executor = LocalExecutor()
    return _executor


def set_executor(executor: Executor) -> None:
    """Set the process-wide executor; call it before the first use."""
    global _executor
    _executor = executor
