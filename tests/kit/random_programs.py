"""Random programs, as code and as programs that can be compiled, and the cells of a state that matter."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from random import Random

from edict.compiler.pipeline.compile import compile_rules
from edict.runtime.machine.loop import BUDGET, LONGEST
from edict.runtime.program import Program
from edict.runtime.program import opcodes as o
from edict.runtime.program.opcodes import (
    ANSWER,
    ASKING,
    FIRST_OPTION,
    HEADER,
    OPTIONS,
    QUESTION,
    RESULT,
    SEAT,
    SP,
    STATUS,
)

CELLS = 10
DICE = 2  # the last of the cells hold dice
FIRST = o.HEADER
STACK = FIRST + CELLS
FACES = 4  # behind the code, of one kind of die
TWO = (o.ADD, o.SUB, o.MUL, o.DIV, o.MOD, o.MIN, o.MAX, o.OR, o.AND, o.ANDN)
TESTS = (o.JEQ, o.JNE, o.JLT, o.JLE, o.JIN, o.JOUT)
ODD = (0, 1, 2, 3, 7, -1, -5, 255, 1 << 31, (1 << 31) - 1, 1 << 61, o.MOST, o.LEAST, o.MOST - 1)
NEAR = 10_000  # budget left, so that it runs out soon


class RandomCode:
    """Random code of some routines.

    Conditional jumps lead forward, plain ones and loops over members also back. If `winding`, conditional jumps lead
    back too, and loops over members may be left forward.
    """

    def __init__(self, luck: Random, winding: bool = False) -> None:
        self.rng, self.winding = luck, winding
        self.code: list[int] = []
        self.starts: list[int] = []
        self.routines: list[int] = []
        for _ in range(luck.randint(0, 2)):
            start = len(self.code)
            self.add_routine(luck.randint(1, 6))
            self.code += [o.RET, start]
            self.routines.append(start)
        self.entry = len(self.code)
        self.add_routine(luck.randint(3, 14))
        self.code.append(o.OVER)
        self.faces = len(self.code)
        self.code += [*range(1, FACES + 1), 0]

    def add_routine(self, size: int) -> None:
        self.starts = []
        waiting: list[tuple[int, int]] = []  # operands that name a place further on, and how many steps they wait
        for _ in range(size):
            self.starts.append(len(self.code))
            for at, _ in (pending for pending in waiting if pending[1] == 0):
                self.code[at] = len(self.code)
            waiting = [(at, left - 1) for at, left in waiting if left > 0]
            if self.add_instruction():
                waiting.append((len(self.code) - 1, self.rng.randint(0, 3)))
        for at, _ in waiting:
            self.code[at] = len(self.code)

    def random_cell(self) -> int:
        return FIRST + self.rng.randrange(CELLS - DICE)

    def random_dice_cell(self) -> int:
        return STACK - 1 - self.rng.randrange(DICE)

    def add_instruction(self) -> bool:
        """Add an instruction; return True if its last operand is a forward target to fill in."""
        rng, cell, dice = self.rng, self.random_cell, self.random_dice_cell
        kind = rng.randrange(12)
        if kind < 4:
            self.code += [rng.choice(TWO), cell(), cell(), cell()]
        elif kind == 4:
            self.code += rng.choice(
                [
                    [o.MOV, cell(), cell()],
                    [o.IDX, cell(), cell(), 5, cell()],
                    [o.COUNT, cell(), cell()],
                    [o.BIT, cell(), cell()],
                    [o.LOW, cell(), cell()],
                    [o.DSUM, cell(), dice()],
                    [o.DFIELDS, cell(), dice()],
                    [o.DPUT, dice(), dice(), dice()],
                    [o.DTAKE, dice(), dice(), dice()],
                ]
            )
        elif kind == 5:
            self.code += rng.choice(
                [
                    [o.SET, cell(), cell()],
                    [o.SAY, 1, cell()],
                    [o.TERM, 1, cell(), cell()],
                    [o.SAVE, FIRST, 2, o.ADD, cell(), cell(), cell(), o.RESTORE, FIRST, 2],
                ]
            )
        elif kind == 6:
            self.code += rng.choice([[o.OFFER, cell()], [o.OFFERS, cell()]])
        elif kind == 7:
            self.code += [o.OFFER, cell(), o.OFFER, cell()]
            self.code += rng.choice([[o.ASK, 0, cell(), cell()], [o.ASKC, 0, cell()]])
        elif kind == 8 and self.routines:
            self.code += [o.CALL, rng.choice(self.routines)]
        elif kind == 9:
            self.code += [rng.choice(TESTS), cell(), cell(), 0]
            if not self.winding or rng.randrange(2):
                return True
            self.code[-1] = rng.choice(self.starts)
        elif kind == 10 and self.winding and rng.randrange(2):
            self.code += [o.NEXT, cell(), cell(), 0]
            return True
        elif kind == 10:
            self.code += [o.LOOP, cell(), cell(), rng.choice(self.starts)]
        else:
            self.code += [o.JMP, rng.choice(self.starts)]
        return False

    def make_state(self) -> list[int]:
        state = [0] * (STACK + 12)
        state[o.PC], state[o.SP], state[o.STACK], state[o.LOGGING] = self.entry, STACK, STACK, self.rng.randrange(2)
        state[o.WIDTH], state[o.FIELDS], state[o.FACES] = 8, FACES, self.faces
        state[FIRST:STACK] = [self.rng.choice(ODD) for _ in range(CELLS - DICE)] + [0x1020003, 0x10000]
        state[o.SPENT] = BUDGET - self.rng.randint(0, NEAR)
        state[o.TOTAL] = LONGEST - BUDGET - self.rng.randint(0, 2 * NEAR)
        return state


def run_to_end(code: RandomCode, state: list[int], *run_functions: object) -> list[tuple[int, list[int], list[int]]]:
    """Return status, state and events at every stop of a program. The machines take turns, answers cycle."""
    state, log, stops = state.copy(), [0] * 41, list[tuple[int, list[int], list[int]]]()
    while len(stops) < 60:
        play = run_functions[len(stops) % len(run_functions)]
        status = play(code.code, state, log)  # type: ignore[operator]
        stops.append((status, state.copy(), log[: log[0] + 1]))
        if status not in (o.ASKING, o.LOG_FULL):
            break
        log[0] = 0
        if status == o.ASKING:
            state[o.ANSWER] = len(stops) % state[o.OPTIONS]
    return stops


@cache
def load_small_program() -> Program:
    return compile_rules("kuhn-poker").unwrap()


def make_program(code: RandomCode) -> Program:
    """Return random code as a program that can be compiled."""
    initial = code.make_state()
    initial[o.SPENT] = initial[o.TOTAL] = 0  # a new game has spent nothing
    return replace(
        load_small_program(),
        code=tuple(code.code),
        initial=tuple(initial),
        entry=code.entry,
        stack=o.HEADER + 10,
        queries=(),
        score=-1,
        judge=-1,
        constants=(o.WIDTH, o.FACES, o.FIELDS),
        tables=((code.faces, FACES + 1),),
        meaning="",
    )


def mask_dead_cells(state: list[int]) -> list[int]:
    """Return a state with 0 in all cells that nothing reads again.

    These are former options, values beyond the stack, and the question when nothing is asked.
    """
    dead = {*range(FIRST_OPTION + state[OPTIONS], HEADER), *range(state[SP], len(state))}
    if state[STATUS] != ASKING:
        dead |= {QUESTION, SEAT, RESULT, ANSWER}
    return [0 if address in dead else value for address, value in enumerate(state)]
