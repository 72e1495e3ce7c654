"""Searches inside searches run out of the budget, whoever plays them: what leads back is paid for wherever it leads."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from edict.game.table.faults import fault
from edict.runtime.machine import loop
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.beginning import first_state
from edict.runtime.simulation import batches, native
from helpers import program

MANY = 60
LEFT = 100_000  # of the budget; a search would take hundreds of millions
TREES = 'kind tree "tree/trees"\n' + "".join(f"tree t{i}\n" for i in range(MANY)) + "keep rich as number\n"
RULES = {
    "of which none fits last": "require tree{last} is in (trees where rich > 0)",
    "of which no two fit": "require rich > 0 and tree0 is not tree{last}",
    "that only together do not fit": "require rich > 0 or {all_named}",
}


def counts(depth: int) -> str:
    found = "rich > 0"
    for _ in range(depth):
        found = f"count of (trees where {found}) > 0"
    return found


def some(depth: int) -> str:
    found = "rich > 0"
    for _ in range(depth):
        found = f"some tree has ({found})"
    return found


def action(choices: int, rule: str) -> str:
    chosen = "".join(f'  choose a tree as tree{i} "Which?"\n' for i in range(choices))
    all_named = " and ".join(f"tree{i} is not tree{i}" for i in range(choices))
    rule = rule.format(last=choices - 1, all_named=f"({all_named})")
    rules = f'  rule impossible\n    {rule}\n    because "nobody is rich"\n'
    return f'action plant "Plant"\n{chosen}{rules}  then\n    gain 1 coin\n\nphase trial-run "Trial"\n  may do plant\n'


PHASE = 'phase trial-run "Trial"\n'
SHAPES = {
    "a count": f"{PHASE}  set rich to count of (trees where {counts(5)})\n",
    "some": f"{PHASE}  if {some(6)}\n    gain 1 coin\n",
    "a choice": f"{PHASE}  may choose a tree as chosen where {counts(5)}\n    gain 1 coin\n",
    "some in a choice": f"{PHASE}  may choose a tree as chosen where {some(5)}\n    gain 1 coin\n",
    "six choices that only together do not fit": action(6, RULES["that only together do not fit"]),
}


@cache
def searching(shape: str) -> Program:
    return program(TREES + SHAPES[shape])


def stopped(found: Program, play: Callable[[list[int]], int], left: int = LEFT) -> list[int]:
    """The state in which a game stops that begins with so much of its budget left."""
    state = first_state(found, 2, {}, logging=False)
    state[o.SPENT] = loop.BUDGET - left
    assert play(state) == state[o.STATUS]
    return state


def by_loop(found: Program, left: int = LEFT) -> list[int]:
    return stopped(found, lambda state: loop.run(found.code, state, [0]), left)


def test_a_search_in_a_search_runs_out_of_the_budget() -> None:
    for shape in SHAPES:
        assert by_loop(searching(shape))[o.STATUS] == o.ENDLESS, shape


@pytest.mark.skipif(not native.available(), reason="llvmlite is an extra, and not installed here")
@pytest.mark.parametrize("shape", SHAPES)
def test_it_does_so_natively(shape: str) -> None:
    """To the last cell: the loop as native code, and the program translated."""
    from edict.runtime.machine.translation import playable

    found, alone = searching(shape), by_loop(searching(shape))
    native.translate(found, False)
    code, row = native.integers(found.code), playable(found).ready(False)

    def on_rows(function: Callable[..., int], program: object) -> Callable[[list[int]], int]:
        def play(state: list[int]) -> int:
            cells = native.integers(state)
            status = int(native.faster(function)(program, cells, native.integers([0])))
            state[:] = cells.tolist()
            return status

        return play

    assert stopped(found, on_rows(loop.run, code)) == alone
    assert stopped(found, on_rows(batches.step, row)) == alone


def test_a_search_of_three_choices_is_still_made() -> None:
    """The budget is for what would not end: sixty times sixty times sixty choices are looked at."""
    found = program(TREES + action(3, RULES["that only together do not fit"]))
    assert by_loop(found, loop.BUDGET)[o.STATUS] == o.GAME_OVER


def test_choices_that_no_rule_joins_are_looked_for_apart() -> None:
    for rule in ("of which none fits last", "of which no two fit"):
        assert by_loop(program(TREES + action(6, RULES[rule])))[o.STATUS] == o.GAME_OVER, rule


def test_the_action_is_named_whose_choices_are_too_many_to_look_through() -> None:
    found = program(TREES + action(4, RULES["that only together do not fit"]))
    said = str(fault(found, by_loop(found)))
    assert "Plant: would run for ever, or far too long" in said
