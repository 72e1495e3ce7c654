"""Bags: things of a kind, each so many times. Drawn from by chance, counted, moved, kept secret."""

from __future__ import annotations

from collections import Counter

import pytest
from helpers import does, errors, said

KEEPS = """
kind tile "tile/tiles"
  copies number from 0 to 9
tile red "Red"
  copies 3
tile blue "Blue"
  copies 2
tile gold "Gold"
  copies 1
keep sack as bag of tile starting at copies of each tile
keep lid as bag of tile
keep deck as bag of tile starting at 2 of each tile, secret
keep hand of player as bag of tile, secret
keep owned of player as bag of tile
keep picked as set of tile
"""


def counts(run: object, name: str, *of: int) -> list[int]:
    return [run.value(name, *of, i) for i in range(3)]  # type: ignore[attr-defined]


def test_it_begins_with_so_many_of_each() -> None:
    run = does("nothing", rules=KEEPS)
    assert (counts(run, "sack"), counts(run, "deck"), counts(run, "lid")) == ([3, 2, 1], [2, 2, 2], [0, 0, 0])


def test_chance_takes_any_one_of_what_is_there() -> None:
    run = does("draw a tile from sack as one", rules=KEEPS)
    assert Counter(run.options) == {"red": 3, "blue": 2, "gold": 1}


def test_what_is_drawn_into_another_place_is_gone() -> None:
    run = does("draw 3 tiles from sack into owned of you", rules=KEEPS).answer("red", "gold")
    assert Counter(run.options) == {"red": 2, "blue": 2}
    run.answer("red")
    assert (counts(run, "sack"), counts(run, "owned", 0)) == ([1, 2, 0], [2, 0, 1])


def test_from_an_empty_bag_nothing_is_drawn() -> None:
    run = does("draw a tile from lid into owned of you", "draw a tile from lid as one", "gain 1 coin", rules=KEEPS)
    assert run.over and run.value("coin", 0) == 0


def test_a_bag_that_runs_out_ends_the_drawing() -> None:
    run = does("draw 9 tiles from sack into owned of you", "gain 1 coin", rules=KEEPS)
    run.answer("red", "red", "red", "blue", "blue")  # and the last one
    assert run.over and counts(run, "owned", 0) == [3, 2, 1] and run.value("coin", 0) == 1


STEPS: list[tuple[str, str, list[int]]] = [
    ("add red to sack", "sack", [4, 2, 1]),
    ("add (red, gold) to sack", "sack", [4, 2, 2]),
    ("add sack to sack", "sack", [6, 4, 2]),
    ("add 5 of each tile to lid", "lid", [5, 5, 5]),
    ("remove blue from sack", "sack", [3, 1, 1]),
    ("remove 2 of each tile from sack", "sack", [1, 0, 0]),
    ("remove blue from lid", "lid", [0, 0, 0]),
    ("set sack to nobody", "sack", [0, 0, 0]),
    ("set sack to gold", "sack", [0, 0, 1]),
    ("set sack to (red, blue)", "sack", [1, 1, 0]),
    ("set lid to sack", "lid", [3, 2, 1]),
    ("swap lid with sack", "lid", [3, 2, 1]),
    ("move red from sack to owned of you", "sack", [2, 2, 1]),
    ("move sack from sack to lid", "sack", [0, 0, 0]),
    ("move sack from sack to lid", "lid", [3, 2, 1]),
    ("let few = sack\nset sack to nobody\nadd few to lid", "lid", [3, 2, 1]),
    ("let few = sack\nadd red to few\nset lid to few", "lid", [4, 2, 1]),
    ("each tile in sack\n  add tile to lid", "lid", [1, 1, 1]),
]


@pytest.mark.parametrize("step, name, wanted", STEPS)
def test_steps(step: str, name: str, wanted: list[int]) -> None:
    assert counts(does(step, rules=KEEPS), name) == wanted


VALUES = [
    ("count of sack", 6), ("count of red in sack", 3), ("count of gold in owned of you", 0),
    ("count of (first of tiles) in sack", 3), ("count of (sack where it is not red)", 2),
    ("sum of ((count of it in sack) * copies of it) over sack", 14), ("sum of copies of it * 2 + 1 over tiles", 15),
]  # fmt: skip


@pytest.mark.parametrize("value, wanted", VALUES)
def test_values(value: str, wanted: int) -> None:
    assert does(f"gain {value} coin", rules=KEEPS).value("coin", 0) == wanted


@pytest.mark.parametrize("condition", [
    "red is in sack", "red is not in lid", "lid is empty", "sack is not empty", "lid is within sack", "lid != sack",
    "some sack has count of it in sack = 1", "owned of you = lid", "picked is within sack",
])  # fmt: skip
def test_conditions(condition: str) -> None:
    run = does(f"if {condition}\n  gain 1 coin\nif not ({condition})\n  gain 5 coin", rules=KEEPS)
    assert run.value("coin", 0) == 1


def test_each_is_offered_once_however_often_it_is_there() -> None:
    run = does("set owned of you to sack\nchoose a tile from owned of you as one", rules=KEEPS)
    assert run.options == ["red", "blue", "gold"]


def test_whoever_draws_in_secret_knows_the_hand_and_nobody_the_bag() -> None:
    run = does("draw a tile from deck into hand of you", rules=KEEPS)
    assert run.question.secret and run.known("deck", 1) == [0, 1, 2, 3]
    run.answer("blue")
    assert [run.known("deck", i) for i in range(3)] == [[], [], []]
    assert [run.known("hand", 0, i) for i in range(3)] == [[0], [0], [0]]
    assert run.known("hand", 1, 0) == [0, 1, 2, 3]


