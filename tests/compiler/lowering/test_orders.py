"""Tests of orders that change, such as a pile of cards with a top and a bottom."""

from __future__ import annotations

import pytest

from edict.compiler.pipeline.pipeline import build_program
from edict.runtime.machine.loop import run
from edict.runtime.program import create_state
from edict.runtime.program.cell_values import decode_order
from edict.runtime.program.opcodes import ANSWER, ASKING, GAME_OVER
from helpers import GAME, codes_and_texts, make_module, make_phase, run_cases, run_steps

FEW = """
kind card
card ace
card king
card queen
card jack
keep pile as order of card
keep deck as order of card, secret
keep hand of player as set of card, secret
keep shown as card or none
"""
MANY = FEW.replace("kind card\n", "kind card\n  rank number from 1 to 20, optional\n") + "card for each rank\n"

STEPS = [
    ("add (king, queen) to pile", ["king", "queen"]),
    ("add king to pile\nadd ace to pile", ["king", "ace"]),
    ("add king to pile\nadd ace to pile first", ["ace", "king"]),
    ("add (ace, king, queen) to pile\nadd ace to pile", ["king", "queen", "ace"]),
    ("add (ace, king, queen) to pile\nadd queen to pile first", ["queen", "ace", "king"]),
    ("add (ace, king, queen) to pile\nremove king from pile", ["ace", "queen"]),
    ("add (ace, king) to pile\nremove (king, jack) from pile", ["ace"]),
    ("add (ace, king) to pile\nremove pile from pile", []),
    ("add (ace, king, queen) to pile\nmove (last of pile) from pile to pile first", ["queen", "ace", "king"]),
    ("add (ace, king, queen) to pile\nmove (first of pile) from pile to pile", ["king", "queen", "ace"]),
    ("add (ace, king) to pile\nset shown to first of pile\nremove (first of pile) from pile", ["king"]),
]


def test_packed_and_long_orders_behave_alike(subtests: pytest.Subtests) -> None:
    for rules in (FEW, MANY):
        with subtests.test(rules=rules):
            for game, lines, wanted in run_cases(STEPS, rules):
                names = [thing.name for thing in game.program.kind_by_name["card"].things]
                assert [names[i] for i in decode_order(game.get_value("pile"))] == wanted, lines
            assert game.get_variable("pile").type.cells == (24 if rules == MANY else 1)


def test_secret_deck_is_dealt_from_the_top_unseen() -> None:
    deal = "let top = first of deck\nif top is not none\n  move top from deck to hand of you"
    game = run_steps("shuffle deck", deal, rules=FEW).answer("queen", "ace", "king")
    assert game.describe_value("hand", 0) == ["queen"] and game.describe_value("deck") == ["ace", "king", "jack"]
    assert (game.list_knowing_players("deck"), game.list_knowing_players("hand", 0)) == ([], [0])


def test_first_needs_an_order_and_moving_end_to_end_is_a_change() -> None:
    assert codes_and_texts("phase other\n  each player\n    add ace to hand of you first\n" + FEW) == [
        ("E0410", "hand of you")
    ]
    assert codes_and_texts(FEW + make_phase("add cards to pile\nmove (first of pile) from pile to pile")) == []


BAGS = """
kind tile
tile red
tile blue
keep sack as bag of tile
keep top as tile or none
keep low as tile or none
"""


def test_first_and_last_of_a_bag_are_in_it(subtests: pytest.Subtests) -> None:
    ends = {"nobody": ["none"] * 2, "3 of each tile": ["red", "blue"], "blue": ["blue"] * 2}
    look = "\nset top to first of sack\nset low to last of sack"
    for game, put, found in run_cases([(f"add {put} to sack{look}", found) for put, found in ends.items()], BAGS):
        with subtests.test(put=put):
            assert [game.describe_value("top"), game.describe_value("low")] == found


DECK = """
kind leaf "leaf/leaves"
  number number from 1 to 200
leaf for each number
keep deck as order of leaf, secret, quiet
keep hand of player as set of leaf, secret, quiet
"""
DEAL = "each player\n  repeat 25 times\n    let top = first of deck\n    move top from deck to hand of you"
DEAL_ALL = (
    "each player\n  repeat 17 times\n    let top = first of deck\n    if top is not none\n"
    "      move top from deck to hand of you"
)


def deal_cards(*lines: str, players: int = 4) -> tuple[int, list[int], int]:
    """Deal from a deck of 200 cards; return the outcome, the rest of the deck and the number of cards in hands."""
    rules = DECK + make_phase(*lines) + GAME.replace("players 2 to 4", "players 2 to 12")
    made = build_program((make_module(rules),)).unwrap()
    state = create_state(made, players, {}, logging=False)
    while (status := run(made.code, state, [0])) == ASKING:
        state[ANSWER] = 0
    deck, hand = made.variable_by_name["deck"], made.variable_by_name["hand"]
    hands = state[hand.base : hand.base + players * hand.type.cells]
    left = state[deck.base : deck.base + deck.type.cells]
    return status, [card for card in left if card >= 0], sum(cards.bit_count() for cards in hands)


def test_long_order_is_shuffled_filled_and_sorted(subtests: pytest.Subtests) -> None:
    for line in ("shuffle deck", "add leaves to deck", "each leaf\n  add leaf to deck"):
        with subtests.test(line=line):
            assert deal_cards(line) == (GAME_OVER, [*range(200)], 0)
    assert deal_cards("shuffle deck", "arrange deck highest number of it first") == (
        GAME_OVER,
        [*range(199, -1, -1)],
        0,
    )


def test_dealing_a_hundred_cards_stays_within_the_budget() -> None:
    assert deal_cards("shuffle deck", DEAL) == (GAME_OVER, [*range(100, 200)], 100)


def test_dealing_two_hundred_cards_to_twelve_players_stays_within_the_budget() -> None:
    assert deal_cards("shuffle deck", DEAL_ALL, players=12) == (GAME_OVER, [], 200)
