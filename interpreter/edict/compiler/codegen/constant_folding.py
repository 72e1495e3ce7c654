"""Steps whose operands are all known before play are worked out here instead."""

from __future__ import annotations

from collections.abc import Callable

from edict.compiler.codegen.emit import Code, Label, Operand
from edict.compiler.codegen.instructions import READ, Instruction
from edict.runtime.program import opcodes as o

MEMBERS = range(62)
NOTHING: tuple[Operand, ...] = (o.SCRATCH, o.SCRATCH)  # a copy of a cell to itself does nothing
VALUES: dict[int, Callable[[int, int], int]] = {
    o.ADD: lambda a, b: a + b,
    o.SUB: lambda a, b: a - b,
    o.MUL: lambda a, b: a * b,
    o.MIN: min,
    o.MAX: max,
    o.OR: lambda a, b: a | b,
    o.AND: lambda a, b: a & b,
    o.ANDN: lambda a, b: a & ~b,
}
JUMPS: dict[int, Callable[[int, int], bool]] = {
    o.JEQ: lambda a, b: a == b,
    o.JNE: lambda a, b: a != b,
    o.JLT: lambda a, b: a < b,
    o.JLE: lambda a, b: a <= b,
    o.JIN: lambda a, b: a in MEMBERS and b >> a & 1 == 1,
    o.JOUT: lambda a, b: not (a in MEMBERS and b >> a & 1 == 1),
}


class Folding:
    """Works on the steps of one program; new constants get cells of their own."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.tables = {label: values for values, label in code.tables.items()}

    def fold(self, step: Instruction) -> None:
        """Turn the step into a copy of a constant, a plain jump, or nothing, if that is what it comes to."""
        numbers = [self.code.value_of(step.args[i - 1]) for i in READ[step.op]]
        if step.op == o.LDX and isinstance(step.args[1], int) and numbers[0] is not None:
            cell: Operand = step.args[1] + numbers[0]
            step.op, step.args = o.MOV, [step.args[0], cell]
        known = [n for n in numbers if n is not None]
        if not known or len(known) < len(numbers):
            return
        if step.op in VALUES:
            value = VALUES[step.op](known[0], known[1])
            if o.LEAST <= value <= o.MOST:  # else it is a fault of the rules, where the game comes to it
                self._becomes(step, value)
        elif step.op == o.BIT:
            self._becomes(step, 1 << known[0] if known[0] in MEMBERS else 0)
        elif step.op == o.IDX and isinstance(step.args[2], int):
            self._becomes(step, known[0] * step.args[2] + known[1])
        elif step.op == o.TAB:
            self._table(step, known[0])
        elif step.op in JUMPS:
            _decided(step, JUMPS[step.op](known[0], known[1]))
        elif step.op in (o.JZ, o.JNZ):
            _decided(step, (known[0] == 0) == (step.op == o.JZ))
        elif step.op == o.RANGE and known[1] <= known[0] <= known[2]:
            step.op, step.args = o.MOV, [*NOTHING]

    def _table(self, step: Instruction, at: int) -> None:
        values = self.tables.get(step.args[1]) if isinstance(step.args[1], Label) else None
        entry: Operand | None = values[at] if values is not None and 0 <= at < len(values) else None
        if isinstance(entry, int):
            self._becomes(step, entry)

    def _becomes(self, step: Instruction, value: int) -> None:
        step.op, step.args = o.MOV, [step.args[0], self.code.constant(value)]


def _decided(step: Instruction, jumps: bool) -> None:
    """A condition that is always or never met."""
    step.fork = None
    step.op, step.args = (o.JMP, [step.args[-1]]) if jumps else (o.MOV, [*NOTHING])
