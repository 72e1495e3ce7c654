"""Clocks: they run while a player is asked, and the time left follows from the times of answers."""

from __future__ import annotations

from typing import Any

import pytest

from edict.game.table.clock import MOST_SECONDS, PlayerClocks, TimeControl

ANN, BEN = 0, 1
BOTH = {ANN, BEN}


class ClockedGame:
    """The clocks of two players with lines written one by one. Ann is asked at 100 seconds."""

    def __init__(self, clock: TimeControl) -> None:
        self.clocks = PlayerClocks(clock, 2)
        self.answers = 0
        self.write(100, {ANN})

    def write(
        self, time: float, turns: set[int], *, done: frozenset[int] = frozenset(), answers: int = 1
    ) -> ClockedGame:
        """From then on it is their turn, but those who are `done` have answered. answers: below 0, some are taken
        back; 0, somebody has answered before their turn."""
        self.answers += answers
        self.clocks.advance_to(time, turns, turns - done, self.answers, answers < 0)
        return self

    def seconds_left(self, seat: int, now: float) -> float:
        return self.clocks.seconds_left(seat, now)


def test_only_the_asked_players_clock_runs() -> None:
    game = ClockedGame(TimeControl(60)).write(110, {BEN})
    assert game.clocks.running == {BEN} and (game.seconds_left(ANN, 130), game.seconds_left(BEN, 130)) == (50, 40)


def test_no_clock_runs_before_the_first_answer() -> None:
    clocks = PlayerClocks(TimeControl(60), 2)
    assert clocks.running == frozenset() and clocks.seconds_left(ANN, 1000) == 60
    clocks.advance_to(1000, {BEN}, {BEN}, 1, False)
    assert clocks.seconds_left(BEN, 1010) == 50


def test_simultaneous_clocks_run_until_each_has_answered() -> None:
    game = ClockedGame(TimeControl(60, 5)).write(100, BOTH).write(110, BOTH, done=frozenset({BEN}), answers=0)
    assert (game.seconds_left(ANN, 130), game.seconds_left(BEN, 130)) == (30, 50)


def test_increment_is_added_once_per_turn() -> None:
    assert (
        ClockedGame(TimeControl(60, 5)).write(110, {ANN}).write(120, {ANN}).write(130, {BEN}).seconds_left(ANN, 200)
        == 35
    )


def test_no_increment_after_time_is_up() -> None:
    assert ClockedGame(TimeControl(60, 5)).write(170, {BEN}).seconds_left(ANN, 200) == -10


def test_changed_early_answer_adds_no_increment() -> None:
    game = ClockedGame(TimeControl(60, 5)).write(100, BOTH)
    for _ in range(3):
        game.write(100, BOTH, done=frozenset({BEN}), answers=0).write(100, BOTH, answers=0)
    assert game.seconds_left(BEN, 100) == 60


def test_undone_turn_adds_no_increment() -> None:
    game = ClockedGame(TimeControl(60, 5)).write(100, {BEN})
    assert game.seconds_left(ANN, 100) == 65
    assert game.write(100, {ANN}, answers=-1).seconds_left(ANN, 100) == 60
    assert game.write(100, {BEN}).write(100, {ANN}).write(100, {ANN}, answers=-2).seconds_left(ANN, 100) == 60


def test_time_can_be_per_turn() -> None:
    game = ClockedGame(TimeControl(60, each_turn=True)).write(170, {BEN}).write(180, {ANN})
    assert game.seconds_left(ANN, 200) == 40


def test_repeated_turn_has_the_remaining_time() -> None:
    game = ClockedGame(TimeControl(60, each_turn=True)).write(120, {BEN}).write(130, {ANN}, answers=-1)
    assert game.seconds_left(ANN, 135) == 35


def test_clock_skew_between_servers_adds_no_time() -> None:
    game = ClockedGame(TimeControl(60)).write(110, {BEN}).write(105, {ANN})
    assert game.seconds_left(BEN, 110) == 60 and game.seconds_left(ANN, 110) == 50


GOOD = {"seconds": MOST_SECONDS, "increment": MOST_SECONDS, "each_turn": True}


@pytest.mark.parametrize(
    "changed",
    [
        {"seconds": 0},
        {"seconds": MOST_SECONDS + 1},
        {"seconds": 60.5},
        {"seconds": True},
        {"increment": -1},
        {"increment": MOST_SECONDS + 1},
        {"increment": "1"},
        {"each_turn": 1},
        {"more": 1},
    ],
)
def test_malformed_clock_data_is_none(changed: dict[str, Any]) -> None:
    assert TimeControl.from_data(GOOD | changed) is None


def test_clock_data_round_trips(subtests: pytest.Subtests) -> None:
    assert (
        TimeControl.from_data(GOOD) == TimeControl(MOST_SECONDS, MOST_SECONDS, True)
        and TimeControl(MOST_SECONDS, MOST_SECONDS, True).to_data() == GOOD
    )
    assert TimeControl.from_data({"seconds": 1, "increment": 0, "each_turn": False}) == TimeControl(1)
    for data in (None, {}, [60, 0, False], *({k: v for k, v in GOOD.items() if k != name} for name in GOOD)):
        with subtests.test(data=data):
            assert TimeControl.from_data(data) is None


@pytest.mark.parametrize(
    ("taken_back", "left"),
    [(-1, (65, 60)), (-2, (60, 60))],
    ids=["the turn that ended before it keeps its increment", "both turns lose it"],
)
def test_undo_takes_back_only_increments_of_turns_that_ended_after_it(
    taken_back: int, left: tuple[float, float]
) -> None:
    game = ClockedGame(TimeControl(60, 5)).write(100, {BEN}).write(100, {ANN})
    assert (game.seconds_left(ANN, 100), game.seconds_left(BEN, 100)) == (65, 65)
    game.write(100, {ANN}, answers=taken_back)
    assert (game.seconds_left(ANN, 100), game.seconds_left(BEN, 100)) == left


@pytest.mark.parametrize(("thought", "left"), [(59, 6), (60, 0), (61, -1)])
def test_turn_adds_its_increment_only_if_some_time_was_left(thought: int, left: int) -> None:
    assert ClockedGame(TimeControl(60, 5)).write(100 + thought, {BEN}).seconds_left(ANN, 300) == left
