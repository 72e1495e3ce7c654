"""Everybody answers at once: in secret, and without any trace before all have answered."""

from __future__ import annotations

import pytest
from helpers import does, errors, play, steps

from edict.program.opcodes import EV_TERM

KEEPS = """
kind card
card ace
card king
card queen
keep bid of player as number from 0 to 20, secret
keep open-bid of player as number from 0 to 20
keep hand of player as set of card starting at cards, secret
keep played of player as set of card, secret
keep bluff of player as truth, secret
keep thrown of player as dice, secret
keep pot as number, secret
quantity highest is best of bid of it over everyone
"""
BIDDING = "each player at once\n  choose a number from 0 to 5 as one\n  set bid of you to one"


def test_everybody_is_asked_in_secret_and_knows_only_the_own_answer() -> None:
    run = does(BIDDING, "gain bid of you coin", rules=KEEPS)
    assert run.seat == 0 and run.question.secret
    run.answer("3")
    assert run.seat == 1 and run.question.secret and run.known("bid", 0) == [0]
    run.answer("4")
    assert (run.known("bid", 1), run.value("coin", 0)) == ([1], 3)


def test_only_some_may_be_asked() -> None:
    run = does(BIDDING.replace("player at", "player in left of you at"), rules=KEEPS)
    assert run.seat == 1


BLOCKS = [
    "choose 2 cards from hand of you as some-cards\n  move some-cards from hand of you to played of you",
    "choose one\n    option \"A\"\n      set bid of you to 1\n    option \"B\"\n      nothing",
    "may \"Bluff?\"\n    set bluff of you to yes",
    "may choose a card from hand of you as one\n    add one to played of you",
]


@pytest.mark.parametrize("block", BLOCKS)
def test_every_question_is_secret(block: str) -> None:
    run = does(f"each player at once\n  {block}", rules=KEEPS)
    seats = set()
    while not run.over:
        assert run.question.secret
        seats.add(run.seat)
        assert not run.events(EV_TERM)
        run.answer(run.options[0])
    assert seats == {0, 1}


def test_a_die_is_chosen_in_secret() -> None:
    dice = "set thrown of you to cube showing 2 + cube showing 5"
    run = does(dice, "choose a die from thrown of you as one secretly\nset thrown of you to one", rules=KEEPS)
    assert run.question.secret
    assert run.answer(run.options[1]).dice(run.value("thrown", 0)) == {"cube": [5]}


def test_an_offer_can_be_secret() -> None:
    run = does("may secretly set bluff of you to yes", rules=KEEPS)
    assert run.question.secret and run.answer("Yes").value("bluff", 0) == 1


@pytest.mark.parametrize(
    "line",
    [
        "gain 1 coin", "announce \"Hello\"", "set open-bid of you to 1", "set pot to 2", "set bid of left of you to 1",
        "do nothing-much", "trigger noise", "if bid of left of you > 1\n    nothing", "let x = highest",
        "show bid of you to everyone", "choose a number from 0 to bid of (first of everyone) as n",
        "each player\n    set bid of you to 3",
    ],
)
def test_what_others_could_notice_is_refused(line: str) -> None:
    rules = KEEPS + "routine nothing-much\n  nothing\nmoment noise\n"
    found = errors(rules + steps(f"each player at once\n  set bid of you to 1\n  {line}"))
    assert found and {one.code for one in found} == {"E0538"}


@pytest.mark.parametrize(
    "lines",
    [
        "choose a number from top to 9 as n\n  set bid of you to n\n  set top to n", "add 1 to top",
        "remove ace from left-over", "swap top with bid of you", "choose a card as one asking left of you",
        "choose 2 cards as some asking left of you",
        "choose one asking left of you\n    option \"A\"\n      nothing\n    option \"B\"\n      set bid of you to 1",
        "may \"Stop?\"\n    leave loop", "draw a card from hand of you as one secretly",
        "roll 1 cube into thrown of you",
        "if pot = 0\n    set top to 3",
    ],
)
def test_what_a_later_player_is_asked_cannot_depend_on_an_earlier_answer(lines: str) -> None:
    before = ["let top = 0", "let left-over = cards"]
    found = errors(KEEPS + steps(*before, f"each player at once\n  {lines}"))
    assert found and {one.code for one in found} == {"E0538"}


def test_names_that_are_given_inside_can_be_changed_there() -> None:
    lines = "let one = 0\n  repeat 2 times\n    add 1 to one\n    if one > 1\n      leave loop\n  set bid of you to one"
    assert does(f"each player at once\n  {lines}", rules=KEEPS).value("bid", 1) == 2


def test_only_players_answer() -> None:
    assert [one.code for one in errors(KEEPS + steps("each card at once\n  nothing"))] == ["E0537"]


@pytest.mark.parametrize("head", ["choose a card as one", "spend 1 coin", "do act", "gain 1 cube"])
def test_a_secret_offer_of_what_is_asked_openly(head: str) -> None:
    rules = KEEPS + "action act\n  choose a card as some-card\n  then\n    nothing\n"
    assert "E0538" in [one.code for one in errors(rules + steps(f"may secretly {head}"))]


def test_it_plays_with_any_number() -> None:
    run = play(KEEPS + steps(BIDDING), ("1", "2", "3", "4"), players=4)
    assert [run.value("bid", seat) for seat in range(4)] == [1, 2, 3, 4]
