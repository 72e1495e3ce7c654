"""Types: of what type every expression is, and what is said where they do not fit."""

from __future__ import annotations

import pytest
from helpers import errors, module, resolved, said, steps

from edict.language import tree as t
from edict.front.pipeline import build
from edict.language.walking import walk
from edict.meaning.checker import check_types
from edict.meaning.types import spoken

RULES = """
kind card "card/cards"
  rank number from 1 to 9
  price amounts
  trick effect
  partner card or none
  friends set of card
  wild truth
  double is rank of card + rank of card
card ace
  rank 1
  price 2 coin, 1 stick
  trick gain 1 coin
  partner king
  friends ace
  wild yes
card king
  rank 9
  price 1 coin
  trick nothing
  partner none
  friends cards
  wild no
keep hand of player as dice
keep held of player as set of card
keep best-card as card or none
keep secret-card of player as card or none, secret
keep count-of of card by player as number
keep brave of player as truth
keep deck as order of card
keep lucky as set of number
keep favourite as stuff
quantity strength of player is 3
quantity age is 4
setting goal is 10
setting hard is off
moment found with player and card
routine tell with card called what and number
  nothing
"""


def type_of(expr: str) -> str:
    """The type of an expression, in words."""
    text = RULES + steps(f"let x = {expr}")
    outcome = resolved(text).then(check_types)
    assert outcome.value is not None and outcome.ok, outcome.diagnostics
    phase = outcome.value.resolved.get("trial-run")
    (let,) = (node for node in walk(phase) if isinstance(node, t.Let))
    return spoken(outcome.value.of(let.value))


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ("3", "a number"),
        ("- 3 + 2 * 4 / 2 mod 3", "a number"),
        ("goal", "a number"),
        ("hard", "yes or no"),
        ("age", "a number"),
        ("strength of you", "a number"),
        ("coin of you", "a number"),
        ("stuff of you", "a number"),
        ("cube of you", "a number"),
        ("rank of ace", "a number"),
        ("double of ace", "a number"),
        ("price of ace in coin", "a number"),
        ("count-of of ace by you", "a number"),
        ("count of cards", "a number"),
        ("count of hand of you", "a number"),
        ("total of hand of you", "a number"),
        ("sum of rank of it over cards", "a number"),
        ("best of rank of it over cards", "a number"),
        ("least of rank of it over cards", "a number"),
        ("you", "a player"),
        ("left of you", "a player"),
        ("first of everyone", "a player or `none`"),
        ("first of deck", "a card or `none`"),
        ("first of lucky", "a number"),
        ("ace", "a card"),
        ("partner of ace", "a card or `none`"),
        ("best-card", "a card or `none`"),
        ("none", "`none`"),
        ("stick", "a resource"),
        ("favourite", "a resource"),
        ("stuff", "a set of resources"),
        ("cards", "a set of cards"),
        ("players", "a set of players"),
        ("nobody", "a set of anything"),
        ("friends of ace", "a set of cards"),
        ("held of you", "a set of cards"),
        ("held of you + ace - king", "a set of cards"),
        ("cards where rank of it > 1", "a set of cards"),
        ("deck where rank of it > 1", "a set of cards"),
        ("everyone with most coin of it", "a set of players"),
        ("faces of hand of you", "a set of numbers"),
        ("lucky where it > 3", "a set of numbers"),
        ("deck", "an order of cards"),
        ("line", "an order of players"),
        ("no-dice", "dice"),
        ("hand of you", "dice"),
        ("hand of you + no-dice", "dice"),
        ("cube showing 3", "dice"),
        ("cubes among hand of you", "dice"),
        ("yes", "yes or no"),
        ("brave of you", "yes or no"),
        ("wild of ace", "yes or no"),
        ("during trial-run", "yes or no"),
        ("not brave of you and 1 < 2 or ace is king", "yes or no"),
        ("ace is in held of you", "yes or no"),
        ("ace is not in deck", "yes or no"),
        ("held of you is within cards", "yes or no"),
        ("held of you is empty", "yes or no"),
        ("hand of you is not empty", "yes or no"),
        ("every card has rank of it > 0", "yes or no"),
        ("some player has coin of it > 0", "yes or no"),
        ("best-card = none", "yes or no"),
    ],
)
def test_the_type_of_an_expression(expr: str, expected: str) -> None:
    assert type_of(expr) == expected


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("set best-card to 3", ("E0401", "3")),
        ("set best-card to you", ("E0401", "you")),
        ("set brave of you to 1", ("E0401", "1")),
        ("set hand of you to 3", ("E0401", "3")),
        ("set deck to cards", ("E0401", "cards")),
        ("set favourite to ace", ("E0401", "ace")),
        ("if coin of you\n  nothing", ("E0401", "coin of you")),
        ("gain ace coin", ("E0401", "ace")),
        ("gain 1 from cards", ("E0401", "cards")),
        ("gain coin of ace stick", ("E0401", "coin of ace")),
        ("gain strength of ace coin", ("E0401", "ace")),
        ("repeat yes times\n  nothing", ("E0401", "yes")),
        ("repeat until 3\n  nothing", ("E0401", "3")),
        ("let x = 1 + yes", ("E0401", "yes")),
        ("let x = 1 and yes", ("E0401", "1")),
        ("let x = not 1", ("E0401", "1")),
        ("let x = ace < 3", ("E0401", "ace")),
        ("let x = left of ace", ("E0401", "ace")),
        ("let x = total of 3", ("E0401", "3")),
        ("let x = you is in cards", ("E0401", "you is in cards")),
        ("let x = held of you is within players", ("E0401", "held of you")),
        ("let x = cards where 3", ("E0401", "3")),
        ("let x = cards with most it", ("E0401", "it")),
        ("each card in players\n  nothing", ("E0401", "players")),
        ("choose a card from players as x", ("E0401", "players")),
        ("choose a number from yes to 3 as x", ("E0401", "yes")),
        ("choose a die from 3 as x", ("E0401", "3")),
        ("choose a card as x asking ace", ("E0401", "ace")),
        ("draw a card from players as x", ("E0401", "players")),
        ("roll yes cube as x", ("E0401", "yes")),
        ("roll 1 cube into best-card", ("E0401", "best-card")),
        ("reroll 3 within hand of you", ("E0401", "3")),
        ("show secret-card of you to cards", ("E0401", "cards")),
        ("trigger found with you and you", ("E0401", "you")),
        ("do tell with ace and ace", ("E0401", "ace")),
        ("add you to held of you", ("E0401", "you")),
        ("arrange line lowest it first", ("E0401", "it")),
        ("let x = every 3 has it > 1", ("E0402", "3")),
        ("let x = count of 3", ("E0402", "count of 3")),
        ("let x = 3 where it > 1", ("E0402", "3")),
        ("let x = you is in 3", ("E0402", "3")),
        ("let x = first of 3", ("E0402", "3")),
        ("let x = ace\ngain 1 x", ("E0403", "x")),
        ("let x = ace\nlet y = x of you", ("E0403", "x")),
        ("choose a number as x", ("E0404", "choose a number as x")),
        ("each number as x\n  nothing", ("E0404", "each number as x")),
        ("set 3 to 4", ("E0405", "3")),
        ("set coin of you to 4", ("E0405", "coin of you")),
        ("set rank of ace to 4", ("E0405", "rank of ace")),
        ("set age to 4", ("E0405", "age")),
        ("add ace to best-card", ("E0406", "add ace to best-card")),
        ("remove yes from brave of you", ("E0406", "remove yes from brave of you")),
        ("show best-card to everyone", ("E0407", "show best-card to everyone")),
        ("do tell with ace", ("E0408", "do tell with ace")),
        ("trigger found", ("E0408", "trigger found")),
        ("let x = count-of of ace", ("E0408", "count-of of ace")),
        ("let x = best-card of you", ("E0408", "best-card of you")),
        ("let x = trick of ace", ("E0409", "trick of ace")),
        ("do rank of ace", ("E0409", "rank")),
        ("shuffle held of you", ("E0410", "held of you")),
        ("arrange held of you lowest 1 first", ("E0410", "held of you")),
        ("gain strength coin", ("E0411", "strength")),
        ("let x = price of ace", ("E0412", "price of ace")),
        ("let x = price of ace in you", ("E0412", "price of ace in you")),
        ("let x = rank of you", ("E0413", "rank of you")),
        ("do trick of you", ("E0413", "do trick of you")),
        ("let x = ace is 3", ("E0414", "ace is 3")),
        ("let x = you = ace", ("E0414", "you = ace")),
        ("let x = ace = cards", ("E0414", "ace = cards")),
        ("spend 2 stuff as x\n  gain 1 x", ("E0416", "2 stuff")),
        ("spend 1 stick and 1 brick as x\n  gain 1 x", ("E0416", "1 stick and 1 brick")),
        ("may spend 1 coin or 1 from stuff as x\n  gain 1 x", ("E0416", "1 from stuff")),
    ],
)
def test_a_wrong_type_is_told_once_at_its_place(lines: str, expected: tuple[str, str]) -> None:
    text = RULES + steps(lines, "do tell with ace and 1", "trigger found with you and ace")
    assert said(text) == [expected]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("keep k as player starting at 3\n", ("E0401", "3")),
        ("quantity q is everyone\n", ("E0401", "everyone")),
        ("quantity q is 1, at least yes\n", ("E0401", "yes")),
        ("quantity q is 1\nadjust q by yes\n", ("E0401", "yes")),
        ("quantity q is 1\nadjust q by 1 if 3\n", ("E0401", "3")),
        ("kind hut\n  works if 3\n", ("E0401", "3")),
        ("action act\n  rule r\n    require 3\n" + steps("do act"), ("E0401", "3")),
        ("display d\n  each player if 3\n  column \"x\" 1\n", ("E0401", "3")),
        ("display d\n  each player\n  column \"x\" 1\n  mark if 3\n", ("E0401", "3")),
        ("kind pet\n  likes order of pet\npet dog\n  likes dog\n", ("E0401", "dog")),
    ],
)
def test_definitions_are_checked_too(text: str, expected: tuple[str, str]) -> None:
    assert said(text) == [expected]


