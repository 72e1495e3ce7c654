"""`it` in the lines below a loop: what is gone through has another name there."""

from __future__ import annotations

import pytest
from helpers import errors, steps

HUTS = "kind hut\n  size number\nhut mill\n  size 1\n"


@pytest.mark.parametrize(
    ("loop", "meant"),
    [
        ("each hut\n  gain size of it coin", "hut"),
        ("each hut as one\n  gain size of it coin", "one"),
        ("each player\n  gain coin of it coin", "you"),
        ("each hut\n  each player\n    nothing\n  gain size of it coin", "hut"),
    ],
)
def test_it_is_told_by_the_name_it_has(loop: str, meant: str) -> None:
    (found,) = errors(steps(loop), HUTS)
    assert found.code == "E0201" and found.help == f"write `{meant}`"
    assert [edit.text for edit in found.edits] == [meant]


@pytest.mark.parametrize(
    ("rules", "meant"),
    [(steps("gain coin of it coin"), "you"), ("quantity wealth of player is coin of it", "player")],
)
def test_outside_loops_nothing_is_guessed(rules: str, meant: str) -> None:
    found = errors(rules)[0]
    assert found.code == "E0201" and found.help.endswith(f"such as `{meant}`") and not found.edits
