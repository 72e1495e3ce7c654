"""Tests of steps with dice in a place, which are chosen, iterated, turned, moved and paid with."""

from __future__ import annotations

import pytest

from edict.compiler.english import describe
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing.canonical import format_source
from edict.compiler.syntax.traversal import walk
from edict.support.text import Source
from helpers import Answer, Run, codes_and_texts, compile_program, link_texts, make_phase, run_cases, run_steps

KEEPS = "keep pool of player as dice\nkeep aside of player as dice\n"
POOL = "set pool of you to cube showing 2 + cube showing 2 + cube showing 5"
TWO_SORTS = "set pool of you to cube showing 2 + cube showing 5 + gem showing 2 + gem showing 4"
MIXED = ("add cube showing 3 to pool of you", "add gem showing 3 to pool of you")


# --- several chosen at once: each once, and those of `up to` as long as one likes ---------------------

MOVE = "remove some-dice from pool of you\nadd some-dice to aside of you\ngain count of some-dice coin"
CHOSEN: list[tuple[str, tuple[Answer, ...], list[int]]] = [
    ("choose 2 dice from pool of you", (0, 0), [2, 2]),
    ("choose 2 dice from pool of you", (1,), [2, 5]),
    ("choose 5 dice from pool of you", (0, 0), [2, 2, 5]),
    ("choose 0 dice from pool of you", (), []),
    ("choose count of pool of you - 1 dice from pool of you", (0, 1), [2, 5]),
    ("choose up to 3 dice from pool of you", (0, "-"), [2]),
    ("choose up to 3 dice from pool of you", ("-",), []),
    ("choose 1 dice from (cubes showing 5 among pool of you)", (), [5]),
    ("choose 2 dice from aside of you", (), []),
]


def test_several_dice_are_chosen_one_by_one(subtests: pytest.Subtests) -> None:
    cases = [(f"{step} as some-dice\n{MOVE}", step, answers, aside) for step, answers, aside in CHOSEN]
    for run, _, step, answers, aside in run_cases(cases, KEEPS, POOL):
        with subtests.test(step=step):
            for answer in answers:
                assert not run.is_over
                run.answer(run.options[answer] if isinstance(answer, int) else answer)
            while not run.is_over and len(run.options) == 1:
                run.answer(run.options[0])
            assert run.is_over and run.get_value("coin", 0) == len(aside)
            assert run.unpack_dice(run.get_value("aside", 0)).get("cube", []) == aside


def test_offer_is_accepted_by_choosing_the_first_die() -> None:
    offer = "may choose 2 dice from pool of you as some-dice\n  gain total of some-dice coin\nelse\n  gain 1 fame"
    declined = run_steps(POOL, offer, rules=KEEPS).answer("-")
    assert (declined.get_value("coin", 0), declined.get_value("fame", 0)) == (0, 1)
    run = run_steps(POOL, offer, rules=KEEPS)
    run.answer(run.options[1])
    assert run.is_over or run.answer(run.options[0]).is_over
    assert run.get_value("coin", 0) == 7
    assert run_steps(offer, rules=KEEPS).get_value("fame", 0) == 1  # there are no dice


OFFERED = {
    "choose a die from pool of you as one where it > 2": 2,
    "choose a die from pool of you as one where it = 2": 2,
    "choose a die from pool of you as one where it mod 2 = 0": 3,
    "choose up to 2 dice from pool of you as some-dice where it is not 2": 3,  # or none
    "may choose a die from (gems among pool of you) as one where it <= 4": 3,  # or not
    "may choose 2 dice from pool of you as some-dice where it > 2": 3,
}
PICKED = [
    ("pool of you where it > 2", 9, 2),
    ("pool of you where it is in (2, 5)", 9, 3),
    ("pool of you where it > 9", 0, 0),
    ("cubes showing 2 among pool of you", 2, 1),
    ("cubes showing (gem of you + 5) among pool of you", 5, 1),
    *((f"cubes showing {face} among pool of you", 0, 0) for face in (0, 1, 7)),
]


