"""What happens if a price cannot be paid."""

from __future__ import annotations

import pytest
from helpers import does, errors, steps

from edict.language.printing.canonical import formatted
from edict.text import Source

TREES = """
kind tree
  cost amounts
tree oak
  cost 1 stick, 2 brick
"""


@pytest.mark.parametrize(("coins", "left", "fame"), [(4, 0, 1), (3, 3, -2)])
def test_spend_or_otherwise(coins: int, left: int, fame: int) -> None:
    run = does(f"gain {coins} coin", "spend 4 coin\n  gain 1 fame\nelse\n  lose 2 fame")
    assert (run.value("coin", 0), run.value("fame", 0)) == (left, fame)


def test_nothing_need_stand_below_the_price() -> None:
    assert does("spend 4 coin\nelse\n  lose 2 fame").value("fame", 0) == -2


def test_pay_or_otherwise() -> None:
    pay = "spend cost of oak\n  gain 1 fame\nelse\n  gain 5 fame"
    assert does(pay, rules=TREES).value("fame", 0) == 5
    assert does("gain 1 stick and 2 brick", pay, rules=TREES).value("fame", 0) == 1


def test_what_is_spent_has_no_name_where_nothing_is() -> None:
    lines = "spend 1 stuff as paid\n  gain 1 paid\nelse\n  gain 1 paid"
    assert [one.code for one in errors(steps(lines))] == ["E0201"]


def test_what_was_paid_is_paid_even_if_nothing_comes_of_it() -> None:
    rules = "kind hut\nhut one\nkeep huts of player as set of hut\n"
    spend = "spend 1 coin\n  choose a hut from huts of you as some-hut\nelse\n  gain 1 fame"
    assert does("gain 1 coin", spend, rules=rules).value("fame", 0) == 0


@pytest.mark.parametrize(("step", "sticks", "bricks", "coins"), [
    ("gain cost of oak", 4, 5, 3), ("gain cost of oak and 1 coin", 4, 5, 4),
    ("gain 1 coin, 1 brick and cost of oak", 4, 6, 4),
    ("lose cost of oak and 1 stick", 2 - 1, 1, 3),
    ("spend cost of oak and 1 coin", 2, 1, 2), ("spend 9 coin or cost of oak", 2, 1, 3),
    ("give cost of oak and 1 coin to left of you", 2, 1, 2), ("give wanted to left of you", 2, 2, 3),
    ("spend cost of oak, 1 stick and 9 coin", 3, 3, 3),
])  # fmt: skip
def test_an_amount_may_be_that_of_a_field(step: str, sticks: int, bricks: int, coins: int) -> None:
    rules = TREES + "keep wanted of stuff as number starting at 1\n"
    run = does("gain 3 stick, 3 brick and 3 coin", step, rules=rules)
    assert [run.value(name, 0) for name in ("stick", "brick", "coin")] == [sticks, bricks, coins]


def test_what_is_no_amount_is_refused() -> None:
    (one,) = errors(steps("give coin to left of you"))
    assert (one.code, one.help) == ("E0197", "write a number before it: `1 coin`")
    (other,) = errors(steps("lose height of oak and 1 coin"), "kind tree\n  height number\ntree oak\n  height 1\n")
    assert other.code == "E0197"


def test_amounts_are_printed_as_they_are_written() -> None:
    text = steps("gain cost of oak, 1 coin and 2 brick", "lose cost of oak and 1 coin", "spend 1 coin or cost of oak")
    assert formatted(Source("page.edict", text)).unwrap().strip() == text.strip()


# --- jokers --------------------------------------------------------------------------------------

JOKER = """
kind house
  cost amounts
table of house with cost
  hut    1 stick
  manor  2 stick and 3 brick
  tower  1 brick and 1 coin
"""


@pytest.mark.parametrize("house, have, left", [
    ("hut", (1, 0, 5), (0, 0, 5)), ("hut", (0, 0, 5), (0, 0, 4)), ("manor", (1, 1, 3), (0, 0, 0)),
    ("manor", (2, 3, 0), (0, 0, 0)), ("manor", (1, 1, 2), (1, 1, 2)), ("tower", (4, 0, 2), (4, 0, 0)),
    ("tower", (4, 0, 1), (4, 0, 1)), ("tower", (0, 2, 1), (0, 1, 0)),
])  # fmt: skip
def test_a_joker_pays_for_what_is_missing(house: str, have: tuple[int, ...], left: tuple[int, ...]) -> None:
    gains = [f"gain {many} {what}" for many, what in zip(have, ("stick", "brick", "coin"), strict=True)]
    pay = f"spend cost of {house} with coin for what is missing\n  gain 1 fame\nelse\n  lose 1 fame"
    run = does(*gains, pay, rules=JOKER)
    assert tuple(run.value(what, 0) for what in ("stick", "brick", "coin")) == left
    assert run.value("fame", 0) == (-1 if have == left else 1)


def test_a_price_may_be_paid_or_not() -> None:
    run = does("gain 2 stick", 'may spend cost of hut else "Keep it"\n  gain 1 fame', rules=JOKER)
    assert run.question.labels == ("The cost of hut",) and run.options[-1] == "-"
    assert run.answer("The cost").value("fame", 0) == 1
    assert does("may spend cost of hut\n  gain 1 fame", rules=JOKER).over


