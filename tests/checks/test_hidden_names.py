"""Names given in steps that hide what is declared."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers import module, said, steps, with_game

from edict.front.pipeline import understand
from edict.text import Source

DECLARED = """
kind tree
tree oak
keep pot as number
quantity toll is 3
setting long-game is off
"""
HIDING = {
    "let coin = 3": "coin", "let pot = 3": "pot", "let stuff = 3": "stuff", "let toll = 2": "toll",
    "let long-game = 2": "long-game",
    "roll 2 cube as cubes": "cubes", "roll 1 gem as gem": "gem", "choose a tree as trees": "trees",
    "draw a tree from trees as coins": "coins", "each player as coin\n  nothing": "coin",
    "spend 1 stick as coin\n  nothing": "coin",
}  # fmt: skip


@pytest.mark.parametrize("step", HIDING)
def test_a_name_that_hides_what_is_declared_is_told(step: str) -> None:
    assert ("E0584", HIDING[step]) in said(DECLARED + steps(step))


@pytest.mark.parametrize("step", ["choose a tree as tree", "let oak = 3", "each tree\n  nothing", "let mine = 3"])
def test_a_member_may_be_called_by_its_kind(step: str) -> None:
    assert "E0584" not in [code for code, _ in said(DECLARED + steps(step))]


@pytest.mark.parametrize("game, over, told", [
    ("", "keep bowl as number\n", 0), ("", "keep bowl as number\nwhen start of trial-run\n  let bowl = 1\n", 1),
    ("keep bowl as number\n", "when start of trial-run\n  let bowl = 1\n", 1),
])  # fmt: skip
def test_rules_cannot_know_what_modules_over_them_declare(game: str, over: str, told: int) -> None:
    below = module(*with_game(game + steps("let bowl = 2" if not game else "nothing")))
    above = replace(module(over, name="above", kind="module"), sources=(Source("above.edict", over),))
    found = understand((below, above)).diagnostics
    assert sum(one.code == "E0584" for one in found) == told
