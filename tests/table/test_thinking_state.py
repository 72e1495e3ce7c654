"""The state a bot is handed holds nothing the seat may not know: every world that looks alike gives the same cells."""

from __future__ import annotations

from random import Random

import pytest

import edict
from edict.bots.match import Match, laid
from edict.program.opcodes import CHANCE
from edict.table.game import Game
from edict.table.control_flow import clear_dead_cells
from edict.table.rules import Rules
from helpers import program, steps
from secrecy import ALL, HANDS, compared, some_pairs
from worlds import worlds


def thought_alike(game: Game, other: Game, seat: int, luck: Random) -> None:
    one, two = game.view(seat).thinking_state, other.view(seat).thinking_state
    assert [cell for cell, (a, b) in enumerate(zip(one, two, strict=True)) if a != b] == []


@pytest.mark.parametrize("names", [("kuhn-poker",), ("foxes-at-court",), ("four-lanes",), ALL], ids="-".join)
def test_no_cell_tells_what_a_seat_may_not_know(names: tuple[str, ...]) -> None:
    some_pairs(names, thought_alike)


def test_names_in_the_middle_of_a_routine_tell_nothing_either() -> None:
    with worlds() as made:
        assert sum(compared(made, Rules(program(HANDS), "trial"), seed, 0.5, thought_alike) for seed in range(12)) > 20


LEAVES = """
kind leaf "leaf/leaves"
leaf lime "Lime"
leaf fern "Fern"
keep hand of player as leaf or none, secret
keep hit of player as number from 0 to 9, secret
"""


def handed_out(*lines: str) -> set[tuple[tuple[int, ...], ...]]:
    """What the third seat is handed when it is asked, in worlds that differ only in what the first was dealt."""
    deal = "draw a leaf from leaves as dealt secretly\nset hand of you to dealt"
    laid_out = Rules(program(LEAVES + steps(deal, *lines)), "trial")
    found, dealt = set[tuple[tuple[int, ...], ...]](), set[int]()
    for seed in range(12):
        game = laid_out.new_game(["Ann", "Ben", "Cindy"], seed)
        view = game.view(2)
        masked, other = view.states()
        assert other is not None
        found.add((tuple(view.thinking_state), tuple(masked), tuple(other)))
        dealt.add(game.state[game.program.variable_by_name["hand"].base])
    assert len(dealt) == 2
    return found


ASK_ALL = 'each player in (players - you)\n  may "Go?"\n    gain 1 coin'


@pytest.mark.parametrize(
    "deed",
    [
        "set hit of left of you to 1",  # the first would know it no longer
        "draw a leaf from leaves as another secretly\n  set hand of left of you to another",
        "show hand of you to left of you",
    ],
)
def test_who_knows_a_secret_is_a_secret_too(deed: str) -> None:
    """Who it was known to stood in the state, and told whether something had been done that hung on a hidden card."""
    assert len(handed_out(f"if hand of you is lime\n  {deed}", ASK_ALL)) == 1


def test_a_name_set_because_of_a_secret_tells_nothing_where_it_was_not_set() -> None:
    """It was emptied where it had been set, and stood there as it was where it had not."""
    for deed in ("set mark to 3", "set mark to 3\n  set hit of left of you to 1"):
        made = ("let mark = 2", f"if hand of you is lime\n  {deed}", ASK_ALL, "gain mark coin")
        assert len(handed_out(*made)) == 1


@pytest.mark.parametrize("name", ["foxes-at-court", "four-lanes", "harbour-lots", "kingsburg"])
def test_a_swept_state_plays_on_as_the_whole_one_does(name: str) -> None:
    """What is emptied nobody reads any more: sweeping at every question changes no game."""
    code = edict.load(name).program
    for seed in range(2):
        true, clean = (Match(laid(code, 3), seed) for _ in range(2))
        luck = Random(seed)
        while true.advance():
            assert clean.advance()
            assert clean.cells[code.header : code.working] == true.cells[code.header : code.working]
            assert (clean.seat, clean.options) == (true.seat, true.options)
            index = true.drawn() if true.seat == CHANCE else luck.randrange(len(true.options))
            clear_dead_cells(code, clean.cells)
            true.answer(index)
            clean.answer(index)
        clean.advance()
        assert clean.over and clean.scores() == true.scores()
