"""Distribution of tasks over an executor of `concurrent.futures`, without loss when workers die.

A result depends on its task alone, so nothing depends on the number of workers or on the order in which they finish.
A task is counted when its result is taken, which happens once.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, wait
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import islice
from time import process_time
from typing import Any, Generic, TypeVar

from edict.support.processes.child import GUARD, main_script_problem
from edict.support.processes.tasks import TaskFailed
from edict.support.records import dataclass
from edict.support.request_errors import RequestError

Piece = TypeVar("Piece")
Result = TypeVar("Result")

MAX_DEATHS = 3  # workers that may die of the same task in a row
TASKS_PER_WORKER = 2  # submitted at a time, so that no worker waits
CHECK_INTERVAL = 0.5  # seconds between two checks of the workers' health


class WorkersError(RequestError):
    """Workers that cannot be started, or keep dying."""

    def __str__(self) -> str:
        return f"{self.reason} ({self.remedy})"


def _always_healthy() -> None:
    return None


@dataclass(frozen=True)
class ManagedExecutor:
    """An executor that replaces dead workers itself."""

    executor: Executor
    size: int  # number of workers
    deaths: tuple[type[Exception], ...] = ()  # exceptions that mean that the task's worker died
    check: Callable[[], None] = _always_healthy  # raises `WorkersError` if the workers are gone for good


# starts workers as a context manager; at its end unfinished tasks are abandoned
ExecutorStarter = Callable[[], AbstractContextManager[ManagedExecutor]]


def run_in_workers(
    work: Callable[[Piece], Result], pieces: Iterable[Piece], start: ExecutorStarter, participate: bool = False
) -> Iterator[tuple[Piece, Result]]:
    """Run a function on every piece, and yield each piece with its result, once, in the order of completion.

    Args:
        work: A function of a module.
        pieces: Its arguments, generated as they are needed.
        start: Starts the workers.
        participate: True to run pieces in this process, too, while the workers are busy; the function must then
            raise nothing, and no piece may take much longer than others.

    Raises:
        WorkersError: If workers cannot be started, or keep dying.
    """
    queue = _TaskQueue(iter(pieces))
    if not queue.has_next():
        return
    with start() as workers:
        running: dict[Future[Any], _Task[Piece]] = {}
        try:
            while queue.has_next() or running:
                _submit_tasks(workers, work, queue, running)
                own_task = queue.pop_untried() if participate else None
                if own_task is not None:
                    yield own_task.piece, work(own_task.piece)
                finished, _ = wait(running, CHECK_INTERVAL if own_task is None else 0, FIRST_COMPLETED)
                workers.check()
                for future in [
                    future for future in running if future in finished
                ]:  # deterministic for tasks that finish together
                    task = running.pop(future)
                    try:
                        result = future.result()
                    except workers.deaths:
                        queue.retry(task)
                    else:
                        yield task.piece, result
        except (CancelledError, ImportError) as problem:
            raise WorkersError(
                f"the workers failed: {str(problem) or 'they were cancelled'}", _SAME_VERSION_REMEDY
            ) from None


SECONDS_ALONE = 1.0  # processor time after which it pays to start processes for the rest, which takes about as long


def map_in_order(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
    """Yield the result of a function for each piece, in order; if that takes long, the rest in several processes.

    Args:
        work: A function of a module, which must raise nothing.
        pieces: Its arguments, each of which can be pickled.

    Raises:
        WorkersError: If workers cannot be started, or keep dying.
    """
    start_time = process_time()
    done = 0
    while done < len(pieces) and (process_time() - start_time < SECONDS_ALONE or len(pieces) - done < 4):
        yield work(pieces[done])
        done += 1
    rest = pieces[done:]
    workers = min(count_usable_cpus(), len(rest) // 2) - 1  # besides this process
    start = process_starter(workers) if workers > 0 else start_inline
    waiting: dict[int, Result] = {}
    due = 0
    numbered_work = partial(_work_on_numbered, work)
    for (index, _), result in run_in_workers(numbered_work, enumerate(rest), start, participate=workers > 0):
        waiting[index] = result
        while due in waiting:
            yield waiting.pop(due)
            due += 1


def _work_on_numbered(work: Callable[[Piece], Result], numbered_piece: tuple[int, Piece]) -> Result:
    """Return the result for a piece that comes with its number."""
    return work(numbered_piece[1])


_SAME_VERSION_REMEDY = "check that they are running, with the same version of this program"


@dataclass(frozen=True, slots=True)
class _Task(Generic[Piece]):
    """A piece with the number of workers that have died of it."""

    piece: Piece
    deaths: int = 0


class _TaskQueue(Generic[Piece]):
    """The tasks to submit, returned ones first, then new ones, which are generated as needed."""

    def __init__(self, new: Iterator[Piece]) -> None:
        self._ready = deque[_Task[Piece]]()
        self._new = new

    def has_next(self) -> bool:
        """Return True if a task is left, after fetching one new piece if none is waiting."""
        if not self._ready:
            self._ready.extend(_Task(piece) for piece in islice(self._new, 1))
        return bool(self._ready)

    def pop(self) -> _Task[Piece]:
        return self._ready.popleft()

    def pop_untried(self) -> _Task[Piece] | None:
        """Return the next task if no worker has died of it, else None."""
        return self._ready.popleft() if self.has_next() and not self._ready[0].deaths else None

    def retry(self, task: _Task[Piece]) -> None:
        """Queue a task again after its worker died.

        Raises:
            WorkersError: If that happened too often.
        """
        deaths = task.deaths + 1
        if deaths > MAX_DEATHS:
            raise WorkersError(
                f"the workers died {deaths} times on the same task",
                f"a script that starts workers must do so below `{GUARD}`; or there is too little memory for that many "
                "(try one worker); or a bot of your own ends them (+process after its name gives it its own process)",
            ) from None
        self._ready.appendleft(_Task(task.piece, deaths))


def _submit_tasks(
    workers: ManagedExecutor,
    work: Callable[[Piece], Result],
    queue: _TaskQueue[Piece],
    running: dict[Future[Any], _Task[Piece]],
) -> None:
    """Submit tasks from the queue into `running` until each worker has TASKS_PER_WORKER or none is left."""
    while len(running) < workers.size * TASKS_PER_WORKER and queue.has_next():
        task = queue.pop()
        running[workers.executor.submit(work, task.piece)] = task


# --- on this machine ---------------------------------------------------------------------------------


def process_starter(workers: int) -> ExecutorStarter:
    """Return a starter for processes on this machine, which are killed when their work is no longer wanted."""

    @contextmanager
    def start_pool() -> Iterator[ManagedExecutor]:
        """Yield a pool of processes on this machine; raise `WorkersError` if the main script cannot be imported."""
        problem = main_script_problem()
        if problem:
            raise WorkersError(problem, "save it as a file, or use one worker")
        from edict.support.processes.local_executor import ProcessWorkerPool, fork_server_context  # Pebble loads slowly

        with ProcessWorkerPool(workers, context=fork_server_context()) as pool:
            yield ManagedExecutor(pool, workers, (TaskFailed,))

    return start_pool


class _InlineExecutor(Executor):
    """An executor that runs each call at once in this process."""

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Call the function at once, and return a finished future with its result or exception."""
        future: Future[Any] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as problem:
            future.set_exception(problem)
        return future


@contextmanager
def start_inline() -> Iterator[ManagedExecutor]:
    """Run the tasks in this process, one after another."""
    yield ManagedExecutor(_InlineExecutor(), 1)


def count_usable_cpus() -> int:
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
