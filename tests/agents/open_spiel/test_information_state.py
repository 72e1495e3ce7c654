"""What a seat has seen of a game, as OpenSpiel reads it; looked at without OpenSpiel, which need not be installed."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from random import Random
from typing import Any

import pytest

import edict
from edict.agents.spaces.game_coding import coding
from edict.game.table.rules import Rules
from edict.runtime.machine.encoding import narrow_options
from edict.runtime.program.opcodes import FIRST_OPTION, OPTIONS
from edict.runtime.simulation import native
from helpers import program, steps

if not native.is_available():
    pytest.skip("llvmlite is an extra (openspiel), and not installed here", allow_module_level=True)

KEEPS = """
kind leaf "leaf/leaves"
leaf lime "Lime"
leaf fern "Fern"
leaf moss "Moss"
keep cup "cup" of player as dice, secret
keep hand "hand" of player as leaf or none, secret
keep hoard "hoard" of player as set of leaf, secret
"""
GO_ON = """
each player in (left of you)
  may "Go on?"
    gain 1 coin
"""


@pytest.fixture(scope="module")
def position() -> Any:
    """The class of positions: its file needs no OpenSpiel, but the package around it does."""
    path = f"{edict.__path__[0]}/agents/open_spiel/position.py"
    spec = spec_from_file_location("position_alone", path)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.TreePosition


def ends(at: Any, first: int) -> Iterator[Any]:
    """Every place at which the second seat is asked openly first, after the first answer of the first seat."""
    asked = at.coding.program.questions[at.state[edict.runtime.program.opcodes.QUESTION]]
    if at.seat == 1 and not asked.secret:
        yield at
        return
    for answer in [first] if at.seat == 0 and at.before is None else range(at.options):
        yield from ends(at.after(answer), first)


def begun(position: Any, *lines: str) -> Any:
    rules = Rules(program(KEEPS, steps(*lines, GO_ON)), "trial")
    return position.first(coding(rules, (), 2, None, "victory"))


def test_how_much_was_drawn_in_secret_is_no_line_of_its_own(position: Any) -> None:
    """Every die that somebody rolled in secret was a line for the others, who could count them."""
    again = 'choose a number from 0 to 2 as often secretly "How many?"\nrepeat often times\n  '
    for drawn in (
        "draw a leaf from leaves as dealt secretly\n  set hand of you to dealt",
        "draw a leaf from leaves as dealt secretly",
        "roll 1 gem into cup of you",
        "roll 1 gem into cup of you\n  reroll all within cup of you",
    ):
        start = begun(position, again + drawn)
        told = [{place.seen(1) for place in ends(start, often)} for often in range(start.options)]
        assert len(told) == 3 and told[0] == told[1] == told[2] and len(told[0]) == 1, (drawn, told)


def test_nor_is_how_often_somebody_chose_in_secret(position: Any) -> None:
    many = 'choose a number from 0 to 2 as often secretly "How many?"'
    start = begun(position, many, "repeat often times\n  choose a leaf as kept secretly")
    assert len({place.seen(1) for often in range(3) for place in ends(start, often)}) == 1


def test_who_draws_it_sees_it(position: Any) -> None:
    start = begun(position, "draw a leaf from leaves as dealt secretly\nset hand of you to dealt")
    places = list(ends(start, 0))
    places = places or [place for answer in range(3) for place in ends(start.after(answer), 0)]
    assert len({place.seen(0) for place in places}) == 3
    assert len({place.seen(1) for place in places}) == 1


def test_what_is_chosen_and_drawn_openly_is_seen_by_all(position: Any) -> None:
    start = begun(position, "choose a leaf as named\ndraw a leaf from leaves as turned-up")
    places = [place for answer in range(3) for place in ends(start, answer)]
    assert len({place.seen(0) for place in places}) == len({place.seen(1) for place in places}) == 9


def test_an_answer_given_in_parts_is_seen_when_it_is_given(position: Any) -> None:
    """Whoever answers sees each part; the others see the answer, and courses that look the same are found."""
    start = begun(position, "choose a number from 0 to 40 + coin of you as many", "gain many stick")
    assert start.seat == 0 and len(start.actions) == 41
    numbers = start.coding.actions.numbers
    sixteen, four = numbers["number: 16 more"], numbers["number: 4"]
    part = start.after_action(sixteen)
    assert part.whole is start and part.seat == 0 and len({*part.actions}) == 17
    assert part.seen(0).endswith("number: 16 more; player_0: choose-many (0)") and part.seen(1) == start.seen(1)
    done = part.after_action(four)
    assert done.whole is done and "\n20; stick[player_0] = 20" in done.seen(0) + done.seen(1)
    assert done.otherwise(1, Random(1)).state == done.state
    assert [actions for at, actions in done.moments(1) if at is start] == [[sixteen, four]]


@pytest.mark.parametrize("actions", [[5, 5, 7], [5, 5], [5], [5, 7, 7, 5]])
def test_an_answer_has_another_part_just_where_the_machine_asks_for_it(position: Any, actions: list[int]) -> None:
    one, cells = position.__new__(position), [0] * FIRST_OPTION + actions
    one.actions, cells[OPTIONS] = actions, len(actions)
    for index in range(len(actions)):
        assert one.goes_on(index) == bool(narrow_options(cells.copy(), index, actions))
