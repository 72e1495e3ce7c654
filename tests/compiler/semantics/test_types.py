"""The pass `check_types`: types of expressions, and diagnostics where they do not fit."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import yaml

from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.semantics.checker import check_types
from edict.compiler.semantics.types import describe_type
from helpers import codes_and_texts, describe_diagnostic, list_errors, make_module, make_phase, resolve_texts

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


TYPES = {
    "a number": (
        "3",
        "- 3 + 2 * 4 / 2 mod 3",
        "goal",
        "age",
        "strength of you",
        "coin of you",
        "stuff of you",
        "cube of you",
        "rank of ace",
        "double of ace",
        "price of ace in coin",
        "count-of of ace by you",
        "count of cards",
        "count of hand of you",
        "total of hand of you",
        "sum of rank of it over cards",
        "best of rank of it over cards",
        "least of rank of it over cards",
        "first of lucky",
    ),
    "yes or no": (
        "hard",
        "yes",
        "brave of you",
        "wild of ace",
        "during trial-run",
        "not brave of you and 1 < 2 or ace is king",
        "ace is in held of you",
        "ace is not in deck",
        "held of you is within cards",
        "held of you is empty",
        "hand of you is not empty",
        "every card has rank of it > 0",
        "some player has coin of it > 0",
        "best-card = none",
    ),
    "a player": (
        "you",
        "left of you",
    ),
    "a player or `none`": ("first of everyone",),
    "a card or `none`": (
        "first of deck",
        "partner of ace",
        "best-card",
    ),
    "a card": ("ace",),
    "`none`": ("none",),
    "a resource": (
        "stick",
        "favourite",
    ),
    "a set of resources": ("stuff",),
    "a set of cards": (
        "cards",
        "friends of ace",
        "held of you",
        "held of you + ace - king",
        "cards where rank of it > 1",
        "deck where rank of it > 1",
    ),
    "a set of players": (
        "players",
        "everyone with most coin of it",
    ),
    "a set of anything": ("nobody",),
    "a set of numbers": (
        "faces of hand of you",
        "lucky where it > 3",
    ),
    "an order of cards": ("deck",),
    "an order of players": ("line",),
    "dice": (
        "no-dice",
        "hand of you",
        "hand of you + no-dice",
        "cube showing 3",
        "cubes among hand of you",
    ),
}


def test_expression_has_its_type() -> None:
    rows = [(expr, of) for of, some in TYPES.items() for expr in some]
    text = RULES + make_phase(*(f"let x{i} = {expr}" for i, (expr, _) in enumerate(rows)))
    outcome = resolve_texts(text).and_then(check_types)
    assert outcome.value is not None and outcome.ok, outcome.diagnostics
    actual = [
        describe_type(outcome.value.type_of(let.value))
        for let in outcome.value.resolved.require_definition("trial-run").block
    ]
    assert list(zip([expr for expr, _ in rows], actual, strict=True)) == rows


WRONG = yaml.safe_load((Path(__file__).parent / "wrong_types.yaml").read_text(encoding="utf-8"))


def test_wrong_type_is_reported_once_with_advice() -> None:
    text = RULES + make_phase(*(f"if yes\n{indent(row['step'], '  ')}" for row in WRONG))
    diagnostics = resolve_texts(text).and_then(check_types).diagnostics
    said = [
        {"step": row["step"], **describe_diagnostic(text, one)} for row, one in zip(WRONG, diagnostics, strict=False)
    ]
    assert said == WRONG and len(diagnostics) == len(WRONG)


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
    diagnostics = build_program((make_module(GAME.format("set of player", "everyone")),)).diagnostics
    assert [d.code for d in diagnostics] == ["E0415"]
    diagnostics = build_program((make_module(GAME.format("order of player", "3")),)).diagnostics
    assert [d.code for d in diagnostics] == ["E0401"]


def test_value_of_a_compatible_type_is_accepted() -> None:
    """`none` fits an optional place, a thing and an order fit a set, a number fits a set of numbers."""
    lines = (
        "set best-card to none",
        "set held of you to ace",
        "set held of you to deck",
        "add ace to held of you",
        "add 3 to lucky",
        "set lucky to lucky where it > 1",
        "each player in you\n  nothing",
        "do tell with ace and 1",
        "trigger found with you and ace",
        "set best-card to first of cards",
        "let rank = 3",
        "gain rank of ace + rank coin",
    )
    assert codes_and_texts(RULES + make_phase(*lines)) == []


def test_consequences_of_a_wrong_name_are_not_reported() -> None:
    assert codes_and_texts(
        RULES + make_phase("let x = nonsense of you", "gain x coin", "set best-card to x", "let y = rank of x")
    ) == [("E0201", "nonsense")]


def test_wrong_initial_bag_is_reported_with_the_source_to_write() -> None:
    things = "kind card\ncard ace\nkind hut\nhut mill\n"
    (diagnostic,) = list_errors(f"{things}keep pile as bag of card starting at 1 of each hut, quiet")
    assert diagnostic.code == "E0401" and "write `1 of each card`" in diagnostic.help
