"""Games that begin in the middle: what may stand in which cell, where a game can begin, and what is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache

import pytest

from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import MOST_CELLS, MOST_NUMBER, Opening
from edict.game.table.rules import Rules, migrate
from edict.game.table.setup import Fits, own_cells
from edict.runtime.program import opcodes as o
from helpers import program, steps

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
    return Rules(program(TEXT + steps("gain 3 coin", "set days to 7", "add barn to noticed", "play late")), "trial")


@cache
def cells() -> dict[int, Fits]:
    return dict(own_cells(rules().program, rules().layout, 2))


def base(name: str) -> int:
    return next(one.base for one in rules().program.variables if one.name == name)


def packed(*members: int) -> int:
    """An order as a cell holds it: four bits a member, and after the last of them only ones."""
    return sum(one << 4 * place for place, one in enumerate([*members, *[15] * (15 - len(members))]))


MOST = MOST_NUMBER
WHAT_FITS: list[tuple[str, int, Iterable[int], Iterable[int]]] = [
    ("days", 0, (1, 9), (0, 10)),
    ("coin", 0, (0, MOST), (-1, MOST + 1)),
    ("fame", 0, (-MOST, MOST), (-MOST - 1, MOST + 1)),
    ("home", 0, (-1, 0, 2), (-2, 3)),
    ("noticed", 0, (0, 7), (-1, 8)),
    ("met", 0, (0, 3), (-1, 4)),
    ("files-in", 0, (packed(), packed(2), packed(2, 0, 1)), (-1, 0, packed(1, 1), packed(3), packed(0) - (1 << 40))),
    ("many", 0, (0, (1 << o.BITS) - 1), (-1, 1 << o.BITS)),
    ("many", 1, (0, (1 << 64 - o.BITS) - 1), (-1, 1 << 64 - o.BITS)),
    ("queue", 63, (-1, 63), (-2, 64)),
]


@pytest.mark.parametrize(("name", "further", "fits", "does_not"), WHAT_FITS)
def test_what_rules_could_not_write_down_fits_in_no_cell(
    name: str, further: int, fits: Iterable[int], does_not: Iterable[int]
) -> None:
    test = cells()[base(name) + further]
    assert [value for value in (*fits, *does_not) if test(value)] == [*fits]


def test_dice_and_who_knows_something_have_bounds_too() -> None:
    made = rules().program
    dice, known = cells()[base("thrown")], cells()[next(one.known for one in made.variables if one.known >= 0)]
    assert [dice(value) for value in (-1, 0, (1 << made.dice.bits) - 1, 1 << made.dice.bits)] == [
        False,
        True,
        True,
        False,
    ]
    assert [known(value) for value in (-1, 0, 3, 4)] == [False, True, True, False], "seats at this table"
    assert min(cells()) >= made.header, "nothing of the machine's own"


def begun(opening: Opening, seed: int = 1) -> list[int]:
    """The state of a game that begins there."""
    plain = rules().new_game(["Ann", "Ben"], seed=seed).journal
    return rules().replay(replace(plain, header=replace(plain.header, opening=opening), answers=())).state


def test_a_game_begins_at_a_phase_with_what_is_given() -> None:
    state = begun(Opening("phase late", ((base("coin") + 1, 8), (base("days"), 2)), you=1))
    assert state[base("coin") : base("coin") + 2] == [0, 8], "what was gained on the way counts for nothing"
    assert (state[base("days")], state[base("noticed")]) == (2, 1 << 1), "what is not given is as it came about"
    assert (state[o.STATUS], state[o.OPTIONS], state[o.LOGGING]) == (o.ASKING, 2, 1)


def test_or_at_the_beginning_with_the_table_laid() -> None:
    state = begun(Opening("", ((base("coin"), 4), (base("home"), 2))))
    assert state[base("coin") : base("coin") + 2] == [7, 0], "three more than was given"
    assert state[base("home") : base("home") + 2] == [2, -1] and state[base("days")] == 7


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
def test_where_no_game_can_begin_is_said_at_the_first_line(opening: Opening, reason: str, remedy: str) -> None:
    with pytest.raises(JournalError) as caught:
        begun(opening)
    assert (caught.value.reason, caught.value.remedy, caught.value.line) == (reason, remedy, 1)


def test_an_invalid_value_is_one_beyond_the_ends() -> None:
    for value in (1, 9):
        assert begun(Opening("phase late", ((base("days"), value),)))[base("days")] == value
    for value in (0, 10):
        with pytest.raises(JournalError, match="the game begins with an invalid value"):
            begun(Opening("phase late", ((base("days"), value),)))


def test_a_game_begun_in_the_middle_stays_with_its_rules() -> None:
    journal = rules().new_game(["Ann", "Ben"], seed=1).journal
    header = replace(journal.header, rules="others", meaning="", opening=Opening("phase late"))
    with pytest.raises(GameError) as caught:
        migrate(rules(), replace(journal, header=header))
    assert caught.value.reason == "the game began in the middle, under different rules"
    assert caught.value.remedy == "start it there again, or play under its own rules"


WRITTEN = {"at": "phase late", "cells": [[300, 1], [301, -2]], "you": 1, "about": ["trial.yaml", "Late"]}


def test_where_a_game_begins_is_written_and_read_again() -> None:
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
def test_what_is_no_beginning_is_none(wrong: dict[str, object]) -> None:
    assert Opening.from_data(WRITTEN | wrong) is None


@pytest.mark.parametrize("missing", WRITTEN)
def test_nor_is_one_of_which_something_is_missing(missing: str) -> None:
    assert Opening.from_data({name: value for name, value in WRITTEN.items() if name != missing}) is None
