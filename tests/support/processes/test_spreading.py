"""Distribution of tasks, with executors that run them at once, so that no test waits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from multiprocessing import active_children, forkserver
from typing import Any

import pytest

from edict.support.processes import executor
from edict.support.processes.child import ChildProcess
from edict.support.processes.distribution import (
    TASKS_PER_WORKER,
    ExecutorStarter,
    ManagedExecutor,
    WorkersError,
    run_in_workers,
    start_inline,
)
from edict.support.processes.local_executor import LocalExecutor
from edict.support.processes.tasks import wrap_future


class WorkerDied(Exception):
    pass


class LazyExecutor(Executor):
    """An executor that runs its calls only when somebody checks them, the last first."""

    def __init__(self) -> None:
        self.open: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.most = 0
        self.running = False

    def submit(self, fn: Any, /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.open.append((future, lambda: fn(*args)))
        self.most = max(self.most, len(self.open))
        return future

    def run(self) -> None:
        self.running = True
        while self.open:
            future, work = self.open.pop()
            try:
                future.set_result(work())
            except Exception as problem:
                future.set_exception(problem)
        self.running = False


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> LazyExecutor:
    executor = LazyExecutor()

    def wait(given: Iterable[Future[Any]], *_: object) -> tuple[set[Future[Any]], set[Future[Any]]]:
        executor.run()
        return set(given), set()

    monkeypatch.setattr("edict.support.processes.distribution.wait", wait)
    return executor


def create_starter(executor: Executor, size: int, check: Callable[[], None] = lambda: None) -> ExecutorStarter:
    @contextmanager
    def start() -> Iterator[ManagedExecutor]:
        yield ManagedExecutor(executor, size, (WorkerDied,), check)

    return start


@pytest.mark.parametrize("size", [1, 3, 5])
def test_workers_get_a_task_in_advance_and_results_keep_their_order(asked: LazyExecutor, size: int) -> None:
    made = list[int]()

    def pieces() -> Iterator[int]:
        for piece in range(20):
            made.append(piece)
            yield piece

    found = run_in_workers(lambda piece: piece * piece, pieces(), create_starter(asked, size))
    assert next(found) == (0, 0) and len(made) == asked.most == size * TASKS_PER_WORKER, (
        "pieces are made as they are needed"
    )
    assert list(found) == [(piece, piece * piece) for piece in range(1, 20)]


@pytest.mark.parametrize(("deaths", "given_up"), [(1, False), (3, False), (4, True)])
def test_task_is_retried_a_limited_number_of_times(asked: LazyExecutor, deaths: int, given_up: bool) -> None:
    tried = list[int]()

    def work(piece: int) -> int:
        tried.append(piece)
        if piece == 1 and tried.count(1) <= deaths:
            raise WorkerDied
        return piece

    found = run_in_workers(work, range(3), create_starter(asked, 1))
    if given_up:
        with pytest.raises(WorkersError, match="the workers died 4 times on the same task"):
            list(found)
    else:
        assert sorted(found) == [(0, 0), (1, 1), (2, 2)] and tried.count(1) == deaths + 1
        assert tried.count(0) == tried.count(2) == 1


def test_no_worker_is_started_without_tasks() -> None:
    @contextmanager
    def never() -> Iterator[ManagedExecutor]:
        raise AssertionError
        yield

    assert list(run_in_workers(str, [], never)) == []
    assert list(run_in_workers(str, [1, 2], start_inline)) == [(1, "1"), (2, "2")]


def test_health_of_workers_is_checked(asked: LazyExecutor) -> None:
    def gone() -> None:
        raise WorkersError("all gone", "start some")

    with pytest.raises(WorkersError, match="all gone"):
        list(run_in_workers(str, [1], create_starter(asked, 1, gone)))


def test_foreign_cancellation_is_reported(asked: LazyExecutor) -> None:
    def submit(fn: Any, *args: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future

    asked.submit = submit  # type: ignore[method-assign]
    with pytest.raises(WorkersError, match="the workers failed: they were cancelled"):
        list(run_in_workers(str, [1], create_starter(asked, 1)))


# --- a future for another library's


def test_wrapped_future_passes_results_and_translates_errors() -> None:
    fine, wrong = Future[int](), Future[int]()
    told = [wrap_future(fine), wrap_future(wrong, lambda problem: WorkerDied(f"meant: {problem}"))]
    fine.set_result(3)
    wrong.set_exception(ValueError("so"))
    assert told[0].result(0) == 3
    with pytest.raises(WorkerDied, match="meant: so"):
        told[1].result(0)


def test_cancelling_a_wrapped_future_cancels_the_other() -> None:
    other, kept = Future[int](), Future[int]()
    told, done = wrap_future(other), wrap_future(kept)
    assert told.cancel() and other.cancelled()
    cancelled = list[bool]()

    def cancel() -> bool:
        cancelled.append(True)
        return True

    kept.cancel = cancel  # type: ignore[method-assign]
    kept.set_result(1)
    assert done.result(0) == 1 and not cancelled
    late = Future[int]()
    unheard = wrap_future(late)
    late.cancel = lambda: False  # type: ignore[method-assign]  # it is being done already
    unheard.cancel()
    late.set_result(5)
    assert unheard.cancelled(), "nobody waits any more"


# --- where work is done


def test_default_executor_is_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(executor, "_executor", None)
    begun = list[int]()
    monkeypatch.setattr(forkserver, "ensure_running", lambda: begun.append(1))
    place = executor.get_executor()
    assert isinstance(place, LocalExecutor) and executor.get_executor() is place
    place.preload_modules()
    assert begun == [1], "what long work begins with is read before there is any"
    other: Any = object()
    executor.set_executor(other)
    assert executor.get_executor() is other


def _waits(pipe: Any) -> None:
    pipe.recv()


def test_child_process_does_not_outlive_its_parent() -> None:
    before = {*active_children()}
    child = ChildProcess(_waits)
    assert [one.daemon for one in active_children() if one not in before] == [True]
    child.kill()
    assert {*active_children()} <= before
