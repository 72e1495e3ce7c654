"""The state a bot is handed holds nothing the seat may not know: every world that looks alike gives the same cells."""

from __future__ import annotations

from random import Random

import pytest

import edict
from edict.bots.match import Match, laid
from edict.program.opcodes import CHANCE
from edict.table.game import Game
from edict.table.leftovers import swept
from edict.table.rules import Rules
from helpers import program
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
            swept(code, clean.cells)
            true.answer(index)
            clean.answer(index)
        clean.advance()
        assert clean.over and clean.scores() == true.scores()
