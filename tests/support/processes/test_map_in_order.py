"""Mapping of a function over pieces, in this process or in several."""

from __future__ import annotations

import os

import pytest

from edict.support.processes import distribution
from edict.support.processes.distribution import map_in_order


def return_with_process(number: int) -> tuple[int, int]:
    return number, os.getpid()


def test_map_in_order_keeps_the_order_and_stays_in_this_process_while_it_is_quick() -> None:
    assert list(map_in_order(return_with_process, range(5))) == [(number, os.getpid()) for number in range(5)]
    assert list(map_in_order(return_with_process, [])) == []


def test_map_in_order_uses_several_processes_for_long_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distribution, "SECONDS_ALONE", 0.0)
    monkeypatch.setattr(distribution, "count_usable_cpus", lambda: 2)
    results = list(map_in_order(return_with_process, range(6)))
    assert [number for number, _ in results] == list(range(6))
    processes = [process for _, process in results]
    assert os.getpid() not in processes[:2] and processes[2] == os.getpid(), (
        "a worker has two pieces; this process works"
    )
