"""Totals and payments of dice, equal in a translation and in the loop."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from random_programs import make_program, mask_dead_cells

pytest.importorskip("llvmlite", reason="llvmlite is an extra, and not installed here")

from edict.runtime.machine import loop
from edict.runtime.machine.translation import QUICK, NativeProgram, compile_program
from edict.runtime.program import opcodes as o
from edict.runtime.simulation import batches, native

FACES, WIDTH = 5, 4
CELLS = (TOTAL, DICE, OWN, LEAST, ALLOWED, REACHED, WAY, SOME) = tuple(range(o.HEADER, o.HEADER + 8))
SHIFTS = (4, 0, 0, 1, 2, 2, -1, 3, 3)  # how many; of each what it needs, and by how much it shifts the total
STATES = 500


class DiceProgram:
    """A program that computes the totals of dice and offers the payments of one; `before` adds an option."""

    def __init__(self, least: int, before: bool) -> None:
        self.entry = 0
        asked = [o.REACH, REACHED, DICE, OWN, least, ALLOWED, 0]
        offered = [*([o.OFFER, SOME] if before else []), o.WAYS, TOTAL, DICE, OWN, least, ALLOWED, 0]
        self.code = [*asked, *offered, o.ASKC, 0, WAY, o.OVER]
        shifts = len(self.code)
        self.code[6] = self.code[len(asked) + len(offered) - 1] = shifts
        self.faces = shifts + len(SHIFTS)
        self.code += [*SHIFTS, *range(1, FACES + 1), *range(1, FACES + 1), 0]
        self.tables = ((shifts, len(SHIFTS)), (self.faces, 2 * FACES + 1))

    def make_state(self) -> list[int]:
        state = [0] * (o.HEADER + len(CELLS) + 10)
        state[o.SP] = state[o.STACK] = o.HEADER + len(CELLS)
        state[o.WIDTH], state[o.FIELDS], state[o.FACES] = WIDTH, 2 * FACES, self.faces
        return state

    def create_states(self, luck: Random) -> list[list[int]]:
        """Create states, some with so much work done that the budget runs out."""
        found = []
        for _ in range(STATES):
            state = self.make_state()
            fields = [luck.randrange(2 * FACES) for _ in range(luck.randint(0, 6))]
            state[DICE] = sum(1 << WIDTH * field for field in fields)
            state[TOTAL], state[OWN] = luck.randint(-2, 16), luck.choice([31, 31, 31, 1023])
            state[ALLOWED] = luck.choice([0, 1, 3, 3, 1 << 40 | 3])
            state[o.SPENT] = luck.choice([0, 0, 0, loop.BUDGET - luck.randint(0, 600)])
            found.append(state)
        return found


def translate_dice_program(least: int, before: bool) -> tuple[DiceProgram, NativeProgram]:
    dice = DiceProgram(least, before)
    program = replace(make_program(dice), tables=dice.tables, stack=dice.make_state()[o.STACK])  # type: ignore[arg-type]
    one = NativeProgram(program)
    one._quiet._load(QUICK, compile_program(program, events=False, tier=QUICK))
    one.refresh(events=False)
    one._memory[:3] = [0, 0, one._quiet.address("run")]
    return dice, one


def run_natively(one: NativeProgram, state: list[int]) -> tuple[int, list[int]]:
    cells = native.make_integers(state)
    status = int(native.native_function(batches.step)(one.row, cells, native.make_integers([0])))
    return status, mask_dead_cells(cells.tolist())


def run_in_python(dice: DiceProgram, state: list[int]) -> tuple[int, list[int]]:
    cells = list(state)
    status = loop.run(dice.code, cells, [0])
    return status, mask_dead_cells(cells)


@pytest.mark.parametrize(("least", "before"), [(0, False), (1, False), (2, False), (1, True)])
def test_translation_finds_the_payments_of_the_loop(least: int, before: bool) -> None:
    dice, one = translate_dice_program(least, before)
    ends = set()
    for state in dice.create_states(Random(least)):
        wanted = run_in_python(dice, state)
        assert run_natively(one, state) == wanted
        ends.add(wanted[0])
    assert {o.ASKING, o.ENDLESS} <= ends
