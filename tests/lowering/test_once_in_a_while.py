"""What works once in a while is used up by doing it; quantities nobody adjusts cost nothing; new wordings."""

from __future__ import annotations

import pytest
from helpers import does, linked, play, program, steps

from edict.words import ability_words, expr_words

RULES = """
moment tick
phase day
  trigger tick
  trigger tick
phase trial-run
  play day
  play day
"""
CHARMS = """
kind charm "charm/charms"
  works if charm is in worn of you
keep worn of player as set of charm starting at charms
charm ring
  when tick, once per day
    may spend 1 stick
      gain 1 coin
charm hat
  adjust pull by 1 if not (some everyone - you has coin of it >= coin of you)
quantity pull "strings/strings to pull" of player is 0
"""
START = "when start of trial-run\n  each player in first of everyone\n    gain 4 stick\n"


@pytest.mark.parametrize(
    ("answers", "coins"),
    [("YY", 2), ("Y-Y", 2), ("--Y", 1), ("----", 0), ("-YY", 2)],
)
def test_declining_what_works_once_does_not_use_it_up(answers: str, coins: int) -> None:
    """Two days with two chances each: one use a day, at the first or the second chance."""
    given = ["1 stick" if answer == "Y" else "-" for answer in answers]
    run = play(RULES + START + CHARMS, given)
    assert run.over and run.value("coin", 0) == coins


def test_so_it_is_for_what_belongs_to_nobody() -> None:
    once = "when tick, once per day\n  may spend 1 brick\n    gain 1 coin\n"
    assert play(RULES + START.replace("4 stick", "1 brick") + once, ["-", "1 brick"]).over


def test_what_must_happen_is_used_up_by_happening() -> None:
    rules = RULES + "when tick, once per day\n  each player in first of everyone\n    gain 1 coin\n"
    assert play(rules).value("coin", 0) == 2


# --- quantities without adjustments ----------------------------------------------------------------

OPEN = 'quantity open "doors" of player is 7\n'


def test_a_quantity_nobody_adjusts_is_its_number() -> None:
    assert does("gain open of you coin", rules=OPEN).value("coin", 0) == 7
    gain = steps(*["gain open of you coin"] * 4)  # too long to be written in place where it is played
    assert len(program(OPEN + gain).code) < len(program(OPEN + "adjust open by 1\n" + gain).code)


def test_with_an_adjustment_it_is_worked_out() -> None:
    assert does("gain open of you coin", rules=OPEN + "adjust open by 1\n").value("coin", 0) == 8


def test_a_field_that_is_the_same_for_all_is_that_value() -> None:
    rules = "kind hut\n  extra truth, optional\n  size number\nhut one\n  size 2\nhut two\n  size 2\n"
    lines = ("each hut", "  if not extra of hut", "    gain size of hut coin")
    assert does(*lines, rules=rules).value("coin", 0) == 4


# --- words --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("coin of you >= 2", "you have at least 2 coins"),
        ("coin of you = 1", "you have exactly 1 coin"),
        ("coin of you = 0", "you have no coins"),
        ("coin of you >= 1", "you have coins"),
        ("coin of you != 1", "your coins are not 1"),
        ("some everyone - you has coin of it > 1", "some other player has more than 1 coin"),
        ("every everyone has coin of it > 1", "every player has more than 1 coin"),
    ],
)
def test_conditions_in_words(condition: str, words: str) -> None:
    resolved = linked(steps(f"if {condition}", "  gain 1 coin")).resolved
    assert expr_words(resolved, resolved.get("trial-run").block[0].condition) == words


def test_an_exception_that_allows_says_what_it_overrules() -> None:
    rules = """
kind hut
hut one
  exception to visit.lit if coin of you > 2
    allow
action visit "Visit a hut"
  choose a hut as whom
  rule lit
    require coin of you > 9
    because "the window is dark"
  then
    gain 1 coin
"""
    resolved = linked(rules + steps("do visit")).resolved
    words = ability_words(resolved, resolved.get("one").abilities[0])
    assert words == "you may visit a hut even if the window is dark, provided that you have more than 2 coins"
