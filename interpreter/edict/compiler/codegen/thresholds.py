"""An optimization of loops that compare a constant of each member with a loop-invariant amount.

`for each building whose price in stone you have` need not test one building after the other: a table holds, for
each amount, the set of all members that cost no more. The loop then visits the members of that set only.
"""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.codegen.dataflow import compute_liveness
from edict.compiler.codegen.emit import CodeBuffer, CodeLabel, FrameSlot, Operand
from edict.compiler.codegen.instructions import (
    PURE_OPS,
    CodeRoutine,
    Instruction,
    find_jump_targets,
    find_label_positions,
    remove_instructions,
)
from edict.runtime.program import opcodes as o
from edict.support.records import dataclass

MEMBERS = range(o.BITS)
MAX_SETS = 64  # entries of a table, one for each amount between the members' least and greatest


@dataclass(frozen=True, slots=True)
class _Loop:
    """A loop by the indices of its first instruction (takes a member) and its last (jumps back)."""

    first: int
    last: int


def narrow_loops(routine: CodeRoutine, own_slots: set[FrameSlot], code: CodeBuffer) -> bool:
    """Replace constant threshold tests in loops by table lookups before them; return True if any was found."""
    number = {slot: i for i, slot in enumerate(own_slots)}
    tables = {label: values for values, label in code.tables.items()}
    has_narrowed = False
    while (match := _find_threshold_test(routine, number, tables, code)) is not None:
        _narrow_loop(routine, *match, code)
        has_narrowed = True
    return has_narrowed


def _find_threshold_test(
    routine: CodeRoutine,
    slot_bits: dict[FrameSlot, int],
    tables: dict[CodeLabel, tuple[Operand, ...]],
    code: CodeBuffer,
) -> tuple[_Loop, int, dict[int, int]] | None:
    """Return the first loop that can be narrowed, the index of its lookup, and member to number; None if none."""
    for loop in _iter_closed_loops(routine):
        for index in range(loop.first + 1, loop.last - 1):
            if _is_threshold_test(routine, loop, index) and _can_narrow(routine, loop, index, slot_bits):
                numbers = _find_member_numbers(
                    routine.instructions[index], routine.instructions[loop.first].args[0], tables, code
                )
                if numbers:
                    return loop, index, numbers
    return None


def _iter_closed_loops(routine: CodeRoutine) -> Iterator[_Loop]:
    """Iterate over loops that are only entered at their beginning."""
    where = find_label_positions(routine)
    for last, instruction in enumerate(routine.instructions):
        if instruction.op == o.JMP and instruction.target is not None:
            first = where[instruction.target]
        else:
            first = last
        if first < last and routine.instructions[first].op == o.NEXT and _is_closed(routine, first, last):
            yield _Loop(first, last)


def _is_closed(routine: CodeRoutine, first: int, last: int) -> bool:
    """Return True if no jump leads from outside into instructions `first` to `last`, nor do they begin the routine."""
    inside = {label for instruction in routine.instructions[first : last + 1] for label in instruction.labels}
    outside = routine.instructions[:first] + routine.instructions[last + 1 :]
    return first > 0 and not any(instruction.target in inside for instruction in outside)


def _is_threshold_test(routine: CodeRoutine, loop: _Loop, index: int) -> bool:
    """Return True if a lookup is followed by a test that skips members with too large a number."""
    lookup, test = routine.instructions[index : index + 2]
    if lookup.op not in (o.TAB, o.TABX) or test.op not in (o.JLT, o.JLTX) or test.args[-2] != lookup.args[0]:
        return False
    return test.target in routine.instructions[loop.first].labels and not any(
        label in find_jump_targets(routine) for label in test.labels
    )


