"""Options that abilities add to the questions of other rules (`option "Rest" to plant`)."""

from __future__ import annotations

import pytest

from edict.compiler.english import describe
from edict.compiler.syntax import tree as t
from helpers import Run, codes_and_texts, link_texts, run_steps

TRADE = """
kind stall "stall/stalls"
  price number
stall bakery
  price 1
stall smithy
  price 3
keep visited of player as set of stall
action visit "Visit a stall"
  choose a stall as where-to "Which stall?"
  rule affordable
    require price of where-to <= coin of you
  then
    add where-to to visited of you
"""
OFFER = 'may do visit else "Stay"\n  gain 1 fame\nelse\n  gain 1 stick'


def run_trade(option: str, *answers: int | str, step: str = OFFER, coins: int = 1) -> Run:
    return run_steps(f"gain {coins} coin", step, rules=TRADE + option, answers=answers)


def test_option_stands_beside_an_action_and_declining_it() -> None:
    run = run_trade('option "Rest" to visit if coin of you > 0\n  lose 1 coin\n  gain 1 brick\n')
    assert run.options == ["Visit a stall", "Rest", "-"]
    run.answer("Rest")
    assert run.is_over
    assert [run.get_value(name, 0) for name in ("coin", "brick", "fame", "stick")] == [0, 1, 0, 0]


def test_offer_goes_on_as_ever_when_it_is_chosen_or_declined() -> None:
    option = 'option "Rest" to visit\n  gain 1 brick\n'
    accepted = run_trade(option, "Visit", coins=3)
    assert accepted.question.prompt == "Which stall?" and accepted.options == ["bakery", "smithy"]
    assert accepted.answer("smithy").get_value("fame", 0) == 1
    assert run_trade(option, "-").get_value("stick", 0) == 1


def test_question_is_the_plain_one_while_no_option_is_open() -> None:
    run = run_trade('option "Rest" to visit if brick of you > 0\n  gain 1 coin\n', coins=3)
    assert (run.question.prompt, run.options) == ("Which stall?", ["bakery", "smithy", "-"])


def test_option_that_cannot_be_completed_is_not_offered() -> None:
    run = run_trade('option "Rest" to visit\n  spend 1 brick\n    gain 1 fame\n')
    assert run.options == ["bakery", "-"]


def test_option_is_offered_where_the_action_is_impossible() -> None:
    run = run_trade('option "Rest" to visit\n  gain 1 brick\n', coins=0)
    assert run.options == ["Rest", "-"]


def test_option_to_a_mandatory_action_replaces_it_alone() -> None:
    run = run_trade('option "Rest" to visit\n  gain 1 brick\n', "Rest", step="do visit\ngain 1 fame")
    assert [run.get_value(name, 0) for name in ("brick", "fame")] == [1, 1]


def test_option_joins_the_branches_of_a_choice() -> None:
    step = 'choose one "What now?"\n  gain 1 coin\n  gain 1 stick\ngain 1 fame'
    run = run_steps(step, rules='option "Rest" to trial-run at "What now?"\n  gain 1 brick\n')
    assert run.options == ["Gain 1 coin", "Gain 1 stick", "Rest"]
    run.answer("Rest")
    assert [run.get_value(name, 0) for name in ("brick", "fame")] == [1, 1]


def test_option_to_a_choice_leaves_out_what_is_done_with_the_chosen() -> None:
    step = 'if coin of you = 0\n  choose a number from 1 to 3 as many "How many?"\n  gain many coin\ngain 1 fame'
    run = run_steps(step, rules='option "None" to trial-run\n  gain 1 brick\n', answers=["None"])
    assert [run.get_value(name, 0) for name in ("coin", "brick", "fame")] == [0, 1, 1]
    assert (
        run_steps(step, rules='option "None" to trial-run\n  nothing\n', answers=["Choose", 2]).get_value("coin", 0)
        == 2
    )


def test_option_sees_the_names_at_its_question() -> None:
    step = 'let extra = 2\nmay gain 1 cube else "No"'
    run = run_steps(step, rules='option "Rest" to trial-run at "No"\n  gain extra brick\n', answers=["Rest"])
    assert run.get_value("brick", 0) == 2


def test_option_is_there_once_per_phase() -> None:
    option = 'option "Rest" to visit, once per trial-run\n  gain 1 brick\n'
    run = run_trade(option, "Rest", step="repeat 2 times\n" + "".join(f"  {line}\n" for line in OFFER.splitlines()))
    assert run.options == ["bakery", "-"]


def test_option_of_a_thing_is_there_while_it_works() -> None:
    rules = TRADE.replace("  price number\n", "  price number\n  works if stall is in visited of you\n").replace(
        "  price 3\n", '  price 3\n  option "Forge" to visit\n    gain 2 brick\n'
    )
    assert run_steps("gain 1 coin", OFFER, rules=rules).options == ["bakery", "-"]
    run = run_steps("gain 1 coin", "add smithy to visited of you", OFFER, rules=rules)
    assert run.options == ["Visit a stall", "Forge", "-"]


