"""Tests of bags, which hold each thing of a kind a number of times."""

from __future__ import annotations

from collections import Counter

import pytest

from helpers import codes_and_texts, list_errors, make_phase, run_cases, run_steps

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


def bag_counts(run: object, name: str, *indices: int) -> list[int]:
    return [run.get_value(name, *indices, i) for i in range(3)]  # type: ignore[attr-defined]


def test_bag_starts_with_its_initial_counts() -> None:
    run = run_steps("nothing", rules=KEEPS)
    assert (bag_counts(run, "sack"), bag_counts(run, "deck"), bag_counts(run, "lid")) == (
        [3, 2, 1],
        [2, 2, 2],
        [0, 0, 0],
    )


def test_draw_offers_each_copy_in_the_bag() -> None:
    run = run_steps("draw a tile from sack as one", rules=KEEPS)
    assert Counter(run.options) == {"red": 3, "blue": 2, "gold": 1}


def test_thing_drawn_into_a_place_leaves_the_bag() -> None:
    run = run_steps("draw 3 tiles from sack into owned of you", rules=KEEPS).answer("red", "gold")
    assert Counter(run.options) == {"red": 2, "blue": 2}
    run.answer("red")
    assert (bag_counts(run, "sack"), bag_counts(run, "owned", 0)) == ([1, 2, 0], [2, 0, 1])


def test_empty_bag_gives_no_draw() -> None:
    run = run_steps("draw a tile from lid into owned of you", "draw a tile from lid as one", "gain 1 coin", rules=KEEPS)
    assert run.is_over and run.get_value("coin", 0) == 0


def test_draw_ends_when_the_bag_runs_out() -> None:
    run = run_steps("draw 9 tiles from sack into owned of you", "gain 1 coin", rules=KEEPS)
    run.answer("red", "red", "red", "blue", "blue")  # and the last one
    assert run.is_over and bag_counts(run, "owned", 0) == [3, 2, 1] and run.get_value("coin", 0) == 1


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


def test_steps_change_bag_counts(subtests: pytest.Subtests) -> None:
    for run, step, name, wanted in run_cases(STEPS, KEEPS):
        with subtests.test(step=step):
            assert bag_counts(run, name) == wanted


VALUES = [
    ("count of sack", 6),
    ("count of red in sack", 3),
    ("count of gold in owned of you", 0),
    ("count of (first of tiles) in sack", 3),
    ("count of (sack where it is not red)", 2),
    ("sum of ((count of it in sack) * copies of it) over sack", 14),
    ("sum of copies of it * 2 + 1 over tiles", 15),
]
HOLD = [
    "red is in sack",
    "red is not in lid",
    "lid is empty",
    "sack is not empty",
    "lid is within sack",
    "lid != sack",
    "some sack has count of it in sack = 1",
    "owned of you = lid",
    "picked is within sack",
]


def test_bag_values_and_conditions(subtests: pytest.Subtests) -> None:
    values = [(f"gain {value} coin", wanted) for value, wanted in VALUES]
    asked = [(f"if {one}\n  gain 1 coin\nif not ({one})\n  gain 5 coin", 1) for one in HOLD]
    for run, line, wanted in run_cases(values + asked, KEEPS):
        with subtests.test(line=line):
            assert run.get_value("coin", 0) == wanted


def test_choice_offers_each_thing_once() -> None:
    run = run_steps("set owned of you to sack\nchoose a tile from owned of you as one", rules=KEEPS)
    assert run.options == ["red", "blue", "gold"]


def test_secret_draw_reveals_the_hand_to_its_owner_and_the_bag_to_nobody() -> None:
    run = run_steps("draw a tile from deck into hand of you", rules=KEEPS)
    assert run.question.secret and run.list_knowing_players("deck", 1) == [0, 1, 2, 3]
    run.answer("blue")
    assert [run.list_knowing_players("deck", i) for i in range(3)] == [[], [], []]
    assert [run.list_knowing_players("hand", 0, i) for i in range(3)] == [[0], [0], [0]]
    assert run.list_knowing_players("hand", 1, 0) == [0, 1, 2, 3]


def test_open_draw_keeps_counts_public() -> None:
    run = run_steps("draw a tile from deck as one", "move one from deck to owned of you", rules=KEEPS).answer("gold")
    assert run.list_knowing_players("deck", 2) == [0, 1, 2, 3] and bag_counts(run, "deck") == [2, 2, 1]


