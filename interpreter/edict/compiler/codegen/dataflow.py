"""Dataflow optimization of a routine's own cells: no repeated loads, needless copies, dead stores or known values.

Only cells that no other routine touches are considered. Forward facts hold within straight runs of instructions.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from edict.compiler.codegen.emit import CodeBuffer, CodeLabel, FrameSlot, Operand, StackFrame
from edict.compiler.codegen.instructions import (
    END_OPS,
    PURE_OPS,
    READ_ONLY_OPERANDS,
    READ_OPERANDS,
    STORE_OPS,
    WRITTEN_OPERANDS,
    CodeRoutine,
    Instruction,
    find_jump_targets,
    find_label_positions,
    remove_instructions,
)
from edict.runtime.program import opcodes as o

MIN_ROW_REACH = 62  # an indexed row may reach this many cells, or as many as the longest row has
MAX_FACTS = 100  # facts remembered at a time; each instruction searches all of them
STATE_STORES = (o.STX, o.PUTX, o.SET)  # stores into declared state, never into the header
MEMBER_ITERATIONS = (o.NEXT, o.NTH)
Expression = tuple[Operand, ...]  # an opcode and its source operands
# indexes of the operands that are single cells
_DIRECT_OPERANDS = {op: {i - 1 for i in (*READ_OPERANDS[op], *WRITTEN_OPERANDS[op])} for op in READ_OPERANDS}


def find_own_cells(routines: Iterable[CodeRoutine], code: CodeBuffer) -> dict[CodeRoutine, set[FrameSlot]]:
    """Find for each routine the cells that no other routine uses or can reach by an index."""
    reach = max([MIN_ROW_REACH, *(frame.longest for frame in code.frames)])
    users: dict[FrameSlot, CodeRoutine] = {}
    shared: set[FrameSlot] = set()
    rows: dict[StackFrame, set[int]] = {}  # where cells begin that are reached by an index
    for routine in routines:
        for step in routine.instructions:
            direct_operands = _DIRECT_OPERANDS[step.op]
            for i, arg in enumerate(step.args):
                if not isinstance(arg, FrameSlot):
                    continue
                if users.setdefault(arg, routine) is not routine:
                    shared.add(arg)
                if i not in direct_operands:
                    rows.setdefault(arg.frame, set()).add(arg.offset)
    own_slots: dict[CodeRoutine, set[FrameSlot]] = {routine: set() for routine in routines}
    starts = {frame: sorted(offsets) for frame, offsets in rows.items()}
    for slot, routine in users.items():
        if slot not in shared and slot.offset >= slot.frame.shared and not _is_in_row(slot, starts, reach):
            own_slots[routine].add(slot)
    return own_slots


def _is_in_row(slot: FrameSlot, starts: Mapping[StackFrame, Sequence[int]], reach: int) -> bool:
    """Return True if a cell is reached by an index from the start of a row."""
    offsets = starts.get(slot.frame, ())
    before = bisect(offsets, slot.offset)
    return before > 0 and slot.offset - offsets[before - 1] < reach


# --- forward: reuse of known values ------------------------------------------------------------------


class _Facts:
    """The facts at a place in the code, cells that equal others and results that are still in a cell."""

    def __init__(self, own_slots: set[FrameSlot], constants: set[int], fixed: dict[Operand, Operand]) -> None:
        self.own = own_slots
        self.constants = constants
        self.fixed = fixed
        self.copies: dict[Operand, Operand] = {}
        self.results: dict[Expression, FrameSlot] = {}

    def best_source(self, cell: Operand) -> Operand:
        """Return the best cell that holds the same value."""
        cell = self.copies.get(cell, cell)
        return self.fixed.get(cell, cell)

    def is_never_negative(self, cell: Operand, tables: dict[CodeLabel, tuple[Operand, ...]]) -> bool:
        """Return True if the cell holds a value from a table without negative entries."""
        for expression, holder in self.results.items():
            if holder == cell and expression[0] == o.TAB and isinstance(expression[1], CodeLabel):
                return all(isinstance(value, int) and value >= 0 for value in tables[expression[1]])
        return False

    def forget_all(self) -> None:
        """Drop all facts."""
        self.copies.clear()
        self.results.clear()

    def forget(self, cell: Operand) -> None:
        """Drop the facts about a cell that has changed."""
        self.copies.pop(cell, None)
        for copy in [copy for copy, source in self.copies.items() if source == cell]:
            del self.copies[copy]
        for expression in [
            expression for expression, holder in self.results.items() if holder == cell or cell in expression[1:]
        ]:
            del self.results[expression]

    def forget_shared_facts(self, header: bool) -> None:
        """Drop the facts about cells that other routines can change; about header cells only if `header`."""
        self.copies = {copy: source for copy, source in self.copies.items() if self._is_stable(source, header)}
        self.results = {
            expression: holder
            for expression, holder in self.results.items()
            if self._is_stable_result(expression, header)
        }

    def _is_stable(self, cell: Operand, header: bool) -> bool:
        """Return True if no other routine changes the cell; header cells are stable unless `header` is set."""
        return cell in self.own or cell in self.constants or (not header and isinstance(cell, int) and cell < o.HEADER)

    def _is_stable_result(self, expression: Expression, header: bool) -> bool:
        """Return True if an expression loads nothing from a row and all cells it reads are stable."""
        assert isinstance(expression[0], int)
        return expression[0] != o.LDX and all(
            self._is_stable(expression[i - 1], header) for i in READ_OPERANDS[expression[0]]
        )

    def learn(self, instruction: Instruction) -> None:
        """Remember the value that an instruction writes, if its target is one of the routine's own cells.

        Cells of other routines may overlap, so nothing is concluded about them.
        """
        target = instruction.args[0] if instruction.args else None
        sources = list(instruction.iter_read_operands())
        if not isinstance(target, FrameSlot) or target not in self.own or target in sources:
            return
        if instruction.op in PURE_OPS and all(not isinstance(cell, FrameSlot) or cell in self.own for cell in sources):
            if instruction.op == o.MOV:
                self.copies[target] = instruction.args[1]
                _forget_oldest(self.copies)
            else:
                self.results[instruction.op, *instruction.args[1:]] = target
                _forget_oldest(self.results)


def _forget_oldest(facts: dict[Any, Any]) -> None:
    """Delete the first fact that was added if there are more than MAX_FACTS."""
    if len(facts) > MAX_FACTS:
        del facts[next(iter(facts))]


def simplify(routine: CodeRoutine, own_slots: set[FrameSlot], code: CodeBuffer) -> None:
    """Rewrite operands to cells already known to hold the value, and fold instructions with known operands."""
    constants = {*code.numbers, o.EVERYONE, o.PLAYERS}
    facts = _Facts(own_slots, constants, _find_constant_cells(routine, own_slots, constants))
    folding = ConstantFolder(code)
    jump_targets = find_jump_targets(routine)
    for instruction in routine.instructions:
        if any(label in jump_targets for label in instruction.labels):
            facts.forget_all()
        for i in READ_ONLY_OPERANDS[instruction.op]:
            instruction.args[i - 1] = facts.best_source(instruction.args[i - 1])
        folding.fold(instruction)
        at_least_zero = instruction.op == o.MAX and code.constant_value(instruction.args[2]) == 0
        if at_least_zero and facts.is_never_negative(instruction.args[1], folding.tables):
            instruction.op, instruction.args = o.MOV, instruction.args[:2]
        _update_facts(instruction, facts)


def _find_constant_cells(
    routine: CodeRoutine, own_slots: set[FrameSlot], constants: set[int]
) -> dict[Operand, Operand]:
    """Find the routine's cells that are written once, with a constant."""
    writers: dict[Operand, list[Instruction]] = {}
    for instruction in routine.instructions:
        for cell in instruction.iter_written_operands():
            writers.setdefault(cell, []).append(instruction)
    return {
        cell: instructions[0].args[1]
        for cell, instructions in writers.items()
        if cell in own_slots
        and len(instructions) == 1
        and instructions[0].op == o.MOV
        and instructions[0].args[1] in constants
    }


