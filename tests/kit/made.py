"""Programs made by lot, as code and as programs that can be translated; and what of a state is read again."""

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
NEAR = 10_000  # what is left of the budget, so that running out of it takes no time


class Made:
    """Code of some routines: jumps by a condition lead on, plain ones and loops over members back as well. `winding`:
    conditions lead back too, and what goes through members may be left ahead."""

    def __init__(self, luck: Random, winding: bool = False) -> None:
        self.luck, self.winding = luck, winding
        self.code: list[int] = []
        self.starts: list[int] = []
        self.routines: list[int] = []
        for _ in range(luck.randint(0, 2)):
            start = len(self.code)
            self.body(luck.randint(1, 6))
            self.code += [o.RET, start]
            self.routines.append(start)
        self.entry = len(self.code)
        self.body(luck.randint(3, 14))
        self.code.append(o.OVER)
        self.faces = len(self.code)
        self.code += [*range(1, FACES + 1), 0]

    def body(self, size: int) -> None:
        self.starts = []
        waiting: list[tuple[int, int]] = []  # operands that name a place further on, and how many steps they wait
        for _ in range(size):
            self.starts.append(len(self.code))
            for at, _ in (one for one in waiting if one[1] == 0):
                self.code[at] = len(self.code)
            waiting = [(at, left - 1) for at, left in waiting if left > 0]
            if self.step():
                waiting.append((len(self.code) - 1, self.luck.randint(0, 3)))
        for at, _ in waiting:
            self.code[at] = len(self.code)

    def cell(self) -> int:
        return FIRST + self.luck.randrange(CELLS - DICE)

    def dice(self) -> int:
        return STACK - 1 - self.luck.randrange(DICE)

    def step(self) -> bool:
        """One more instruction; whether its last operand is a place further on, still to be filled in."""
        luck, cell, dice = self.luck, self.cell, self.dice
        kind = luck.randrange(12)
        if kind < 4:
            self.code += [luck.choice(TWO), cell(), cell(), cell()]
        elif kind == 4:
            self.code += luck.choice(
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
            self.code += luck.choice(
                [
                    [o.SET, cell(), cell()],
                    [o.SAY, 1, cell()],
                    [o.TERM, 1, cell(), cell()],
                    [o.SAVE, FIRST, 2, o.ADD, cell(), cell(), cell(), o.RESTORE, FIRST, 2],
                ]
            )
        elif kind == 6:
            self.code += luck.choice([[o.OFFER, cell()], [o.OFFERS, cell()]])
        elif kind == 7:
            self.code += [o.OFFER, cell(), o.OFFER, cell()]
            self.code += luck.choice([[o.ASK, 0, cell(), cell()], [o.ASKC, 0, cell()]])
        elif kind == 8 and self.routines:
            self.code += [o.CALL, luck.choice(self.routines)]
        elif kind == 9:
            self.code += [luck.choice(TESTS), cell(), cell(), 0]
            if not self.winding or luck.randrange(2):
                return True
            self.code[-1] = luck.choice(self.starts)
        elif kind == 10 and self.winding and luck.randrange(2):
            self.code += [o.NEXT, cell(), cell(), 0]
            return True
        elif kind == 10:
            self.code += [o.LOOP, cell(), cell(), luck.choice(self.starts)]
        else:
            self.code += [o.JMP, luck.choice(self.starts)]
        return False

    def state(self) -> list[int]:
        state = [0] * (STACK + 12)
        state[o.PC], state[o.SP], state[o.STACK], state[o.LOGGING] = self.entry, STACK, STACK, self.luck.randrange(2)
        state[o.WIDTH], state[o.FIELDS], state[o.FACES] = 8, FACES, self.faces
        state[FIRST:STACK] = [self.luck.choice(ODD) for _ in range(CELLS - DICE)] + [0x1020003, 0x10000]
        state[o.SPENT] = BUDGET - self.luck.randint(0, NEAR)
        state[o.TOTAL] = LONGEST - BUDGET - self.luck.randint(0, 2 * NEAR)
        return state


def course(made: Made, state: list[int], *machines: object) -> list[tuple[int, list[int], list[int]]]:
    """All stops of a program: status, state and events. The machines take turns; answers go round."""
    state, log, stops = state.copy(), [0] * 41, list[tuple[int, list[int], list[int]]]()
    while len(stops) < 60:
        play = machines[len(stops) % len(machines)]
        status = play(made.code, state, log)  # type: ignore[operator]
        stops.append((status, state.copy(), log[: log[0] + 1]))
        if status not in (o.ASKING, o.LOG_FULL):
            break
        log[0] = 0
        if status == o.ASKING:
            state[o.ANSWER] = len(stops) % state[o.OPTIONS]
    return stops


@cache
def some_program() -> Program:
    return compile_rules("kuhn-poker").unwrap()


def made_program(made: Made) -> Program:
    """Code made by lot as a program that can be translated."""
    initial = made.state()
    initial[o.SPENT] = initial[o.TOTAL] = 0  # nothing was done before a game
    return replace(
        some_program(),
        code=tuple(made.code),
        initial=tuple(initial),
        entry=made.entry,
        stack=o.HEADER + 10,
        queries=(),
        score=-1,
        judge=-1,
        constants=(o.WIDTH, o.FACES, o.FIELDS),
        tables=((made.faces, FACES + 1),),
        meaning="",
    )


def read_again(state: list[int]) -> list[int]:
    """The cells of a state that anybody will read again: not what was once on offer or lay on the stack, nor what was
    asked when nothing is asked any more."""
    dead = {*range(FIRST_OPTION + state[OPTIONS], HEADER), *range(state[SP], len(state))}
    if state[STATUS] != ASKING:
        dead |= {QUESTION, SEAT, RESULT, ANSWER}
    return [0 if i in dead else x for i, x in enumerate(state)]
