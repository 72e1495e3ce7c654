"""Openings: games that start in the middle, the values that cells may have, and refused openings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import pytest

from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import MOST_CELLS, MOST_NUMBER, Opening
from edict.game.table.rules import Rules, migrate_journal
from edict.game.table.setup import ValueTest, settable_cells
from edict.runtime.program import opcodes as o
from helpers import compile_program, make_phase

ROWS = "".join(f'mark m-{number} "M {number}"\n' for number in range(64))
TEXT = f"""
kind hut "hut/huts"
hut shed "Shed"
hut barn "Barn"
hut mill "Mill"
kind mark "mark/marks"
{ROWS}
keep days as number from 1 to 9 starting at 5
keep home of player as hut or none
keep noticed as set of hut
keep met as set of player
keep files-in as order of hut
keep thrown as dice
keep many as set of mark
keep queue as order of mark
keep hand of player as hut or none, secret

phase late "Late"
  each player
    choose one "Now?"
      option "Yes"
        gain 1 fame
      option "No"
        gain 2 fame
phase never "Never"
  gain 1 coin
"""


@cache
def rules() -> Rules:
    return Rules(
        compile_program(TEXT + make_phase("gain 3 coin", "set days to 7", "add barn to noticed", "play late")), "trial"
    )


@cache
def cells() -> dict[int, ValueTest]:
    return dict(settable_cells(rules().program, rules().layout, 2))


def base_of(name: str) -> int:
    return next(one.base for one in rules().program.variables if one.name == name)


def pack_order(*members: int) -> int:
    """Return an order as its cell holds it: four bits a member, then only ones."""
    return sum(one << 4 * place for place, one in enumerate([*members, *[15] * (15 - len(members))]))


MOST = MOST_NUMBER
WHAT_FITS: list[tuple[str, int, Iterable[int], Iterable[int]]] = [
    ("days", 0, (1, 9), (0, 10)),
    ("coin", 0, (0, MOST), (-1, MOST + 1)),
    ("fame", 0, (-MOST, MOST), (-MOST - 1, MOST + 1)),
    ("home", 0, (-1, 0, 2), (-2, 3)),
    ("noticed", 0, (0, 7), (-1, 8)),
    ("met", 0, (0, 3), (-1, 4)),
    (
        "files-in",
        0,
        (pack_order(), pack_order(2), pack_order(2, 0, 1)),
        (-1, 0, pack_order(1, 1), pack_order(3), pack_order(0) - (1 << 40)),
    ),
    ("many", 0, (0, (1 << o.BITS) - 1), (-1, 1 << o.BITS)),
    ("many", 1, (0, (1 << 64 - o.BITS) - 1), (-1, 1 << 64 - o.BITS)),
    ("queue", 63, (-1, 63), (-2, 64)),
]


@pytest.mark.parametrize(("name", "further", "fits", "does_not"), WHAT_FITS)
def test_cells_accept_only_values_that_rules_can_express(
    name: str, further: int, fits: Iterable[int], does_not: Iterable[int]
) -> None:
    test = cells()[base_of(name) + further]
    assert [value for value in (*fits, *does_not) if test(value)] == [*fits]


def test_dice_and_knower_cells_have_bounds() -> None:
    made = rules().program
    dice, known = cells()[base_of("thrown")], cells()[next(one.known for one in made.variables if one.known >= 0)]
    assert [dice(value) for value in (-1, 0, (1 << made.dice.bits) - 1, 1 << made.dice.bits)] == [
        False,
        True,
        True,
        False,
    ]
    assert [known(value) for value in (-1, 0, 3, 4)] == [False, True, True, False], "seats at this table"
    assert min(cells()) >= made.header_size, "nothing of the machine's own"


def open_game(opening: Opening, seed: int = 1) -> list[int]:
    """Return the state of a game with this opening."""
    plain = rules().new_game(["Ann", "Ben"], seed=seed).journal
    return rules().replay(replace(plain, header=replace(plain.header, opening=opening), answers=())).state


def test_game_starts_at_a_phase_with_given_values() -> None:
    state = open_game(Opening("phase late", ((base_of("coin") + 1, 8), (base_of("days"), 2)), you=1))
    assert state[base_of("coin") : base_of("coin") + 2] == [0, 8], "what was gained on the way counts for nothing"
    assert (state[base_of("days")], state[base_of("noticed")]) == (2, 1 << 1), "what is not given is as it came about"
    assert (state[o.STATUS], state[o.OPTIONS], state[o.LOGGING]) == (o.ASKING, 2, 1)


def test_game_starts_at_the_beginning_with_the_table_laid() -> None:
    state = open_game(Opening("", ((base_of("coin"), 4), (base_of("home"), 2))))
    assert state[base_of("coin") : base_of("coin") + 2] == [7, 0], "three more than was given"
    assert state[base_of("home") : base_of("home") + 2] == [2, -1] and state[base_of("days")] == 7


DAMAGED = "the journal was changed or damaged"
NOT_THERE = [
    (Opening("phase gone"), "no game can begin at `phase gone`", "the rules have no place of that name"),
    (
        Opening("phase never"),
        "no game reached `phase never`",
        "begin at the start, or at a phase that is played in every game",
    ),
    (Opening("", ((0, 1),)), "the game begins with an invalid value", DAMAGED),
    (Opening("phase late", ((10**6, 1),)), "the game begins with an invalid value", DAMAGED),
    (Opening("", (), you=2), "the game begins with a player who does not exist", DAMAGED),
]


@pytest.mark.parametrize(("opening", "reason", "remedy"), NOT_THERE)
def test_impossible_opening_is_reported_at_the_first_line(opening: Opening, reason: str, remedy: str) -> None:
    with pytest.raises(JournalError) as caught:
        open_game(opening)
    assert (caught.value.reason, caught.value.remedy, caught.value.line) == (reason, remedy, 1)


def test_values_beyond_the_range_are_invalid(subtests: pytest.Subtests) -> None:
    for value in (1, 9):
        with subtests.test(value=value):
            assert open_game(Opening("phase late", ((base_of("days"), value),)))[base_of("days")] == value
    for value in (0, 10):
        with pytest.raises(JournalError, match="the game begins with an invalid value"):
            open_game(Opening("phase late", ((base_of("days"), value),)))


def test_game_started_in_the_middle_cannot_be_migrated() -> None:
    journal = rules().new_game(["Ann", "Ben"], seed=1).journal
    header = replace(journal.header, rules="others", meaning="", opening=Opening("phase late"))
    with pytest.raises(GameError) as caught:
        migrate_journal(rules(), replace(journal, header=header))
    assert caught.value.reason == "the game began in the middle, under different rules"
    assert caught.value.remedy == "start it there again, or play under its own rules"


WRITTEN = {"at": "phase late", "cells": [[300, 1], [301, -2]], "you": 1, "about": ["trial.yaml", "Late"]}


def test_opening_data_round_trips() -> None:
    opening = Opening("phase late", ((300, 1), (301, -2)), 1, ("trial.yaml", "Late"))
    assert opening.to_data() == WRITTEN and Opening.from_data(WRITTEN) == opening
    many = WRITTEN | {"cells": [[number, 0] for number in range(MOST_CELLS)]}
    assert Opening.from_data(many) is not None


@pytest.mark.parametrize(
    "wrong",
    [
        {"at": 3},
        {"you": "Ann"},
        {"you": True},
        {"cells": [[1]]},
        {"cells": [[1, 2, 3]]},
        {"cells": [[1, "2"]]},
        {"cells": 7},
        {"about": ["trial.yaml"]},
        {"about": ["trial.yaml", 7]},
        {"about": [7, "Late"]},
        {"cells": [[number, 0] for number in range(MOST_CELLS + 1)]},
    ],
)
def test_malformed_opening_data_is_none(wrong: dict[str, object]) -> None:
    assert Opening.from_data(WRITTEN | wrong) is None


@pytest.mark.parametrize("missing", WRITTEN)
def test_incomplete_opening_data_is_none(missing: str) -> None:
    assert Opening.from_data({name: value for name, value in WRITTEN.items() if name != missing}) is None
