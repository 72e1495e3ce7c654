"""What is rolled where it is a secret is seen by nobody but whose place it is."""

from __future__ import annotations

import pytest
from helpers import program, steps

from edict.table.rules import Rules

KEEPS = """
keep cup "cup" of player as dice, secret
keep tray "tray" of player as dice, secret

display all "All"
  each player
  column "Cup" cup of player
  column "Tray" tray of player

phase trial-run
"""
STOP = "choose a number from 1 to 3 as stop-here"
WAYS = [
    "roll 3 cubes into cup of you",
    "roll 2 cubes and 1 gem into cup of you",
    "roll 2 cubes into cup of you\nreroll all within cup of you",
    "roll 2 cubes into cup of you\nreroll (cup of you with fewest it) within cup of you",
    "roll 2 cubes and 1 gem into cup of you\nreroll (cup of you where it < 3) within cup of you",
    "roll 2 cubes into cup of you\nset (cup of you where it < 3) to 4 within cup of you",
    "roll 2 cubes into cup of you\nremove (cup of you where it < 3) from cup of you",
    "roll 2 cubes and 2 gems into cup of you\nmove (cup of you with most it) from cup of you to tray of you",
    "roll 2 cubes and 2 gems into cup of you\nchoose 2 dice from cup of you as given secretly\n"
    "move given from cup of you to tray of you",
    "roll 3 cubes into cup of you\nchoose up to 2 dice from cup of you as some-dice secretly\n"
    "reroll some-dice within cup of you",
    "roll 2 cubes into cup of you\nif total of cup of you > 7\n  roll 1 cube and 1 gem into tray of you",
]


@pytest.mark.parametrize("way", WAYS)
def test_nobody_else_can_tell_one_roll_from_another(way: str) -> None:
    text = KEEPS.partition("phase trial-run")[0] + steps(way, STOP)
    rules, seen, cups = Rules(program(text), "trial"), set(), set()
    for seed in range(9):
        game = rules.new_game(["Ann", "Ben"], seed=seed)
        while game.ask.question != "choose-stop-here":
            game.answer(seed % game.count)
        view = game.view(1)
        panel = [(row.title, row.cells) for one in view.panels() for row in one.rows]
        seen.add((tuple(panel), tuple(entry.text for entry in view.log)))
        cups.add(game.view(0).value("cup", 0))
    assert len(cups) > 1 and len(seen) == 1
