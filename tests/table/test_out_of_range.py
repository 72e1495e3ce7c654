"""A number that leaves its range in play: the message names the keep, the range, the number and the line."""

from __future__ import annotations

import pytest
from helpers import program, steps

from edict.report import RulesError
from edict.table.rules import Rules

KEEPS = """
kind hut "hut/huts"
  size number from 1 to 9
hut shed "Shed"
  size 2
keep days as number from 0 to 9 starting at 5
keep store of player as number from 0 to 9
keep guests of hut by player as number from 0 to 3
keep thrown as dice
keep seen of number as number
"""
WAYS = {
    "add 7 to days": ("`days` would become 12, and it goes from 0 to 9", "keep days as number from 0 to 12"),
    "remove 6 from days": ("`days` would become -1, and it goes from 0 to 9", "keep days as number from -1 to 9"),
    "for left of you\n  add days + 7 to store of you": (
        "`store` would become 12, and it goes from 0 to 9", "keep store of player as number from 0 to 12",
    ),
    "each hut\n  set guests of hut by you to days": (
        "`guests` would become 5, and it goes from 0 to 3", "keep guests of hut by player as number from 0 to 5",
    ),
    "add 3 to seen of (days * 20)": ("a number from 0 to 61 is needed here, and this is 100", "check first"),
    "add cube showing (days + 4) to thrown": ("a number from 1 to 6 is needed here, and this is 9", "check first"),
    "remove cube showing 2 from thrown": ("dice were to be taken away that are not there", "only what lies there"),
}  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
def test_the_message_names_the_keep_its_range_and_the_number(way: str) -> None:
    last = way.count("\n")
    rules = Rules(program(KEEPS + steps("choose a number from 1 to 2 as going", way)), "trial")
    game = rules.new_game(["Ann", "Ben"], seed=1)
    with pytest.raises(RulesError) as caught:
        game.answer(0)
    (found,) = caught.value.diagnostics
    said, remedy = WAYS[way]
    assert found.title == f"trial-run: {said}" and found.help is not None and remedy in found.help
    assert (found.span.file, found.span.line) == ("page1.edict", KEEPS.count("\n") + 4 + last)
