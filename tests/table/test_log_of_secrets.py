"""The log of secret places: what is shown is told, whatever becomes of the place next."""

from __future__ import annotations

import pytest
from helpers import program, steps

from edict.table.rules import Rules

CARDS = """
kind card "card/cards"
  size number from 1 to 9
card ace "Ace"
  size 1
card king "King"
  size 8
keep hand "hand" of player as set of card, secret
keep held "card" of player as card or none, secret
keep pile "the pile" as order of card, secret
keep deck as set of card starting at cards, secret, quiet
"""
DRAWN = "draw a card from deck into hand of you\n"
STOP = "choose a number from 1 to 2 as stop-here"


def test_what_is_revealed_is_told_although_it_is_set_again_at_once() -> None:
    keep = "keep wager of player as number from 0 to 9, secret\n"
    lines = ("set wager of you to 4", "reveal wager of you", "set wager of you to 0")
    rules = Rules(program(keep + steps(*lines, "choose a number from 1 to 2 as stop-here")), "trial")
    game = rules.new_game(["Ann", "Ben"], seed=1)
    assert [entry.text for entry in game.view(1).log] == ["Ann's wager is revealed: 4"]


@pytest.mark.parametrize(
    "line",
    [
        "remove (hand of you where size of it > 4) from hand of you", "remove king from hand of you",
        "set held of you to first of (hand of you where size of it > 4)", "move hand of you from hand of you to pile",
        "move king from hand of you to pile",
    ],
)  # fmt: skip
def test_that_a_line_stands_there_does_not_tell_whether_anything_changed(line: str) -> None:
    """Others read it whether the card was there or not; who knows the place reads what became of it."""
    rules = Rules(program(CARDS + steps(DRAWN + line, STOP)), "trial")
    games = [rules.new_game(["Ann", "Ben"], seed=seed) for seed in range(8)]
    own, others = ({tuple(entry.text for entry in game.view(seat).log) for game in games} for seat in (0, 1))
    assert len(own) > 1 == len(others)
    assert all("unseen" in text for lines in others for text in lines)
