"""A game in which nothing is doubtful, and what is said of rules that are laid into it."""

from __future__ import annotations

from edict.support.report import Diagnostic, apply_edits
from helpers import findings, under

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


def found_in(text: str) -> list[Diagnostic]:
    """What is found in these rules; the game they are laid into uses less than it has."""
    return [one for one in findings(text) if one.span.file == "page1.edict"]


def said(text: str) -> list[tuple[str, str]]:
    """Code and underlined text of each."""
    return [(one.code, under(text, one)) for one in found_in(text)]


def mended(text: str) -> str:
    """These rules with the remedy of the only finding carried out; nothing is said of them then."""
    (found,) = found_in(text)
    after = apply_edits(text, found.edits)
    assert said(after) == []
    return after
