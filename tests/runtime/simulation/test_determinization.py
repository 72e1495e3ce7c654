"""Repair of a course that looks different, its mismatches and the answers to exchange."""

from __future__ import annotations

from math import log

import pytest

from edict.runtime.program.opcodes import FIRST_OPTION, OPTIONS
from edict.runtime.simulation import determinization as mending
from edict.runtime.simulation import resampling
from edict.runtime.simulation.information_sets import COUNTED, FACTS, MEMBERLESS, PACKED, SETS
from edict.runtime.simulation.resampling import NONE

GROUPS = [0, 1, 1, 2, 1, 0]  # hidden answers to questions 1, 2 and 4 are cards of one deck, that to 3 is of another
ANSWERS = [7, 4, 5, 4, 6]
GLIMPSES = [(2, 0, 30), (2, 1, 31), (3, 1, 32), (-1, 0, 6)]  # of a question before the first: what the deck has left


def create_course() -> list[int]:
    last, places = len(GROUPS) - 1, [at for at, group in enumerate(GROUPS) if group]
    found = [0] * resampling.COURSE
    found[resampling.LAST], found[resampling.MANY], found[resampling.LUCK] = last, len(places), 11
    found[resampling.GLIMPSES] = len(GLIMPSES)
    return [*found, *GROUPS, *places, *[NONE] * last, *(number for glimpse in GLIMPSES for number in glimpse)]


def test_hidden_answers_are_found_by_value_group_and_pin() -> None:
    one = create_course()
    assert [mending.find_latest(one, ANSWERS, before, 4) for before in (0, 1, 2, 3)] == [-1, 1, 1, 3]
    assert [resampling.find_holder(one, ANSWERS, at, 4) for at in (2, 4, 1)] == [1, 1, -1], "not of another deck"
    assert [resampling.is_undrawn(one, at, 6) for at in (1, 3)] == [1, 0] and resampling.is_undrawn(one, 1, 30) == 0
    assert not any(mending.is_pinned(one, ANSWERS, at) for at in (1, 2, 3, 4))
    one[resampling.COURSE + 6 + 4 + 2] = ANSWERS[2]
    assert [mending.is_pinned(one, ANSWERS, at) for at in (1, 2, 3)] == [0, 1, 0]
    seen = {mending.pick_glimpse(one, 2) for _ in range(40)}
    assert {tuple(one[at : at + 3]) for at in seen} == {*GLIMPSES[:2]} and mending.pick_glimpse(one, 4) == -1


def test_nearest_other_holder_of_a_value_is_found() -> None:
    same = [7, 4, 4, 4, 4]
    assert [resampling.find_holder(create_course(), same, at, 4) for at in (1, 2, 4)] == [2, 1, 2]


def test_drawn_value_is_held_by_no_later_answer_and_known_not_to_be_undrawn() -> None:
    """Of the values offered at question 2, one has stayed in the deck, and the answer to question 4 has another."""
    one, state = create_course(), [0] * FIRST_OPTION + [6, 9, 3]
    state[OPTIONS] = 3
    answers = [7, 4, 5, 4, 9]
    assert {state[FIRST_OPTION + resampling.draw_unclaimed_option(one, state, answers, 2)] for _ in range(30)} == {3}


def test_likelihood_ratio_counts_hidden_answers_after_the_first_by_their_options() -> None:
    here, there = ([[0] * OPTIONS + [options] for options in row] for row in ((9, 9, 4, 1, 2), (9, 8, 2, 1, 6)))
    ratios = [resampling.log_likelihood_ratio(create_course(), here, there, first) for first in (0, 1, 2, 4)]
    assert ratios == pytest.approx([log(8 / 9 * 2 / 4 * 6 / 2), log(2 / 4 * 6 / 2), log(6 / 2), 0.0])


def pack_order(*members: int) -> int:
    return sum((members[place] if place < len(members) else 15) << (4 * place) for place in range(15))


def test_wanted_value_depends_on_the_type_of_cell(subtests: pytest.Subtests) -> None:
    """A number, nothing, a thing, a random member of a set (or one too many), a misplaced one of an order."""
    one = create_course()
    for member, found, wished, expected in (
        (COUNTED - 3, 5, 6, {3}),
        (MEMBERLESS, 5, 6, {6}),
        (MEMBERLESS, 5, -1, {NONE}),
        (100, 0b0110, 0b0011, {100, 102}),
        (100, 0b0110, 0b1111, {100, 103, NONE}),
        (PACKED, pack_order(0, 1, 2), pack_order(0, 2, 1), {1, 2}),
        (PACKED, pack_order(3), pack_order(3), {NONE}),
        (PACKED, pack_order(3, 4), pack_order(3), {NONE}),
    ):
        with subtests.test(member=member, found=found, wished=wished):
            facts = [0] * FACTS + [member]
            facts[SETS] = FACTS
            assert {mending.pick_missing_value(facts, one, 0, found, wished) for _ in range(60)} == expected, (
                member,
                found,
                wished,
            )
    assert [
        mending.count_misplaced_members(pack_order(0, 1, 2), pack_order(*other))
        for other in ((0, 1, 2), (0, 2, 1), (0, 1))
    ] == [0, 2, 1]
