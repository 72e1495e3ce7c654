"""Mapping of a function over pieces, in this process or in several."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from edict.support.processes import distribution
from edict.support.processes.distribution import ManagedExecutor, WorkersError, map_in_order

LONG = 300.0  # seconds, longer than a test may take


def return_with_process(number: int) -> tuple[int, int]:
    return number, os.getpid()


def work_for_long(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


@pytest.fixture
def soon_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other processes help at once, as if the pieces took long."""
    monkeypatch.setattr(distribution, "SECONDS_ALONE", -1.0)
    monkeypatch.setattr(distribution, "SECONDS_SHARED", -1.0)
    monkeypatch.setattr(distribution, "count_usable_cpus", lambda: 2)


def test_map_in_order_keeps_the_order_and_stays_in_this_process_while_it_is_quick() -> None:
    assert list(map_in_order(return_with_process, range(5))) == [(number, os.getpid()) for number in range(5)]
    assert list(map_in_order(return_with_process, [])) == []


@pytest.mark.usefixtures("soon_shared")
def test_other_processes_do_the_last_pieces_of_long_work() -> None:
    seconds = [1.0, *(0.05 * number for number in range(7))]
    processes = list(map_in_order(work_for_long, seconds))
    assert processes[0] == os.getpid() and processes[-1] != os.getpid()
    assert len(set(processes)) == 2 and processes == sorted(processes, key=lambda process: process != os.getpid())


@pytest.mark.usefixtures("soon_shared")
def test_other_processes_end_when_nobody_wants_the_rest() -> None:
    results = map_in_order(work_for_long, [1.0, 0.0, 0.0, LONG, LONG])
    assert [next(results) for _ in range(3)] == [os.getpid()] * 3
    start = time.monotonic()
    results.close()  # type: ignore[attr-defined]
    assert time.monotonic() - start < LONG / 10


@pytest.mark.usefixtures("soon_shared")
def test_processes_that_cannot_start_are_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    @contextmanager
    def start() -> Iterator[ManagedExecutor]:
        raise WorkersError("no processes here", "use one worker")
        yield

    def starter(_: int) -> distribution.ExecutorStarter:
        return start

    monkeypatch.setattr(distribution, "process_starter", starter)
    with pytest.raises(WorkersError, match="no processes here"):
        list(map_in_order(work_for_long, [0.2] * 8))
