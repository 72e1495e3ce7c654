"""A player's clock runs while they are asked; what is left follows from when the answers were given."""

from __future__ import annotations

from typing import Any

import pytest

from edict.table.clock import Clock, Clocks

ANN, BEN = 0, 1


def run(clock: Clock, *written: tuple[float, set[int]]) -> Clocks:
    """Clocks of two, after this was written: when, and who was asked then. Ann was asked before."""
    clocks = Clocks(clock, 2)
    for time, asked in ((100.0, {ANN}), *written):
        clocks.passed(time, asked)
    return clocks


def test_whoever_is_asked_has_less_and_others_do_not() -> None:
    clocks = run(Clock(60), (110.0, {BEN}))
    assert clocks.running == {BEN} and (clocks.left(ANN, 130.0), clocks.left(BEN, 130.0)) == (50, 40)


def test_before_the_first_answer_no_clock_runs() -> None:
    clocks = Clocks(Clock(60), 2)
    assert clocks.running == frozenset() and clocks.left(ANN, 1000.0) == 60
    clocks.passed(1000.0, {BEN})
    assert clocks.left(BEN, 1010.0) == 50


def test_those_who_are_asked_at_once_all_have_less_until_they_have_answered() -> None:
    clocks = run(Clock(60), (100.0, {ANN, BEN}), (110.0, {ANN}))
    assert (clocks.left(ANN, 130.0), clocks.left(BEN, 130.0)) == (30, 50)


def test_a_turn_adds_time_when_it_ends_however_often_one_is_asked_in_it() -> None:
    clocks = run(Clock(60, 5), (110.0, {ANN}), (120.0, {ANN}), (130.0, {BEN}))
    assert clocks.left(ANN, 200.0) == 35


def test_a_turn_adds_nothing_to_what_is_used_up() -> None:
    clocks = run(Clock(60, 5), (170.0, {BEN}))
    assert clocks.left(ANN, 200.0) == -10


def test_every_turn_can_have_a_time_of_its_own() -> None:
    clocks = run(Clock(60, each_turn=True), (170.0, {BEN}), (180.0, {ANN}))
    assert clocks.left(ANN, 200.0) == 40


def test_servers_whose_clocks_differ_give_nobody_time() -> None:
    clocks = run(Clock(60), (110.0, {BEN}), (105.0, {ANN}))
    assert clocks.left(BEN, 110.0) == 60 and clocks.left(ANN, 110.0) == 50


@pytest.mark.parametrize(
    "data",
    [None, {}, {"seconds": 0, "increment": 0, "each_turn": False}, {"seconds": 60, "increment": -1, "each_turn": False},
     {"seconds": 60.5, "increment": 0, "each_turn": False}, {"seconds": 60, "increment": 0, "each_turn": 1},
     {"seconds": 10**9, "increment": 0, "each_turn": False}],
)  # fmt: skip
def test_what_is_no_clock_is_none(data: Any) -> None:
    assert Clock.from_data(data) is None


def test_a_clock_is_kept_as_data() -> None:
    assert Clock.from_data(Clock(900, 10).to_data()) == Clock(900, 10)