def test_bag_can_exceed_one_cell_and_usual_options() -> None:
    """The bag holds more kinds of things than a cell of a set, and more things than a question usually offers."""
    rules = KEEPS + (
        "kind card\n  rank number from 1 to 90\ncard for each rank\n"
        "keep pile as bag of card starting at 4 of each card\nkeep own of player as bag of card, secret\n"
    )
    run = run_steps("draw 2 cards from pile into own of you", "gain count of pile coin", rules=rules)
    assert len(run.options) == 360
    run.answer("card-77", "card-77")
    assert run.get_value("own", 0, 76) == 2 and run.get_value("pile", 76) == 2 and run.get_value("coin", 0) == 358


WRONG = [
    ("keep box as bag of player", "E0539", "player"),
    ("kind crate\n  inside bag of tile", "E0539", "bag of tile"),
    ("keep box as bag of tile starting at title of each tile", "E0201", "title"),
    ("phase other\n  each player\n    gain sack coin", "E0401", "sack"),
    ("phase other\n  each player\n    gain count of (sack + you) coin", "E0401", "you"),
    ("phase other\n  each player\n    gain count of red in picked coin", "E0402", "picked"),
]


def test_invalid_bag_rules_are_reported(subtests: pytest.Subtests) -> None:
    assert list_errors(KEEPS) == []
    for rules, code, place in WRONG:
        with subtests.test(rules=rules):
            assert (code, place) in codes_and_texts(rules + "\n" + KEEPS)


def test_bag_can_be_revealed_as_a_whole() -> None:
    steps = ("draw 2 tiles from deck into hand of you", "show hand of you to left of you", "show deck to everyone")
    run = run_steps(*steps, rules=KEEPS).answer("blue", "blue")
    assert [run.list_knowing_players("hand", 0, i) for i in range(3)] == [[0, 1]] * 3
    assert [run.list_knowing_players("deck", i) for i in range(3)] == [[0, 1]] * 3


# --- several by one name -----------------------------------------------------------------------------


def test_several_drawn_under_one_name_stay_in_the_bag() -> None:
    run = run_steps(
        "draw 3 tiles from sack as drawn", "set lid to drawn", "gain count of red in drawn coin", rules=KEEPS
    )
    assert Counter(run.options) == {"red": 3, "blue": 2, "gold": 1}
    run.answer("red", "red")
    assert Counter(run.options) == {"red": 1, "blue": 2, "gold": 1}
    run.answer("blue")
    assert (bag_counts(run, "lid"), bag_counts(run, "sack"), run.get_value("coin", 0)) == ([2, 1, 0], [3, 2, 1], 2)


def test_drawn_things_can_be_moved() -> None:
    run = run_steps("draw 9 tiles from sack as drawn", "move drawn from sack to owned of you", rules=KEEPS)
    run.answer("red", "red", "red", "blue", "blue")
    assert (bag_counts(run, "owned", 0), bag_counts(run, "sack")) == ([3, 2, 1], [0, 0, 0])


def test_several_secret_draws_are_known_to_their_owner_only() -> None:
    run = run_steps("draw 2 tiles from deck as drawn secretly", "move drawn from deck to hand of you", rules=KEEPS)
    run.answer("blue", "blue")
    assert (
        bag_counts(run, "hand", 0) == [0, 2, 0]
        and [run.list_knowing_players("hand", 0, i) for i in range(3)] == [[0]] * 3
    )
    assert [run.list_knowing_players("deck", i) for i in range(3)] == [[]] * 3


CHOSEN = [
    ("choose 2 tiles from sack as two", ("red", "red"), [2, 0, 0]),
    ("choose 2 tiles from sack as two where it is not red", ("gold",), [0, 1, 1]),  # of one sort: not asked
    ("choose up to 3 tiles from sack as two", ("red", "blue", "-"), [1, 1, 0]),
    ("choose up to 3 tiles from sack as two", ("-",), [0, 0, 0]),
    ("choose 9 tiles from sack as two", ("red", "blue", "red", "red", "blue"), [3, 2, 1]),
    ("may choose 2 tiles from sack as two", ("red", "red"), [2, 0, 0]),
    ("may choose up to 2 tiles from sack as two", ("red", "-"), [1, 0, 0]),
    ("may choose 2 tiles from sack as two", ("-",), [0, 0, 0]),
    ("let few = sack\nchoose 2 tiles from few as two", ("blue", "blue"), [0, 2, 0]),
    ("let few = sack\ndraw 2 tiles from few as two", ("red", "red"), [2, 0, 0]),
]


