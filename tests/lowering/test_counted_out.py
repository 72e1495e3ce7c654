"""So many of one thing, bags put together, where something stands in an order, and lists of things in a field."""

from __future__ import annotations

import pytest
from helpers import does, errors, steps

COINS = """
kind coinage "coinage"
coinage penny "Penny"
coinage crown "Crown"
coinage mark "Mark"
keep purse of player as bag of coinage starting at 7 of penny + 2 of crown
keep box of player as bag of coinage
keep row as order of coinage
keep seen as number from 0 to 99
"""
ISLES = """
kind isle "isle"
  near set of isle
  fish number
isle north "North"
  near south, mid
  fish 2
isle south "South"
  near north
  fish 1
table of isle with near, fish
  mid "Middle"  north and south,  3
keep seen as number from 0 to 99
"""


def seen(*lines: str, rules: str = COINS) -> int:
    return does(*lines, rules=rules).value("seen")


def test_a_bag_starts_with_so_many_of_one_thing_and_so_many_of_another() -> None:
    assert seen("set seen to count of purse of you") == 9
    assert seen("set seen to count of crown in purse of you") == 2


def test_bags_are_put_together_and_taken_apart() -> None:
    assert seen("add 3 of crown to box of you", "set seen to count of crown in (purse of you + box of you)") == 5
    assert seen("set seen to count of (purse of you - 3 of penny)") == 6
    assert seen("set seen to count of (purse of you - 9 of penny)") == 2
    assert seen("set seen to count of (purse of you + mark)") == 10


def test_so_many_of_what_only_play_tells() -> None:
    assert seen("each coinage as one", "  add 2 of one to box of you", "set seen to count of box of you") == 6


COUNTED = [
    (("add (rate) of penny to box of you", "set seen to count of penny in box of you"), 3),
    (("add (rate * 2) of (first of (coinages where it is crown)) to box of you", "set seen to count of box of you"), 6),
    (("each coinage as one", "  add (rate) of one to box of you", "set seen to count of box of you"), 9),
    (("add (rate) of each coinage to box of you", "set seen to count of box of you"), 9),
    (("add (rate - 9) of penny to box of you", "set seen to count of box of you"), 0),
    (("add (rate - 9) of each coinage to box of you", "set seen to count of box of you"), 0),
    (("add (5 - 9) of penny to box of you", "set seen to count of box of you"), 0),
    (("move (rate) of penny from purse of you to box of you", "set seen to count of purse of you"), 6),
    (("do some-of with 2 and mark", "set seen to count of mark in box of you"), 2),
    (("gain (rate) of each stuff", "set seen to stick of you + brick of you"), 6),
    (("set seen to count of chest of you",), 4 + 3),
]
COUNTED_BY = """
keep rate as number from 0 to 9 starting at 3
setting pennies "pennies" is 4 from 0 to 9
keep chest of player as bag of coinage starting at (pennies) of penny + (pennies - 3) of each coinage
routine some-of with number called many and coinage called one
  add (many) of one to box of you
"""


@pytest.mark.parametrize(("lines", "much"), COUNTED)
def test_how_many_is_any_number_in_parentheses(lines: tuple[str, ...], much: int) -> None:
    assert seen(*lines, rules=COINS + COUNTED_BY) == much


UNCOUNTED = {
    "add rate of penny to box of you": "(rate) of penny",
    "add pennies of penny to box of you": "(pennies)",
    "let many = 3\n    add many of penny to box of you": "(many) of penny",
    "add rate of each coinage to box of you": "(rate)",
    "gain rate of each stuff": "gain (rate) of each stuff",
}


@pytest.mark.parametrize("line", UNCOUNTED)
def test_without_parentheses_they_are_proposed(line: str) -> None:
    (found,) = errors(COINS + COUNTED_BY + steps(*line.split("\n    ")))
    assert [edit.text for edit in found.edits] == [UNCOUNTED[line]]


def test_no_more_is_moved_than_there_is() -> None:
    moved = "move 5 of crown from purse of you to box of you"
    assert seen(moved, "set seen to count of crown in box of you") == 2
    assert seen(moved, "set seen to count of crown in purse of you") == 0
    assert seen("move 3 of each coinage from purse of you to box of you", "set seen to count of box of you") == 5


def test_where_a_thing_stands_in_an_order() -> None:
    rows = ("add crown to row", "add mark to row")
    assert seen(*rows, "set seen to position of mark in row") == 2
    assert seen(*rows, "set seen to position of penny in row") == 0


def test_things_are_listed_in_a_field_and_in_a_cell() -> None:
    assert seen("set seen to count of near of north", rules=ISLES) == 2
    assert seen("set seen to count of near of mid", rules=ISLES) == 2


CALLED = [
    (("choose an isle as one where fish of one > 2", "set seen to fish of one"), 3),
    (("each isle as one where (count of (isles where fish of it < fish of one)) > 0", "  add fish of one to seen"), 5),
    (("each player as other where other is not you", "  add 1 to seen"), 1),
    (("each player as other from left of you where other is not you", "  add 1 to seen"), 1),
    (("choose 3 isles as some-isles where fish of some-isles > 2", "set seen to count of some-isles"), 1),
]


@pytest.mark.parametrize(("lines", "expected"), CALLED)
def test_a_condition_may_use_the_name_its_step_gives(lines: tuple[str, ...], expected: int) -> None:
    assert seen(*lines, rules=ISLES) == expected


def test_what_cannot_be_counted_out() -> None:
    assert [one.code for one in errors(COINS + steps("set seen to count of (3 of seen)"))] == ["E0401"]
    assert [one.code for one in errors(COINS + steps("set seen to position of penny in purse of you"))] == ["E0402"]


def test_position_is_a_name_like_any_other_where_no_order_is_asked() -> None:
    asked = ("add 4 to position of you", "if position of you = 4 and crown is in row", "  add 1 to position of you")
    rules = COINS + "keep position of player as number from 0 to 9\n"
    assert seen("add crown to row", *asked, "set seen to position of you", rules=rules) == 5
