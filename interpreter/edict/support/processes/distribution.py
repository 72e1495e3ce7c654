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
from dataclasses import replace
from functools import partial
from itertools import islice
from queue import SimpleQueue
from threading import Event, Thread
from time import process_time
from typing import Any, Generic, TypeVar

from edict.support.processes.child import GUARD, main_script_problem
from edict.support.processes.tasks import TaskFailed
from edict.support.records import dataclass
from edict.support.request_errors import RequestError

Piece = TypeVar("Piece")
Result = TypeVar("Result")

MAX_DEATHS = 3  # workers that may die of the same task in a row
TASKS_PER_WORKER = 2  # given at a time, so that no worker waits
CHECK_INTERVAL = 0.5  # seconds between two checks of the workers' health
POLL_INTERVAL = 0.02  # seconds between two looks at how far this process is
SECONDS_ALONE = 0.3  # processor time after which it is known how long pieces take
SECONDS_SHARED = 1.5  # processor time of all that is left for which it pays to start processes
FEW_PIECES = 3  # for which no process is started


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
    work: Callable[[Piece], Result],
    pieces: Iterable[Piece],
    start: ExecutorStarter,
    submitted: int = TASKS_PER_WORKER,
) -> Iterator[tuple[Piece, Result]]:
    """Run a function on every piece, and yield each piece with its result, once, in the order of completion.

    Args:
        work: A function of a module.
        pieces: Its arguments, generated as they are needed.
        start: Starts the workers.
        submitted: How many pieces a worker is given at a time.

    Raises:
        WorkersError: If workers cannot be started, or keep dying.
    """
    queue = _TaskQueue(iter(pieces))
    if not queue.has_next():
        return
    with start() as workers:
        running: dict[Future[Any], _Task[Piece]] = {}
        try:
            while running or queue.has_next():
                _submit_tasks(workers, work, queue, running, submitted)
                finished, _ = wait(running, CHECK_INTERVAL, FIRST_COMPLETED)
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


def map_in_order(work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> Iterator[Result]:
    """Yield the result of a function for each piece, in order; if that takes long, other processes do the last ones.

    Args:
        work: A function of a module, which must raise nothing.
        pieces: Its arguments, each of which can be pickled.

    Raises:
        WorkersError: If workers cannot be started, or keep dying.
    """
    results: dict[int, Result] = {}
    with _Helpers(work, pieces) as helpers:
        for due in range(len(pieces)):
            while due not in results:
                number, result = helpers.work_on_first() or helpers.receive()
                results[number] = result
            yield results.pop(due)


class _Helpers(Generic[Piece, Result]):
    """Other processes that do pieces from the end of those that are left, once it seems to pay.

    A thread waits for that, and for their results.
    """

    def __init__(self, work: Callable[[Piece], Result], pieces: Sequence[Piece]) -> None:
        self._work, self._left = partial(_work_on_piece, work), deque(enumerate(pieces))
        self._times: list[float] = []  # processor time of each piece that was finished here
        self._size = min(count_usable_cpus(), len(pieces) // 2) - 1  # besides this process
        self._results = SimpleQueue[tuple[int, Result] | BaseException]()
        self._closed = Event()
        self._thread = Thread(target=self._help, daemon=True)

    def __enter__(self) -> _Helpers[Piece, Result]:
        if self._size > 0:
            self._thread.start()
        return self

    def __exit__(self, *about: object) -> None:
        if self._size > 0:
            self._closed.set()
            self._thread.join()

    def work_on_first(self) -> tuple[int, Result] | None:
        """Do the first piece that is left in this process; return its number and result, or None if none is left."""
        try:
            piece = self._left.popleft()
        except IndexError:  # asking before would not help: the thread may take it meanwhile
            return None
        start_time = process_time()
        result = self._work(piece)
        self._times.append(process_time() - start_time)
        return piece[0], result

    def receive(self) -> tuple[int, Result]:
        """Return the number of a piece and its result as soon as there is one. Raises as `run_in_workers` does."""
        received = self._results.get()
        if isinstance(received, BaseException):
            raise received
        return received

    def _help(self) -> None:
        try:
            if self._wait_until_it_pays():
                for (index, _), result in run_in_workers(self._work, self._take_last(), self._start, submitted=1):
                    self._results.put((index, result))
        except BaseException as problem:  # for this process, which waits for results
            self._results.put(problem)

    def _wait_until_it_pays(self) -> bool:
        """Return True once the pieces that are left seem to take long, False if there are few before that.

        Each seems to take as long as the median of those that are finished, or as the first has taken so far.
        """
        start_time = process_time()
        while not self._closed.wait(POLL_INTERVAL) and len(self._left) > FEW_PIECES:
            spent = process_time() - start_time
            each = sorted(self._times)[len(self._times) // 2] if self._times else spent
            if spent > SECONDS_ALONE and each * len(self._left) > SECONDS_SHARED:
                return True
        return False

    def _take_last(self) -> Iterator[tuple[int, Piece]]:
        while True:
            try:
                yield self._left.pop()
            except IndexError:
                return

    @contextmanager
    def _start(self) -> Iterator[ManagedExecutor]:
        with process_starter(self._size)() as workers:
            yield replace(workers, check=self._require_open)

    def _require_open(self) -> None:
        """Raise `CancelledError` if nobody wants the results any more."""
        if self._closed.is_set():
            raise CancelledError


def _work_on_piece(work: Callable[[Piece], Result], numbered_piece: tuple[int, Piece]) -> Result:
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
    submitted: int,
) -> None:
    """Submit tasks from the queue into `running` until each worker has so many or none is left."""
    while len(running) < workers.size * submitted and queue.has_next():
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