def _update_facts(instruction: Instruction, facts: _Facts) -> None:
    """Replace a computation whose result some cell holds already by a copy, and record the instruction's effects."""
    expression = (instruction.op, *instruction.args[1:])
    if instruction.op in PURE_OPS and expression in facts.results:
        instruction.op, instruction.args = o.MOV, [instruction.args[0], facts.results[expression]]
    for cell in instruction.iter_written_operands():
        facts.forget(cell)
    if instruction.op in STORE_OPS or any(cell not in facts.own for cell in instruction.iter_written_operands()):
        facts.forget_shared_facts(header=instruction.op not in STATE_STORES)
    facts.learn(instruction)


# --- backward: liveness and dead stores --------------------------------------------------------------


def drop_unread(routine: CodeRoutine, own_slots: set[FrameSlot]) -> None:
    """Remove results that are never read, and write results directly where they would only be copied."""
    number = {slot: i for i, slot in enumerate(own_slots)}
    before, after = compute_liveness(routine, number)
    instructions, where = routine.instructions, find_label_positions(routine)
    keep = [True] * len(instructions)
    jump_targets = find_jump_targets(routine)
    for i, instruction in enumerate(instructions):
        if instruction.op not in PURE_OPS:
            continue
        target = instruction.args[0]
        if target in number and not after[i] >> number[target] & 1:
            keep[i] = False
        elif (
            instruction.op == o.MOV
            and i
            and keep[i - 1]
            and not any(label in jump_targets for label in instruction.labels)
        ):
            jump_target = instructions[i - 1].target
            needed_after_jump = 0 if jump_target is None else before[where[jump_target]]
            keep[i] = not _redirect(instructions[i - 1], instruction, number, after[i] | needed_after_jump)
    routine.instructions = remove_instructions(instructions, keep)


