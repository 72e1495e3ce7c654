"""What happens if a price cannot be paid."""

from __future__ import annotations

import pytest
from helpers import does, errors, steps

TREES = """
kind tree
  cost amounts
tree oak
  cost 1 stick, 2 brick
"""


@pytest.mark.parametrize(("coins", "left", "fame"), [(4, 0, 1), (3, 3, -2)])
def test_spend_or_otherwise(coins: int, left: int, fame: int) -> None:
    run = does(f"gain {coins} coin", "spend 4 coin\n  gain 1 fame\notherwise\n  lose 2 fame")
    assert (run.value("coin", 0), run.value("fame", 0)) == (left, fame)


def test_nothing_need_stand_below_the_price() -> None:
    assert does("spend 4 coin\notherwise\n  lose 2 fame").value("fame", 0) == -2


def test_pay_or_otherwise() -> None:
    pay = "pay cost of oak\n  gain 1 fame\notherwise\n  gain 5 fame"
    assert does(pay, rules=TREES).value("fame", 0) == 5
    assert does("gain 1 stick and 2 brick", pay, rules=TREES).value("fame", 0) == 1


def test_what_is_spent_has_no_name_where_nothing_is() -> None:
    lines = "spend 1 stuff as paid\n  gain 1 paid\notherwise\n  gain 1 paid"
    assert [one.code for one in errors(steps(lines))] == ["E0201"]


def test_what_was_paid_is_paid_even_if_nothing_comes_of_it() -> None:
    rules = "kind hut\nhut one\nkeep huts of player as set of hut\n"
    spend = "spend 1 coin\n  choose a hut from huts of you as some-hut\notherwise\n  gain 1 fame"
    assert does("gain 1 coin", spend, rules=rules).value("fame", 0) == 0


def test_one_may_pay_an_amount_of_several() -> None:
    may = 'may pay cost of oak else "Keep it"\n  gain 1 fame\notherwise\n  gain 5 fame'
    assert does(may, rules=TREES).value("fame", 0) == 5  # nothing is asked
    run = does("gain 1 stick and 2 brick", may, rules=TREES)
    assert run.options == ["Yes", "-"]
    assert run.answer("Yes").value("fame", 0) == 1 and not run.value("brick", 0)
