"""One long piece of work in a process of its own, which reports how far it is and can be abandoned at any moment."""

from __future__ import annotations

import logging
import os
import threading
from collections.abc import Callable
from concurrent.futures import CancelledError
from multiprocessing.connection import Connection
from typing import Any, Generic

from pebble import ProcessExpired, ProcessFuture, concurrent

from edict.support.processes.piece_of_work import DIED, Report
from edict.support.processes.pool import spawned

_log = logging.getLogger(__name__)


class Job(Generic[Report]):
    """Calls `work(*about, tell)` in another process; its last report counts. Safe from any thread.

    `work` and `about` are sent there, so `work` must be a function of a module. context: how the process is started.
    nice: by how much others go first. reason: why the work says that it cannot be done; "" for other problems.
    """

    def __init__(
        self,
        work: Callable[..., None],
        *about: object,
        context: Any = None,
        nice: int = 0,
        reason: Callable[[Exception], str] = str,
    ) -> None:
        context = context or spawned()
        self._heard, telling = context.Pipe(duplex=False)
        self._news = threading.Condition()
        self._last: Report | None = None
        self._told = 0
        self._problem = ""
        self._ended = self._stopped = False
        self._reason = reason
        start = concurrent.process(context=context)  # type: ignore[call-overload]  # as its manual says
        self._future: ProcessFuture[None] = start(_carry_out)(telling, nice, work, about)
        telling.close()
        threading.Thread(target=self._listen, daemon=True).start()

    @property
    def running(self) -> bool:
        return not self._ended

    @property
    def problem(self) -> str:
        """Why it ended before it was done, as a sentence; nothing if it did not, or was stopped."""
        return "" if self._stopped else self._problem

    def now(self) -> Report | None:
        """What was reported last; None before anything was."""
        return self._last

    def wait(self, seconds: float | None = None) -> Report | None:
        """Wait until something new is reported, or it has ended; returns what was reported last."""
        with self._news:
            before = self._told
            self._news.wait_for(lambda: self._ended or self._told > before, seconds)
            return self._last

    def finish(self, seconds: float | None = None) -> Report | None:
        """Wait until it has ended; returns what was reported last."""
        with self._news:
            self._news.wait_for(lambda: self._ended, seconds)
            return self._last

    def stop(self) -> None:
        """Abandon it at once; what was reported stays."""
        with self._news:
            self._stopped = True
        self._future.cancel()  # type: ignore[no-untyped-call]

    def _listen(self) -> None:
        """Hear what is reported until the process is gone."""
        try:
            while True:
                self._take(self._heard.recv())
        except (EOFError, OSError):
            pass
        problem = self._what_went_wrong()
        with self._news:
            self._problem = problem
            self._ended = True
            self._news.notify_all()
        self._heard.close()

    def _take(self, told: Report) -> None:
        with self._news:
            if not self._stopped:
                self._last = told
                self._told += 1
            self._news.notify_all()

    def _what_went_wrong(self) -> str:
        try:
            self._future.result()
        except (CancelledError, ProcessExpired):
            return DIED
        except Exception as problem:
            said = self._reason(problem)
            if not said:
                _log.error("Work in another process failed", exc_info=problem)
            return said or DIED
        return ""


def _carry_out(telling: Connection, nice: int, work: Callable[..., None], about: tuple[Any, ...]) -> None:
    if hasattr(os, "nice"):
        os.nice(nice)
    with telling:
        work(*about, telling.send)
