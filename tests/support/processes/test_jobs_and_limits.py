"""What a piece of work may take, a long job that reports, and a process that is asked one thing after another."""

from __future__ import annotations

import os
import pickle
import signal
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from threading import Timer
from typing import Any

import pytest

from calling import wait_until
from edict.support.processes import pool as pools
from edict.support.processes import spreading
from edict.support.processes.child import Child, ChildTimeout
from edict.support.processes.cluster import _check, on_cluster
from edict.support.processes.job import Job
from edict.support.processes.piece_of_work import DIED, Bounds, Failed, Tell
from edict.support.processes.pool import Pool
from edict.support.processes.spreading import WorkersError

LONG = 60.0  # seconds that nothing here takes
MB = 1_000_000


# --- limits ----------------------------------------------------------------------------------------


def _niceness(tell: Tell[int]) -> None:
    tell(os.nice(0))


def _spin() -> None:
    while True:
        pass


def _late() -> None:
    raise TimeoutError("the work itself")


def _full() -> None:
    raise MemoryError("the work itself")


def _wrong() -> None:
    raise ValueError("no such thing")


def _gone() -> None:
    os._exit(3)


def _large() -> int:
    return len(bytearray(3_000 * MB))


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such limits")
@pytest.mark.parametrize(
    ("bounds", "work", "about", "raised", "said"),
    [
        (Bounds(seconds=0.5), time.sleep, (600,), Failed, r"^it took longer than 0.5 seconds$"),
        (Bounds(busy=1), _spin, (), Failed, r"^it took more than 1 seconds of processor time$"),
        (Bounds(memory=2_000 * MB), _large, (), Failed, r"^it needs more than 2000 MB of memory$"),
        (Bounds(), _gone, (), Failed, r"^the process that did it died"),
        (Bounds(busy=60), _late, (), TimeoutError, r"^the work itself$"),
        (Bounds(), _full, (), MemoryError, r"^the work itself$"),
        (Bounds(seconds=LONG, memory=2_000 * MB), _wrong, (), ValueError, r"^no such thing$"),
    ],
    ids=["seconds", "processor time", "memory", "died", "its own timeout", "its own memory", "its own fault"],
)
def test_work_is_held_to_its_limits_and_it_is_said_which_it_broke(
    bounds: Bounds, work: Callable[..., Any], about: tuple[Any, ...], raised: type[Exception], said: str
) -> None:
    with Pool(1, bounds) as pool:
        with pytest.raises(raised, match=said):
            pool.submit(work, *about).result(LONG)
        assert pool.submit(sum, [1, 2]).result(LONG) == 3, "and what comes after it is done"


@pytest.mark.skipif(os.name != "posix", reason="signals are a thing of Unix")
def test_a_process_that_dies_with_nothing_to_do_is_replaced_until_the_pool_is_closed() -> None:
    with Pool(1) as pool:
        os.kill(pool.submit(os.getpid).result(LONG), signal.SIGKILL)
        wait_until(lambda: not pool._pool.active)
        assert pool.submit(sum, [1, 2]).result(LONG) == 3
    with pytest.raises(RuntimeError):
        pool.submit(sum, [1, 2])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows counts no processor time")
def test_processor_time_is_counted_while_there_is_work_and_no_longer() -> None:
    work = pickle.dumps((signal.getitimer, (signal.ITIMER_PROF,), {}))
    left, _ = pools._carry_out(60, work)
    assert 50 < left < 61 and signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert pools._carry_out(0, work) == (0.0, 0.0)


def test_where_nobody_says_which_processors_may_be_used_it_is_all_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for there, used in ((6, 6), (None, 1)):
        monkeypatch.setattr(os, "cpu_count", lambda there=there: there)
        assert spreading.usable() == used


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such thing")
@pytest.mark.parametrize("nice", [0, 3])
def test_work_lets_others_go_first_by_as_much_as_was_asked(nice: int) -> None:
    with Pool(1, Bounds(nice=nice)) as pool:
        assert pool.submit(os.nice, 0).result(LONG) == min(os.nice(0) + nice, 19)
    job: Job[int] = Job(_niceness, nice=nice) if nice else Job(_niceness)
    assert job.finish(LONG) == min(os.nice(0) + nice, 19)


# --- a job -------------------------------------------------------------------------------------------


def _count(folder: str, tell: Tell[int]) -> None:
    """Reports a number as soon as there is a file of its name."""
    for number in (1, 2):
        wait_until(Path(folder, str(number)).exists)
        tell(number)


