"""Tests of quantities and their adjustments, which set, multiply, divide and add in this sequence."""

from __future__ import annotations

from itertools import permutations

import pytest

from edict.apps.cli.playing import why
from edict.compiler.english.ability_phrases import outline_ability
from edict.compiler.syntax.printing.canonical import format_source
from edict.game.table.rules import Rules
from edict.support.text import Source
from helpers import codes_and_texts, compile_program, compile_texts, link_texts, make_phase, run_cases, run_steps
from secrecy import open_session

WAYS = ("by 1", "divided by 3 rounded up", "divided by 2", "times 3", "to 9")
TOLL = 'quantity toll "toll" of player is 7\n'
KEPT = "keep kept as number\n"


def adjustment_rules(*ways: str, toll: str = "toll") -> str:
    return "".join(f"adjust {toll} {way}\n" for way in ways)


ADJUSTED: list[tuple[tuple[str, ...], int]] = [
    (("to 1",), 1),
    (("times 2",), 14),
    (("divided by 2",), 3),
    (("divided by 2 rounded up",), 4),
    (("by 1", "times 2"), 15),
    (("by -10", "times 2", "to 3"), -4),
    (("times 0 - 1", "divided by 2"), -4),
    (("times 0 - 1", "divided by 2 rounded up"), -3),
    (("times 2", "times 3"), 42),
    *((ways, 6) for ways in [*permutations(WAYS)][::7]),
]


def test_adjustments_apply_in_fixed_sequence(subtests: pytest.Subtests) -> None:
    rules = KEPT + "".join(
        TOLL.replace("toll ", f"toll-{i} ") + adjustment_rules(*ways, toll=f"toll-{i}")
        for i, (ways, _) in enumerate(ADJUSTED)
    )
    cases = [(f"set kept to toll-{i} of you", *case) for i, case in enumerate(ADJUSTED)]
    for run, _, ways, comes_to in run_cases(cases, rules):
        with subtests.test(ways=ways):
            assert run.get_value("kept") == comes_to


def test_unconditional_set_yields_to_conditional_one() -> None:
    rules = KEPT + TOLL + adjustment_rules("to 2 if coin of you > 0", "to 5")
    assert run_steps("set kept to toll of you", rules=rules).get_value("kept") == 5
    assert run_steps("gain 1 coin", "set kept to toll of you", rules=rules).get_value("kept") == 2


def test_reported_terms_add_up_to_the_value() -> None:
    """Panels and logs that list the terms therefore add up."""
    rules = TOLL + adjustment_rules("times 2", "divided by 4 rounded up", "by 1 if coin of you = 0", "to 10")
    run = run_steps("let so-many = toll of you", "gain so-many coin", rules=rules)
    amounts = [amount for _, amount, _ in run.list_events()]
    assert sum(amounts) == 6
    assert amounts == [7, 3, 10, -15, 1]  # 7 & 3 is 10, twice that is 20, a quarter of it is 5


def test_why_reports_each_adjustment() -> None:
    house = "kind house\n  works if house is in owned of you\nkeep owned of player as set of house starting at houses\n"
    things = {"Inn": "times 2", "Mill": "divided by 4 rounded up", "Tower": "divided by 2", "Gate": "by 1"}
    rules = house + "".join(f'house {name.lower()} "{name}"\n  adjust toll {way}\n' for name, way in things.items())
    asking = make_phase('choose one\n  option "A"\n    gain toll of you coin\n  option "B"\n    gain 2 stick')
    game = Rules(compile_program(rules + TOLL + asking), "trial").new_game(["Ann", "Ben"], seed=1)
    words = why.answer_why(open_session(game, game.seat), "toll")[0].words
    assert words == "toll of Ann 3 = 7 toll + 7 Inn - 7 Tower - 5 Mill + 1 Gate"


