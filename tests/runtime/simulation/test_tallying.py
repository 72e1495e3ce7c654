"""Measures of counted games, and their sums over pairs, on handwritten rows."""

from __future__ import annotations

import pytest

from edict.compiler.pipeline.pipeline import build_program
from edict.runtime.simulation.counters import (
    FEATURES,
    ROW_PLACES,
    ROW_SCORES,
    ROW_SEATS,
    ROW_TURNS,
    SEATS,
    SUM_BINS,
    SUM_PLACES,
    SUM_SEATS,
)
from edict.runtime.simulation.counting import plan_counting
from edict.runtime.simulation.counting_layout import (
    BEST,
    BIN_SCORE,
    BIN_SEATS,
    BIN_SQUARES,
    BIN_WINS,
    BINS,
    CHOICES,
    DIFFERENCE,
    DIFFERING,
    LEAD,
    MEASURES,
    ONE,
    OTHER,
    PER_BIN,
    PER_MEASURE,
    QUESTIONS_ASKED,
    ROUNDS_HAD,
    ROUNDS_PLAYED,
    SHARE,
    SQUARES,
    TOGETHER,
    WINNING,
)
from edict.runtime.simulation.tallying import add_pair, add_to_sums, measure_game
from helpers import GAME, make_module

SCORES, PLACE, COUNTS, NO_TURNS = 40, 50, 60, 84  # places in a row; before them are the numbers of the game


def create_flat_plan(seats: int, features: int) -> list[int]:
    """Return the part of a counting plan that says where everything is."""
    made = [0] * 64
    made[SEATS], made[FEATURES] = seats, features
    made[ROW_SCORES], made[ROW_PLACES], made[ROW_SEATS] = SCORES, PLACE, COUNTS
    made[SUM_PLACES], made[SUM_SEATS] = seats, 2 * seats
    made[SUM_BINS] = 2 * seats + features * (seats + 1)
    made[ROW_TURNS] = NO_TURNS
    return made


def create_row(scores: list[int], places: list[int], won: int, counts: list[list[int]]) -> list[int]:
    """Return a finished game, with each seat's score and place, and by feature the amounts of seats and table."""
    made = [0] * 100
    made[WINNING], made[CHOICES], made[ROUNDS_PLAYED] = won, 31, 4
    made[SCORES : SCORES + len(scores)], made[PLACE : PLACE + len(places)] = scores, places
    flattened = [often for one in counts for often in one]
    made[COUNTS : COUNTS + len(flattened)] = flattened
    return made


@pytest.mark.parametrize(
    ("scores", "best", "lead"),
    [
        ([7], 7, 0),
        ([7, 12], 12, 5),
        ([12, 7], 12, 5),
        ([7, 7], 7, 0),
        ([-3, -1], -1, 2),
        ([7, 12, 9], 12, 3),
        ([7, 12, 3], 12, 5),
        ([12, 7, 15], 15, 3),
        ([5, 5, 5], 5, 0),
        ([9, 4, 9], 9, 0),
        ([1, 2, 3, 4], 4, 1),
        ([4, 3, 2, 1], 4, 1),
    ],
)
def test_lead_is_best_score_minus_second(scores: list[int], best: int, lead: int) -> None:
    found = [99] * (MEASURES + 2 * len(scores))
    measure_game(
        create_flat_plan(len(scores), 0), create_row(scores, [*range(len(scores))], 1, []), [], [0] * len(scores), found
    )
    assert (found[BEST], found[LEAD], found[TOGETHER]) == (best, lead, sum(scores))
    assert (found[QUESTIONS_ASKED], found[ROUNDS_HAD]) == (31, 4)


