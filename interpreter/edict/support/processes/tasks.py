"""Limits, reports and failures of a task that runs in another process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

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
