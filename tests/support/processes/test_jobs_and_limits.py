"""Limits of tasks, jobs that report progress, and a child process that answers requests."""

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
from edict.support.processes import distribution
from edict.support.processes import local_executor as pools
from edict.support.processes.child import ChildProcess, ChildTimeout
from edict.support.processes.cluster import _health_check, cluster_starter
from edict.support.processes.distribution import WorkersError
from edict.support.processes.local_executor import ProcessJob, ProcessWorkerPool
from edict.support.processes.tasks import WORKER_DIED, ReportFunction, TaskFailed, TaskLimits

LONG = 60.0  # seconds that nothing here takes
MB = 1_000_000


# --- limits ----------------------------------------------------------------------------------------


def _niceness(tell: ReportFunction[int]) -> None:
    tell(os.nice(0))


def _spin() -> None:
    while True:
        pass


def _raise_timeout_error() -> None:
    raise TimeoutError("the work itself")


def _raise_memory_error() -> None:
    raise MemoryError("the work itself")


def _raise_value_error() -> None:
    raise ValueError("no such thing")


def _exit_process() -> None:
    os._exit(3)


def _allocate_much() -> int:
    return len(bytearray(3_000 * MB))


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such limits")
@pytest.mark.parametrize(
    ("bounds", "work", "about", "raised", "said"),
    [
        (TaskLimits(seconds=0.5), time.sleep, (600,), TaskFailed, r"^it took longer than 0.5 seconds$"),
        (TaskLimits(busy=1), _spin, (), TaskFailed, r"^it took more than 1 seconds of processor time$"),
        (TaskLimits(memory=2_000 * MB), _allocate_much, (), TaskFailed, r"^it needs more than 2000 MB of memory$"),
        (TaskLimits(), _exit_process, (), TaskFailed, r"^the worker process died"),
        (TaskLimits(busy=60), _raise_timeout_error, (), TimeoutError, r"^the work itself$"),
        (TaskLimits(), _raise_memory_error, (), MemoryError, r"^the work itself$"),
        (TaskLimits(seconds=LONG, memory=2_000 * MB), _raise_value_error, (), ValueError, r"^no such thing$"),
    ],
    ids=["seconds", "processor time", "memory", "died", "its own timeout", "its own memory", "its own fault"],
)
def test_task_is_limited_and_the_exceeded_limit_is_named(
    bounds: TaskLimits, work: Callable[..., Any], about: tuple[Any, ...], raised: type[Exception], said: str
) -> None:
    with ProcessWorkerPool(1, bounds) as pool:
        with pytest.raises(raised, match=said):
            pool.submit(work, *about).result(LONG)
        assert pool.submit(sum, [1, 2]).result(LONG) == 3, "and what comes after it is done"


@pytest.mark.skipif(os.name != "posix", reason="signals are a thing of Unix")
def test_idle_process_that_dies_is_replaced_until_the_pool_is_closed() -> None:
    with ProcessWorkerPool(1) as pool:
        os.kill(pool.submit(os.getpid).result(LONG), signal.SIGKILL)
        wait_until(lambda: not pool._pool.active)
        assert pool.submit(sum, [1, 2]).result(LONG) == 3
    with pytest.raises(RuntimeError):
        pool.submit(sum, [1, 2])


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="Windows counts no processor time")
def test_processor_time_is_counted_only_during_tasks() -> None:
    work = pickle.dumps((signal.getitimer, (signal.ITIMER_PROF,), {}))
    left, _ = pools._run_task(60, work)
    assert 50 < left < 61 and signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    assert pools._run_task(0, work) == (0.0, 0.0)


def test_all_processors_are_usable_without_affinity(monkeypatch: pytest.MonkeyPatch, subtests: pytest.Subtests) -> None:
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    for there, used in ((6, 6), (None, 1)):
        with subtests.test(there=there):
            monkeypatch.setattr(os, "cpu_count", lambda there=there: there)
            assert distribution.count_usable_cpus() == used


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such thing")
@pytest.mark.parametrize("nice", [0, 3])
def test_task_runs_with_the_requested_niceness(nice: int) -> None:
    with ProcessWorkerPool(1, TaskLimits(nice=nice)) as pool:
        assert pool.submit(os.nice, 0).result(LONG) == min(os.nice(0) + nice, 19)
    job: ProcessJob[int] = ProcessJob(_niceness, nice=nice) if nice else ProcessJob(_niceness)
    assert job.wait_until_done(LONG) == min(os.nice(0) + nice, 19)


# --- a job -------------------------------------------------------------------------------------------


def _count(folder: str, tell: ReportFunction[int]) -> None:
    """Report a number as soon as there is a file of that name."""
    for number in (1, 2):
        wait_until(Path(folder, str(number)).exists)
        tell(number)


