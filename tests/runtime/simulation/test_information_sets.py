"""Which states a seat cannot tell apart."""

from __future__ import annotations

import pytest

from edict.runtime.program.opcodes import FIRST_OPTION, OPTIONS, QUESTION, SEAT
from edict.runtime.simulation.information_sets import FACTS, GUARDS, HEADER, SEATED, look_alike

WATCHER, OTHER = 0, 1
HEAD = FIRST_OPTION + 4
OPEN, KNOWN, HIDDEN = HEAD, HEAD + 1, HEAD + 2  # a value for all, who knows the hidden one, and the hidden one
CELLS = HEAD + 3


def facts() -> list[int]:
    found = [0] * FACTS + [0] * CELLS
    found[SEATED], found[HEADER], found[GUARDS] = WATCHER, HEAD, FACTS
    found[FACTS + HIDDEN], found[FACTS + KNOWN] = KNOWN, -HIDDEN
    return found


def state(changed: dict[int, int], *, seat: int = WATCHER, known: int = 1 << OTHER) -> list[int]:
    """A question with two options, of the values 7 and 8."""
    cells = [0] * CELLS
    cells[QUESTION], cells[SEAT], cells[OPTIONS], cells[KNOWN] = 3, seat, 2, known
    cells[FIRST_OPTION : FIRST_OPTION + 2] = 7, 8
    for cell, value in changed.items():
        cells[cell] = value
    return cells


@pytest.mark.parametrize(
    ("changed", "same_to_asked", "same_to_others"),
    [
        ({}, 1, 1),
        ({QUESTION: 4}, 0, 0),
        ({SEAT: 2}, 0, 0),
        ({OPTIONS: 3, FIRST_OPTION + 2: 9}, 0, 1),
        ({OPTIONS: 1}, 0, 1),
        ({FIRST_OPTION: 6}, 0, 1),
        ({FIRST_OPTION + 1: 9}, 0, 1),
        ({FIRST_OPTION + 2: 9}, 1, 1),
        ({OPEN: 1}, 0, 0),
        ({CELLS - 1: 1}, 1, 1),
    ],
    ids=["same", "question", "seat", "more options", "fewer", "first", "last", "beyond the last", "open", "hidden"],
)
def test_states_are_alike_only_if_question_options_and_visible_cells_are(
    changed: dict[int, int], same_to_asked: int, same_to_others: int, subtests: pytest.Subtests
) -> None:
    for seat, same in ((WATCHER, same_to_asked), (OTHER, same_to_others)):
        with subtests.test(seat=seat):
            one, other = state({}, seat=seat), state(changed, seat=seat)
            assert look_alike(facts(), one, other, CELLS) == look_alike(facts(), other, one, CELLS) == same


@pytest.mark.parametrize(("known", "same"), [(1 << WATCHER, 0), (1 << OTHER, 1), (0, 1), (0b11, 0)])
def test_hidden_cell_tells_states_apart_only_to_seats_that_know_it(known: int, same: int) -> None:
    one, other = state({}, known=known), state({HIDDEN: 1}, known=known)
    assert look_alike(facts(), one, other, CELLS) == same
