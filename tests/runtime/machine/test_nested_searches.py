"""Nested searches of rules, which exhaust the budget because every backward jump is charged."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from edict.game.table.faults import fault_error
from edict.runtime.machine import loop
from edict.runtime.program import Program, create_state
from edict.runtime.program import opcodes as o
from edict.runtime.simulation import batches, native
from helpers import compile_program

MANY = 60
LEFT = 100_000  # of the budget; a search would take hundreds of millions
TREES = 'kind tree "tree/trees"\n' + "".join(f"tree t{i}\n" for i in range(MANY)) + "keep rich as number\n"
RULES = {
    "of which none fits last": "require tree{last} is in (trees where rich > 0)",
    "of which no two fit": "require rich > 0 and tree0 is not tree{last}",
    "that only together do not fit": "require rich > 0 or {all_named}",
}


def write_nested_counts(depth: int) -> str:
    found = "rich > 0"
    for _ in range(depth):
        found = f"count of (trees where {found}) > 0"
    return found


def write_nested_some(depth: int) -> str:
    found = "rich > 0"
    for _ in range(depth):
        found = f"some tree has ({found})"
    return found


def write_action(choices: int, rule: str) -> str:
    chosen = "".join(f'  choose a tree as tree{i} "Which?"\n' for i in range(choices))
    all_named = " and ".join(f"tree{i} is not tree{i}" for i in range(choices))
    rule = rule.format(last=choices - 1, all_named=f"({all_named})")
    rules = f'  rule impossible\n    {rule}\n    because "nobody is rich"\n'
    return f'action plant "Plant"\n{chosen}{rules}  then\n    gain 1 coin\n\nphase trial-run "Trial"\n  may do plant\n'


PHASE = 'phase trial-run "Trial"\n'
SHAPES = {
    "a count": f"{PHASE}  set rich to count of (trees where {write_nested_counts(5)})\n",
    "some": f"{PHASE}  if {write_nested_some(6)}\n    gain 1 coin\n",
    "a choice": f"{PHASE}  may choose a tree as chosen where {write_nested_counts(5)}\n    gain 1 coin\n",
    "some in a choice": f"{PHASE}  may choose a tree as chosen where {write_nested_some(5)}\n    gain 1 coin\n",
    "six choices that only together do not fit": write_action(6, RULES["that only together do not fit"]),
}


@cache
def compile_search(shape: str) -> Program:
    return compile_program(TREES + SHAPES[shape])


def run_with_budget(found: Program, play: Callable[[list[int]], int], left: int = LEFT) -> list[int]:
    """Return the state in which a game stops that begins with so much of its budget left."""
    state = create_state(found, 2, {}, logging=False)
    state[o.SPENT] = loop.BUDGET - left
    assert play(state) == state[o.STATUS]
    return state


def run_in_loop(found: Program, left: int = LEFT) -> list[int]:
    return run_with_budget(found, lambda state: loop.run(found.code, state, [0]), left)


def test_nested_search_exhausts_the_budget(subtests: pytest.Subtests) -> None:
    for shape in SHAPES:
        with subtests.test(shape=shape):
            assert run_in_loop(compile_search(shape))[o.STATUS] == o.ENDLESS


@pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here")
@pytest.mark.parametrize("shape", SHAPES)
def test_nested_search_stops_natively_in_the_same_state(shape: str) -> None:
    """Compare every cell with the loop as native code, and with the translated program."""
    from edict.runtime.machine.translation import get_native_program

    found, alone = compile_search(shape), run_in_loop(compile_search(shape))
    native.translate(found, False)
    code, row = native.make_integers(found.code), get_native_program(found).refresh(False)

    def on_rows(function: Callable[..., int], program: object) -> Callable[[list[int]], int]:
        def play(state: list[int]) -> int:
            cells = native.make_integers(state)
            status = int(native.native_function(function)(program, cells, native.make_integers([0])))
            state[:] = cells.tolist()
            return status

        return play

    assert run_with_budget(found, on_rows(loop.run, code)) == alone
    assert run_with_budget(found, on_rows(batches.step, row)) == alone


def test_search_over_three_choices_completes() -> None:
    """Sixty to the third power choices must fit into the budget."""
    found = compile_program(TREES + write_action(3, RULES["that only together do not fit"]))
    assert run_in_loop(found, loop.BUDGET)[o.STATUS] == o.GAME_OVER


def test_independent_choices_are_searched_separately(subtests: pytest.Subtests) -> None:
    for rule in ("of which none fits last", "of which no two fit"):
        with subtests.test(rule=rule):
            assert run_in_loop(compile_program(TREES + write_action(6, RULES[rule])))[o.STATUS] == o.GAME_OVER


def test_diagnostic_names_the_action_with_too_many_choices() -> None:
    found = compile_program(TREES + write_action(4, RULES["that only together do not fit"]))
    said = str(fault_error(found, run_in_loop(found)))
    assert "Plant: would run for ever, or far too long" in said
