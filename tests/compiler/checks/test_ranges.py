"""Abstract values: numbers out of range, conditions that cannot hold, results that are too large."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from math import inf

import pytest

from edict.compiler.semantics.possible_values import ANY, AbstractValue
from helpers import checked_codes_and_texts, list_findings, make_phase, underlined_text

RANGES = [AbstractValue(low, high) for low in range(-3, 4) for high in range(low, 4)]
DIVIDED = (operator.floordiv, operator.mod)
CALCULATED: tuple[Callable[..., object], ...] = (operator.add, operator.sub, operator.mul, *DIVIDED)


def list_numbers(values: AbstractValue) -> range:
    return range(int(values.low), int(values.high) + 1)


# --- interval arithmetic -------------------------------------------------------------------------


@pytest.mark.parametrize("calculated", CALCULATED)
def test_result_of_two_numbers_lies_in_the_computed_interval(calculated: Callable[..., object]) -> None:
    for one, other in product(RANGES, RANGES):
        among = calculated(one, other)
        assert isinstance(among, AbstractValue)
        for x, y in product(list_numbers(one), list_numbers(other)):
            if y or calculated not in DIVIDED:
                assert AbstractValue(calculated(x, y), calculated(x, y)).is_within(among), (one, other, x, y)  # type: ignore[arg-type]


def test_comparison_is_certain_only_if_all_numbers_agree() -> None:
    for one, other in product(RANGES, RANGES):
        pairs = [*product(list_numbers(one), list_numbers(other))]
        for actual, compared in ((one.is_less(other), operator.lt), (one.equals(other), operator.eq)):
            results = {compared(x, y) for x, y in pairs}
            assert actual == (results.pop() if len(results) == 1 else None), (one, other, compared)


def test_interval_far_beyond_the_limits_becomes_infinite() -> None:
    far = AbstractValue(10**9, 10**9)
    for _ in range(6):
        far = far * far
    assert far.high == inf and far.low > 2**62
    assert (far + ANY).bounds == (-inf, inf) and (-far * ANY).bounds == (-inf, inf)


# --- E0514, E0526: numbers out of range ----------------------------------------------------------

FIELDS = """
kind hut
  size number from 1 to 4
hut one
  size 2
