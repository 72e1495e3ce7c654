"""Options that begin with a step in short, or with a name: offered only if they can be completed."""

from __future__ import annotations

import pytest
from helpers import does

CARDS = """
kind card
card ace
card king
card queen
keep hand of player as set of card
keep pile of player as bag of card
routine pays with number called price
  spend price stick
    gain 1 fame
routine discards
  choose a card from hand of you as gone
  remove gone from hand of you
routine waits
  choose one
    do discards
    do pays with 5
kind deed
  done effect
deed throw
  done do discards
deed buy
  done
    spend 1 stick
      gain 1 fame
deed either
  done
    choose one
      do done of throw
      do done of buy
deed rest
  done gain 1 fame
keep favourite as deed starting at throw
routine comes-back
  choose one
    do comes-back
    spend 1 stick
    do discards
"""
CHOICE = """
choose one
  option "Discard"
    {step}
    gain 1 coin
  option "Pass"
    gain 1 fame
""".strip()
STEPS = [
    "choose 2 cards from hand of you as gone", "choose up to 2 cards from hand of you as gone",
    "let mine = hand of you\n    choose a card from mine as one", "give 1 stick to left of you",
    "choose count of hand of you + 1 cards from hand of you as gone", "do pays with 1", "do discards", "do waits",
    "draw a card from hand of you as one", "draw 2 cards from hand of you into pile of you",
    "repeat 2 times\n      do discards", "choose one\n      spend 1 stick\n      do discards",
    "draw 2 cards from hand of you as both", "do comes-back",
    "do done of throw", "do done of favourite", "do done of either", "do done of buy 2 times",
    "if fame of you = 0\n      do discards\n    else\n      gain 1 fame",
    "if fame of you > 0\n      gain 1 fame\n    else\n      spend 1 stick",
    "let mine = count of hand of you\n    if mine < 9\n      choose a card from hand of you as one",
    "for you\n      do discards", "each player in (you + you)\n      spend 1 stick",
    "each player as other in (you + you)\n      choose a card from hand of other as one",
    "each card as one in cards\n      choose a card from hand of you as two where it is one",
    "text \"Throw one away.\"\n      if fame of you = 0\n        do discards",
]  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_what_cannot_be_done_is_not_offered(step: str) -> None:
    run = does(CHOICE.format(step=step), rules=CARDS)
    assert run.value("fame", 0) == 1


@pytest.mark.parametrize("step", STEPS)
def test_what_can_be_done_is_offered(step: str) -> None:
    run = does("gain 1 stick", "set hand of you to (ace, king)", CHOICE.format(step=step), rules=CARDS)
    assert run.options == ["Discard", "Pass"]


def test_what_comes_before_a_routine_may_make_it_possible() -> None:
    rules = CARDS + "when start of discards\n  add ace to hand of you\n"
    assert does(CHOICE.format(step="do discards"), rules=rules).options == ["Discard", "Pass"]
    rules = CARDS + "exception other to pays if fame of you = 0\n  instead\n    nothing\n"
    assert does(CHOICE.format(step="do pays with 9"), rules=rules).options == ["Discard", "Pass"]


def test_an_offer_of_several_asks_for_the_first_at_once() -> None:
    lines = "may choose 2 cards from hand of you as gone\n  remove gone from hand of you\n  gain 1 coin"
    run = does("set hand of you to cards", lines, rules=CARDS)
    assert run.options == ["-", "ace", "king", "queen"] or run.options == ["ace", "king", "queen", "-"]
    run.answer("king", "ace")
    assert run.told("hand", 0) == ["queen"] and run.value("coin", 0) == 1


def test_and_it_can_be_declined() -> None:
    lines = "may choose up to 2 cards from hand of you as gone\n  remove gone from hand of you"
    lines += "\nelse\n  gain 1 fame"
    run = does("set hand of you to cards", lines, rules=CARDS).answer("-")
    assert run.told("hand", 0) == ["ace", "king", "queen"] and run.value("fame", 0) == 1
    again = does("set hand of you to cards", lines, rules=CARDS).answer("king", "-")
    assert again.told("hand", 0) == ["ace", "queen"] and again.value("fame", 0) == 0


@pytest.mark.parametrize("step", ["if fame of you > 0\n      gain 1 coin", "if fame of you > 0\n      spend 1 stick"])
def test_what_does_nothing_at_all_is_not_offered(step: str) -> None:
    alone = CHOICE.format(step=step).replace("    gain 1 coin\n  option", "  option")
    assert does(alone.replace("\n    gain 1 coin\n", "\n"), rules=CARDS).value("fame", 0) == 1


def test_what_follows_a_condition_that_fails_may_be_possible() -> None:
    assert does(CHOICE.format(step="if fame of you > 0\n      do discards"), rules=CARDS).options == ["Discard", "Pass"]
    assert does(CHOICE.format(step="do done of rest"), rules=CARDS).options == ["Discard", "Pass"]


def test_another_player_may_be_able_to() -> None:
    step = "for left of you\n      do discards"
    given = "for left of you\n  set hand of you to (ace, king)"
    assert does(CHOICE.format(step=step), rules=CARDS).value("fame", 0) == 1
    run = does(given, CHOICE.format(step=step), rules=CARDS)
    assert run.options == ["Discard", "Pass"] and run.value("fame", 0) == 0


@pytest.mark.parametrize("step", ["do done of favourite", "do done of throw", "do discards", "do pays with 1"])
def test_an_offer_of_what_cannot_be_done_is_not_made(step: str) -> None:
    assert does(f"may {step}\nelse\n  gain 2 fame", rules=CARDS).value("fame", 0) == 2
    run = does("gain 1 stick", "set hand of you to (ace, king)", f"may {step}", rules=CARDS)
    assert not run.over and "Yes" in run.options
