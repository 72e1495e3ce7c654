"""Tests of random code, which leaves the same state with and without the optimizer."""

from __future__ import annotations

from random import Random

from edict.compiler.codegen.emit import CodeBuffer, CodeLabel, FrameSlot, Operand, StackFrame
from edict.compiler.codegen.optimize import optimize
from edict.runtime.machine.loop import run
from edict.runtime.program import opcodes as o

COMPUTING = (*[o.MOV] * 4, o.COUNT, o.LOW, o.BIT, o.ADD, o.SUB, o.OR, o.AND, o.ANDN, o.MIN, o.MAX)
JUMPS = (o.JZ, o.JNZ, o.JEQ, o.JNE, o.JLT, o.JLE, o.JIN, o.JOUT)


class RandomProgram:
    """A program of random instructions, none of which can fault whatever it computes, stores or skips."""

    def __init__(self, seed: int, tidied: bool) -> None:
        self.luck, self.code = Random(seed), CodeBuffer(optimize if tidied else lambda code: None)
        self.row, self.shown = self.code.reserve(4, 3), self.code.reserve(8)
        self.fixed = [*(self.code.constant_cell(value) for value in (-1, 0, 1, 2, 5, 31)), o.PLAYERS, o.EVERYONE]
        main, called = self.code.add_frame("main"), self.code.add_frame("called")
        self.given, self.result = called.allocate_cell(), called.allocate_cell()
        called.shared = called.used
        main.calls.append(called)
        self.called: CodeLabel | None = called.entry
        self.steps = (
            self.emit_computation,
            self.emit_lookup,
            self.emit_store,
            self.emit_call,
            self.emit_branch,
            self.emit_member_loop,
        )
        self.begin(main)
        self.emit_random(14, 2)
        for place, cell in enumerate(self.luck.sample(self.own, 3)):
            self.code.emit(o.SET, self.shown + place, cell)
        self.code.emit(o.OVER)
        self.called = None
        self.begin(called, self.given, self.result)
        self.code.emit(o.MOV, self.result, self.own[0])
        self.emit_random(self.luck.choice((1, 6)), 1)
        self.code.emit(o.RET, called.entry)

    def begin(self, frame: StackFrame, *given: FrameSlot) -> None:
        self.code.place_label(frame.entry)
        self.own = [frame.allocate_cell() for _ in range(4)]
        for cell in self.own:
            self.code.emit(o.MOV, cell, self.luck.choice(self.fixed))
        self.own += given
        self.rest, self.index = frame.allocate_cell(), frame.allocate_cell()

    def random_operand(self) -> Operand:
        among: list[Operand] = [*self.own, *self.own, *self.fixed, *range(self.row, self.row + 4)]
        return self.luck.choice(among)

    def random_index(self, most: int) -> FrameSlot:
        self.code.emit(o.AND, self.index, self.random_operand(), self.code.constant_cell(most))
        return self.index

    def emit_random(self, many: int, depth: int) -> None:
        for _ in range(many):
            self.code.cause = self.luck.choice((self.code.cause, self.luck.randrange(3)))
            self.luck.choice((self.emit_computation, self.emit_computation, *self.steps))(depth)

    def emit_computation(self, _: int) -> None:
        op, target = self.luck.choice(COMPUTING), self.luck.choice(self.own)
        self.code.emit(op, target, *(self.random_operand() for _ in range(o.SIZE[op] - 2)))
        if op in (o.ADD, o.SUB, o.BIT):
            self.code.emit(o.AND, target, target, self.code.constant_cell(31))

    def emit_lookup(self, _: int) -> None:
        table, target, at = self.code.add_table((4, 0, 7, 2, 9, 1)), self.luck.choice(self.own), self.random_index(3)
        way = self.luck.randrange(3)
        if way == 2:
            self.code.emit(o.IDX, at, at, 1, self.code.constant_cell(2))
        self.code.emit(o.LDX if way == 0 else o.TAB, target, self.row if way == 0 else table, at)

    def emit_store(self, _: int) -> None:
        if self.luck.random() < 0.5:
            self.code.emit(o.SET, self.luck.choice((self.row, self.row + 1, self.shown + 5)), self.random_operand())
        else:
            self.code.emit(self.luck.choice((o.STX, o.PUTX)), self.row, self.random_index(3), self.random_operand())

    def emit_call(self, _: int) -> None:
        if self.called is not None:
            self.code.emit(o.MOV, self.given, self.random_operand())
            self.code.emit(o.CALL, self.called)
            self.code.emit(o.MOV, self.luck.choice(self.own), self.result)

    def emit_branch(self, depth: int) -> None:
        """Emit instructions that may be skipped, perhaps with an alternative."""
        if depth:
            over, op = CodeLabel(), self.luck.choice(JUMPS)
            self.code.emit(op, *(self.random_operand() for _ in range(o.SIZE[op] - 2)), over)
            if self.luck.random() < 0.3:
                last = CodeLabel()
                self.code.emit(o.JMP, last)
                self.code.place_label(over)
                over = last
            self.emit_random(2, depth - 1)
            self.code.place_label(over)

    def emit_member_loop(self, depth: int) -> None:
        """Emit a loop over the members of a set."""
        if depth == 2:
            again, end, it = CodeLabel(), CodeLabel(), self.luck.choice(self.own)
            self.code.emit(o.AND, self.rest, self.random_operand(), self.code.constant_cell(31))
            self.code.place_label(again)
            self.code.emit(o.NEXT, it, self.rest, end)
            self.emit_random(self.luck.randrange(1, 4), 1)
            self.code.emit(o.JMP, again)
            self.code.place_label(end)

    def run_program(self) -> tuple[list[int], list[tuple[int, ...]], int]:
        """Return the final visible state, every event with its cause, and the length of the code."""
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


def test_optimized_random_code_is_shorter_and_leaves_the_same_state() -> None:
    lengths = [0, 0]
    for seed in range(200):
        (cells, events, length), plain_ones = (
            RandomProgram(seed, True).run_program(),
            RandomProgram(seed, False).run_program(),
        )
        assert (cells, events) == plain_ones[:2], seed
        lengths = [lengths[0] + length, lengths[1] + plain_ones[2]]
    assert lengths[0] < 0.8 * lengths[1]
