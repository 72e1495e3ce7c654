"""Dice turned to a number, and dice that lie before somebody else."""

from __future__ import annotations

import pytest
from helpers import does, linked, said, steps

from edict.language import tree as t
from edict.language.walking import walk
from edict.words import stmt_words

POOL = "keep pool of player as dice\n"
MIXED = ("add cube showing 3 to pool of you", "add gem showing 3 to pool of you")


@pytest.mark.parametrize(("face", "faces"), [("total of one + 1", 4), ("9", 6), ("0 - 3", 1), ("3", 3), ("2", 2)])
def test_a_die_is_turned_and_keeps_its_kind(face: str, faces: int) -> None:
    """A number that the die has not got is the nearest that it has."""
    lines = (*MIXED, "choose a die from (cubes among pool of you) as one", f"set one to {face} within pool of you")
    run = does(*lines, rules=POOL)
    assert run.dice(run.value("pool", 0)) == {"cube": [faces], "gem": [3]}


def test_all_dice_are_turned_each_as_far_as_it_goes() -> None:
    lines = (*MIXED, "add cube showing 1 to pool of you", "set pool of you to 5 within pool of you")
    run = does(*lines, rules=POOL)
    assert run.dice(run.value("pool", 0)) == {"cube": [5, 5], "gem": [4]}


def test_the_place_changes_once() -> None:
    rules = POOL + "keep tally as number\n"
    run = does(*MIXED, "let mine = pool of you", "set pool of you to 6 within pool of you", rules=rules)
    variable = run.variable("pool")
    assert len([one for one in run.events(1) if one[0] == variable.base]) == 3


def test_whoever_pays_may_use_the_dice_of_a_neighbour() -> None:
    rules = POOL + """
action climb
  choose a number from 1 to 6 as height
  choose dice from (pool of you + pool of left of you) as paid making height
  then
    gain height fame
"""
    lines = ("add cube showing 1 to pool of left of you", "add cube showing 3 to pool of you", "do climb")
    run = does(*lines, rules=rules)
    assert run.options == ["1", "3", "4"]
    assert run.answer("4").value("fame", 0) == 4


def test_a_die_passes_to_somebody_else() -> None:
    lines = ("add gem showing 2 to pool of left of you", "choose a die from pool of left of you as taken",
             "move taken from pool of left of you to pool of you")  # fmt: skip
    run = does(*lines, rules=POOL)
    assert run.dice(run.value("pool", 0)) == {"gem": [2]} and not run.value("pool", 1)


def test_only_dice_are_turned() -> None:
    assert [code for code, _ in said(POOL + steps("set 3 to 3 within pool of you"))] == ["E0401"]
    assert [code for code, _ in said(POOL + steps("set pool of you to pool of you within pool of you"))] == ["E0401"]


def test_it_is_told() -> None:
    rules = linked(POOL + steps("choose a die from pool of you as one", "set one to 6 within pool of you")).resolved
    told = [stmt_words(rules, node) for node in walk(rules.get("trial-run")) if isinstance(node, t.Short)]
    assert told == ["turn it to 6"]


@pytest.mark.parametrize(("face", "count"), [("3", 2), ("gem of you + 3", 2), ("1", 0), ("0", 0), ("7", 0)])
def test_those_that_show_a_number(face: str, count: int) -> None:
    face = face if face.isdigit() else f"({face})"
    lines = (*MIXED, "add cube showing 3 to pool of you", "add cube showing 5 to pool of you")
    run = does(*lines, f"gain count of (cubes showing {face} among pool of you) coin", rules=POOL)
    assert run.value("coin", 0) == count


def test_a_number_counts_as_another() -> None:
    turned = "set (cubes showing 3 among pool of you) to 6 within pool of you"
    gone = "remove (gems showing 3 among pool of you) from pool of you"
    run = does(*MIXED, "add cube showing 3 to pool of you", turned, gone, rules=POOL)
    assert run.dice(run.value("pool", 0)) == {"cube": [6, 6]}


PAIRS = """\
choose 2 dice from pool of you as pair
remove pair from pool of you
gain total of pair coin
gain count of pair fame
"""


@pytest.mark.parametrize(
    ("rolled", "answers", "coins", "dice", "left"),
    [
        ((2, 3, 5), (5, 2), 7, 2, [3]), ((4, 4, 6), (4, 4), 8, 2, [6]), ((4, 4), (), 8, 2, []), ((3,), (), 3, 1, []),
        ((), (), 0, 0, []),
    ],
)  # fmt: skip
def test_two_dice_are_chosen_one_after_the_other(
    rolled: tuple[int, ...], answers: tuple[int, ...], coins: int, dice: int, left: list[int]
) -> None:
    """A die to choose is asked for by its number, counted from 0."""
    given = (f"add cube showing {face} to pool of you" for face in rolled)
    run = does(*given, PAIRS, rules=POOL, answers=[face - 1 for face in answers])
    assert (run.value("coin", 0), run.value("fame", 0)) == (coins, dice)
    assert run.dice(run.value("pool", 0)).get("cube", []) == left