def test_a_job_reports_as_it_goes_and_then_has_ended(tmp_path: Path) -> None:
    job: Job[int] = Job(_count, str(tmp_path))
    assert job.wait(0.1) is None and job.now() is None and job.running, "nothing has been reported yet"
    (tmp_path / "1").touch()
    assert job.wait(LONG) == 1 and job.running
    assert job.wait(0.1) == 1 and job.running, "it waits for something new, though only so long"
    Timer(0.1, (tmp_path / "2").touch).start()
    assert job.wait(LONG) == 2
    assert job.finish(LONG) == 2 == job.now()
    assert not job.running and job.problem == ""
    assert job.wait(LONG) == 2, "what has ended is waited for no longer"


def test_a_job_that_is_stopped_keeps_what_it_reported_and_has_no_problem(tmp_path: Path) -> None:
    job: Job[int] = Job(_count, str(tmp_path))
    (tmp_path / "1").touch()
    assert job.wait(LONG) == 1
    job.stop()
    assert job.finish(LONG) == 1 and not job.running and job.problem == ""


def _fails(tell: Tell[int]) -> None:
    tell(7)
    raise ValueError("no such thing")


def _dies(tell: Tell[int]) -> None:
    tell(7)
    os._exit(9)


@pytest.mark.parametrize(
    ("work", "reason", "problem"),
    [
        (_fails, str, "no such thing"),
        (_fails, lambda _: "", DIED),  # what only a programmer understands stands in the log
        (_dies, str, DIED),
    ],
    ids=["said", "unsaid", "died"],
)
def test_a_job_that_cannot_be_done_says_why(
    work: Callable[..., None], reason: Callable[[Exception], str], problem: str
) -> None:
    job: Job[int] = Job(work, reason=reason)
    assert job.finish(LONG) == 7 and not job.running and job.problem == problem


# --- one thing after another -----------------------------------------------------------------------


def _echo(word: str, pipe: Connection) -> None:
    while (asked := pipe.recv()) is not None:
        if asked != "nothing":
            pipe.send_bytes(f"{word} {asked}".encode())


def test_a_process_answers_one_thing_after_another_until_it_is_gone() -> None:
    child = Child(_echo, "so")
    for asked in ("one", "two"):
        child.tell(asked)
        assert child.answer(LONG) == f"so {asked}".encode()
    child.tell("nothing")
    with pytest.raises(ChildTimeout):
        child.answer(0.1)
    child.tell(None)
    with pytest.raises((EOFError, OSError)):
        child.answer(LONG)
    child.kill()


# --- a cluster ---------------------------------------------------------------------------------------


class _Scheduler:
    status = "running"
    workers = 1

    def ncores(self) -> dict[str, int]:
        return dict.fromkeys(map(str, range(self.workers)), 2)


def test_a_cluster_may_be_without_workers_only_so_long(monkeypatch: pytest.MonkeyPatch) -> None:
    for alone, status, workers, said in (
        (LONG, "running", 1, None),
        (LONG, "running", 0, None),  # others may come
        (0.0, "running", 1, None),
        (0.0, "running", 0, "has lost all its workers"),
        (LONG, "closed", 1, "is gone"),
    ):
        monkeypatch.setattr("edict.support.processes.cluster.ALONE", alone)
        scheduler = _Scheduler()
        check = _check(scheduler, "tcp://host:8786")
        check()
        scheduler.status, scheduler.workers = status, workers
        time.sleep(0.01)
        if said is None:
            check()
        else:
            with pytest.raises(WorkersError, match=f"tcp://host:8786 {said}"):
                check()


class _Client:
    """Stands for Dask's own."""

    cores: dict[str, int] = {}
    problem: Exception | None = None

    def __init__(self, address: str, **_: object) -> None:
        pass

    def wait_for_workers(self, number: int, timeout: float) -> None:
        if self.problem is not None:
            raise self.problem

    def ncores(self) -> dict[str, int]:
        return self.cores

    def close(self, timeout: float) -> None:
        pass


@pytest.fixture
def client(monkeypatch: pytest.MonkeyPatch) -> type[_Client]:
    distributed = pytest.importorskip("distributed", reason="Dask is an extra, and not installed here")
    monkeypatch.setattr(distributed, "Client", _Client)
    monkeypatch.setattr(_Client, "problem", None)
    return _Client


def test_a_cluster_is_as_large_as_the_cores_of_its_workers(client: type[_Client]) -> None:
    for cores, size in (({"a": 2, "b": 3}, 5), ({"a": 1}, 1), ({}, 1)):
        client.cores = cores
        with on_cluster("tcp://host:8786")() as workers:
            assert workers.size == size


def test_a_cluster_that_cannot_be_used_says_what_it_lacks(client: type[_Client]) -> None:
    for problem, said in (
        (TimeoutError("Only 0/1 workers arrived"), "the scheduler at tcp://host:8786 has no workers"),
        (TimeoutError("Timed out trying to connect"), "no scheduler answers at tcp://host:8786"),
        (OSError("no route"), "no scheduler answers at tcp://host:8786"),
    ):
        client.problem = problem
        with pytest.raises(WorkersError, match=said), on_cluster("tcp://host:8786")():
            pass
