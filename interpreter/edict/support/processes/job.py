"""A long task in a process of its own, which reports its progress and can be stopped at any moment."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from multiprocessing.connection import Connection
from typing import Any, Generic

from pebble import ProcessExpired, ProcessFuture, concurrent

from edict.support.processes.pool import spawn_context
from edict.support.processes.tasks import WORKER_DIED, Report

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
