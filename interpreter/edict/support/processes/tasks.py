"""Limits, reports, failures and futures of tasks that run in other processes."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from edict.support.records import dataclass

Report = TypeVar("Report")
ReportFunction = Callable[[Report], None]  # sends a report of progress
WORKER_DIED = "the worker process died"


class TaskFailed(Exception):
    """The process died, or exceeded a limit of time or memory; the text says which."""


@dataclass(frozen=True, slots=True)
class TaskLimits:
    """The limits of a task; 0 means unlimited.

    On systems without such limits (Windows) only `seconds` is enforced.
    """

    seconds: float = 0
    memory: int = 0  # bytes
    busy: int = 0  # seconds of processor time
    nice: int = 0  # added to the niceness of the process


def wrap_future(
    foreign: Any, translate_error: Callable[[Exception], Exception] = lambda problem: problem
) -> Future[Any]:
    """Wrap another library's future in one of `concurrent.futures`; cancelling either cancels the other.

    Args:
        foreign: The other library's future.
        translate_error: Translates an exception of the other future.
    """
    future: Future[Any] = Future()

    def copy_result(_: Any) -> None:
        """Copy the foreign future's result, or its translated error, unless the own future was cancelled."""
        if not future.set_running_or_notify_cancel():
            return  # cancelled meanwhile
        try:
            future.set_result(foreign.result())
        except Exception as problem:
            future.set_exception(translate_error(problem))

    future.add_done_callback(lambda done: foreign.cancel() if done.cancelled() else None)
    foreign.add_done_callback(copy_result)
    return future