def _can_narrow(routine: CodeRoutine, loop: _Loop, index: int, slot_bits: dict[FrameSlot, int]) -> bool:
    """Return True if members may be skipped before the loop: it has no side effects and a fixed amount."""
    steps, where = routine.instructions, find_label_positions(routine)
    inside, first = steps[loop.first : loop.last], steps[loop.first]
    if not all(instruction.op in PURE_OPS or instruction.target is not None for instruction in inside):
        return False
    amount, members_left = steps[index + 1].args[:-2], first.args[1]
    if {cell for instruction in inside for cell in instruction.iter_written_operands()} & set(amount):
        return False
    if members_left in {
        cell
        for instruction in inside[1:]
        for cell in (*instruction.iter_read_operands(), *instruction.iter_written_operands())
    }:
        return False
    before, after = compute_liveness(routine, slot_bits)
    looked_up = steps[index].args[0]
    if not _is_dead(looked_up, after[index + 1], slot_bits) or not _is_dead(
        first.args[0], before[loop.first], slot_bits
    ):
        return False
    for instruction in steps[loop.first + 1 : index]:
        stays_in_loop = (
            instruction.target is None
            or instruction.target in first.labels
            or loop.first < where[instruction.target] <= index
        )
        if not stays_in_loop or not all(
            _is_dead(cell, before[loop.first], slot_bits) for cell in instruction.iter_written_operands()
        ):
            return False
    return True


def _is_dead(cell: Operand, live: int, slot_bits: dict[FrameSlot, int]) -> bool:
    """Return True if a cell is not live."""
    return isinstance(cell, FrameSlot) and cell in slot_bits and not live >> slot_bits[cell] & 1


def _find_member_numbers(
    lookup: Instruction, member: Operand, tables: dict[CodeLabel, tuple[Operand, ...]], code: CodeBuffer
) -> dict[int, int]:
    """Return the looked-up number of each member, or nothing if it is not constant."""
    values = tables.get(lookup.args[1]) if isinstance(lookup.args[1], CodeLabel) else None
    stride, offset = 1, 0
    if lookup.op == o.TABX:
        constant_offset = code.constant_value(lookup.args[4])
        if not isinstance(lookup.args[3], int) or constant_offset is None:
            return {}
        stride, offset = lookup.args[3], constant_offset
    if values is None or lookup.args[2] != member or stride < 1:
        return {}
    entries = {i: values[i * stride + offset] for i in MEMBERS if 0 <= i * stride + offset < len(values)}
    if not all(isinstance(value, int) for value in entries.values()):
        return {}
    numbers = {i: value for i, value in entries.items() if isinstance(value, int)}
    lowest, highest = min(numbers.values(), default=0), max(numbers.values(), default=0)
    return numbers if highest - lowest < MAX_SETS and o.LEAST < lowest else {}


def _narrow_loop(routine: CodeRoutine, loop: _Loop, index: int, numbers: dict[int, int], code: CodeBuffer) -> None:
    """Insert the table lookup before the loop and remove the test from it."""
    steps, frame = routine.instructions, routine.frame
    test, members_left = steps[index + 1], steps[loop.first].args[1]
    least_amount, greatest_amount = min(numbers.values()) - 1, max(numbers.values())
    amount, among = FrameSlot(frame, frame.size), FrameSlot(frame, frame.size + 1)
    frame.size += 2
    sets = [
        sum(1 << i for i, value in numbers.items() if value <= limit)
        for limit in range(least_amount, greatest_amount + 1)
    ]
    cause = test.cause
    inserted = [Instruction(o.MAX, [amount, test.args[0], code.constant_cell(least_amount)], cause)]
    if test.op == o.JLTX:
        inserted = [
            Instruction(o.LDX, [amount, *test.args[:2]], cause),
            Instruction(o.MAX, [amount, amount, code.constant_cell(least_amount)], cause),
        ]
    inserted.append(Instruction(o.MIN, [amount, amount, code.constant_cell(greatest_amount)], cause))
    if least_amount:
        inserted.append(Instruction(o.SUB, [amount, amount, code.constant_cell(least_amount)], cause))
    inserted += [
        Instruction(o.TAB, [among, code.add_table(sets), amount], cause),
        Instruction(o.AND, [members_left, members_left, among], cause),
    ]
    keep = [i not in (index, index + 1) for i in range(len(steps))]
    routine.instructions = [
        *steps[: loop.first],
        *inserted,
        *remove_instructions(steps[loop.first :], keep[loop.first :]),
    ]
