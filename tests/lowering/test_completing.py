"""Options that begin with a step in short, or with a name: offered only if they can be completed."""

from __future__ import annotations

import pytest
from helpers import does

CARDS = "kind card\ncard ace\ncard king\ncard queen\nkeep hand of player as set of card\n"
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
    "choose count of hand of you + 1 cards from hand of you as gone",
]  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_what_cannot_be_done_is_not_offered(step: str) -> None:
    run = does(CHOICE.format(step=step), rules=CARDS)
    assert run.value("fame", 0) == 1


@pytest.mark.parametrize("step", STEPS)
def test_what_can_be_done_is_offered(step: str) -> None:
    run = does("gain 1 stick", "set hand of you to (ace, king)", CHOICE.format(step=step), rules=CARDS)
    assert run.options == ["Discard", "Pass"]


def test_an_offer_of_several_asks_for_the_first_at_once() -> None:
    lines = "may choose 2 cards from hand of you as gone\n  remove gone from hand of you\n  gain 1 coin"
    run = does("set hand of you to cards", lines, rules=CARDS)
    assert run.options == ["-", "ace", "king", "queen"] or run.options == ["ace", "king", "queen", "-"]
    run.answer("king", "ace")
    assert run.told("hand", 0) == ["queen"] and run.value("coin", 0) == 1


def test_and_it_can_be_declined() -> None:
    lines = "may choose up to 2 cards from hand of you as gone\n  remove gone from hand of you"
    lines += "\notherwise\n  gain 1 fame"
    run = does("set hand of you to cards", lines, rules=CARDS).answer("-")
    assert run.told("hand", 0) == ["ace", "king", "queen"] and run.value("fame", 0) == 1
    again = does("set hand of you to cards", lines, rules=CARDS).answer("king", "-")
    assert again.told("hand", 0) == ["ace", "queen"] and again.value("fame", 0) == 0
