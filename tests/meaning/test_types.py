"""Types: of what type every expression is, and what is said where they do not fit."""

from __future__ import annotations

from textwrap import indent

from helpers import errors, module, resolved, said, steps

from edict.front.pipeline import build
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


TYPES = {
    "a number": (
        "3", "- 3 + 2 * 4 / 2 mod 3", "goal", "age", "strength of you", "coin of you", "stuff of you", "cube of you",
        "rank of ace", "double of ace", "price of ace in coin", "count-of of ace by you", "count of cards",
        "count of hand of you", "total of hand of you", "sum of rank of it over cards",
        "best of rank of it over cards", "least of rank of it over cards", "first of lucky",
    ),
    "yes or no": (
        "hard", "yes", "brave of you", "wild of ace", "during trial-run",
        "not brave of you and 1 < 2 or ace is king", "ace is in held of you", "ace is not in deck",
        "held of you is within cards", "held of you is empty", "hand of you is not empty",
        "every card has rank of it > 0", "some player has coin of it > 0", "best-card = none",
    ),
    "a player": ("you", "left of you",),
    "a player or `none`": ("first of everyone",),
    "a card or `none`": ("first of deck", "partner of ace", "best-card",),
    "a card": ("ace",),
    "`none`": ("none",),
    "a resource": ("stick", "favourite",),
    "a set of resources": ("stuff",),
    "a set of cards": (
        "cards", "friends of ace", "held of you", "held of you + ace - king", "cards where rank of it > 1",
        "deck where rank of it > 1",
    ),
    "a set of players": ("players", "everyone with most coin of it",),
    "a set of anything": ("nobody",),
    "a set of numbers": ("faces of hand of you", "lucky where it > 3",),
    "an order of cards": ("deck",),
    "an order of players": ("line",),
    "dice": ("no-dice", "hand of you", "hand of you + no-dice", "cube showing 3", "cubes among hand of you",),
}  # fmt: skip


def test_the_type_of_an_expression() -> None:
    rows = [(expr, of) for of, some in TYPES.items() for expr in some]
    text = RULES + steps(*(f"let x{i} = {expr}" for i, (expr, _) in enumerate(rows)))
    outcome = resolved(text).then(check_types)
    assert outcome.value is not None and outcome.ok, outcome.diagnostics
    found = [spoken(outcome.value.of(let.value)) for let in outcome.value.resolved.get("trial-run").block]
    assert list(zip([expr for expr, _ in rows], found, strict=True)) == rows


WRONG = {
    "E0401": [
        ("set best-card to 3", "3"), ("set best-card to you", "you"), ("set brave of you to 1", "1"),
        ("set hand of you to 3", "3"), ("set deck to cards", "cards"), ("set favourite to ace", "ace"),
        ("if coin of you\n  nothing", "coin of you"), ("gain ace coin", "ace"), ("gain 1 from cards", "cards"),
        ("gain coin of ace stick", "coin of ace"), ("gain strength of ace coin", "ace"),
        ("repeat yes times\n  nothing", "yes"), ("repeat until 3\n  nothing", "3"), ("let x = 1 + yes", "yes"),
        ("let x = 1 and yes", "1"), ("let x = not 1", "1"), ("let x = ace < 3", "ace"),
        ("let x = left of ace", "ace"), ("let x = total of 3", "3"), ("let x = you is in cards", "you is in cards"),
        ("let x = held of you is within players", "held of you"), ("let x = cards where 3", "3"),
        ("let x = cards with most it", "it"), ("each card in players\n  nothing", "players"),
        ("choose a card from players as x", "players"), ("choose a number from yes to 3 as x", "yes"),
        ("choose a die from 3 as x", "3"), ("choose a card as x asking ace", "ace"),
        ("draw a card from players as x", "players"), ("roll yes cube as x", "yes"),
        ("roll 1 cube into best-card", "best-card"), ("reroll 3 within hand of you", "3"),
        ("show secret-card of you to cards", "cards"), ("trigger found with you and you", "you"),
        ("do tell with ace and ace", "ace"), ("add you to held of you", "you"),
        ("arrange line lowest it first", "it"),
    ],
    "E0402": [
        ("let x = every 3 has it > 1", "3"), ("let x = count of 3", "count of 3"), ("let x = 3 where it > 1", "3"),
        ("let x = you is in 3", "3"), ("let x = first of 3", "3"),
        ("let x = sum of it over hand of you", "hand of you"),
    ],
    "E0403": [
        ("let x = ace\ngain 1 x", "x"), ("let x = ace\nlet y = x of you", "x"),
    ],
    "E0404": [
        ("choose a number as x", "choose a number as x"), ("each number as x\n  nothing", "each number as x"),
    ],
    "E0405": [
        ("set 3 to 4", "3"), ("set coin of you to 4", "coin of you"), ("set rank of ace to 4", "rank of ace"),
        ("set age to 4", "age"),
    ],
    "E0406": [
        ("add ace to best-card", "add ace to best-card"),
        ("remove yes from brave of you", "remove yes from brave of you"),
    ],
    "E0407": [
        ("show best-card to everyone", "show best-card to everyone"),
    ],
    "E0408": [
        ("do tell with ace", "do tell with ace"), ("trigger found", "trigger found"),
        ("let x = count-of of ace", "count-of of ace"), ("let x = best-card of you", "best-card of you"),
    ],
    "E0409": [
        ("let x = trick of ace", "trick of ace"), ("do rank of ace", "rank"),
    ],
    "E0410": [
        ("shuffle held of you", "held of you"), ("arrange held of you lowest 1 first", "held of you"),
    ],
    "E0411": [
        ("gain strength coin", "strength"),
    ],
    "E0412": [
        ("let x = price of ace", "price of ace"), ("let x = price of ace in you", "price of ace in you"),
    ],
    "E0413": [
        ("let x = rank of you", "rank of you"), ("do trick of you", "do trick of you"),
        ("let x = rank of you\nlet y = double of x", "rank of you"),
    ],
    "E0414": [
        ("let x = ace is 3", "ace is 3"), ("let x = you = ace", "you = ace"), ("let x = ace = cards", "ace = cards"),
    ],
    "E0416": [
        ("spend 2 stuff as x\n  gain 1 x", "2 stuff"),
        ("spend 1 stick and 1 brick as x\n  gain 1 x", "1 stick and 1 brick"),
        ("may spend 1 coin or 1 from stuff as x\n  gain 1 x", "1 from stuff"),
    ],
}  # fmt: skip


