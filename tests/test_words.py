"""Rules told in words: what a card does, what an option means."""

from __future__ import annotations

import pytest
from helpers import linked, program, steps

from edict.front import tree as t
from edict.front.words import ability_words, expr_words, sentence, stmt_words, thing_words

SILENT = (t.Trigger, t.Let, t.Announce)  # these go without saying
RULES = """
kind hut "hut/huts"
  size number
  gift effect "Gift"
  harm effect "Harm"
hut mill "Mill"
  size 2
  gift gain 1 coin
  harm lose 2 coin
  adjust strength by 1 if coin of you > 3
  adjust strength by -1
quantity strength "battle strength" of player is 1
keep hand "dice" of player as dice
routine scout "look around"
  nothing
moment won "after a victory"
"""


def told(line: str) -> str:
    phase = linked(RULES + steps(line, "do scout", "trigger won")).resolved
    return stmt_words(phase, phase.get("trial-run").block[0])


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("gain 1 coin", "gain 1 coin"),
        ("gain 2 coin and 1 stick", "gain 2 coins and 1 stick"),
        ("gain 1 coin or 2 stick", "gain 1 coin or 2 sticks"),
        ("gain 2 stuff", "gain 2 stuff of your choice"),
        ("gain 1 of each stuff", "gain 1 of each piece of stuff"),
        ("lose 2 coin", "lose 2 coins"),
        ("do scout", "look around"),
        ("play trial-run", "trial run"),
        ("nothing", "nothing"),
        ("end game", "the game ends"),
    ],
)
def test_statements(line: str, words: str) -> None:
    assert told(line) == words


@pytest.mark.parametrize("part", ["coin", "3", "if", "fame"])
def test_longer_statements_say_all_there_is(part: str) -> None:
    assert part in told("if coin of you > 3\n  gain 1 fame")


def test_every_statement_and_expression_has_words() -> None:
    """Nothing in the language is without words: options are made of them."""
    lines = """
may spend 1 stuff as paid
  gain 1 of each stuff except paid
may choose a hut as x where size of it > 1
  gain sum of size of it over huts coin
choose one
  gain 1 coin
  lose 1 coin
choose a number from 1 to 3 as n
roll 1 cube into hand of you
choose a die from hand of you as d
reroll d within hand of you
reroll all within hand of you
let s = huts with most size of it then fewest size of it
each hut in s
  do gift of hut
repeat 2 times
  gain best of size of it over huts coin
repeat until coin of you > 3 or not (size of mill is in faces of hand of you)
  gain - 1 + 2 * 3 / 1 mod 2 coin
set hand of you to cube showing 3
add cubes among hand of you to hand of you
remove no-dice from hand of you
draw a hut from huts as h
announce you, "sees", h
arrange line lowest coin of it first
shuffle line
trigger won
if (every hut has size of it is in faces of hand of you) and (some player has coin of it != 1)
  gain 1 coin
else
  lose 1 coin
if hand of you is empty or huts is within huts or during trial-run
  gain count of huts coin
"""
    resolved = linked(RULES + steps(lines, "do scout")).resolved
    for statement in resolved.get("trial-run").block:
        words = stmt_words(resolved, statement)
        assert isinstance(words, str) and "  " not in words
        assert words or isinstance(statement, SILENT)


def test_abilities() -> None:
    resolved = linked(RULES + steps("do scout", "trigger won")).resolved
    first, second = resolved.get("mill").abilities
    words = ability_words(resolved, first)
    assert words.startswith("+1 to battle strength") and "coin" in words
    assert ability_words(resolved, second) == "-1 to battle strength"


def test_what_a_thing_does() -> None:
    resolved = linked(RULES + steps("do scout", "trigger won")).resolved
    words = thing_words(resolved, resolved.get("mill"))
    assert words.startswith("Gift: gain 1 coin. Harm: lose 2 coins. +1 to battle strength")


def test_names_are_titles_and_hyphens_are_spaces() -> None:
    resolved = linked("kind hut\nhut old-mill\n" + steps("let x = old-mill", "let y = trial-total of you")
                      + "keep trial-total of player as number\n").resolved  # fmt: skip
    first, second = (s.value for s in resolved.get("trial-run").block if isinstance(s, t.Let))
    assert expr_words(resolved, first) == "old mill"
    assert expr_words(resolved, second) == "your trial total"


@pytest.mark.parametrize(
    ("text", "expected"),
    [("gain 1 coin", "Gain 1 coin."), ("Really?", "Really?"), ("", ""), ("  two  ", "Two."), ("list:", "List:")],
)
def test_sentences(text: str, expected: str) -> None:
    assert sentence(text) == expected


def test_titles_have_one_and_many() -> None:
    made = program("resource egg \"egg/eggs\"\nkind hut \"hut/houses\"\n" + steps("nothing"))
    assert made.variable_by_name["egg"].plural == "eggs" and made.kind_by_name["hut"].plural == "houses"
    assert made.variable_by_name["coin"].title == "coin"
