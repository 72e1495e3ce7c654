"""Encoding of observations and options as numbers, on handwritten cells and rows."""

from __future__ import annotations

import pytest

from edict.runtime.machine import encoding as m
from edict.runtime.program import opcodes as o
from helpers import compile_program

PLAYERS, ME = 3, 1  # the seat that looks; the others are two places, and one, before it
LINE = 2 | 0 << 4 | 1 << 8 | 15 << 12  # seats 2, 0, 1


def state(*options: int, seat: int = ME, question: int = 0) -> list[int]:
    cells = [0] * (o.HEADER + 4)
    cells[o.PLAYERS], cells[o.SEAT], cells[o.QUESTION], cells[o.OPTIONS] = PLAYERS, seat, question, len(options)
    cells[o.WIDTH], cells[o.FIELDS] = 4, 3
    cells[o.FIRST_OPTION : o.FIRST_OPTION + len(options)] = options
    return cells


SEEN = [
    (m.NUMBER, 7, [7]),
    (m.NUMBER, -7, [-7]),
    (m.SET, 0b1101, [1, 0, 1, 1]),
    (m.SET, 0b10, [0, 1]),
    (m.THING, 0, [1, 0, 0]),
    (m.THING, 2, [0, 0, 1]),
    (m.THING, -1, [0, 0, 0]),
    (m.THING, 3, [0, 0, 0]),
    (m.DICE, 0x301, [1, 0, 3]),
    (m.SEATS, 0b011, [1, 0, 1]),
    (m.SEATS, 0b100, [0, 1, 0]),
    (m.SEATED, 1, [1, 0, 0]),
    (m.SEATED, 0, [0, 0, 1]),
    (m.SEATED, 2, [0, 1, 0]),
    (m.SEATED, -1, [0, 0, 0]),
    (m.SEATED, 3, [0, 0, 0]),
    (m.LINE, LINE, [3, 1, 2]),
    (m.ORDER, LINE, [2, 3, 1]),
    (m.ORDER, LINE, [2, 3]),
    (m.WAYS, 3, [1, 0, 0, 0, 2, 0, 0]),  # of three options the dice of the two for which there is room
]


def test_each_value_shape_is_encoded_relative_to_the_seat(subtests: pytest.Subtests) -> None:
    for shape, value, numbers in SEEN:
        with subtests.test(shape=shape, value=value):
            found = [0, *numbers, 0]
            found[1:-1] = [0] * len(numbers)
            m.encode_value(state(0x001, 0x020, 0x300), shape, value, ME, len(numbers), found, 1)
            assert found == [0, *numbers, 0]
    found = [0] * 6
    m.encode_value(state(0x001, seat=0), m.WAYS, 3, ME, 6, found, 0)
    assert not any(found), "somebody else is asked"


def test_hidden_cell_is_observed_only_by_seats_that_know_it(subtests: pytest.Subtests) -> None:
    """Use two plain numbers, and a secret in the third cell; the fourth cell says who knows it."""
    first, second, secret, known = range(o.HEADER, o.HEADER + 4)
    rest = 2, first, 0, second, 1, 2, m.THING, secret, known, 3, 2, m.SEATED, first, -1, 3, 6
    reads = (2, 2 + len(rest), *rest, *rest)
    cells = state()
    cells[first:] = [2, 5, 0, 0b10]
    for seat, wanted in ((0, [2, 5, 0, 0, 0, 0, 0, 0, 1]), (1, [2, 5, 1, 1, 0, 0, 0, 1, 0])):
        with subtests.test(seat=seat):
            found = [0] * 9
            m.observe(cells, reads, seat, found)
            assert found == wanted


def test_secret_cells_are_listed_with_knowledge_and_mask() -> None:
    keeps = "keep bid of player as number, secret\nkeep top as card or none, secret\nkeep open as number\n"
    made = compile_program(f"kind card\ncard ace\ncard king\n{keeps}")
    bid, top = made.variable_by_name["bid"], made.variable_by_name["top"]
    wanted = {(bid.base + i, bid.known + i, 0) for i in range(len(bid.cells))} | {(top.base, top.known, -1)}
    assert {*m.list_secret_cells(made)} == wanted


# Four questions, whose rows stand behind: what is listed, players, numbers without a bound, ways to pay. A row begins
# with the action that declines; that of ways to pay goes on with `no more`, three fields, one help, and how often each
# of two combinations helps.
ACTS = (
    m.LISTED_ACTIONS,
    12,
    3,
    m.SEATED_ACTIONS,
    16,
    3,
    m.COUNTED_ACTIONS,
    20,
    3,
    m.PAID_ACTIONS,
    25,
    5,
    9,
    10,
    11,
    12,
    9,
    20,
    21,
    22,
    9,
    30,
    31,
    32,
    33,
    9,
    40,
    41,
    42,
    43,
    44,
    0,
    1,
)
HELPED = 1 << 12  # the second combination
OFFERED = [
    (0, (0, 2, -1), [10, 12, 9], 0),
    (0, (1, 7), [11, 12], 0),  # beyond the last it is the last
    (1, (1, 2, 0), [20, 21, 22], 0),
    (2, (0, 1, 2, 3, 9), [30, 31, 32, 33, 33], 1),
    (2, (5, 6, 7, -1), [32, 33, 33, 9], 1),  # three is common to all
    (2, (2, 5), [32, 33], 1),
    (3, (0x001, 0x002, 0x003), [40, 41, 41], 1),  # one die is common to all: no more, or more
    (3, (0x011, 0x101), [42, 43], 1),
    (3, (0x010, 0x010 | HELPED), [40, 44], 1),
    (3, (0x001, 0x100 | HELPED), [41, 43], 1),
]


def test_options_are_encoded_as_actions(subtests: pytest.Subtests) -> None:
    for question, options, actions, in_parts in OFFERED:
        with subtests.test(options=options):
            asked, found = state(*options, question=question), [0] * len(options)
            assert (m.encode_actions(asked, ACTS, found), found) == (len(options), actions)
            assert m.may_share_actions(asked, ACTS) == in_parts
    drawn, found = state(5, 6, seat=o.CHANCE, question=3), [0, 0]
    assert (m.encode_actions(drawn, ACTS, found), found, m.may_share_actions(drawn, ACTS)) == (2, [0, 1], 0), "by place"


def test_action_narrows_the_question_to_its_options(subtests: pytest.Subtests) -> None:
    for option, left, several in ((0, [1, 5, 7], 0), (1, [5, 7], 1), (2, [5, 7], 1)):
        with subtests.test(option=option):
            asked = state(1, 5, 7, question=2)
            assert m.narrow_options(asked, option, [31, 33, 33]) == several
            assert asked[o.FIRST_OPTION :][: asked[o.OPTIONS]] == left
    asked = state(5, 7)
    assert m.narrow_options(asked, 0, [33, 33]) == 0 and asked[o.OPTIONS] == 2