def test_a_wrong_type_is_told_once_at_its_place() -> None:
    rows = [(lines, code, place) for code, some in WRONG.items() for lines, place in some]
    text = RULES + steps(
        *(f"if yes\n{indent(lines, '  ')}" for lines, _, _ in rows), "do tell with ace and 1",
        "trigger found with you and ace",
    )  # fmt: skip
    assert said(text) == [(code, place) for _, code, place in rows]


DEFINED = [
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
]


def test_definitions_are_checked_too() -> None:
    for text, expected in DEFINED:
        assert said(text) == [expected], text


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
        "let rank = 3", "gain rank of ace + rank coin",
    )  # fmt: skip
    assert said(RULES + steps(*lines)) == []


def test_one_mistake_one_report() -> None:
    """What a wrong name leads to is not reported again."""
    assert said(RULES + steps("let x = nonsense of you", "gain x coin", "set best-card to x", "let y = rank of x")) == [
        ("E0201", "nonsense")
    ]


REMEDIES = [
    ("let x = ace is in lucky", "a card is never in a set of numbers", "write `partner of ace is in lucky`"),
    ("let x = you is in held of you", "a player is never in a set of card", "`secret-card of you is in held of you`"),
    ("let x = brave of everyone", "`brave` takes a player, and this is a set of players", "write `each player`, "),
    ("let x = coin of (players - you)", "a resource is of a player", "write `each player in (players - you)`, "),
    ("let x = price of cards in coin", "a set of cards has no field `price`", "`price` belongs to: card"),
]


def test_a_wrong_type_is_said_in_words_with_what_to_write() -> None:
    for line, title, remedy in REMEDIES:
        (told,) = resolved(RULES + steps(line)).then(check_types).diagnostics
        assert told.title == title and remedy in told.help, line


GIVEN: list[tuple[str, str, list[str]]] = [
    ("do tell with ace and you", "number", []),
    ("let x = count-of of cards by you", "card", ["first of cards"]),
    ("do tell with 1 and ace", "", ["do tell with ace and 1"]),
    ("trigger found with ace and you", "", ["trigger found with you and ace"]),
    ("let x = count-of of you in ace", "", ["count-of of ace in you"]),
]


def test_what_is_given_is_told_with_what_is_asked_for() -> None:
    """Steps that run something and values that are asked of something, alike: where it says so, and what to write."""
    for line, declared, written in GIVEN:
        text = RULES + steps(line)
        (told,) = resolved(text).then(check_types).diagnostics
        places = [text.split("\n")[one.span.line - 1][one.span.column - 1 :].split()[0] for one in told.labels]
        assert (places, [one.text for one in told.edits]) == ([declared] if declared else [], written), line


def test_what_a_bag_may_begin_with_is_shown_as_it_is_written() -> None:
    things = "kind card\ncard ace\nkind hut\nhut mill\n"
    (found,) = errors(f"{things}keep pile as bag of card starting at 1 of each hut, quiet")
    assert found.code == "E0401" and "write `1 of each card`" in found.help
