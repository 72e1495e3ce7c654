"""Tests of rules that run other code again: effects and abilities of things, repeated steps and replaced rules."""

from __future__ import annotations

import pytest

from edict.compiler.english import describe
from edict.compiler.pipeline.pipeline import build_program
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from helpers import codes_and_texts, link_texts, list_errors, make_module, make_phase, run_cases, run_steps

CARDS = """
moment rained "after the rain" with number called drops
keep owned of player as set of card
keep met as number from 0 to 99

kind card "card/cards"
  deed effect, optional
  works if card is in owned of you

card barrel "Barrel"
  deed gain 1 fame
  when rained if drops > 2
    gain drops coin
  when rained
    gain 1 stick
card mill "Mill"
  when end of trial-run
    gain 3 brick
card rock "Rock"
"""


# --- what a thing does at a moment ------------------------------------------------------------------


def test_ability_at_a_moment_can_be_run_elsewhere() -> None:
    run = run_steps("do rained of barrel with 5", "do rained of barrel with 1", rules=CARDS)
    assert [run.get_value(what, 0) for what in ("coin", "stick")] == [5, 2]  # its conditions hold still; nobody owns it


def test_ability_at_the_end_of_a_phase_can_be_run_elsewhere() -> None:
    rules = CARDS + "routine now\n  do end of trial-run of mill\nphase evening\n  for (first of everyone)\n    do now\n"
    assert run_steps("play evening", rules=rules).get_value("brick", 0) == 3


def test_thing_to_run_can_be_computed_in_play() -> None:
    run = run_steps("set owned of you to cards", "each card in owned of you", "  do rained of card with 4", rules=CARDS)
    assert run.get_value("coin", 0) == 4 and run.get_value("stick", 0) == 1


def test_running_limited_ability_does_not_use_it_up() -> None:
    rules = CARDS + "card well\n  when rained, once per trial-run\n    gain 1 fame\n"
    once = ("set owned of you to well", "trigger rained with 1", "trigger rained with 1")
    assert run_steps(*once, rules=rules).get_value("fame", 0) == 1
    assert (
        run_steps("do rained of well with 1", *once, "do rained of well with 1", rules=rules).get_value("fame", 0) == 3
    )


def test_card_can_run_ability_of_another_with_other_arguments() -> None:
    rules = CARDS + "card mirror\n  when rained\n    do rained of barrel with drops + 1\n"
    run = run_steps("set owned of you to mirror", "trigger rained with 2", rules=rules)
    assert run.get_value("coin", 0) == 3
    run = run_steps("set owned of you to barrel + mirror", "trigger rained with 3", rules=rules)
    assert run.get_value("coin", 0) == 3 + 4


MISTAKES = {
    "do rained of rock with 1": "E0418",
    "do end of trial-run of barrel": "E0418",
    "do rained of you with 1": "E0418",
    "do rained of barrel": "E0408",
    "do rained of barrel with owned of you": "E0401",
    "do deed of barrel with 1": "E0408",
    "do start of met of mill": "E0202",
}


def test_invalid_runs_are_reported(subtests: pytest.Subtests) -> None:
    for line, code in MISTAKES.items():
        with subtests.test(line=line):
            assert [found for found, _ in codes_and_texts(CARDS + make_phase(line))] == [code]


def test_running_an_ability_needs_a_current_player() -> None:
    rules = CARDS + "when end of trial-run\n  do rained of barrel with 1\n"
    everyone = rules.replace("  do rained", "  each player\n    do rained")
    game = "resource coin\nresource fame\nresource stick\nresource brick\nkeep line as order of player\n"
    game += "game trial\n  players 2 to 2\n  order line\n  winners everyone\n  score coin of you\n  course\n"
    game += "    play trial-run\nphase trial-run\n  trigger rained with 1\n"
    assert {found.code for found in build_program((make_module(game + rules),)).diagnostics} == {"E0530"}
    assert build_program((make_module(game + everyone),)).diagnostics == ()


def test_card_that_runs_itself_faults_in_play() -> None:
    rules = CARDS + "card loop\n  when rained\n    do rained of loop with 1\n"
    assert run_steps("set owned of you to loop", "trigger rained with 1", rules=rules).fault == "nested too deeply"


# --- twice --------------------------------------------------------------------------------------------


TWICE = {
    "do deed of barrel 2 times": 2,
    "do deed of barrel 3 times": 3,
    "do deed of barrel (1 + 3) times": 4,
    "let often = 5\ndo deed of barrel often times": 5,
    "do praise with 2 2 times": 4,
    "do praise with 2 3 times": 6,
    "may do praise with 3 2 times": 6,
    "do deed of barrel (0 - 2) times": 0,
}


