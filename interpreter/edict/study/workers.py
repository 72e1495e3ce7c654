"""Work spread over an executor of `concurrent.futures`; workers that die lose nothing.

What a piece of work gives depends on the piece alone, so nothing depends on how many workers there are, nor on which
of them finishes first. A piece is counted when its result is taken, which happens once.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from edict.study.errors import StudyError

Piece = TypeVar("Piece")
Result = TypeVar("Result")

TRIES = 3  # times in a row that workers may die without any of them having finished anything
AHEAD = 2  # pieces given out for each worker, so that none waits
PULSE = 0.5  # seconds between two looks whether the workers are still there


def _well() -> None:
    return None


@dataclass(frozen=True)
class Crew:
    """An executor, how many work for it, what it raises when they die, and a check that raises `StudyError`."""

    executor: Executor
    size: int
    deaths: tuple[type[Exception], ...] = (BrokenProcessPool,)
    check: Callable[[], None] = _well


Hire = Callable[[], AbstractContextManager[Crew]]
"""Gives a crew to be used and left; called again when its workers have died."""


def spread(work: Callable[[Piece], Result], pieces: Iterable[Piece], hire: Hire) -> Iterator[tuple[Piece, Result]]:
    """Carry out the pieces, and give each with its result as it is finished, in any order, each once.

    Raises `StudyError` if the workers keep dying or cannot be reached any more.
    """
    waiting, died = _Waiting(iter(pieces)), 0
    while waiting.any():
        with hire() as crew:
            given: dict[Future[Any], Piece] = {}
            try:
                while waiting.any() or given:
                    _give_out(crew, work, waiting, given)
                    finished, _ = wait(given, PULSE, FIRST_COMPLETED)
                    crew.check()
                    for future in [future for future in given if future in finished]:  # in the order of the pieces
                        result = future.result()
                        died = 0
                        yield given.pop(future), result
            except crew.deaths:
                waiting.again(given.values())
                died += 1
            except (CancelledError, ImportError) as problem:
                raise StudyError(f"the workers failed: {problem or 'they were cancelled'}", _SAME) from None
            finally:
                for future in given:
                    future.cancel()
        if died > TRIES:
            raise StudyError(
                f"the workers died {died} times without finishing anything",
                "there may be too little memory for so many (try one worker), or a bot of your own may end them "
                "(+process after its name gives it a process of its own)",
            )


_SAME = "check that they are running, with the same version of this program"


class _Waiting(Generic[Piece]):
    """Pieces to be given out: those that came back first, then new ones, which are made as they are needed."""

    def __init__(self, new: Iterator[Piece]) -> None:
        self._ready = deque[Piece]()
        self._new = new

    def any(self) -> bool:
        if not self._ready:
            self._ready.extend(islice(self._new, 1))
        return bool(self._ready)

    def next(self) -> Piece:
        """The next one, which stays until it is `given`."""
        return self._ready[0]

    def given(self) -> None:
        self._ready.popleft()

    def again(self, pieces: Iterable[Piece]) -> None:
        self._ready.extendleft(pieces)


def _give_out(
    crew: Crew, work: Callable[[Piece], Result], waiting: _Waiting[Piece], given: dict[Future[Any], Piece]
) -> None:
    while len(given) < crew.size * AHEAD and waiting.any():
        given[crew.executor.submit(work, waiting.next())] = waiting.next()
        waiting.given()


def processes(workers: int) -> Hire:
    """So many processes on this machine."""
    context = multiprocessing.get_context("forkserver" if os.name == "posix" else "spawn")

    @contextmanager
    def hired() -> Iterator[Crew]:
        others = set(multiprocessing.active_children())
        pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_leave_interrupts_to_the_parent)
        try:
            yield Crew(pool, workers)
        except BaseException:  # what they have in hand is not wanted any more
            for worker in set(multiprocessing.active_children()) - others:
                worker.terminate()
            raise
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    return hired


def _leave_interrupts_to_the_parent() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)


class _Here(Executor):
    """Carries a piece out at once, in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as problem:
            future.set_exception(problem)
        return future


@contextmanager
def alone() -> Iterator[Crew]:
    """This process, piece after piece."""
    yield Crew(_Here(), 1)


def usable() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
