"""Code by luck, tidied and untidied: both leave the same behind, whatever nobody would have thought of writing."""

from __future__ import annotations

from random import Random

from edict.compiler.codegen.emit import Code, Frame, Label, Operand, Slot
from edict.compiler.codegen.optimize import optimize
from edict.runtime.machine.loop import run
from edict.runtime.program import opcodes as o

COMPUTING = (*[o.MOV] * 4, o.COUNT, o.LOW, o.BIT, o.ADD, o.SUB, o.OR, o.AND, o.ANDN, o.MIN, o.MAX)
JUMPS = (o.JZ, o.JNZ, o.JEQ, o.JNE, o.JLT, o.JLE, o.JIN, o.JOUT)


class Scribbling:
    """Steps by luck, which nobody would write: whatever they compute, look up, store and jump over, none fails."""

    def __init__(self, seed: int, tidied: bool) -> None:
        self.luck, self.code = Random(seed), Code(optimize if tidied else lambda code: None)
        self.row, self.shown = self.code.reserve(4, 3), self.code.reserve(8)
        self.fixed = [*(self.code.constant(value) for value in (-1, 0, 1, 2, 5, 31)), o.PLAYERS, o.EVERYONE]
        main, called = self.code.frame("main"), self.code.frame("called")
        self.given, self.result = called.cell(), called.cell()
        called.open = called.used
        main.calls.append(called)
        self.called: Label | None = called.entry
        self.steps = (self.compute, self.look_up, self.store, self.call, self.part, self.go_over)
        self.begin(main)
        self.some(14, 2)
        for place, cell in enumerate(self.luck.sample(self.own, 3)):
            self.code.emit(o.SET, self.shown + place, cell)
        self.code.emit(o.OVER)
        self.called = None
        self.begin(called, self.given, self.result)
        self.code.emit(o.MOV, self.result, self.own[0])
        self.some(self.luck.choice((1, 6)), 1)
        self.code.emit(o.RET, called.entry)

    def begin(self, frame: Frame, *given: Slot) -> None:
        self.code.put(frame.entry)
        self.own = [frame.cell() for _ in range(4)]
        for cell in self.own:
            self.code.emit(o.MOV, cell, self.luck.choice(self.fixed))
        self.own += given
        self.rest, self.index = frame.cell(), frame.cell()

    def any(self) -> Operand:
        among: list[Operand] = [*self.own, *self.own, *self.fixed, *range(self.row, self.row + 4)]
        return self.luck.choice(among)

    def below(self, most: int) -> Slot:
        self.code.emit(o.AND, self.index, self.any(), self.code.constant(most))
        return self.index

    def some(self, many: int, depth: int) -> None:
        for _ in range(many):
            self.code.cause = self.luck.choice((self.code.cause, self.luck.randrange(3)))
            self.luck.choice((self.compute, self.compute, *self.steps))(depth)

    def compute(self, _: int) -> None:
        op, target = self.luck.choice(COMPUTING), self.luck.choice(self.own)
        self.code.emit(op, target, *(self.any() for _ in range(o.SIZE[op] - 2)))
        if op in (o.ADD, o.SUB, o.BIT):
            self.code.emit(o.AND, target, target, self.code.constant(31))

    def look_up(self, _: int) -> None:
        table, target, at = self.code.table((4, 0, 7, 2, 9, 1)), self.luck.choice(self.own), self.below(3)
        way = self.luck.randrange(3)
        if way == 2:
            self.code.emit(o.IDX, at, at, 1, self.code.constant(2))
        self.code.emit(o.LDX if way == 0 else o.TAB, target, self.row if way == 0 else table, at)

    def store(self, _: int) -> None:
        if self.luck.random() < 0.5:
            self.code.emit(o.SET, self.luck.choice((self.row, self.row + 1, self.shown + 5)), self.any())
        else:
            self.code.emit(self.luck.choice((o.STX, o.PUTX)), self.row, self.below(3), self.any())

    def call(self, _: int) -> None:
        if self.called is not None:
            self.code.emit(o.MOV, self.given, self.any())
            self.code.emit(o.CALL, self.called)
            self.code.emit(o.MOV, self.luck.choice(self.own), self.result)

    def part(self, depth: int) -> None:
        """What is jumped over, or else done."""
        if depth:
            over, op = Label(), self.luck.choice(JUMPS)
            self.code.emit(op, *(self.any() for _ in range(o.SIZE[op] - 2)), over)
            if self.luck.random() < 0.3:
                last = Label()
                self.code.emit(o.JMP, last)
                self.code.put(over)
                over = last
            self.some(2, depth - 1)
            self.code.put(over)

    def go_over(self, depth: int) -> None:
        """The members of a set."""
        if depth == 2:
            again, end, it = Label(), Label(), self.luck.choice(self.own)
            self.code.emit(o.AND, self.rest, self.any(), self.code.constant(31))
            self.code.put(again)
            self.code.emit(o.NEXT, it, self.rest, end)
            self.some(self.luck.randrange(1, 4), 1)
            self.code.emit(o.JMP, again)
            self.code.put(end)

    def played(self) -> tuple[list[int], list[tuple[int, ...]], int]:
        """What all can see in the end, every event with its cause, and how long the code is."""
        final = self.code.assemble()
        state, log = [*self.code.initial, *[0] * 9], [0] * 2000
        state[o.PLAYERS], state[o.EVERYONE], state[o.LOGGING] = 3, 7, 1
        state[o.STACK] = state[o.SP] = len(state) - 9
        assert run(final, state, log) == o.GAME_OVER
        events = []
        for kind, pc, *numbers in zip(*(log[i : log[0] + 1 : o.EVENT_SIZE] for i in range(1, 6)), strict=False):
            cause = next(cause for at, cause in reversed(self.code.places) if at <= pc)
            events.append((kind, cause, *numbers))
        return state[self.row : self.shown + 8], events, len(final)


def test_whatever_is_written_leaves_the_same_behind_and_gets_shorter() -> None:
    lengths = [0, 0]
    for seed in range(200):
        (cells, events, length), plain_ones = Scribbling(seed, True).played(), Scribbling(seed, False).played()
        assert (cells, events) == plain_ones[:2], seed
        lengths = [lengths[0] + length, lengths[1] + plain_ones[2]]
    assert lengths[0] < 0.8 * lengths[1]