def test_division_by_zero_is_rejected() -> None:
    assert ("E0519", "0") in codes_and_texts(
        TOLL + adjustment_rules("divided by 0") + make_phase("gain toll of you coin")
    )
    run = run_steps("gain toll of you coin", rules=TOLL + adjustment_rules("divided by fame of you"))
    assert run.fault == "divided by zero"


CONTRADICTING = [
    ("to 1", "to 2", True),
    ("to 1", "to 2 if coin of you > 1", False),
    ("to 1", "to 1", False),
    ("to 1 if coin of you > 1", "to 2 if fame of you > 1", True),
    ("to 1 if coin of you > 1", "to 2 if coin of you < 2", False),
    ("times 2", "to 1", False),
]


def test_two_set_values_conflict(subtests: pytest.Subtests) -> None:
    for first, second, contradict in CONTRADICTING:
        with subtests.test(first=first, second=second):
            codes = [
                code
                for code, _ in codes_and_texts(
                    TOLL + adjustment_rules(first, second) + make_phase("gain toll of you coin")
                )
            ]
            assert ("E0513" in codes) is contradict


def test_exclusive_things_do_not_conflict() -> None:
    kind = "kind card\n  works if card is {card}\ncard one\n  adjust toll to 1\ncard two\n  adjust toll to 2\n"
    owned = kind.replace("card is {card}", "card is in owned of you") + "keep owned of player as set of card\n"
    shown = kind.format(card="shown-card") + "keep shown-card as card starting at one\n"
    play = make_phase("gain toll of you coin")
    assert "E0513" in [
        code for code, _ in codes_and_texts(TOLL + owned + "when start of trial-run\n  nothing\n" + play)
    ]
    assert "E0513" not in [code for code, _ in codes_and_texts(TOLL + shown + play)]


IN_ENGLISH = {
    "to 1": "The toll becomes 1.",
    "times 2": "Double the toll.",
    "times 3": "Triple the toll.",
    "times 5": "Multiply the toll by 5.",
    "divided by 2": "Halve the toll, rounded down.",
    "divided by 3 rounded up if coin of you > 1": "Divide the toll by 3, rounded up, if you have more than 1 coin.",
}


def test_adjustments_are_described_and_print_canonically() -> None:
    tolls = (
        TOLL.replace("toll ", f"toll-{i} ") + adjustment_rules(way, toll=f"toll-{i}")
        for i, way in enumerate(IN_ENGLISH)
    )
    known = link_texts("".join(tolls))
    said = [outline_ability(known.resolved, known.adjusts[f"toll-{i}"][0].ability).text for i in range(len(IN_ENGLISH))]
    assert said == [*IN_ENGLISH.values()]
    written = Source("page.edict", adjustment_rules(*WAYS, *(f"{way} if coin of you > 1" for way in WAYS)))
    assert format_source(written).unwrap() == written.text


def test_self_referring_adjustment_has_a_helpful_error() -> None:
    found = compile_texts(TOLL + adjustment_rules("by toll of you") + make_phase("gain toll of you coin")).diagnostics
    assert "`times 2`" in next(d.help for d in found if d.code == "E0601")


def test_code_size_per_thing_is_constant() -> None:
    """Read only the cell with the thing from a set of many cells."""

    def code_size(things: int) -> int:
        kind = "kind relic\n  works if relic is in held of you\nkeep held of player as set of relic\n"
        luck = "quantity luck of player is 1\n"
        each = "".join(f"relic relic-{n}\n  adjust luck by 1 if coin of you > {n}\n" for n in range(things))
        return len(compile_program(kind + luck + each + make_phase("gain luck of you coin")).code)

    few, some, many = code_size(100), code_size(150), code_size(200)
    assert many - some < 1.1 * (some - few)


# --- that nobody adjusts ---------------------------------------------------------------------------

OPEN = 'quantity open "doors" of player is 7\n'


