"""What lies in a secret bag shows nowhere, whatever was drawn, moved, swapped or set: seen with the eyes of another."""

from __future__ import annotations

import pytest
from helpers import program, steps

from edict.table.rules import Rules

KEEPS = """
kind tile "tile/tiles"
tile red "Red"
tile blue "Blue"
tile gold "Gold"
keep sack as bag of tile starting at 4 of each tile, secret
keep pouch "pouch" of player as bag of tile, secret
keep other-pouch "other pouch" of player as bag of tile, secret

display all "All"
  line "Sack:", sack, count of sack, count of red in sack
  each player
  column "Pouch" pouch of player
  column "Reds" count of red in pouch of player

phase trial-run
"""
DRAW = "draw 3 tiles from sack into pouch of you"
STOP = "choose a number from 1 to 3 as stop-here"
WAYS = [
    "nothing",
    "choose a tile from pouch of you as gone secretly\nremove gone from pouch of you",
    "choose a tile from pouch of you as gone secretly\nmove gone from pouch of you to other-pouch of you",
    "swap pouch of you with other-pouch of you",
    "set other-pouch of you to pouch of you",
    "let few = pouch of you\nadd few to other-pouch of you",
    "draw a tile from pouch of you into sack",
]


@pytest.mark.parametrize("way", WAYS)
def test_nobody_else_can_tell_one_draw_from_another(way: str) -> None:
    text = KEEPS.partition("phase trial-run")[0] + steps(DRAW, way, STOP)
    rules, seen, hands = Rules(program(text), "trial"), set(), set()
    for seed in range(9):
        game = rules.new_game(["Ann", "Ben"], seed=seed)
        while game.ask.question != "choose-stop-here":
            game.answer(0)
        view = game.view(1)
        panel = [(row.title, row.cells) for one in view.panels() for row in one.rows]
        lines = [entry.text for entry in view.log]
        seen.add((tuple(panel), tuple(dict.fromkeys(lines))))
        hands.add(tuple(game.view(0).value(name, 0, i) for name in ("pouch", "other-pouch") for i in range(3)))
    assert len(hands) > 1 and len(seen) == 1
