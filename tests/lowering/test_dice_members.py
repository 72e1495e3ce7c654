"""Dice gone through as a set is: some, every, and those with the most or fewest; `it` is the number that shows."""

from __future__ import annotations

import pytest
from helpers import does

KEEPS = "keep pool of player as dice\nkeep empty-pool of player as dice\n"
POOL = "set pool of you to cube showing 2 + cube showing 2 + cube showing 5 + gem showing 4"


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("some pool of you has it = 5", True),
        ("some pool of you has it = 3", False),
        ("some pool of you has it > 2 and it < 5", True),
        ("every pool of you has it > 1", True),
        ("every pool of you has it > 2", False),
        ("not (some pool of you has it = 3)", True),
        ("not (every pool of you has it > 2)", True),
        ("some empty-pool of you has it > 0", False),
        ("every empty-pool of you has it > 5", True),
        ("some (cubes among pool of you) has it = 4", False),
    ],
)
def test_a_condition_on_some_or_every_die(condition: str, holds: bool) -> None:
    assert does(POOL, f"if {condition}\n  gain 1 coin", rules=KEEPS).value("coin", 0) == holds


@pytest.mark.parametrize(
    ("which", "dice"),
    [
        ("pool of you with most it", {"cube": [5]}),
        ("pool of you with fewest it", {"cube": [2, 2]}),
        ("(pool of you where it < 5) with most it", {"gem": [4]}),
        ("pool of you with fewest it mod 2 then most it", {"gem": [4]}),
        ("empty-pool of you with most it", {}),
    ],
)
def test_the_dice_that_show_most(which: str, dice: dict[str, list[int]]) -> None:
    run = does(POOL, f"let found = {which}\nset pool of you to found", rules=KEEPS)
    assert run.dice(run.value("pool", 0)) == dice
