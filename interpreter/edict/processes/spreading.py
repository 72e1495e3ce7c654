"""Work spread over an executor of `concurrent.futures`; workers that die lose nothing.

What a piece of work gives depends on the piece alone, so nothing depends on how many workers there are, nor on which
of them finishes first. A piece is counted when its result is taken, which happens once.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar

from edict.processes.main_script import GUARD, main_script_problem

Piece = TypeVar("Piece")
Result = TypeVar("Result")

TRIES = 3  # times in a row that workers may die of one piece
AHEAD = 2  # pieces given out for each worker, so that none waits
PULSE = 0.5  # seconds between two looks whether the workers are still there


class WorkersError(Exception):
    """Workers cannot be had, or keep dying. `reason` says how, `remedy` what to do about it."""

    def __init__(self, reason: str, remedy: str) -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(f"{reason} ({remedy})")

    def __reduce__(self) -> tuple[Any, ...]:
        """Between processes it stays as it is."""
        return type(self), (self.reason, self.remedy)


def _well() -> None:
    return None


@dataclass(frozen=True)
class WorkerPool:
    """An executor, how many work for it, what a piece raises whose worker died, and a check that raises `WorkersError`.

    The executor itself replaces workers that have died.
    """

    executor: Executor
    size: int
    deaths: tuple[type[Exception], ...] = ()
    check: Callable[[], None] = _well


Start = Callable[[], AbstractContextManager[WorkerPool]]
"""Starts workers, to be used and left; what they have in hand then is abandoned."""


def spread(work: Callable[[Piece], Result], pieces: Iterable[Piece], start: Start) -> Iterator[tuple[Piece, Result]]:
    """Carry out the pieces, and give each with its result as it is finished, in any order, each once.

    Raises `WorkersError`.
    """
    waiting = _Waiting(iter(pieces))
    if not waiting.any():
        return
    with start() as workers:
        given: dict[Future[Any], _Tried[Piece]] = {}
        try:
            while waiting.any() or given:
                _give_out(workers, work, waiting, given)
                finished, _ = wait(given, PULSE, FIRST_COMPLETED)
                workers.check()
                for future in [future for future in given if future in finished]:  # in the order of the pieces
                    tried = given.pop(future)
                    try:
                        result = future.result()
                    except workers.deaths:
                        waiting.again(tried)
                    else:
                        yield tried.piece, result
        except (CancelledError, ImportError) as problem:
            raise WorkersError(f"the workers failed: {str(problem) or 'they were cancelled'}", _SAME) from None


_SAME = "check that they are running, with the same version of this program"


@dataclass(frozen=True, slots=True)
class _Tried(Generic[Piece]):
    """A piece, and how many workers have died of it."""

    piece: Piece
    deaths: int = 0


class _Waiting(Generic[Piece]):
    """Pieces to be given out: those that came back first, then new ones, which are made as they are needed."""

    def __init__(self, new: Iterator[Piece]) -> None:
        self._ready = deque[_Tried[Piece]]()
        self._new = new

    def any(self) -> bool:
        if not self._ready:
            self._ready.extend(_Tried(piece) for piece in islice(self._new, 1))
        return bool(self._ready)

    def next(self) -> _Tried[Piece]:
        return self._ready.popleft()

    def again(self, tried: _Tried[Piece]) -> None:
        """Give it out once more. Raises `WorkersError` if that was done often enough."""
        deaths = tried.deaths + 1
        if deaths > TRIES:
            raise WorkersError(
                f"the workers died {deaths} times of the same piece of work",
                f"a script that starts workers must do so below `{GUARD}`; or there is too little memory for that many "
                "(try one worker); or a bot of your own ends them (+process after its name gives it its own process)",
            ) from None
        self._ready.appendleft(_Tried(tried.piece, deaths))


def _give_out(
    workers: WorkerPool,
    work: Callable[[Piece], Result],
    waiting: _Waiting[Piece],
    given: dict[Future[Any], _Tried[Piece]],
) -> None:
    while len(given) < workers.size * AHEAD and waiting.any():
        tried = waiting.next()
        given[workers.executor.submit(work, tried.piece)] = tried


# --- on this machine ---------------------------------------------------------------------------------


def processes(workers: int) -> Start:
    """So many processes on this machine, ended at once when their work is not wanted any more."""

    @contextmanager
    def started() -> Iterator[WorkerPool]:
        problem = main_script_problem()
        if problem:
            raise WorkersError(problem, "save it as a file, or use one worker")
        from edict.processes.piece_of_work import Failed
        from edict.processes.pool import Pool, forked  # whoever does without need not wait for Pebble

        with Pool(workers, context=forked()) as pool:
            yield WorkerPool(pool, workers, (Failed,))

    return started


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
def alone() -> Iterator[WorkerPool]:
    """This process, piece after piece."""
    yield WorkerPool(_Here(), 1)


def usable() -> int:
    """How many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
