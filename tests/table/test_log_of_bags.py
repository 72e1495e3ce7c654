"""The log of bags: what came and went by its name, and what somebody sees of one as a whole."""

from __future__ import annotations

from helpers import program, steps

from edict.table.rules import Rules

TILES = """
kind tile "tile/tiles"
tile red "Red"
tile blue "Blue"
tile gold "Gold"
keep sack "the sack" as bag of tile
keep pouch "pouch" of player as bag of tile, secret
"""


def log(*lines: str) -> tuple[list[str], list[str]]:
    """What Ann reads, and what Cid reads."""
    rules = Rules(program(TILES + steps(*lines, "choose a number from 1 to 2 as stop-here")), "trial")
    game = rules.new_game(["Ann", "Ben", "Cid"], seed=1)
    ann, cid = ([entry.text for entry in game.view(seat).log] for seat in (0, 2))
    return ann, cid


def test_what_comes_and_goes_is_named() -> None:
    ann, _ = log("add red to sack", "add 3 of each tile to sack", "remove blue from sack")
    assert ann == [
        "The sack: now with Red", "The sack: now with 3 Red", "The sack: now with 3 Blue", "The sack: now with 3 Gold",
        "The sack: now without Blue",
    ]


def test_a_bag_that_is_shown_is_told_in_one_line() -> None:
    held = ("set pouch of you to 2 of each tile", "remove gold from pouch of you")
    ann, cid = log(*held, "reveal pouch of you")
    assert ann[-1] == cid[-1] == "Ann's pouch is revealed: 2 Red, 2 Blue and Gold"


def test_only_who_sees_it_reads_what_is_in_it() -> None:
    held = ("for left of you", "  set pouch of you to 2 of each tile", "  remove red from pouch of you")
    ann, cid = log(*held, "show pouch of left of you to you")
    assert ann[-1] == "Ann sees Ben's pouch: Red, 2 Blue and 2 Gold"
    assert cid[-1] == "Ann sees Ben's pouch"


def test_others_read_one_line_a_step_however_many_sorts_come_and_go() -> None:
    """A line for each sort of tile told others how many there were."""
    ann, cid = log("set pouch of you to 2 of each tile", "remove red + blue from pouch of you")
    assert len(ann) == 5 and cid == ["Ann's pouch: unseen"] * 2


def test_what_stays_as_it_was_looks_the_same_to_others() -> None:
    ann, cid = log("set pouch of you to 2 of red", "remove blue from pouch of you")
    assert ann == ["Ann's pouch: now with 2 Red", "Ann's pouch: as it was"]
    assert cid == ["Ann's pouch: unseen"] * 2
