"""Constant folding of instructions whose operands are all known before play."""

from __future__ import annotations

from collections.abc import Callable

from edict.compiler.codegen.emit import CodeBuffer, CodeLabel, Operand
from edict.compiler.codegen.instructions import READ_OPERANDS, Instruction
from edict.runtime.program import opcodes as o

MEMBERS = range(62)
NO_OP_ARGS: tuple[Operand, ...] = (o.SCRATCH, o.SCRATCH)  # a copy of a cell to itself does nothing
FOLDED_VALUES: dict[int, Callable[[int, int], int]] = {
    o.ADD: lambda a, b: a + b,
    o.SUB: lambda a, b: a - b,
    o.MUL: lambda a, b: a * b,
    o.MIN: min,
    o.MAX: max,
    o.OR: lambda a, b: a | b,
    o.AND: lambda a, b: a & b,
    o.ANDN: lambda a, b: a & ~b,
}
FOLDED_JUMPS: dict[int, Callable[[int, int], bool]] = {
    o.JEQ: lambda a, b: a == b,
    o.JNE: lambda a, b: a != b,
    o.JLT: lambda a, b: a < b,
    o.JLE: lambda a, b: a <= b,
    o.JIN: lambda a, b: a in MEMBERS and b >> a & 1 == 1,
    o.JOUT: lambda a, b: not (a in MEMBERS and b >> a & 1 == 1),
}


class ConstantFolder:
    """A constant folder for the instructions of one program.

    New constants get cells of their own.
    """

    def __init__(self, code: CodeBuffer) -> None:
        self.code = code
        self.tables = {label: values for values, label in code.tables.items()}

    def fold(self, instruction: Instruction) -> None:
        """Turn an instruction into a copy of a constant, a plain jump or a no-op, if its operands are known."""
        numbers = [self.code.constant_value(instruction.args[i - 1]) for i in READ_OPERANDS[instruction.op]]
        if instruction.op == o.LDX and isinstance(instruction.args[1], int) and numbers[0] is not None:
            cell: Operand = instruction.args[1] + numbers[0]
            instruction.op, instruction.args = o.MOV, [instruction.args[0], cell]
        known = [n for n in numbers if n is not None]
        if not known or len(known) < len(numbers):
            return
        if instruction.op in FOLDED_VALUES:
            value = FOLDED_VALUES[instruction.op](known[0], known[1])
            if (
                o.LEAST <= value <= o.MOST
            ):  # otherwise the rules overflow, which is a fault only where the game reaches it
                self._replace_by_constant(instruction, value)
        elif instruction.op == o.BIT:
            self._replace_by_constant(instruction, 1 << known[0] if known[0] in MEMBERS else 0)
        elif instruction.op == o.IDX and isinstance(instruction.args[2], int):
            self._replace_by_constant(instruction, known[0] * instruction.args[2] + known[1])
        elif instruction.op == o.TAB:
            self._fold_table_lookup(instruction, known[0])
        elif instruction.op in FOLDED_JUMPS:
            _fold_jump(instruction, FOLDED_JUMPS[instruction.op](known[0], known[1]))
        elif instruction.op in (o.JZ, o.JNZ):
            _fold_jump(instruction, (known[0] == 0) == (instruction.op == o.JZ))
        elif instruction.op == o.RANGE and known[1] <= known[0] <= known[2]:
            instruction.op, instruction.args = o.MOV, [*NO_OP_ARGS]

    def _fold_table_lookup(self, instruction: Instruction, index: int) -> None:
        """Replace a table lookup with a known index by the entry; leave it if the entry is a label or out of range."""
        if isinstance(instruction.args[1], CodeLabel):
            values = self.tables.get(instruction.args[1])
        else:
            values = None
        entry: Operand | None = values[index] if values is not None and 0 <= index < len(values) else None
        if isinstance(entry, int):
            self._replace_by_constant(instruction, entry)

    def _replace_by_constant(self, instruction: Instruction, value: int) -> None:
        """Turn an instruction into a copy of the constant's cell to its own target."""
        instruction.op, instruction.args = o.MOV, [instruction.args[0], self.code.constant_cell(value)]


def _fold_jump(instruction: Instruction, jumps: bool) -> None:
    """Turn a conditional jump into one that is always or never taken."""
    instruction.fork = None
    if jumps:
        instruction.op, instruction.args = (o.JMP, [instruction.args[-1]])
    else:
        instruction.op, instruction.args = (o.MOV, [*NO_OP_ARGS])