def test_step_can_be_repeated_a_number_of_times(subtests: pytest.Subtests) -> None:
    rules = CARDS + "routine praise with number called much\n  gain much fame\n"
    for run, line, fame in run_cases(TWICE.items(), rules):
        with subtests.test(line=line):
            run.answer(*(["Yes"] if line.startswith("may") else []))
            assert run.get_value("fame", 0) == fame


def test_runs_and_repetitions_are_described_in_english() -> None:
    lines = (
        "do rained of barrel with 2",
        "do end of trial-run of mill",
        "do deed of barrel 2 times",
        "each card in owned of you",
        "  do deed of card (count of cards) times",
    )
    rules = link_texts(CARDS + make_phase(*lines)).resolved
    told = {describe(rules, node) for node in walk(rules.require_definition("trial-run")) if isinstance(node, t.Stmt)}
    assert "do what Barrel does after the rain" in told
    assert "do what Mill does at the end of each trial run" in told
    assert "twice: gain 1 fame" in told
    assert "as many times as the number of cards: carry out the deed of that card" in told


# --- what was replaced ----------------------------------------------------------------------------------

TAKE = """
routine toll "pay a toll of _" with number called due
  lose due coin
when end of toll
  gain 1 stick
"""


def test_exception_can_run_the_routine_it_replaces() -> None:
    rules = TAKE + "exception rich to toll if coin of you > 5\n  instead\n    do toll with due\n    do toll with 1\n"
    run = run_steps("gain 9 coin", "do toll with 2", rules=rules)
    assert (run.get_value("coin", 0), run.get_value("stick", 0)) == (6, 1)  # it ends once


def test_exception_can_offer_an_alternative_payment() -> None:
    rules = TAKE + "exception bribe to toll\n  instead\n    may spend 1 fame\n    else\n      do toll with due\n"
    run = run_steps("gain 9 coin and 1 fame", "do toll with 2", "do toll with 2", rules=rules)
    assert run.answer("1 fame", "-").get_value("coin", 0) == 7


def test_exception_can_play_its_phase_twice() -> None:
    rules = "exception again to trial-run\n  instead\n    play trial-run\n    play trial-run\n"
    assert run_steps("gain 2 coin", rules=rules).get_value("coin", 0) == 4


def test_replaced_routine_runs_the_next_exception(subtests: pytest.Subtests) -> None:
    """The routine without the first exception is the routine with the second."""
    first = "exception first to toll if coin of you > 5 over second\n  instead\n    do toll with due 2 times\n"
    second = "exception second to toll if coin of you > 0\n  instead\n    do toll with due + 1\n"
    for rules in (TAKE + first + second, TAKE + second + first):
        with subtests.test(rules=rules):
            assert run_steps("gain 20 coin", "do toll with 2", rules=rules).get_value("coin", 0) == 14


def test_chosen_exception_runs_the_other_beside_it() -> None:
    one = "exception one to toll if coin of you > 5\n  instead\n    gain 1 fame\n    do toll with due\n"
    other = "exception other to toll if coin of you > 6 beside one\n  instead\n    gain 1 brick\n    do toll with due\n"
    run = run_steps("gain 9 coin", "do toll with 2", rules=TAKE + one + other).answer("One")
    assert [run.get_value(what, 0) for what in ("coin", "fame", "brick")] == [7, 1, 1]


def test_description_names_the_replaced_routine() -> None:
    rules = TAKE + "exception bribe to toll\n  instead\n    may spend 1 fame\n    else\n      do toll with due\n"
    known = link_texts(rules).resolved
    told = [describe(known, one.ability) for one in known.book.standalone]
    assert told[1] == "instead of “pay a toll”: you may spend 1 fame; otherwise pay a toll of X"


# --- again, by way of oneself ---------------------------------------------------------------------------

BUILDING = """
kind house
  price number
house hut
  price 1
house hall
  price 2
house tower
  price 4
keep built of player as set of house
keep latest of player as house or none
moment constructed with player called builder and house
action construct
  choose a house as what
  rule new
    require what is not in built of you
  then
    add what to built of you
    trigger constructed with you and what
    set latest of you to what
"""


def test_action_can_offer_itself_again() -> None:
    rules = BUILDING + "when constructed\n  may do construct\n  gain price of house coin\n"
    run = run_steps("do construct", rules=rules).answer("hut", "tower", "-")
    assert run.is_over and run.get_value("coin", 0) == 5
    assert run.describe_value("latest", 0) == "hut"  # each has its own choice, also when the others are done


def test_recursion_is_bounded_by_once_per() -> None:
    rules = BUILDING + "when constructed, once per trial-run\n  do construct\n"
    run = run_steps("do construct", rules=rules).answer("hut", "tower")
    assert run.describe_value("built", 0) == ["hut", "tower"]


def test_mandatory_recursion_is_an_error() -> None:
    rules = BUILDING + "when constructed\n  do construct\n" + make_phase("do construct")
    assert [found.code for found in list_errors(rules)] == ["E0601"]