def test_several_can_be_chosen_under_one_name_and_local_can_alias_a_bag(subtests: pytest.Subtests) -> None:
    move = {True: "\n  move two from sack to lid", False: "\nmove two from sack to lid"}
    cases = [(step + move[step.startswith("may")], *rest) for step, *rest in CHOSEN]
    for run, step, answers, chosen in run_cases(cases, KEEPS):
        with subtests.test(step=step):
            assert run.answer(*answers).is_over and bag_counts(run, "lid") == chosen


def test_choice_of_several_from_empty_bag_is_no_option() -> None:
    assert not run_steps("choose one", "  choose 2 tiles from lid as two", "  gain 1 coin", rules=KEEPS).asked


# --- so many of one thing, bags put together ----------------------------------------------------------

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
COUNTED_BY = """
keep rate as number from 0 to 9 starting at 3
setting pennies "pennies" is 4 from 0 to 9
keep chest of player as bag of coinage starting at (pennies) of penny + (pennies - 3) of each coinage
routine some-of with number called many and coinage called one
  add (many) of one to box of you
"""
COUNTED = [
    ("set seen to count of purse of you", 9),
    ("set seen to count of crown in purse of you", 2),
    ("add 3 of crown to box of you\nset seen to count of crown in (purse of you + box of you)", 5),
    ("set seen to count of (purse of you - 3 of penny)", 6),
    ("set seen to count of (purse of you - 9 of penny)", 2),
    ("set seen to count of (purse of you + mark)", 10),
    ("each coinage as one\n  add 2 of one to box of you\nset seen to count of box of you", 6),
    ("add (rate) of penny to box of you\nset seen to count of penny in box of you", 3),
    ("add (rate * 2) of (first of (coinages where it is crown)) to box of you\nset seen to count of box of you", 6),
    ("each coinage as one\n  add (rate) of one to box of you\nset seen to count of box of you", 9),
    ("add (rate) of each coinage to box of you\nset seen to count of box of you", 9),
    ("add (rate - 9) of penny to box of you\nset seen to count of box of you", 0),
    ("add (rate - 9) of each coinage to box of you\nset seen to count of box of you", 0),
    ("add (5 - 9) of penny to box of you\nset seen to count of box of you", 0),
    ("set box of you to (-2) of each coinage\nadd penny to box of you\nset seen to count of box of you", 1),
    ("move (rate) of penny from purse of you to box of you\nset seen to count of purse of you", 6),
    ("do some-of with 2 and mark\nset seen to count of mark in box of you", 2),
    ("gain (rate) of each stuff\nset seen to stick of you + brick of you", 6),
    ("set seen to count of chest of you", 4 + 3),
    # no more is moved than there is
    ("move 5 of crown from purse of you to box of you\nset seen to count of crown in box of you", 2),
    ("move 5 of crown from purse of you to box of you\nset seen to count of crown in purse of you", 0),
    ("move 3 of each coinage from purse of you to box of you\nset seen to count of box of you", 5),
    ("add crown to row\nadd mark to row\nset seen to position of mark in row", 2),
    ("add crown to row\nset seen to position of penny in row", 0),
]


def test_count_of_a_thing_takes_any_number_in_parentheses(subtests: pytest.Subtests) -> None:
    for run, lines, much in run_cases(COUNTED, COINS + COUNTED_BY):
        with subtests.test(lines=lines):
            assert run.get_value("seen") == much


UNCOUNTED = {
    "add rate of penny to box of you": "(rate) of penny",
    "add pennies of penny to box of you": "(pennies)",
    "let many = 3\n    add many of penny to box of you": "(many) of penny",
    "add rate of each coinage to box of you": "(rate)",
    "gain rate of each stuff": "gain (rate) of each stuff",
}


def test_missing_parentheses_are_proposed_as_fix(subtests: pytest.Subtests) -> None:
    for line, proposed in UNCOUNTED.items():
        with subtests.test(line=line):
            (found,) = list_errors(COINS + COUNTED_BY + make_phase(*line.split("\n    ")))
            assert [edit.text for edit in found.edits] == [proposed]


def test_invalid_counts_and_positions_are_type_errors() -> None:
    assert [one.code for one in list_errors(COINS + make_phase("set seen to count of (3 of seen)"))] == ["E0401"]
    assert [one.code for one in list_errors(COINS + make_phase("set seen to position of penny in purse of you"))] == [
        "E0402"
    ]


def test_position_is_an_ordinary_name_outside_order_values() -> None:
    asked = ("add 4 to position of you", "if position of you = 4 and crown is in row", "  add 1 to position of you")
    rules = COINS + "keep position of player as number from 0 to 9\n"
    run = run_steps("add crown to row", *asked, "set seen to position of you", rules=rules)
    assert run.get_value("seen") == 5