def test_only_dice_with_the_right_face_are_offered(subtests: pytest.Subtests) -> None:
    for run, step, offered in run_cases(OFFERED.items(), KEEPS, TWO_SORTS):
        with subtests.test(step=step):
            assert len(run.options) == offered
    run = run_steps(TWO_SORTS, "choose a die from pool of you as one where it > 5\ngain 1 fame", rules=KEEPS)
    assert run.is_over and run.get_value("fame", 0) == 0
    gain = "let them = {0}\ngain total of them coin\ngain count of ({0}) fame"
    cases = [(gain.format(dice), total, many) for dice, total, many in PICKED]
    for run, lines, total, many in run_cases(cases, KEEPS, TWO_SORTS):
        with subtests.test(lines=lines):
            assert (run.get_value("coin", 0), run.get_value("fame", 0)) == (total, many)


def test_several_kinds_of_dice_can_be_rolled_together() -> None:
    roll = ("roll 1 cube, 2 gem and 1 cube as thrown", "set pool of you to thrown")
    run = run_steps(*roll, rules=KEEPS, answers=[5, 1, 4, 2])
    assert run.unpack_dice(run.get_value("pool", 0)) == {"cube": [2, 5], "gem": [1, 4]}
    twice = ("roll 1 cube and 1 gem into pool of you", "roll 1 gem and 1 cube into pool of you")
    into = run_steps(*twice, rules=KEEPS, answers=[5, 1, 4, 2])
    assert into.unpack_dice(into.get_value("pool", 0)) == {"cube": [2, 5], "gem": [1, 4]}


def test_dice_choices_print_canonically_and_can_be_secret() -> None:
    secret = 'choose 2 dice from pool of you as some-dice secretly "Which?"'
    text = make_phase(
        "roll 1 cube, 2 gem and 1 cube as thrown",
        "may choose a die from thrown as one where it > 3 and it != 5",
        "reroll (thrown where it < 3) within pool of you",
        secret,
        "may choose up to 3 dice from pool of you as more",
    )
    assert format_source(Source("page.edict", text)).unwrap().strip() == text.strip()
    assert compile_program(KEEPS + text) and run_steps(POOL, secret, rules=KEEPS).question.secret


# --- gone through as a set is; `it` is the number that shows --------------------------------------------

MANY = "set pool of you to cube showing 2 + cube showing 2 + cube showing 5 + gem showing 4"
HOLD = [
    ("some pool of you has it = 5", True),
    ("some pool of you has it = 3", False),
    ("some pool of you has it > 2 and it < 5", True),
    ("every pool of you has it > 1", True),
    ("every pool of you has it > 2", False),
    ("not (some pool of you has it = 3)", True),
    ("not (every pool of you has it > 2)", True),
    ("some aside of you has it > 0", False),
    ("every aside of you has it > 5", True),
    ("some (cubes among pool of you) has it = 4", False),
]
MOST: dict[str, dict[str, list[int]]] = {
    "pool of you with most it": {"cube": [5]},
    "pool of you with fewest it": {"cube": [2, 2]},
    "(pool of you where it < 5) with most it": {"gem": [4]},
    "pool of you with fewest it mod 2 then most it": {"gem": [4]},
    "aside of you with most it": {},
}


def test_quantifiers_and_best_over_dice(subtests: pytest.Subtests) -> None:
    for run, line, holds in run_cases([(f"if {one}\n  gain 1 coin", holds) for one, holds in HOLD], KEEPS, MANY):
        with subtests.test(line=line):
            assert run.get_value("coin", 0) == holds
    cases = [(f"let found = {which}\nset pool of you to found", dice) for which, dice in MOST.items()]
    for run, line, dice in run_cases(cases, KEEPS, MANY):
        with subtests.test(line=line):
            assert run.unpack_dice(run.get_value("pool", 0)) == dice


# --- turned to a number, and before somebody else ---------------------------------------------------------


def test_turned_die_keeps_its_kind(subtests: pytest.Subtests) -> None:
    """A face that the die lacks becomes the nearest one it has."""
    choose = "choose a die from (cubes among pool of you) as one"
    faces = {"total of one + 1": 4, "9": 6, "0 - 3": 1, "3": 3, "2": 2}
    cases = [(f"{choose}\nset one to {face} within pool of you", shown) for face, shown in faces.items()]
    for run, lines, shown in run_cases(cases, KEEPS, "\n".join(MIXED)):
        with subtests.test(lines=lines):
            assert run.unpack_dice(run.get_value("pool", 0)) == {"cube": [shown], "gem": [3]}
    lines = (*MIXED, "add cube showing 1 to pool of you", "set pool of you to 5 within pool of you")
    run = run_steps(*lines, rules=KEEPS)
    assert run.unpack_dice(run.get_value("pool", 0)) == {"cube": [5, 5], "gem": [4]}  # each as far as it goes
    changes = [one for one in run.list_events(1) if one[0] == run.get_variable("pool").base]
    assert len(changes) == 4, "the place changes once for each step"


