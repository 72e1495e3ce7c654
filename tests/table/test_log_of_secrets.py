"""The log of secret places: what is shown is told, whatever becomes of the place next."""

from __future__ import annotations

from helpers import program, steps

from edict.table.rules import Rules


def test_what_is_revealed_is_told_although_it_is_set_again_at_once() -> None:
    keep = "keep wager of player as number from 0 to 9, secret\n"
    lines = ("set wager of you to 4", "reveal wager of you", "set wager of you to 0")
    rules = Rules(program(keep + steps(*lines, "choose a number from 1 to 2 as stop-here")), "trial")
    game = rules.new_game(["Ann", "Ben"], seed=1)
    assert [entry.text for entry in game.view(1).log] == ["Ann's wager is revealed: 4"]
