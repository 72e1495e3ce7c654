"""`secret but counted`: everybody sees how many there are, whatever was done, and nobody else which they are."""

from __future__ import annotations

import pytest
from helpers import compiled, program, said, steps

from edict.table.why_options import Why
from edict.table.game import Game
from edict.table.rules import Rules

TILES = """
kind tile "tile/tiles"
tile red "Red"
tile blue "Blue"
tile gold "Gold"
tile grey "Grey"
"""
KEEPS = """
keep sack as {bag} of tile starting at {all}, secret but counted
keep pouch "pouch" of player as {bag} of tile, secret but counted
keep other-pouch "other pouch" of player as {bag} of tile starting at red, secret but counted

display all "All"
  line "Sack:", count of sack, sack
  line "In sack:", count of sack
  each player
  column "Pouch" pouch of player
  column "Many" count of pouch of player
  column "Others" count of other-pouch of player
"""
SHAPES = {"set": "tiles", "bag": "4 of each tile"}
WAYS = {
    "nothing": (2, 1),
    "choose a tile from pouch of you as gone secretly\nremove gone from pouch of you": (1, 1),
    "choose a tile from pouch of you as gone secretly\nmove gone from pouch of you to sack": (1, 1),
    "swap pouch of you with other-pouch of you": (1, 2),
    "set other-pouch of you to pouch of you": (2, 2),
    "set pouch of you to nobody": (0, 1),
}

CASES = [(bag, way) for bag in SHAPES for way in WAYS]


def stopped(text: str, seed: int) -> Game:
    game = Rules(program(text), "trial").new_game(["Ann", "Ben"], seed=seed)
    while game.ask.question != "choose-stop-here":
        game.answer(0)
    return game


@pytest.mark.parametrize(("bag", "way"), CASES)
def test_everybody_sees_how_many_and_nobody_else_which(bag: str, way: str) -> None:
    text = TILES + KEEPS.format(bag=bag, all=SHAPES[bag])
    text += steps("draw 2 tiles from sack into pouch of you", way, "choose a number from 1 to 3 as stop-here")
    seen, held = set(), set()
    for seed in range(9):
        game = stopped(text, seed)
        (panel,) = game.view(1).panels()
        held.add(tuple(game.state))
        seen.add((panel.rows, tuple(dict.fromkeys(entry.text for entry in game.view(1).log))))
        ann = next(row for row in panel.rows if row.title == "Ann")
        assert ann.cells == ("?", *map(str, WAYS[way]))
    assert len(seen) == 1 < len(held)


def test_the_bag_that_is_drawn_from_is_counted_too() -> None:
    text = TILES + KEEPS.format(bag="bag", all="4 of each tile").partition("  each player")[0]
    text += steps("draw 3 tiles from sack into pouch of you", "choose a number from 1 to 3 as stop-here")
    (panel,) = stopped(text, 1).view(1).panels()
    assert [row.cells for row in panel.rows] == [("In sack: 13",)]


def test_how_many_may_be_announced_and_decide_what_others_see() -> None:
    keep = TILES + "keep pouch of player as set of tile, secret{}\n"
    announced = steps("announce you, count of pouch of you")
    assert said(keep.format(" but counted") + announced) == []
    assert said(keep.format("") + announced) == [("E0512", "pouch")]
    assert said(keep.format(" but counted") + steps("announce you, pouch of you")) == [("E0512", "pouch")]


@pytest.mark.parametrize("bag", SHAPES)
def test_whether_there_are_any_is_no_secret_either(bag: str) -> None:
    keep = TILES + f"keep pouch of player as {bag} of tile, secret but counted\n"
    others = "pouch of left of you is"
    asked = f"""choose one
  option "None" if {others} empty
    nothing
  option "Some" if {others} not empty
    nothing
  option "All"
    nothing"""
    text = keep + steps("for left of you", "  set pouch of you to red", asked)
    why = Why(Rules(program(text), "trial").new_game(["Ann", "Ben"], seed=1), 0)
    held = {one.text: [reason.holds for reason in why.reasons(one.value)] for one in why.candidates().options}
    assert held == {"None": [False], "Some": [True], "All": []}


def test_only_several_can_be_counted_and_what_is_seen_is_not_done_at_once() -> None:
    assert said(TILES + "keep pouch of player as tile or none, secret but counted\n") == [("E0558", "tile or none")]
    text = TILES + "keep pouch of player as set of tile, secret but counted\nwhen start of trial-run\n"
    text += "  each player at once\n    add red to pouch of you\n"
    assert [one.code for one in compiled(text).diagnostics if one.severity == "error"] == ["E0538"]
