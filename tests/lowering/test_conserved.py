"""What is moved, drawn and given is neither more nor less afterwards, whatever is asked for and wherever it goes."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from helpers import Run, compiled, does, steps
from examples import examples
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

RULES = """
kind tile "tile/tiles"
  size number from 1 to 9
tile red "Red"
  size 1
tile blue "Blue"
  size 2
tile gold "Gold"
  size 3
keep sack as bag of tile starting at 2 of each tile
keep bin as bag of tile
keep pouch of player as bag of tile, secret but counted
keep pool as set of tile starting at red + blue
keep other as set of tile
keep hand of player as set of tile, secret
keep pile as order of tile
keep row as order of tile, secret
keep cup as dice
keep tray of player as dice
"""
PLACES = [
    "sack", "bin", "pouch of you", "pouch of left of you", "pool", "other", "hand of you", "hand of left of you",
    "pile", "row",
]  # fmt: skip
WHAT = [
    "red", "blue", "gold", "tiles", "3 of red", "2 of each tile", "5 of gold + 1 of blue", "first of tiles", "nobody",
    "(red, gold)", "few", "some-tiles", "last of pile", "first of pool", "tiles where size of it > 1", *PLACES,
]  # fmt: skip
DICE = ["cup", "tray of you", "tray of left of you"]
THROWN = ["cup", "tray of you", "cube showing 3", "cubes among cup", "cup where it > 2", "three", "no-dice"]

places, trays, whom = st.sampled_from(PLACES), st.sampled_from(DICE), st.sampled_from(["you", "left of you"])
moves = st.builds("move {} from {} to {}".format, st.sampled_from(WHAT), places, places)
drawn = st.builds("draw {} tiles from {} into {}".format, st.integers(0, 4), places, places)
thrown = st.builds("move ({}) from {} to {}".format, st.sampled_from(THROWN), trays, trays)
given_ = st.builds("give {} coin to {}".format, st.sampled_from(["0", "3", "9", "all"]), whom)
FIRST = (
    "shuffle pile", "let few = 5 of red + 1 of blue", "let some-tiles = red + gold", "remove red from pile",
    "let three = cube showing 3 + cube showing 3 + gem showing 4", "gain 5 coin", "add three to cup",
    "add cube showing 5 to tray of you",
)  # fmt: skip


def all_there(run: Run) -> tuple[Counter[object], object, int]:
    """How often each tile is anywhere, the dice, and the coins."""
    tiles: Counter[object] = Counter()
    names = ("red", "blue", "gold")
    for keep, of in (("sack", ()), ("bin", ()), ("pouch", (0,)), ("pouch", (1,))):
        for number, name in enumerate(names):
            tiles[name] += run.value(keep, *of, number)
    for keep, of in (("pool", ()), ("other", ()), ("hand", (0,)), ("hand", (1,)), ("pile", ()), ("row", ())):
        tiles.update(run.told(keep, *of))  # type: ignore[call-overload]
    dice = Counter((die, face) for keep, of in (("cup", ()), ("tray", (0,)), ("tray", (1,)))
                   for die, faces in run.dice(run.value(keep, *of)).items() for face in faces)  # fmt: skip
    return tiles, dice, sum(run.value("coin", seat) for seat in range(2))


@cache
def fits_nowhere(line: str) -> bool:
    """Whether it is refused: an order or a place of one's own cannot be poured into a bag."""
    return any(one.is_error for one in compiled(RULES + steps(*FIRST, line)).diagnostics)


def after(*lines: str) -> Run:
    run = does(*FIRST, *lines, "choose a number from 1 to 2 as stop-here", rules=RULES)
    while run.question.name != "choose-stop-here":
        run.answer(run.options[0])
    return run


@settings(max_examples=examples(20, 200), suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(st.lists(moves | drawn | thrown | given_, min_size=1, max_size=6))
def test_what_there_is_stays_as_much_as_it_was(lines: list[str]) -> None:
    assume(not any(fits_nowhere(line) for line in lines))
    wrapped = [f"repeat 1 times\n  {line}" for line in lines]  # with nothing to draw, the rest of a block is left out
    assert all_there(after(*wrapped)) == all_there(after())


@pytest.mark.parametrize(
    ("line", "there"),
    [
        ("move few from sack to bin", [2, 1, 0]), ("move 3 of red from sack to bin", [2, 0, 0]),
        ("move gold from pool to bin", [0, 0, 0]), ("move tiles from pool to bin", [1, 1, 0]),
        ("move red from pile to bin", [0, 0, 0]),
        ("repeat 1 times\n  move pile from other to pool", [0, 0, 0]),
        ("move last of pile from other to bin", [0, 0, 0]),
    ],
)  # fmt: skip
def test_no_more_comes_than_has_left(line: str, there: list[int]) -> None:
    run = after(line)
    assert [run.value("bin", number) for number in range(3)] == there


def test_what_has_no_room_stays_where_it_is() -> None:
    run = after("move 2 of red from sack to pool", "move sack from sack to other")
    assert [run.value("sack", number) for number in range(3)] == [1, 1, 1]
    assert run.told("pool") == ["red", "blue"] and run.told("other") == ["red", "blue", "gold"]


def test_dice_that_are_not_there_are_not_moved() -> None:
    run = after("move cube showing 2 from cup to tray of you", "move three from cup to tray of left of you")
    assert run.dice(run.value("tray", 1)) == {"cube": [3, 3], "gem": [4]} and not run.fault
