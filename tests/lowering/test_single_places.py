"""Things drawn or moved into a place for one thing, and out of it."""

from __future__ import annotations

import pytest
from helpers import does, linked, said, steps

from edict.language import tree as t
from edict.language.walking import walk
from edict.words.telling import tell

CARDS = """
kind card "card/cards"
card ace "Ace"
card king "King"
keep deck "the deck" as set of card starting at cards
keep pile as order of card
keep shown "the card on display" as card or none
keep held of player as card or none, secret
keep hand of player as set of card
keep always as card starting at king
"""


@pytest.mark.parametrize(("lines", "deck", "shown", "hand"), [
    ("draw a card from deck into shown", ["king"], "ace", []),
    ("draw 1 card from deck into shown", ["king"], "ace", []),
    ("draw a card from deck into shown\nmove shown from shown to hand of you", ["king"], "none", ["ace"]),
    ("draw a card from deck into shown\ndraw a card from deck into shown", [], "king", []),
    ("set shown to king\nmove ace from shown to deck", ["ace", "king"], "king", []),
    ("move ace from deck to shown", ["king"], "ace", []),
    ("move first of pile from pile to shown", ["ace", "king"], "none", []),
])  # fmt: skip
def test_one_thing_comes_and_goes(lines: str, deck: list[str], shown: str, hand: list[str]) -> None:
    run = does(lines, rules=CARDS)
    while not run.over:
        run.answer(run.options[0])
    assert (run.told("deck"), run.told("shown"), run.told("hand", 0)) == (deck, shown, hand)


def test_what_is_drawn_into_a_secret_place_is_seen_by_its_player_alone() -> None:
    run = does("draw a card from deck into held of you", rules=CARDS, answers=["king"])
    assert (run.told("held", 0), run.known("held", 0)) == ("king", [0])


def test_what_an_exception_keeps_back_does_not_arrive() -> None:
    kept = "exception glue to leaving deck if card is ace\n  instead\n    nothing\n"
    run = does("move ace from deck to shown", rules=CARDS + kept)
    assert (run.told("deck"), run.told("shown")) == (["ace", "king"], "none")


@pytest.mark.parametrize(("line", "code", "at"), [
    ("draw 2 cards from deck into shown", "E0406", "shown"),
    ("move deck from deck to shown", "E0401", "deck"),
    ("move always from always to hand of you", "E0406", "always"),
    ("add ace to shown", "E0406", "add ace to shown"),
])  # fmt: skip
def test_there_is_room_for_one(line: str, code: str, at: str) -> None:
    assert [(found, under.strip()) for found, under in said(CARDS + steps(line)) if found < "E05"] == [(code, at)]


def test_words_speak_of_one() -> None:
    lines = ("draw a card from deck into shown", "move shown from shown to hand of you")
    resolved = linked(CARDS + steps(*lines)).resolved
    short = [node for one in resolved.book.definitions.values() for node in walk(one) if isinstance(node, t.Short)]
    assert [tell(resolved, one) for one in short] == [
        "draw a card from the deck as the card on display", "move the card on display to your hand",
    ]  # fmt: skip