keep day as number from 0 to 7
keep at as hut or none
quantity strength is 3, at least 0
quantity bounded is 3, at least 1, at most 5
"""
OUTSIDE = {
    "keep k as number from 1 to 5\n": "k",
    make_phase("choose a number from (10, 20, 62) as x\ngain x coin"): "62",
    "keep k as number from 5 to 1\n": "number from 5 to 1",
    "setting s is 3 from 5 to 1\n": "setting s is 3 from 5 to 1",
    "setting s is 3 from 1 to 5\nkeep k as number from 0 to s starting at 6\n": "6",
    "setting s is 9 from 1 to 5\n": "setting s is 9 from 1 to 5",
    "setting s is on from 0 to 1\n": "setting s is on from 0 to 1",
    "keep k as number from 0 to 5 starting at 9\n": "9",
    FIELDS + make_phase("set day to 8"): "8",
    FIELDS + make_phase("add 0 - 8 to day"): "0 - 8",
    FIELDS + make_phase("remove 8 from day"): "8",
    FIELDS + "keep found as set of number\n" + make_phase("add 0 - 1 to found"): "0 - 1",
    "setting s is 6 from 1 to 5\n": "setting s is 6 from 1 to 5",
    FIELDS + make_phase("set day to - 1"): "- 1",
    FIELDS + make_phase("set day to 4 + 4"): "4 + 4",
    FIELDS + make_phase("set day to count of everyone + 8"): "count of everyone + 8",
    FIELDS + make_phase("choose a number from 0 to 10001 as x"): "10001",
    FIELDS + make_phase("choose a number from - 1 to 5 as x"): "- 1",
    make_phase("let all-of-them = numbers from 1 to 62\ngain (count of all-of-them) coin"): "numbers from 1 to 62",
}
WITHIN = (
    "keep k as number from 1 to 5 starting at 1\n",
    "keep k as number from -3 to 5\n",
    "keep k as number from 3 to 3 starting at 3\n",
    "setting s is 1 from 1 to 5\n",
    "setting s is 5 from 1 to 5\n",
    "setting s is 3 from 1 to 5\nkeep k as number from 0 to s starting at 5\n",
    FIELDS + make_phase("set day to 7"),
    FIELDS + make_phase("add 0 - 7 to day"),
    FIELDS + make_phase("remove 7 from day"),
    FIELDS + "keep found as set of number\n" + make_phase("add 0 to found"),
    FIELDS + make_phase("set day to day + 1"),
    FIELDS + make_phase("set day to coin of you"),
    FIELDS + make_phase("choose a number from 0 to 10000 as x"),
    FIELDS + make_phase("choose a number from 1 to coin of you as x"),
    make_phase("if some number from -5 to 999 has it * it = coin of you\n  gain 1 coin"),
    make_phase("if coin of you is not in (numbers from 70 to 99)\n  gain 1 coin"),
    make_phase("gain sum of it over (numbers from 1 to 99) coin"),
)


def test_number_out_of_range_is_refused(subtests: pytest.Subtests) -> None:
    for text, place in OUTSIDE.items():
        with subtests.test(text=text):
            assert checked_codes_and_texts(text) == [("E0514", place)]
    for text in WITHIN:
        with subtests.test(text=text):
            assert checked_codes_and_texts(text) == []


def test_number_that_is_always_too_large_is_refused(subtests: pytest.Subtests) -> None:
    for amount in (
        f"{' * '.join(['999999999'] * 40)} + coin of you",
        "(coin of you + 999999999) * 999999999 * 100",  # there are at least 0 coins
        "999999999 * 999999999 * 999999999",
    ):
        with subtests.test(amount=amount):
            diagnostics = list_findings(f"routine raise-all\n  gain {amount} coin\n")
            assert [diagnostic.code for diagnostic in diagnostics if diagnostic.is_error] == ["E0526"]


# --- E0515: conditions that never hold -----------------------------------------------------------

NEVER = (
    "no",
    "not yes",
    "1 > 2",
    "day > 7",
    "day = 8",
    "day < 0",
    "size of at > 4",
    "size of one = 3",
    "one is not one",
    "day >= 0 and day > 7",
    "no or day > 9",
    "coin of you < 0",
    "count of everyone < 0",
    "bounded > 5",
    "0 - 1 = day",
    "not (day <= 7)",
    "strength < 0",
)
PERHAPS = (
    "yes",
    "day = 7",
    "day > 6",
    "size of at = 4",
    "size of at = 0",
    "fame of you < 0",
    "strength > 100",
    "bounded = 5",
    "at is one",
    "at is none",
    "coin of you = 0",
    "day > 6 or coin of you = 1",
    "hard",
    "days = 9",
)


def test_condition_that_never_holds_is_a_warning(subtests: pytest.Subtests) -> None:
    adjusted = FIELDS + "setting hard is off\nsetting days is 3\nquantity q is 1\nadjust q by 1 if "
    for condition in NEVER:
        with subtests.test(condition=condition):
            text = f"{adjusted}{condition}\n"
            (diagnostic,) = list_findings(text)
            assert (diagnostic.code, diagnostic.severity, underlined_text(text, diagnostic)) == (
                "E0515",
                "warning",
                condition,
            )
    for condition in PERHAPS:
        with subtests.test(condition=condition):
            assert checked_codes_and_texts(f"{adjusted}{condition}\n") == []


# --- E0536: overflow of a keep -------------------------------------------------------------------

ROUNDS = "keep turn as number from 0 to 5\nkeep held as set of number\n"
BEYOND = (
    ("setting rounds is 6", "repeat until turn >= rounds\n  add 1 to turn", "`rounds` is 6"),
    ("setting rounds is 5 from 1 to 9", "repeat until rounds <= turn\n  add 1 to turn", "`rounds` can be 9"),
    ("setting rounds is 5", "repeat until turn > rounds or coin of you > 3\n  add 1 to turn", "`rounds` is 5"),
    ("setting rounds is 6", "set turn to rounds", "`rounds` is 6"),
    ("", "roll 1 cube as cold\nset turn to total of cold", "`total of cold` can be 6"),
    ("", "roll 2 gem as cold\nset turn to total of cold", "`total of cold` can be 8"),
    ("", "draw a number from 1 to 20 as cold\nset turn to cold", "`cold` can be 20"),
    ("", "choose a number from 0 to 7 as cold\nset turn to cold", "`cold` can be 7"),
)
PREVENTED = (
    ("setting rounds is 5", "repeat until turn >= rounds\n  add 1 to turn"),
    ("setting rounds is 9", "if turn < rounds\n  gain 1 coin"),
    ("setting rounds is 9", "repeat until turn >= rounds or coin of you > 3\n  gain 1 coin"),  # `turn` stays
    ("setting rounds is 9", "if rounds <= 5\n  set turn to rounds"),
    ("setting rounds is on", "if rounds\n  set turn to 1"),
    ("", "roll 1 gem as cold\nset turn to total of cold"),
    ("", "roll 1 cube as cold\nif total of cold <= 5\n  set turn to total of cold"),
    ("", "roll coin of you cube as cold\nset turn to total of cold"),
    ("", "draw a number from 1 to 5 as cold\nset turn to cold"),
    ("", "draw a number from 1 to 20 as cold\nif cold <= 5\n  set turn to cold"),
    ("", "draw a number from 1 to 20 as cold\nset cold to 5\nset turn to cold"),
    ("", "choose a number from 0 to 7 as cold where it <= 5\nset turn to cold"),
)


def test_possible_overflow_of_a_keep_is_reported_unless_a_condition_prevents_it(subtests: pytest.Subtests) -> None:
    for rules, lines, told in BEYOND:
        with subtests.test(lines=lines):
            diagnostics = [
                diagnostic
                for diagnostic in list_findings(f"{ROUNDS}{rules}\n{make_phase(lines)}")
                if diagnostic.code == "E0536"
            ]
            said = [
                (diagnostic.title.partition(", but")[0], diagnostic.severity, len(diagnostic.labels))
                for diagnostic in diagnostics
            ]
            assert said == [(told, "warning", 2)]
    for rules, lines in PREVENTED:
        with subtests.test(lines=lines):
            assert "E0536" not in [
                diagnostic.code for diagnostic in list_findings(f"{ROUNDS}{rules}\n{make_phase(lines)}")
            ], lines
