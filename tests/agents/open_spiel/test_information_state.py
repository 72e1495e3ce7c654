"""Information states for OpenSpiel, tested without OpenSpiel, which need not be installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.util import module_from_spec, spec_from_file_location
from random import Random
from typing import Any

import pytest

import edict
from edict.agents.spaces.game_encoding import encode_game
from edict.game.table.rules import Rules
from edict.runtime.machine.encoding import narrow_options
from edict.runtime.program.opcodes import FIRST_OPTION, OPTIONS
from edict.runtime.simulation import native
from helpers import compile_program, make_phase

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
    for answer in [first] if at.seat == 0 and at.parent is None else range(at.option_count):
        yield from ends(at.apply_option(answer), first)


def describe_all(places: Iterable[Any], seat: int) -> set[str]:
    """Return the information states of a seat at some places, each once."""
    return {place.describe_information_state(seat) for place in places}


def begun(position: Any, *lines: str) -> Any:
    rules = Rules(compile_program(KEEPS, make_phase(*lines, GO_ON)), "trial")
    return position.create_root(encode_game(rules, (), 2, None, "victory"))


def test_information_state_hides_the_number_of_secret_draws(position: Any, subtests: pytest.Subtests) -> None:
    """Every die that somebody rolled in secret was a line for the others, who could count them."""
    again = 'choose a number from 0 to 2 as often secretly "How many?"\nrepeat often times\n  '
    for drawn in (
        "draw a leaf from leaves as dealt secretly\n  set hand of you to dealt",
        "draw a leaf from leaves as dealt secretly",
        "roll 1 gem into cup of you",
        "roll 1 gem into cup of you\n  reroll all within cup of you",
    ):
        with subtests.test(drawn=drawn):
            start = begun(position, again + drawn)
            told = [describe_all(ends(start, often), 1) for often in range(start.option_count)]
            assert len(told) == 3 and told[0] == told[1] == told[2] and len(told[0]) == 1, (drawn, told)


def test_information_state_hides_the_number_of_secret_choices(position: Any) -> None:
    many = 'choose a number from 0 to 2 as often secretly "How many?"'
    start = begun(position, many, "repeat often times\n  choose a leaf as kept secretly")
    assert len({place.describe_information_state(1) for often in range(3) for place in ends(start, often)}) == 1


def test_secret_draw_is_seen_by_its_drawer_only(position: Any) -> None:
    start = begun(position, "draw a leaf from leaves as dealt secretly\nset hand of you to dealt")
    places = list(ends(start, 0))
    places = places or [place for answer in range(3) for place in ends(start.apply_option(answer), 0)]
    assert len({place.describe_information_state(0) for place in places}) == 3
    assert len({place.describe_information_state(1) for place in places}) == 1


def test_open_choices_and_draws_are_seen_by_all(position: Any) -> None:
    start = begun(position, "choose a leaf as named\ndraw a leaf from leaves as turned-up")
    places = [place for answer in range(3) for place in ends(start, answer)]
    assert len(describe_all(places, 0)) == len(describe_all(places, 1)) == 9


def test_answer_in_parts_is_seen_by_others_when_complete(position: Any) -> None:
    """Whoever answers sees each part; the others see the answer, and courses that look the same are found."""
    start = begun(position, "choose a number from 0 to 40 + coin of you as many", "gain many stick")
    assert start.seat == 0 and len(start.actions) == 41
    numbers = start.coding.actions.numbers
    sixteen, four = numbers["number: 16 more"], numbers["number: 4"]
    part = start.apply_action(sixteen)
    assert part.question_start is start and part.seat == 0 and len({*part.actions}) == 17
    state_text = part.describe_information_state(0)
    assert state_text.endswith("number: 16 more; player_0: choose-many (0)") and part.describe_information_state(
        1
    ) == start.describe_information_state(1)
    done = part.apply_action(four)
    assert done.question_start is done and "\n20; stick[player_0] = 20" in "".join(
        done.describe_information_state(seat) for seat in (0, 1)
    )
    assert done.resample(1, Random(1)).state == done.state
    assert [actions for at, actions in done.list_seen_positions(1) if at is start] == [[sixteen, four]]


@pytest.mark.parametrize("actions", [[5, 5, 7], [5, 5], [5], [5, 7, 7, 5]])
def test_answer_continues_exactly_where_the_machine_narrows_it(position: Any, actions: list[int]) -> None:
    one, cells = position.__new__(position), [0] * FIRST_OPTION + actions
    one.actions, cells[OPTIONS] = actions, len(actions)
    for index in range(len(actions)):
        assert one.is_partial_answer(index) == bool(narrow_options(cells.copy(), index, actions))