def test_face_can_count_as_another() -> None:
    turned = "set (cubes showing 3 among pool of you) to 6 within pool of you"
    gone = "remove (gems showing 3 among pool of you) from pool of you"
    run = run_steps(*MIXED, "add cube showing 3 to pool of you", turned, gone, rules=KEEPS)
    assert run.unpack_dice(run.get_value("pool", 0)) == {"cube": [6, 6]}


def test_die_can_be_given_to_another_player() -> None:
    lines = (
        "add gem showing 2 to pool of left of you",
        "choose a die from pool of left of you as taken",
        "move taken from pool of left of you to pool of you",
    )
    run = run_steps(*lines, rules=KEEPS)
    assert run.unpack_dice(run.get_value("pool", 0)) == {"gem": [2]} and not run.get_value("pool", 1)


def test_only_dice_can_be_turned() -> None:
    assert [code for code, _ in codes_and_texts(KEEPS + make_phase("set 3 to 3 within pool of you"))] == ["E0401"]
    assert [
        code for code, _ in codes_and_texts(KEEPS + make_phase("set pool of you to pool of you within pool of you"))
    ] == ["E0401"]


def test_turning_a_die_is_described_in_english() -> None:
    rules = link_texts(
        KEEPS + make_phase("choose a die from pool of you as one", "set one to 6 within pool of you")
    ).resolved
    told = [describe(rules, node) for node in walk(rules.require_definition("trial-run")) if isinstance(node, t.Short)]
    assert told == ["turn it to 6"]


# --- paying with dice --------------------------------------------------------------------------------

CLIMBING = """
kind hill
  height number from 1 to 18
  in order of height
hill mound
  height 3
hill knoll
  height 5
hill peak
  height 12
keep hand of player as dice
keep been of player as set of hill
action climb
  choose a hill as up
  choose dice from hand of you as paid making height of up including 1 cube "With which?"
  rule new
    require up is not in been of you
  then
    remove paid from hand of you
    add up to been of you
"""


def run_climb(rolls: list[int], *lines: str, rules: str = "", gems: int = 0) -> Run:
    """Roll the given dice, cubes first, then run these lines."""
    throw = (f"roll {len(rolls) - gems} cube into hand of you", f"roll {gems} gem into hand of you")
    return run_steps(*throw, *lines, rules=CLIMBING + rules, answers=rolls)


ROLLED = [
    ([3, 5], 0, ["mound", "knoll"]),
    ([1, 2, 2], 0, ["mound", "knoll"]),
    ([6, 6, 3], 0, ["mound", "peak"]),
    ([1, 2], 1, ["mound"]),
    ([1, 4], 1, ["knoll"]),
    ([1, 2, 4], 1, ["mound", "knoll"]),
    ([3, 3], 2, []),
]


def test_payment_offers_only_reachable_totals(subtests: pytest.Subtests) -> None:
    """The payment needs at least one cube, so gems alone pay nothing."""
    for rolls, gems, offered in ROLLED:
        with subtests.test(rolls=rolls, gems=gems):
            run = run_climb(rolls, "may do climb", gems=gems)
            assert ([] if run.is_over else run.options) == ([*offered, "-"] if offered else [])


def test_choices_before_a_payment_are_limited_to_payable_ones() -> None:
    between = CLIMBING.replace("  choose dice", "  choose a player as guide where guide is not you\n  choose dice", 1)
    between += "shift climb by +4 if guide is left of you\n"
    run = run_steps("roll 3 cube into hand of you", "do climb", rules=between, answers=[1, 2, 6], players=3)
    assert run.options == ["mound", "knoll", "peak"], "by what is there, or with the help of a guide"
    assert run.answer("peak").is_over


def test_several_ways_to_pay_are_asked() -> None:
    run = run_climb([1, 2, 3], "do climb")
    run.answer("mound")
    assert run.question.prompt == "With which?"
    assert [run.unpack_dice(value) for value in run.values] == [{"cube": [1, 2]}, {"cube": [3]}]
    run.answer(run.values[1])
    assert run.describe_value("hand", 0) == {"cube": [1, 2]}


