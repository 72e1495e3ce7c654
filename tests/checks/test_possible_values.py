"""What values can be: never less than they come to, however they are put together."""

from __future__ import annotations

import operator
from collections.abc import Callable
from itertools import product
from math import inf

import pytest
from helpers import compiled

from edict.meaning.possible_values import ANY, Possible

RANGES = [Possible(low, high) for low in range(-3, 4) for high in range(low, 4)]
CALCULATED: list[Callable[..., object]] = [
    operator.add, operator.sub, operator.mul, operator.floordiv, operator.mod,
]  # fmt: skip


def numbers(some: Possible) -> range:
    return range(int(some.low), int(some.high) + 1)


@pytest.mark.parametrize("calculated", CALCULATED)
def test_what_comes_of_two_numbers_lies_in_what_was_possible(calculated: Callable[..., object]) -> None:
    for one, other in product(RANGES, RANGES):
        among = calculated(one, other)
        assert isinstance(among, Possible)
        for x, y in product(numbers(one), numbers(other)):
            if y or calculated not in (operator.floordiv, operator.mod):
                assert Possible(calculated(x, y), calculated(x, y)).within(among), (one, other, x, y)  # type: ignore[arg-type]


def test_a_comparison_is_certain_only_if_all_numbers_agree() -> None:
    for one, other in product(RANGES, RANGES):
        pairs = [*product(numbers(one), numbers(other))]
        for found, compared in ((one.less(other), operator.lt), (one.same(other), operator.eq)):
            results = {compared(x, y) for x, y in pairs}
            assert found == (results.pop() if len(results) == 1 else None), (one, other, compared)


def test_numbers_far_beyond_what_a_game_can_hold() -> None:
    far = Possible(10**9, 10**9)
    for _ in range(6):
        far = far * far
    assert far.high == inf and far.low > 2**62
    assert (far + ANY).range == (-inf, inf) and (-far * ANY).range == (-inf, inf)


@pytest.mark.parametrize("amount", [
    f"{' * '.join(['999999999'] * 40)} + coin of you",
    "(coin of you + 999999999) * 999999999 * 100",  # no coins are fewer than none
    "999999999 * 999999999 * 999999999",
])  # fmt: skip
def test_a_number_that_is_too_large_whatever_happens(amount: str) -> None:
    found = compiled(f"routine raise-all\n  gain {amount} coin\n").diagnostics
    assert [one.code for one in found if one.is_error] == ["E0526"]


KEPT = """
keep day as number from 0 to 5
kind hut
  height number from 1 to 9
  works if {}
hut low
  height 2
  exception to trial-run if {}
    instead
      gain 1 coin
exception always to trial-run if day > 2
  instead
    gain 2 coin
"""


@pytest.mark.parametrize(("works_if", "condition", "both"), [
    ("yes", "day > 5", False),
    ("yes", "day > 4", True),
    ("yes", "day < 0 or coin of first of everyone < 0", False),  # nobody has fewer than none
    ("height of hut > 2", "yes", False),
    ("height of hut > 1", "yes", True),
])  # fmt: skip
def test_exceptions_that_can_never_hold_contradict_none(works_if: str, condition: str, both: bool) -> None:
    found = compiled(KEPT.format(works_if, condition)).diagnostics
    assert {one.code for one in found} - {"E0550", "E0515"} == ({"E0503"} if both else set())