def test_job_reports_progress_and_ends(tmp_path: Path) -> None:
    job: ProcessJob[int] = ProcessJob(_count, str(tmp_path))
    assert job.wait_for_report(0.1) is None and job.latest_report() is None and job.running, (
        "nothing has been reported yet"
    )
    (tmp_path / "1").touch()
    assert job.wait_for_report(LONG) == 1 and job.running
    assert job.wait_for_report(0.1) == 1 and job.running, "it waits for something new, though only so long"
    Timer(0.1, (tmp_path / "2").touch).start()
    assert job.wait_for_report(LONG) == 2
    assert job.wait_until_done(LONG) == 2 == job.latest_report()
    assert not job.running and job.problem == ""
    assert job.wait_for_report(LONG) == 2, "what has ended is waited for no longer"


def test_stopped_job_keeps_its_report_and_has_no_problem(tmp_path: Path) -> None:
    job: ProcessJob[int] = ProcessJob(_count, str(tmp_path))
    (tmp_path / "1").touch()
    assert job.wait_for_report(LONG) == 1
    job.stop()
    assert job.wait_until_done(LONG) == 1 and not job.running and job.problem == ""


def _fails(tell: ReportFunction[int]) -> None:
    tell(7)
    raise ValueError("no such thing")


def _dies(tell: ReportFunction[int]) -> None:
    tell(7)
    os._exit(9)


@pytest.mark.parametrize(
    ("work", "reason", "problem"),
    [
        (_fails, str, "no such thing"),
        (_fails, lambda _: "", WORKER_DIED),  # what only a programmer understands stands in the log
        (_dies, str, WORKER_DIED),
    ],
    ids=["said", "unsaid", "died"],
)
def test_failed_job_explains_why(work: Callable[..., None], reason: Callable[[Exception], str], problem: str) -> None:
    job: ProcessJob[int] = ProcessJob(work, reason=reason)
    assert job.wait_until_done(LONG) == 7 and not job.running and job.problem == problem


# --- one thing after another -----------------------------------------------------------------------


def _echo(word: str, pipe: Connection) -> None:
    while (asked := pipe.recv()) is not None:
        if asked != "nothing":
            pipe.send_bytes(f"{word} {asked}".encode())


def test_child_process_answers_until_it_is_gone(subtests: pytest.Subtests) -> None:
    child = ChildProcess(_echo, "so")
    for asked in ("one", "two"):
        with subtests.test(asked=asked):
            child.send(asked)
            assert child.receive(LONG) == f"so {asked}".encode()
    child.send("nothing")
    with pytest.raises(ChildTimeout):
        child.receive(0.1)
    child.send(None)
    with pytest.raises((EOFError, OSError)):
        child.receive(LONG)
    child.kill()


# --- a cluster ---------------------------------------------------------------------------------------


class _FakeScheduler:
    status = "running"
    workers = 1

    def ncores(self) -> dict[str, int]:
        return dict.fromkeys(map(str, range(self.workers)), 2)


def test_cluster_without_workers_fails_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    for alone, status, workers, said in (
        (LONG, "running", 1, None),
        (LONG, "running", 0, None),  # others may come
        (0.0, "running", 1, None),
        (0.0, "running", 0, "has lost all its workers"),
        (LONG, "closed", 1, "is gone"),
    ):
        monkeypatch.setattr("edict.support.processes.cluster.NO_WORKER_TIMEOUT", alone)
        scheduler = _FakeScheduler()
        check = _health_check(scheduler, "tcp://host:8786")
        check()
        scheduler.status, scheduler.workers = status, workers
        time.sleep(0.01)
        if said is None:
            check()
        else:
            with pytest.raises(WorkersError, match=f"tcp://host:8786 {said}"):
                check()


class _FakeClient:
    """A stand-in for Dask's client."""

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
def client(monkeypatch: pytest.MonkeyPatch) -> type[_FakeClient]:
    distributed = pytest.importorskip("distributed", reason="Dask is an extra, and not installed here")
    monkeypatch.setattr(distributed, "Client", _FakeClient)
    monkeypatch.setattr(_FakeClient, "problem", None)
    return _FakeClient


def test_cluster_size_is_the_number_of_cores(client: type[_FakeClient], subtests: pytest.Subtests) -> None:
    for cores, size in (({"a": 2, "b": 3}, 5), ({"a": 1}, 1), ({}, 1)):
        with subtests.test(size=size):
            client.cores = cores
            with cluster_starter("tcp://host:8786")() as workers:
                assert workers.size == size


def test_unusable_cluster_reports_what_is_missing(client: type[_FakeClient]) -> None:
    for problem, said in (
        (TimeoutError("Only 0/1 workers arrived"), "the scheduler at tcp://host:8786 has no workers"),
        (TimeoutError("Timed out trying to connect"), "no scheduler answers at tcp://host:8786"),
        (OSError("no route"), "no scheduler answers at tcp://host:8786"),
    ):
        client.problem = problem
        with pytest.raises(WorkersError, match=said), cluster_starter("tcp://host:8786")():
            pass