# --- whether one could, and what changes hands ---------------------------------------------------------


@pytest.mark.parametrize(
    ("have", "asked", "can"),
    [
        ("1 stick and 2 brick", "can spend cost of oak", True),
        ("1 stick and 1 brick", "can spend cost of oak", False),
        ("1 stick and 1 coin", "can spend cost of oak with coin for what is missing", False),
        ("2 coin and 1 brick", "can spend cost of oak with coin for what is missing", True),
        ("2 brick", "not (can spend cost of oak) and (can spend 2 brick)", True),
        ("2 brick", "can spend 1 coin or 2 brick", True),
        ("2 brick", "can spend 1 stick and 2 brick or 3 stuff", False),
        ("1 stick and 2 brick", "can spend 3 stuff", True),
    ],
)
def test_whether_one_can_pay(have: str, asked: str, can: bool) -> None:
    run = does(f"gain {have}", f"if {asked}", "  gain 7 fame", rules=TREES)
    assert run.value("fame", 0) == 7 * can and run.value("brick", 0) == (2 if "2 brick" in have else "brick" in have)


def test_only_what_can_be_paid_is_offered() -> None:
    rules = TREES + "tree elm\n  cost 3 stick\ntree yew\n  cost 4 stick\naction fell\n  choose a tree as what\n"
    rules += "  rule rich\n    require can spend cost of what\n  then\n    spend cost of what\n      gain 1 fame\n"
    run = does("gain 3 stick and 2 brick", "do fell", rules=rules)
    assert run.options == ["oak", "elm"]
    assert run.answer("elm").value("stick", 0) == 0


BARTER = TREES + "keep offered of stuff as number\nquantity toll of tree for stuff is cost of tree in stuff + 1\n"
BARTER += "quantity fee of tree in stuff for player called payer is cost of tree in stuff + coin of payer\n"


@pytest.mark.parametrize(
    ("step", "given"),
    [
        ("give offered to left of you", (2, 0)),
        ("give cost of oak to left of you", (1, 2)),
        ("give toll of oak to left of you", (2, 3)),
        ("give fee of oak for you to left of you", (1, 2)),
        ("gain 1 coin\ngive fee of oak for you to left of you", (2, 3)),
        ("spend offered\n  for left of you\n    gain 9 brick", (0, 9)),
    ],
)
def test_several_resources_change_hands_at_once(step: str, given: tuple[int, int]) -> None:
    run = does("set offered of stick to 2", "gain 4 stick and 4 brick", *step.split("\n"), rules=BARTER)
    assert (run.value("stick", 1), run.value("brick", 1)) == given


def test_nothing_is_given_unless_all_is_there() -> None:
    run = does("gain 1 brick", "give cost of oak to left of you", rules=TREES)
    assert (run.value("brick", 0), run.value("brick", 1)) == (1, 0)


@pytest.mark.parametrize("step", ["give coin to left of you", "spend coin", "if can spend coin\n  nothing"])
def test_a_resource_alone_is_no_amount(step: str) -> None:
    (found,) = errors(steps(*step.split("\n")))
    assert (found.code, found.title) == ("E0197", "this does not say how much")
    assert found.help == "write a number before it: `1 coin`"


@pytest.mark.parametrize(
    ("step", "left", "fame"),
    [
        ("spend all stick\n  gain 1 fame", (0, 2), 1),
        ("spend all coin\n  gain 1 fame\nelse\n  gain 5 fame", (3, 2), 5),  # nobody pays with nothing
        ("spend all stuff\n  gain 1 fame", (0, 0), 1),
        ("spend all coin or all brick\n  gain 1 fame", (3, 0), 1),
        ("spend all stick and 1 brick\n  gain 1 fame", (0, 1), 1),
        ("spend all stick and 1 stick\n  gain 1 fame", (3, 2), 0),
        ("lose all stick and all brick and all coin", (0, 0), 0),
        ("give all stick to left of you", (0, 2), 0),
        ("give all stuff to left of you", (0, 0), 0),
        ("if can spend all coin\n  gain 1 fame\nif can spend all brick\n  gain 2 fame", (3, 2), 2),
    ],
)  # fmt: skip
def test_all_that_one_has(step: str, left: tuple[int, int], fame: int) -> None:
    run = does("gain 3 stick and 2 brick", *step.split("\n"), rules=TREES)
    assert (run.value("stick", 0), run.value("brick", 0), run.value("fame", 0)) == (*left, fame)
    if step.startswith("give"):
        assert (run.value("stick", 1), run.value("brick", 1)) == (3 - left[0], 2 - left[1])


def test_to_gain_all_of_something_is_no_amount() -> None:
    assert errors(steps("gain all stick"))


def test_all_is_said_as_it_is_written() -> None:
    text = steps("spend all stick and all brick or 1 coin", "  lose all fame", "give all stuff to left of you")
    assert formatted(Source("page.edict", text)).unwrap().strip() == text.strip()