def test_unadjusted_quantity_is_a_constant() -> None:
    assert run_steps("gain open of you coin", rules=OPEN).get_value("coin", 0) == 7
    assert run_steps("gain open of you coin", rules=OPEN + "adjust open by 1\n").get_value("coin", 0) == 8
    gain = make_phase(*["gain open of you coin"] * 4)  # too long to be written in place where it is played
    assert len(compile_program(OPEN + gain).code) < len(compile_program(OPEN + "adjust open by 1\n" + gain).code)


def test_uniform_field_is_a_constant() -> None:
    rules = "kind hut\n  extra truth, optional\n  size number\nhut one\n  size 2\nhut two\n  size 2\n"
    lines = ("each hut", "  if not extra of hut", "    gain size of hut coin")
    assert run_steps(*lines, rules=rules).get_value("coin", 0) == 4


# --- of whom, and of things ----------------------------------------------------------------------------


HUTS = """
kind hut "hut/huts"
  works if hut is in owned of you
keep owned of player as set of hut
"""


def test_adjustments_apply_to_their_owner() -> None:
    rules = (
        HUTS
        + """
hut low
  adjust strength by 2
hut high
  adjust strength by stick of you if stick of you > 1
quantity strength of player is coin of player
adjust strength by -1
adjust strength by 100 if you is not first of everyone
"""
    )
    run = run_steps(
        "add huts to owned of you",
        "gain 3 coin and 4 stick",
        "set total-of of you to strength of you",
        "set total-of of left of you to strength of left of you",
        rules=rules + "keep total-of of player as number\n",
    )
    assert [run.get_value("total-of", p) for p in range(2)] == [8, 99]


def test_you_is_the_quantitys_player_and_is_restored() -> None:
    run = run_steps(
        "gain 2 coin",
        "each player",
        "  gain worth of first of everyone stick",
        "gain 1 fame",
        rules="quantity worth of player is coin of you\n",
    )
    assert [run.get_value("stick", p) for p in range(2)] == [2, 2] and run.get_value("fame", 0) == 1


def test_bounds_apply_after_all_adjustments(subtests: pytest.Subtests) -> None:
    rules = "quantity price of player is coin of player, at least 1, at most 4\nadjust price by -1\nadjust price by 1\n"
    rules += "quantity fee of player is 7, at most 9\nadjust fee by -14\nadjust fee times 3\n"
    cases = [(f"gain {coins} coin\ngain price of you stick", expected) for coins, expected in ((0, 1), (2, 2), (9, 4))]
    for run, lines, expected in run_cases([*cases, ("gain fee of you stick", 7)], rules):
        with subtests.test(lines=lines):
            assert run.get_value("stick", 0) == expected


def test_quantity_can_have_several_parameters() -> None:
    rules = """
kind hut
  cost amounts
hut mill
  cost 2 coin, 1 stick
quantity price of hut in stuff called what by player is cost of hut in what, at least 0
adjust price by -1 if what is stick and hut is mill and coin of player > 0
"""
    run = run_steps(
        "gain price of mill in stick by you fame",
        "gain 1 coin",
        "gain price of mill in stick by you brick",
        rules=rules.replace("2 coin", "2 brick"),
    )
    assert [run.get_value(x, 0) for x in ("fame", "brick")] == [1, 0]


def test_adjustment_can_read_another_quantity() -> None:
    rules = "quantity low is 2\nquantity high is 1\nadjust high by low * 3\nadjust low by 1\n"
    assert run_steps("gain high coin", rules=rules).get_value("coin", 0) == 10


def test_terms_are_reported_when_a_quantity_is_stored() -> None:
    rules = HUTS + "hut low\n  adjust strength by 2\nquantity strength of player is 1\nkeep might as number\n"
    assert len(run_steps("add huts to owned of you", "set might to strength of you", rules=rules).list_events()) == 2
    assert len(run_steps("add huts to owned of you", "gain strength of you coin", rules=rules).list_events()) == 0