def test_own_steps_of_an_option_do_not_offer_it_again() -> None:
    run = run_trade('option "Both" to visit\n  do visit\n  gain 1 brick\n', "Both", coins=3)
    assert run.question.prompt == "Which stall?"
    assert run.answer("smithy").get_value("brick", 0) == 1


def test_several_options_join_one_question_from_anywhere() -> None:
    option = 'option "Rest" to visit\n  gain 1 brick\noption "Sleep" to trial-run at "Stay"\n  gain 2 brick\n'
    assert run_trade(option).options == ["Visit a stall", "Rest", "Sleep", "-"]


def test_option_survives_a_loop_that_is_left() -> None:
    step = 'repeat 3 times\n  may gain 1 cube else "No"\n    leave loop\n  gain 1 fame'
    run = run_steps(step, rules='option "Rest" to trial-run\n  gain 1 brick\n', answers=["Rest", "Rest"])
    assert run.options == ["Gain 1 cube", "Rest", "-"]
    run.answer("Gain")
    assert run.is_over and [run.get_value(name, 0) for name in ("brick", "fame")] == [2, 2]


def test_option_makes_a_branch_completable() -> None:
    step = 'choose one "What now?"\n  option "Visit"\n    do visit\n  gain 1 stick'
    option = 'option "Rest" to visit\n  gain 1 brick\n'
    assert run_steps(step, rules=TRADE + option).options == ["Visit", "Gain 1 stick"]


SECRET = "keep bid of player as number from 0 to 3, secret\n"
FAULTS = [
    ('option "Rest" to visit at "Which stall?"\n  gain 1 coin\n', OFFER, "visit"),
    ('option "Rest" to trial-run at "Who?"\n  gain 1 coin\n', OFFER, "trial-run"),
    ('option "Rest" to trial-run\n  gain 1 coin\n', f'{OFFER}\nmay gain 1 cube else "No"', "trial-run"),
    ('option "Rest" to trial-run\n  gain 1 coin\n', "gain 1 coin", "trial-run"),
    (
        'option "Rest" to trial-run\n  gain 1 coin\n',
        "each player at once\n  choose a number from 0 to 3 as many\n  set bid of you to many",
        "trial-run",
    ),
]


@pytest.mark.parametrize(("option", "step", "underlined"), FAULTS)
def test_question_must_be_there_alone_and_public(option: str, step: str, underlined: str) -> None:
    phase = "".join(f"  {line}\n" for line in step.splitlines())
    text = f"{TRADE}{SECRET}{option}phase trial-run\n{phase}"
    assert [found for found in codes_and_texts(text) if found[0] == "E0214"] == [("E0214", underlined)]


def test_english_names_action_or_question() -> None:
    text = (
        TRADE
        + 'option "Rest" to visit if coin of you > 1, once per trial-run\n  gain 1 coin\n'
        + 'option "Sleep" to trial-run at "Stay"\n  gain 1 coin\n'
        + f"phase trial-run\n  {OFFER.replace(chr(10), chr(10) + '  ')}\n"
    )
    linked = link_texts(text)
    options = [each.ability for each in linked.held if isinstance(each.ability, t.AddedOption)]
    assert [describe(linked.resolved, option) for option in options] == [
        "when you could visit a stall, you may choose “Rest” instead, once per trial run, "
        "if you have more than 1 coin: gain 1 coin",
        "when you may answer “Stay”, you may choose “Sleep” instead: gain 1 coin",
    ]


ONLY_STEPS = [
    ("lose 1 brick", "gain 1 brick"),
    ("lose 2 stuff", "gain 1 brick"),
    ("each player in (players where brick of it > 0)\n    gain 1 fame", "gain 1 brick"),
    ("each player where brick of it > 0\n    gain 1 fame", "gain 1 brick"),
    ("may spend 1 brick\n    gain 1 fame", "gain 1 brick"),
]


@pytest.mark.parametrize(("only_step", "before"), ONLY_STEPS)
def test_option_whose_only_step_does_nothing_is_not_offered(only_step: str, before: str) -> None:
    rules = f'{TRADE}option "Rest" to visit\n  {only_step}\n'
    assert run_steps("gain 1 coin", OFFER, rules=rules).options == ["bakery", "-"]
    assert run_steps("gain 1 coin", before, OFFER, rules=rules).options == ["Visit a stall", "Rest", "-"]


def test_option_that_may_go_below_zero_or_does_more_is_offered() -> None:
    assert "Rest" in run_trade('option "Rest" to visit\n  lose 1 fame\n').options
    assert "Rest" in run_trade('option "Rest" to visit\n  lose 1 brick\n  gain 1 fame\n').options
