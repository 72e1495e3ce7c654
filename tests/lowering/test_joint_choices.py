"""Several choices in one action whose rules exclude each other: offered is what can be completed, and at once."""

from __future__ import annotations

import operator
from itertools import product

import pytest
from edict.program import opcodes as o
from helpers import Run, play
from hypothesis import given, settings
from hypothesis import strategies as st

COMPARED = {"<": operator.lt, "<=": operator.le, "=": operator.eq, "!=": operator.ne, ">": operator.gt}
HEIGHTS = (1, 2, 3, 5)
CHOICES = 4


def action(choices: int, rules: list[str], heights: tuple[int, ...], where: dict[int, str] | None = None) -> str:
    trees = "".join(f"tree t{i}\n  height {height}\n" for i, height in enumerate(heights))
    chosen = "".join(f"  choose a tree as x{i}{(where or {}).get(i, '')}\n" for i in range(choices))
    named = "".join(f"  rule r{i}\n    require {rule}\n" for i, rule in enumerate(rules))
    return (f"kind tree\n  height number\n{trees}action plant\n{chosen}{named}  then\n    gain 1 coin\n"
            "phase trial-run\n  may do plant\n")  # fmt: skip


@st.composite
def joined(draw: st.DrawFn) -> tuple[str, tuple[int, ...], int]:
    """A rule about some of the choices: the sum of their heights, compared with a number or another's height."""
    about = tuple(draw(st.lists(st.integers(0, CHOICES - 1), min_size=2, max_size=3, unique=True)))
    return draw(st.sampled_from(sorted(COMPARED))), about, draw(st.integers(-2, 8))


def in_words(rule: tuple[str, tuple[int, ...], int]) -> str:
    sign, (first, *rest), more = rule
    total = " + ".join(f"height of x{i}" for i in rest)
    return f"height of x{first} + 2 {sign} {total} + {more + 2}"


def met(rule: tuple[str, tuple[int, ...], int], chosen: tuple[int, ...]) -> bool:
    sign, (first, *rest), more = rule
    return bool(COMPARED[sign](HEIGHTS[chosen[first]], sum(HEIGHTS[chosen[i]] for i in rest) + more))


@given(st.lists(joined(), max_size=5), st.booleans(), st.data())
@settings(deadline=None)
def test_offered_is_what_can_be_completed(
    rules: list[tuple[str, tuple[int, ...], int]], narrowed: bool, data: st.DataObject
) -> None:
    where = {2: " where height of it > height of x0"} if narrowed else {}
    run = play(action(CHOICES, [in_words(rule) for rule in rules], HEIGHTS, where))
    whole = [
        way for way in product(range(len(HEIGHTS)), repeat=CHOICES)
        if all(met(rule, way) for rule in rules) and not (narrowed and HEIGHTS[way[2]] <= HEIGHTS[way[0]])
    ]  # fmt: skip
    for level in range(CHOICES):
        left = sorted({way[level] for way in whole})
        if len(left) > 1 or (left and level == 0):
            assert [value for value in run.values if value >= 0] == left
            picked = data.draw(st.sampled_from(left))
            run.answer(f"t{picked}")
        else:  # what is alone is taken unasked
            picked = left[0] if left else -1
        whole = [way for way in whole if way[level] == picked]
    assert run.over


MANY = tuple(range(60))
SOON = {
    "all different": [f"x{i} is not x{j}" for j in range(5) for i in range(j)],
    "the last is to be the first, and is not": ["x0 is x4", "x0 is not x4"],
    "one above the other": [f"height of x{i} < height of x{i + 1}" for i in range(4)],
    "the first decides about each": [f"height of x{i} = height of x0 + {i}" for i in range(1, 5)],
}


@pytest.mark.parametrize("rules", SOON)
def test_five_choices_of_sixty_are_offered_at_once(rules: str) -> None:
    """What is worked out before the first question is counted, not timed: of ten million jumps back at most a few."""
    run: Run = play(action(5, SOON[rules], MANY))
    assert not run.fault
    assert run.state[o.SPENT] < 200_000
    firsts = {"all different": 60, "one above the other": 56, "the first decides about each": 56}
    assert len([] if run.over else [value for value in run.values if value >= 0]) == firsts.get(rules, 0)