def test_shift_changes_the_total_once() -> None:
    rules = "shift climb by +2 spending 1 coin, once per trial-run\n"
    assert run_climb([1], "may do climb", rules=rules).is_over
    run = run_climb([1, 1], "gain 2 coin", "may do climb", "may do climb", rules=rules)
    assert run.options == ["mound", "-"]
    run.answer("mound")
    assert run.is_over and run.get_value("coin", 0) == 1


def test_shifts_add_up_under_their_conditions() -> None:
    rules = "shift climb by +1 or -1\nshift climb by +2 spending 1 coin if fame of you > 0\n"
    assert run_climb([2], "may do climb", rules=rules).options == ["mound", "-"]
    assert run_climb([2], "gain 1 coin and 1 fame", "may do climb", rules=rules).options == ["mound", "knoll", "-"]
    assert run_climb([2], "gain 1 coin", "may do climb", rules=rules).options == ["mound", "-"]


def test_shifts_with_shared_costs_need_the_combined_cost() -> None:
    rules = "shift climb by +1 spending 1 coin\nshift climb by +2 spending 1 coin\nshift climb by +4 spending 1 fame\n"
    assert run_climb([2], "gain 1 coin", "may do climb", rules=rules).options == ["mound", "-"]  # 2 + 1, not 2 + 1 + 2
    run = run_climb([2], "gain 2 coin", "may do climb", rules=rules)
    assert run.options == ["mound", "knoll", "-"]
    run.answer("knoll")
    assert run.get_value("coin", 0) == 0


def test_group_and_member_costs_are_paid_together() -> None:
    rules = "shift climb by +1 spending 1 stuff\nshift climb by +2 spending 1 stick\n"
    assert run_climb([2], "gain 1 stick", "may do climb", rules=rules).options == ["mound", "-"]
    assert run_climb([2], "gain 2 stick", "may do climb", rules=rules).options == ["mound", "knoll", "-"]
    assert run_climb([2], "gain 1 stick and 1 brick", "may do climb", rules=rules).options == ["mound", "knoll", "-"]


def test_shift_condition_can_depend_on_the_choice(subtests: pytest.Subtests) -> None:
    """The shift would make 1 + 4 a 5, but its condition excludes the knoll."""
    rules = "shift climb by +2 if height of up <= 3\nshift climb by +4 if height of up >= 12\n"
    rules += "shift climb by +2 if height of up = 5 and coin of you > 0\n"
    for rolls, offered in (
        ([1], ["mound"]),
        ([1, 2], ["mound", "knoll"]),
        ([3, 5], ["mound", "knoll", "peak"]),
        ([6, 6], ["peak"]),
    ):
        with subtests.test(rolls=rolls):
            assert run_climb(rolls, "gain 1 coin", "may do climb", rules=rules).options == [*offered, "-"]


def test_choice_dependent_shift_is_paid_only_for_that_choice() -> None:
    rules = "shift climb by +2 spending 1 coin, once per trial-run if height of up = 5\n"
    run = run_climb([3, 3, 3], "gain 2 coin", "may do climb", "may do climb", rules=rules)
    assert run.options == ["mound", "knoll", "-"]
    run.answer("mound")
    assert run.get_value("coin", 0) == 2 and run.options == ["knoll", "-"]
    run.answer("knoll")
    assert run.is_over and run.get_value("coin", 0) == 1


def test_payment_can_use_a_neighbors_dice() -> None:
    rules = (
        KEEPS
        + """
action climb
  choose a number from 1 to 6 as height
  choose dice from (pool of you + pool of left of you) as paid making height
  then
    gain height fame
"""
    )
    lines = ("add cube showing 1 to pool of left of you", "add cube showing 3 to pool of you", "do climb")
    run = run_steps(*lines, rules=rules)
    assert run.options == ["1", "3", "4"]
    assert run.answer("4").get_value("fame", 0) == 4


def test_action_with_payment_and_no_choice() -> None:
    rules = """
keep hand of player as dice
action seven
  choose dice from hand of you as paid making 7
  then
    gain 1 fame
"""
    assert run_steps("roll 2 cube into hand of you", "do seven", rules=rules, answers=[3, 3]).get_value("fame", 0) == 0
    assert run_steps("roll 2 cube into hand of you", "do seven", rules=rules, answers=[3, 4]).get_value("fame", 0) == 1