GAME = """
keep seats as {}
game sample
  players 2 to 4
  order seats
  winners {}
  score 0
  course
    nothing
"""


def test_a_game_needs_an_order_of_players_and_a_set_of_winners() -> None:
    found = build((module(GAME.format("set of player", "everyone")),)).diagnostics
    assert [d.code for d in found] == ["E0415"]
    found = build((module(GAME.format("order of player", "3")),)).diagnostics
    assert [d.code for d in found] == ["E0401"]


def test_what_fits_though_it_is_not_the_same() -> None:
    """None into what may be none, a thing as the set of itself, an order as a set, a number into numbers."""
    lines = (
        "set best-card to none", "set held of you to ace", "set held of you to deck", "add ace to held of you",
        "add 3 to lucky", "set lucky to lucky where it > 1", "each player in you\n  nothing",
        "do tell with ace and 1", "trigger found with you and ace", "set best-card to first of cards",
    )  # fmt: skip
    assert said(RULES + steps(*lines)) == []


def test_one_mistake_one_report() -> None:
    """What a wrong name leads to is not reported again."""
    assert said(RULES + steps("let x = nonsense of you", "gain x coin", "set best-card to x", "let y = rank of x")) == [
        ("E0201", "nonsense")
    ]


@pytest.mark.parametrize(
    ("line", "declared", "written"),
    [
        ("do tell with ace and you", "number", []),
        ("let x = count-of of cards by you", "card", ["first of cards"]),
        ("do tell with 1 and ace", "", ["do tell with ace and 1"]),
        ("trigger found with ace and you", "", ["trigger found with you and ace"]),
        ("let x = count-of of you in ace", "", ["count-of of ace in you"]),
    ],
)
def test_what_is_given_is_told_with_what_is_asked_for(line: str, declared: str, written: list[str]) -> None:
    """Steps that run something and values that are asked of something, alike: where it says so, and what to write."""
    text = RULES + steps(line)
    (told,) = resolved(text).then(check_types).diagnostics
    assert [text.split("\n")[one.span.line - 1][one.span.column - 1 :].split()[0] for one in told.labels] == (
        [declared] if declared else []
    )
    assert [one.text for one in told.edits] == written


def test_what_a_bag_may_begin_with_is_shown_as_it_is_written() -> None:
    things = "kind card\ncard ace\nkind hut\nhut mill\n"
    (found,) = errors(f"{things}keep pile as bag of card starting at 1 of each hut, quiet")
    assert found.code == "E0401" and "write `1 of each card`" in found.help
