"""Work spread over an executor of `concurrent.futures`; workers that die lose nothing.

What a piece of work gives depends on the piece alone, so nothing depends on how many workers there are, nor on which
of them finishes first.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from edict.study.errors import StudyError

Piece = TypeVar("Piece")
Result = TypeVar("Result")

Hire = Callable[[], AbstractContextManager[Executor]]
"""Gives an executor to be used and left; called again when its workers have died."""

TRIES = 3  # times in a row that workers may die without any of them having finished anything
AHEAD = 2  # pieces given out for each worker, so that none waits


def spread(
    work: Callable[[Piece], Result], pieces: Iterable[Piece], hire: Hire, workers: int
) -> Iterator[tuple[Piece, Result]]:
    """Carry out the pieces, and give each with its result as it is finished, in any order, each once.

    Raises `StudyError` if the workers keep dying.
    """
    waiting, died = deque(pieces), 0
    while waiting:
        with hire() as executor:
            given: dict[Future[Result], Piece] = {}
            try:
                while waiting or given:
                    while waiting and len(given) < workers * AHEAD:
                        given[executor.submit(work, waiting[0])] = waiting[0]
                        waiting.popleft()
                    finished, _ = wait(given, return_when=FIRST_COMPLETED)
                    for future in finished:
                        result = future.result()
                        died = 0
                        yield given.pop(future), result
            except BrokenProcessPool:
                waiting.extendleft(given.values())
                died += 1
            finally:
                for future in given:
                    future.cancel()
        if died > TRIES:
            raise StudyError(
                f"the workers died {died} times without finishing anything",
                "there may be too little memory for so many: try --workers 1",
            )


def processes(workers: int) -> Hire:
    """So many processes on this machine."""
    context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")

    @contextmanager
    def hired() -> Iterator[Executor]:
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_interrupts_to_the_parent)
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    return hired


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def usable() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