def test_what_is_drawn_openly_everybody_can_count() -> None:
    run = does("draw a tile from deck as one", "move one from deck to owned of you", rules=KEEPS).answer("gold")
    assert run.known("deck", 2) == [0, 1, 2, 3] and counts(run, "deck") == [2, 2, 1]


def test_many_of_many_kinds() -> None:
    """More than a set has room for in one cell, and more in the bag than a question usually offers."""
    rules = KEEPS + (
        "kind card\n  rank number from 1 to 90\ncard for each rank\n"
        "keep pile as bag of card starting at 4 of each card\nkeep own of player as bag of card, secret\n"
    )
    run = does("draw 2 cards from pile into own of you", "gain count of pile coin", rules=rules)
    assert len(run.options) == 360
    run.answer("card-77", "card-77")
    assert run.value("own", 0, 76) == 2 and run.value("pile", 76) == 2 and run.value("coin", 0) == 358


WRONG = [
    ("keep box as bag of player", "E0539", "player"),
    ("kind crate\n  inside bag of tile", "E0539", "bag of tile"),
    ("keep box as bag of tile starting at title of each tile", "E0201", "title"),
    ("phase other\n  each player\n    gain sack coin", "E0401", "sack"),
    ("phase other\n  each player\n    gain count of (sack + you) coin", "E0401", "you"),
    ("phase other\n  each player\n    gain count of red in picked coin", "E0402", "picked"),
]


@pytest.mark.parametrize("rules, code, place", WRONG)
def test_what_cannot_be(rules: str, code: str, place: str) -> None:
    assert (code, place) in said(rules + "\n" + KEEPS)


def test_nothing_else_is_wrong_with_them() -> None:
    assert errors(KEEPS) == []


def test_a_bag_is_shown_as_a_whole() -> None:
    steps = ("draw 2 tiles from deck into hand of you", "show hand of you to left of you", "show deck to everyone")
    run = does(*steps, rules=KEEPS).answer("blue", "blue")
    assert [run.known("hand", 0, i) for i in range(3)] == [[0, 1]] * 3
    assert [run.known("deck", i) for i in range(3)] == [[0, 1]] * 3


# --- several by one name -----------------------------------------------------------------------------


def test_several_are_drawn_by_one_name_and_stay_there() -> None:
    run = does("draw 3 tiles from sack as drawn", "set lid to drawn", "gain count of red in drawn coin", rules=KEEPS)
    assert Counter(run.options) == {"red": 3, "blue": 2, "gold": 1}
    run.answer("red", "red")
    assert Counter(run.options) == {"red": 1, "blue": 2, "gold": 1}
    run.answer("blue")
    assert (counts(run, "lid"), counts(run, "sack"), run.value("coin", 0)) == ([2, 1, 0], [3, 2, 1], 2)


def test_what_was_drawn_is_moved() -> None:
    run = does("draw 9 tiles from sack as drawn", "move drawn from sack to owned of you", rules=KEEPS)
    run.answer("red", "red", "red", "blue", "blue")
    assert (counts(run, "owned", 0), counts(run, "sack")) == ([3, 2, 1], [0, 0, 0])


def test_what_several_drawn_secretly_are_only_their_owner_learns() -> None:
    run = does("draw 2 tiles from deck as drawn secretly", "move drawn from deck to hand of you", rules=KEEPS)
    run.answer("blue", "blue")
    assert counts(run, "hand", 0) == [0, 2, 0] and [run.known("hand", 0, i) for i in range(3)] == [[0]] * 3
    assert [run.known("deck", i) for i in range(3)] == [[]] * 3


@pytest.mark.parametrize(
    ("step", "answers", "chosen"),
    [
        ("choose 2 tiles from sack as two", ("red", "red"), [2, 0, 0]),
        ("choose 2 tiles from sack as two where it is not red", ("gold",), [0, 1, 1]),  # of one sort: not asked
        ("choose up to 3 tiles from sack as two", ("red", "blue", "-"), [1, 1, 0]),
        ("choose up to 3 tiles from sack as two", ("-",), [0, 0, 0]),
        ("choose 9 tiles from sack as two", ("red", "blue", "red", "red", "blue"), [3, 2, 1]),
        ("may choose 2 tiles from sack as two", ("red", "red"), [2, 0, 0]),
        ("may choose up to 2 tiles from sack as two", ("red", "-"), [1, 0, 0]),
        ("may choose 2 tiles from sack as two", ("-",), [0, 0, 0]),
    ],
)
def test_several_are_chosen_by_one_name(step: str, answers: tuple[str, ...], chosen: list[int]) -> None:
    below = "  move two from sack to lid" if step.startswith("may") else "move two from sack to lid"
    run = does(step, below, rules=KEEPS).answer(*answers)
    assert run.over and counts(run, "lid") == chosen


def test_a_name_may_stand_for_the_bag() -> None:
    run = does("let few = sack", "draw 2 tiles from few as two", "move two from sack to lid", rules=KEEPS)
    assert counts(run.answer("red", "red"), "lid") == [2, 0, 0]
    run = does("let few = sack", "choose 2 tiles from few as two", "move two from sack to lid", rules=KEEPS)
    assert counts(run.answer("blue", "blue"), "lid") == [0, 2, 0]


def test_from_an_empty_bag_several_are_no_option() -> None:
    assert not does("choose one", "  choose 2 tiles from lid as two", "  gain 1 coin", rules=KEEPS).asked
