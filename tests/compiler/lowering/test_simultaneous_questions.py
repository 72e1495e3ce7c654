"""Tests of simultaneous questions, which are secret and leave no trace before all have answered."""

from __future__ import annotations

import pytest

from edict.runtime.program.opcodes import EV_TERM
from helpers import list_errors, make_phase, run_cases, run_steps

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


def test_simultaneous_answers_are_known_only_to_their_seat(subtests: pytest.Subtests) -> None:
    run = run_steps(BIDDING, "gain bid of you coin", rules=KEEPS, players=4)
    for seat, answer in enumerate("3412"):
        with subtests.test(answer=answer):
            assert run.seat == seat and run.question.secret
            assert [run.list_knowing_players("bid", before) for before in range(seat)] == [
                [before] for before in range(seat)
            ]
            run.answer(answer)
    assert ([run.get_value("bid", seat) for seat in range(4)], run.get_value("coin", 0)) == ([3, 4, 1, 2], 3)


def test_simultaneous_loop_takes_a_set_of_players_only() -> None:
    run = run_steps(BIDDING.replace("player at", "player in left of you at"), rules=KEEPS)
    assert run.seat == 1
    assert [one.code for one in list_errors(KEEPS + make_phase("each card at once\n  nothing"))] == ["E0537"]


BLOCKS = [
    "choose 2 cards from hand of you as some-cards\n  move some-cards from hand of you to played of you",
    'choose one\n    option "A"\n      set bid of you to 1\n    option "B"\n      nothing',
    'may "Bluff?"\n    set bluff of you to yes',
    "may choose a card from hand of you as one\n    add one to played of you",
]


def test_every_simultaneous_question_is_secret(subtests: pytest.Subtests) -> None:
    for run, block in run_cases([(f"each player at once\n  {block}",) for block in BLOCKS], KEEPS):
        with subtests.test(block=block):
            seats = set()
            while not run.is_over:
                assert run.question.secret
                seats.add(run.seat)
                assert not run.list_events(EV_TERM)
                run.answer(run.options[0])
            assert seats == {0, 1}


def test_die_can_be_chosen_in_secret() -> None:
    dice = "set thrown of you to cube showing 2 + cube showing 5"
    run = run_steps(dice, "choose a die from thrown of you as one secretly\nset thrown of you to one", rules=KEEPS)
    assert run.question.secret
    assert run.answer(run.options[1]).unpack_dice(run.get_value("thrown", 0)) == {"cube": [5]}


def test_offer_can_be_secret() -> None:
    run = run_steps("may secretly set bluff of you to yes", rules=KEEPS)
    assert run.question.secret and run.answer("Yes").get_value("bluff", 0) == 1


def test_locals_bound_inside_can_be_changed_there() -> None:
    lines = "let one = 0\n  repeat 2 times\n    add 1 to one\n    if one > 1\n      leave loop\n  set bid of you to one"
    assert run_steps(f"each player at once\n  {lines}", rules=KEEPS).get_value("bid", 1) == 2
