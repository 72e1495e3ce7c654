"""A player's clock runs while they are asked; what is left follows from when the answers were given."""

from __future__ import annotations

from typing import Any

import pytest

from edict.game.table.clock import LONGEST, Clock, Clocks

ANN, BEN = 0, 1
BOTH = {ANN, BEN}


class Game:
    """Clocks of two, whose lines are written one after the other. Ann is asked at 100 seconds."""

    def __init__(self, clock: Clock) -> None:
        self.clocks = Clocks(clock, 2)
        self.answers = 0
        self.write(100, {ANN})

    def write(self, time: float, turns: set[int], *, done: frozenset[int] = frozenset(), answers: int = 1) -> Game:
        """From then on it is their turn, but those who are `done` have answered. answers: below 0, some are taken
        back; 0, somebody has answered before their turn."""
        self.answers += answers
        self.clocks.passed(time, turns, turns - done, self.answers, answers < 0)
        return self

    def left(self, seat: int, now: float) -> float:
        return self.clocks.left(seat, now)


def test_whoever_is_asked_has_less_and_others_do_not() -> None:
    game = Game(Clock(60)).write(110, {BEN})
    assert game.clocks.running == {BEN} and (game.left(ANN, 130), game.left(BEN, 130)) == (50, 40)


def test_before_the_first_answer_no_clock_runs() -> None:
    clocks = Clocks(Clock(60), 2)
    assert clocks.running == frozenset() and clocks.left(ANN, 1000) == 60
    clocks.passed(1000, {BEN}, {BEN}, 1, False)
    assert clocks.left(BEN, 1010) == 50


def test_those_who_are_asked_at_once_all_have_less_until_they_have_answered() -> None:
    game = Game(Clock(60, 5)).write(100, BOTH).write(110, BOTH, done=frozenset({BEN}), answers=0)
    assert (game.left(ANN, 130), game.left(BEN, 130)) == (30, 50)


def test_a_turn_adds_time_when_it_ends_however_often_one_is_asked_in_it() -> None:
    assert Game(Clock(60, 5)).write(110, {ANN}).write(120, {ANN}).write(130, {BEN}).left(ANN, 200) == 35


def test_a_turn_adds_nothing_to_what_is_used_up() -> None:
    assert Game(Clock(60, 5)).write(170, {BEN}).left(ANN, 200) == -10


def test_a_change_of_mind_adds_nothing() -> None:
    game = Game(Clock(60, 5)).write(100, BOTH)
    for _ in range(3):
        game.write(100, BOTH, done=frozenset({BEN}), answers=0).write(100, BOTH, answers=0)
    assert game.left(BEN, 100) == 60


def test_a_turn_that_is_taken_back_has_added_nothing() -> None:
    game = Game(Clock(60, 5)).write(100, {BEN})
    assert game.left(ANN, 100) == 65
    assert game.write(100, {ANN}, answers=-1).left(ANN, 100) == 60
    assert game.write(100, {BEN}).write(100, {ANN}).write(100, {ANN}, answers=-2).left(ANN, 100) == 60


def test_every_turn_can_have_a_time_of_its_own() -> None:
    game = Game(Clock(60, each_turn=True)).write(170, {BEN}).write(180, {ANN})
    assert game.left(ANN, 200) == 40


def test_a_turn_that_is_had_again_has_the_time_that_was_left() -> None:
    game = Game(Clock(60, each_turn=True)).write(120, {BEN}).write(130, {ANN}, answers=-1)
    assert game.left(ANN, 135) == 35


def test_servers_whose_clocks_differ_give_nobody_time() -> None:
    game = Game(Clock(60)).write(110, {BEN}).write(105, {ANN})
    assert game.left(BEN, 110) == 60 and game.left(ANN, 110) == 50


GOOD = {"seconds": LONGEST, "increment": LONGEST, "each_turn": True}


@pytest.mark.parametrize(
    "changed",
    [
        {"seconds": 0},
        {"seconds": LONGEST + 1},
        {"seconds": 60.5},
        {"seconds": True},
        {"increment": -1},
        {"increment": LONGEST + 1},
        {"increment": "1"},
        {"each_turn": 1},
        {"more": 1},
    ],
)
def test_what_is_no_clock_is_none(changed: dict[str, Any]) -> None:
    assert Clock.from_data(GOOD | changed) is None


def test_a_clock_is_kept_as_data() -> None:
    assert Clock.from_data(GOOD) == Clock(LONGEST, LONGEST, True) and Clock(LONGEST, LONGEST, True).to_data() == GOOD
    assert Clock.from_data({"seconds": 1, "increment": 0, "each_turn": False}) == Clock(1)
    for data in (None, {}, [60, 0, False], *({k: v for k, v in GOOD.items() if k != name} for name in GOOD)):
        assert Clock.from_data(data) is None