def test_wins_are_credited_to_places_groups_and_features() -> None:
    """Two of three have won and get half each."""
    counts = [[2, 0, 1, 5], [0, 0, 0, 0]]
    found = [99] * (MEASURES + 2 * 3 + 2 * 3)
    measure_game(create_flat_plan(3, 2), create_row([9, 4, 9], [2, 0, 1], 0b101, counts), [0, 1, -1], [1, 0, 1], found)
    half = SHARE // 2
    assert found[MEASURES : MEASURES + 3] == [0, half, half], "by place: the third and the second to begin"
    assert found[MEASURES + 3 : MEASURES + 6] == [0, SHARE, 0], "by group"
    both = 2 * (3 * half - SHARE)
    assert found[MEASURES + 6 :] == [2 + 0 + 1 + 5, both, 0, 0, 0, 0]
    measure_game(create_flat_plan(3, 2), create_row([9, 4, 9], [2, 0, 1], 0b010, counts), [0, 1, -1], [1, 0, 1], found)
    assert found[MEASURES + 6 : MEASURES + 8] == [8, -2 * SHARE], "both who had it lost"
    measure_game(create_flat_plan(3, 2), create_row([9, 4, 9], [2, 0, 1], 0, counts), [1], [1, 0, 1], found)
    assert found[MEASURES : MEASURES + 6] == [0] * 6, "nobody has won"


def test_finished_game_is_added_to_sums() -> None:
    seats, plan = 2, create_flat_plan(2, 2)
    sums = [0] * (plan[SUM_BINS] + 2 * BINS * PER_BIN)
    counts = [[1, -3, 2], [0, BINS + 4, BINS + 4]]
    for _ in range(2):
        add_to_sums(plan, create_row([5, 8], [1, 0], 0b10, counts), sums)
    assert sums[:seats] == [0, 2 * SHARE] and sums[seats : 2 * seats] == [2 * SHARE, 0]
    assert sums[2 * seats : plan[SUM_BINS]] == [2 * often for one in counts for often in one]

    def in_bin(feature: int, often: int) -> tuple[int, int, int, int]:
        at = plan[SUM_BINS] + (feature * BINS + often) * PER_BIN
        return sums[at + BIN_SEATS], sums[at + BIN_WINS], sums[at + BIN_SCORE], sums[at + BIN_SQUARES]

    assert in_bin(0, 1) == (2, 0, 10, 50)
    assert in_bin(0, 3) == (2, 2 * SHARE, 16, 128), "lost score counts as score"
    assert in_bin(0, 2) == (2, 0, 26, 338), "of the table: all scores together"
    assert in_bin(1, BINS - 1) == (4, 2 * SHARE, 16 + 26, 128 + 338), "the last bin holds all beyond it"
    assert in_bin(0, 0) == in_bin(1, 0) == (0, 0, 0, 0)
    add_to_sums(plan, create_row([5, 8], [1, 0], 0b11, [[0, 0, 0], [0, 0, 0]]), sums)
    assert sums[:seats] == [SHARE // 2, 2 * SHARE + SHARE // 2]


def test_pair_of_games_is_added_to_sums() -> None:
    sums = [0] * (2 * PER_MEASURE)
    add_pair([3, 10], [5, 10], sums)
    add_pair([4, 1], [1, 2], sums)
    first, second = sums[:PER_MEASURE], sums[PER_MEASURE:]
    assert [first[at] for at in (ONE, OTHER, DIFFERENCE, SQUARES, DIFFERING)] == [7, 6, -1, 13, 2]
    assert [second[at] for at in (ONE, OTHER, DIFFERENCE, SQUARES, DIFFERING)] == [11, 12, 1, 1, 1]


# --- the round that is counted --------------------------------------------------------------------------

YEARS = """
phase year "Year"
  repeat 3 times
    play season
phase season "Season"
  each player
    gain 1 coin
"""


@pytest.mark.parametrize(
    ("course", "title", "rounds"),
    [
        ("play year", "", 1),
        ("repeat 2 times\n      play year", "Year", 2),
        ("repeat 12 times\n      play year", "Year", 12),
        ("repeat 13 times\n      play year", "Year", 12),
    ],
)
def test_round_is_the_outer_phase_played_most_often(course: str, title: str, rounds: int) -> None:
    game = GAME.replace("each player in (first of everyone)\n      play trial-run", course)
    plan = plan_counting(build_program((make_module(game + YEARS),)).unwrap(), 2)
    assert (plan.round_name, plan.rounds) == (title, rounds)
