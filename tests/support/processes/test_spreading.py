"""How work is given out and taken back, whoever does it: here workers do it at once, so nothing is waited for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from multiprocessing import active_children, forkserver
from typing import Any

import pytest

from edict.support.processes import workplace
from edict.support.processes.child import Child
from edict.support.processes.futures import relayed
from edict.support.processes.on_this_machine import OnThisMachine
from edict.support.processes.spreading import AHEAD, Start, WorkerPool, WorkersError, alone, spread


class Died(Exception):
    pass


class Asked(Executor):
    """Does what it was asked only when somebody looks whether it has, the last first."""

    def __init__(self) -> None:
        self.open: list[tuple[Future[Any], Callable[[], Any]]] = []
        self.most = 0

    def submit(self, fn: Any, /, *args: Any, **_: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.open.append((future, lambda: fn(*args)))
        self.most = max(self.most, len(self.open))
        return future

    def done(self) -> None:
        while self.open:
            future, work = self.open.pop()
            try:
                future.set_result(work())
            except Exception as problem:
                future.set_exception(problem)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    executor = Asked()

    def wait(given: Iterable[Future[Any]], *_: object) -> tuple[set[Future[Any]], set[Future[Any]]]:
        executor.done()
        return set(given), set()

    monkeypatch.setattr("edict.support.processes.spreading.wait", wait)
    return executor


def with_workers(executor: Executor, size: int, check: Callable[[], None] = lambda: None) -> Start:
    @contextmanager
    def start() -> Iterator[WorkerPool]:
        yield WorkerPool(executor, size, (Died,), check)

    return start


@pytest.mark.parametrize("size", [1, 3, 5])
def test_each_worker_has_a_piece_ahead_and_results_come_in_the_order_of_the_pieces(asked: Asked, size: int) -> None:
    made = list[int]()

    def pieces() -> Iterator[int]:
        for piece in range(20):
            made.append(piece)
            yield piece

    found = spread(lambda piece: piece * piece, pieces(), with_workers(asked, size))
    assert next(found) == (0, 0) and len(made) == asked.most == size * AHEAD, "pieces are made as they are needed"
    assert list(found) == [(piece, piece * piece) for piece in range(1, 20)]


@pytest.mark.parametrize(("deaths", "given_up"), [(1, False), (3, False), (4, True)])
def test_a_piece_is_given_out_again_so_often(asked: Asked, deaths: int, given_up: bool) -> None:
    tried = list[int]()

    def work(piece: int) -> int:
        tried.append(piece)
        if piece == 1 and tried.count(1) <= deaths:
            raise Died
        return piece

    found = spread(work, range(3), with_workers(asked, 1))
    if given_up:
        with pytest.raises(WorkersError, match="the workers died 4 times of the same piece"):
            list(found)
    else:
        assert sorted(found) == [(0, 0), (1, 1), (2, 2)] and tried.count(1) == deaths + 1
        assert tried.count(0) == tried.count(2) == 1


def test_where_there_is_nothing_to_do_nobody_is_asked() -> None:
    @contextmanager
    def never() -> Iterator[WorkerPool]:
        raise AssertionError
        yield

    assert list(spread(str, [], never)) == []
    assert list(spread(str, [1, 2], alone)) == [(1, "1"), (2, "2")]


def test_it_is_looked_whether_the_workers_are_there(asked: Asked) -> None:
    def gone() -> None:
        raise WorkersError("all gone", "start some")

    with pytest.raises(WorkersError, match="all gone"):
        list(spread(str, [1], with_workers(asked, 1, gone)))


def test_work_that_others_cancelled_is_told(asked: Asked) -> None:
    def submit(fn: Any, *args: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.cancel()
        future.set_running_or_notify_cancel()
        return future

    asked.submit = submit  # type: ignore[method-assign]
    with pytest.raises(WorkersError, match="the workers failed: they were cancelled"):
        list(spread(str, [1], with_workers(asked, 1)))


# --- a future for another library's


def test_what_the_other_gives_is_given_and_what_it_raises_is_meant() -> None:
    fine, wrong = Future[int](), Future[int]()
    told = [relayed(fine), relayed(wrong, lambda problem: Died(f"meant: {problem}"))]
    fine.set_result(3)
    wrong.set_exception(ValueError("so"))
    assert told[0].result(0) == 3
    with pytest.raises(Died, match="meant: so"):
        told[1].result(0)


def test_who_cancels_one_cancels_the_other_and_only_then() -> None:
    other, kept = Future[int](), Future[int]()
    told, done = relayed(other), relayed(kept)
    assert told.cancel() and other.cancelled()
    cancelled = list[bool]()

    def cancel() -> bool:
        cancelled.append(True)
        return True

    kept.cancel = cancel  # type: ignore[method-assign]
    kept.set_result(1)
    assert done.result(0) == 1 and not cancelled
    late = Future[int]()
    unheard = relayed(late)
    late.cancel = lambda: False  # type: ignore[method-assign]  # it is being done already
    unheard.cancel()
    late.set_result(5)
    assert unheard.cancelled(), "nobody waits any more"


# --- where work is done


def test_work_is_done_on_this_machine_unless_something_else_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workplace, "_in_use", None)
    begun = list[int]()
    monkeypatch.setattr(forkserver, "ensure_running", lambda: begun.append(1))
    place = workplace.workplace()
    assert isinstance(place, OnThisMachine) and workplace.workplace() is place
    place.prepare()
    assert begun == [1], "what long work begins with is read before there is any"
    other: Any = object()
    workplace.work_at(other)
    assert workplace.workplace() is other


def _waits(pipe: Any) -> None:
    pipe.recv()


def test_a_process_that_is_asked_things_does_not_outlive_who_asks() -> None:
    before = {*active_children()}
    child = Child(_waits)
    assert [one.daemon for one in active_children() if one not in before] == [True]
    child.kill()
    assert {*active_children()} <= before
