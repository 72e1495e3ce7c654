"""Work in a separate process, which reports its progress and can be abandoned at any moment."""

from __future__ import annotations

import atexit
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing import forkserver
from multiprocessing.connection import Connection
from typing import Any, Generic, TypeVar

from edict.report import RulesError
from edict.studio.errors import StudioError
from edict.study.errors import StudyError
from edict.table.errors import GameError

Report = TypeVar("Report")
Tell = Callable[[Report], None]
PATIENCE = 3.0  # seconds that abandoned work has to end by itself
NICE = 5  # what somebody waits for at the page goes first
AT_HAND = ("edict.studio.scenes", "edict.studio.worth")  # read once, and not by every process again
KINDLY = (StudioError, StudyError, GameError)  # what says itself why something cannot be done


class Job(Generic[Report]):
    """Calls `work(*about, tell)` in another process; its last report counts. Safe from any thread.

    `work` and `about` are sent there, so `work` must be a function of a module.
    """

    def __init__(self, work: Callable[..., None], *about: object) -> None:
        context = _context()
        self._heard, telling = context.Pipe(duplex=False)
        self._news = threading.Condition()
        self._last: Report | None = None
        self._told = 0
        self._problem = ""
        self._ended = self._stopped = False
        self._process: Any = context.Process(target=_carry_out, args=(telling, work, about), daemon=True)
        self._process.start()
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
        self._process.terminate()
        late = threading.Timer(PATIENCE, self._process.kill)  # it may be where no signal reaches it
        late.daemon = True
        late.start()

    def _listen(self) -> None:
        """Hear what is reported until the process is gone."""
        try:
            while True:
                self._take(*self._heard.recv())
        except (EOFError, OSError):
            pass
        self._process.join()
        with self._news:
            self._problem = self._problem or ("" if self._process.exitcode == 0 else "the process that did it died")
            self._ended = True
            self._news.notify_all()
        self._heard.close()

    def _take(self, what: str, told: Any) -> None:
        with self._news:
            if what == "problem":
                self._problem = told
            elif not self._stopped:
                self._last = told
                self._told += 1
            self._news.notify_all()


def _context() -> Any:
    """Processes that begin with all that the work needs at hand, where the system can have such."""
    context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")
    context.set_forkserver_preload(["__main__", *AT_HAND])
    return context


def warm() -> None:
    """Have what processes begin with read now, so that the first need not wait for it."""
    _context()
    if os.name == "posix":
        forkserver.ensure_running()


# --- in the process ------------------------------------------------------------------------------------


def _carry_out(telling: Connection, work: Callable[..., None], about: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    if hasattr(os, "nice"):
        os.nice(NICE)
    try:
        work(*about, lambda told: telling.send(("report", told)))
    except RulesError as problem:
        telling.send(("problem", str(problem.first)))
    except KINDLY as problem:
        telling.send(("problem", problem.reason))
    except OSError:  # nobody listens any more
        pass
    finally:
        telling.close()
        atexit._run_exitfuncs()  # a process that translates rules ends with this one


def _leave(signal_: int, frame: object) -> None:
    raise SystemExit(0)