def _redirect(producer: Instruction, move: Instruction, slot_bits: dict[FrameSlot, int], after: int) -> bool:
    """Make an instruction write to the target of the copy behind it; return False if its own target is still read."""
    source = move.args[1]
    if not isinstance(source, FrameSlot) or source not in slot_bits or after >> slot_bits[source] & 1:
        return False
    if producer.op not in (*PURE_OPS, *MEMBER_ITERATIONS) or producer.args[0] != source or source in producer.args[1:]:
        return False
    producer.args[0] = move.args[0]
    return True


def compute_liveness(routine: CodeRoutine, slot_bits: dict[FrameSlot, int]) -> tuple[list[int], list[int]]:
    """Compute the own cells that are live before and after each instruction.

    Args:
        routine: The routine to analyze.
        slot_bits: The bit of each own cell.

    Returns:
        Two lists of bit sets, before and after each instruction.
    """
    instructions, where = routine.instructions, find_label_positions(routine)
    reads = [_mask(instruction.iter_read_operands(), slot_bits) for instruction in instructions]
    writes = [_mask(instruction.iter_written_operands(), slot_bits) for instruction in instructions]
    before = [0] * (len(instructions) + 1)
    after = [0] * len(instructions)
    changed = True
    while changed:
        changed = False
        for i in range(len(instructions) - 1, -1, -1):
            if instructions[i].op in END_OPS or i + 1 == len(instructions):
                live_at_next = 0
            else:
                live_at_next = before[i + 1]
            target = instructions[i].target
            live_at_target = 0 if target is None else before[where[target]]
            after[i] = live_at_next | live_at_target
            # the member is not written when none is left
            live_without_member = live_at_target if instructions[i].op in MEMBER_ITERATIONS else 0
            live = reads[i] | (after[i] & ~writes[i]) | live_without_member
            changed = changed or live != before[i]
            before[i] = live
    return before, after


def _mask(cells: Iterable[Operand], slot_bits: dict[FrameSlot, int]) -> int:
    """Return an integer with the bits of those cells that have one in `slot_bits`."""
    mask = 0
    for cell in cells:
        if isinstance(cell, FrameSlot) and cell in slot_bits:
            mask |= 1 << slot_bits[cell]
    return mask


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
