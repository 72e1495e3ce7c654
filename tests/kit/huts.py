"""A game whose rules have no findings, and helpers to find those of rules added to it."""

from __future__ import annotations

from edict.support.report import Diagnostic, apply_edits
from helpers import list_findings, underlined_text

GAME = """
kind hut "hut/huts"
  height number from 1 to 9
hut shed
  height 1
hut mill
  height 3
kind season
season spring
season autumn
keep day as number from 0 to 20
keep ticks as number from 0 to 20
keep thrown as dice, quiet
keep seats as order of player, quiet
keep now as season starting at spring
keep owned of player as set of hut
keep rolled as set of number
quantity limit of player is 3

display all "All"
  line "Day", day, ticks, thrown, rolled, first of seats, now, season-of-all
  each player
  column "Coins" coin of player
  column "Bricks" brick of player
  column "Huts" owned of player
  column "Limit" limit of player

value season-of-all is now

action build
  choose a hut as what
  rule new
    require what is not in owned of you
  then
    add what to owned of you

phase tick
  add 2 to ticks

phase trial-run
  play tick
  roll 1 cube into thrown
  add 1 to day
  add day to rolled
  if day > 3
    set now to autumn
  each player
    gain 1 coin and 1 brick
    may do build
"""


def find_in(text: str) -> list[Diagnostic]:
    """Return the findings in rules added to the game; the game itself may leave things unused."""
    return [diagnostic for diagnostic in list_findings(text) if diagnostic.span.file == "page1.edict"]


def codes_and_texts(text: str) -> list[tuple[str, str]]:
    """Return the code and the underlined text of each finding."""
    return [(diagnostic.code, underlined_text(text, diagnostic)) for diagnostic in find_in(text)]


def apply_fix(text: str) -> str:
    """Return the rules with the fix of their only finding applied, after which they have none."""
    (diagnostic,) = find_in(text)
    fixed = apply_edits(text, diagnostic.edits)
    assert codes_and_texts(fixed) == []
    return fixed
