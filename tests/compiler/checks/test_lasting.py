"""Keeps that last from game to game: overwriting one at the start of a game is reported."""

from __future__ import annotations

import pytest

from edict.compiler.pipeline.pipeline import analyze
from helpers import make_module

RULES = """\
resource coin "coin/coins"
kind road
road ford
road bridge
keep seats as order of player, quiet
lasting keep purse of player as number starting at 3
lasting keep treasury as number
lasting keep repaired of road as truth
lasting keep line as order of road
keep other of player as number

game roads "Roads"
  players 2 to 4
  order seats
  winners everyone with most coin of it
  score coin of you
  course
{course}    play day

phase day "Day"
  each player
    may gain 1 coin
  each player
    set purse of you to coin of you
  set treasury to 5
  shuffle line

routine opening "open"
  set treasury to 0

phase dawn "Dawn"
  do opening
"""
LOST = {
    "of each player": "each player\n  set purse of you to 3",
    "of nobody": "set treasury to 3",
    "in a routine of a phase": "play dawn",
    "of each thing": "each road\n  set repaired of road to no",
    "shuffled": "shuffle line",
    "after something else was read": "set treasury to other of (first of seats)",
}
KEPT = {
    "read before": "each player\n  gain purse of you coin\n  set purse of you to 3",
    "read by what it is set to": "set treasury to treasury + 1",
    "another keep": "each player\n  set other of you to 3",
    "of one thing only": "set repaired of ford to no",
    "only at times": "if treasury > 3\n  set treasury to 0",
    "added to": "add 1 to treasury",
    "after a question": "each player\n  may gain 1 coin\nset treasury to 3",
    "asked about before": "each player\n  if purse of you > 2\n    gain 1 coin\neach player\n  set purse of you to 0",
    "for some players": "each player in (first of seats)\n  set purse of you to 3",
}


def test_lasting_keep_that_is_overwritten_before_it_is_read_is_reported(subtests: pytest.Subtests) -> None:
    for name, course in {**LOST, **KEPT}.items():
        with subtests.test(name=name):
            indented = "".join(f"    {line}\n" for line in course.splitlines())
            outcome = analyze((make_module(RULES.format(course=indented)),))
            assert outcome.value is not None, outcome.diagnostics
            assert ("E0546" in [diagnostic.code for diagnostic in outcome.diagnostics]) == (name in LOST)
