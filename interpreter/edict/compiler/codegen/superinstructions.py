"""Superinstructions that join instructions which often follow each other.

Only instructions with the same cause are joined; otherwise a search for the code of a rule would miss one of them.
"""

from __future__ import annotations

from itertools import pairwise

from edict.compiler.codegen.dataflow import compute_liveness
from edict.compiler.codegen.emit import CodeLabel, FrameSlot, Operand
from edict.compiler.codegen.instructions import (
    CodeRoutine,
    Instruction,
    find_jump_targets,
    find_label_positions,
    remove_instructions,
)
from edict.runtime.program import opcodes as o

INDEXED_OPS = {o.LDX: o.LDXX, o.TAB: o.TABX, o.STX: o.STXX}  # operations that absorb a computed index
LOOKUP_OPS = {o.JIN: o.JINX, o.JOUT: o.JOUTX, o.JLT: o.JLTX}  # operations that absorb a loaded value
LOOP_OPS = {o.NEXT: o.LOOP, o.NTH: o.LOOPN}  # loop heads and their form at the end of the loop


def fuse_instructions(routine: CodeRoutine, own_slots: set[FrameSlot]) -> None:
    """Fuse an index or load with the instructions behind it if only they read its result, an own cell."""
    number = {slot: i for i, slot in enumerate(own_slots)}
    before, after = compute_liveness(routine, number)
    steps, where, jump_targets = routine.instructions, find_label_positions(routine), find_jump_targets(routine)
    keep = [True] * len(steps)
    for i, instruction in enumerate(steps):
        result = instruction.args[0] if instruction.op in (o.IDX, o.LDX) else None
        if not isinstance(result, FrameSlot) or result not in number:
            continue
        consumers = _find_consumers(steps, i, result, jump_targets)
        fused = [_fuse_pair(instruction, consumer, result) for consumer in consumers]
        if not consumers or None in fused:
            continue
        last = i + len(consumers)
        jump_target = steps[last].target
        live_after = after[last] | (0 if jump_target is None else before[where[jump_target]])
        if result in steps[last].iter_written_operands() or not live_after >> number[result] & 1:
            keep[i] = False
            for consumer, operation in zip(consumers, fused, strict=True):
                consumer.op, consumer.args = operation  # type: ignore[misc]
    routine.instructions = remove_instructions(steps, keep)


def _find_consumers(
    instructions: list[Instruction], i: int, result: FrameSlot, jump_targets: set[CodeLabel]
) -> list[Instruction]:
    """Return the instructions directly after instruction `i` that each read its `result` once."""
    consumers: list[Instruction] = []
    for instruction in instructions[i + 1 :]:
        # the fused instruction would have the first one's cause
        has_other_cause = not consumers and instruction.cause != instructions[i].cause
        if (
            has_other_cause
            or any(label in jump_targets for label in instruction.labels)
            or list(instruction.iter_read_operands()).count(result) != 1
        ):
            break
        consumers.append(instruction)
        if result in instruction.iter_written_operands() or instruction.target is not None:
            break
    return consumers


def _fuse_pair(first: Instruction, second: Instruction, result: FrameSlot) -> tuple[int, list[Operand]] | None:
    """Return the operation and arguments that replace two instructions, or None."""
    args = second.args
    if first.op == o.IDX and second.op in INDEXED_OPS:
        base = 0 if second.op == o.STX else 1
        if args[base + 1] == result:
            return INDEXED_OPS[second.op], [*args[: base + 1], *first.args[1:], *args[base + 2 :]]
    if first.op == o.LDX and second.op in LOOKUP_OPS:
        loaded, other = (0, 1) if second.op == o.JLT else (1, 0)
        if args[loaded] == result:
            if second.op == o.JLT:
                sides = [*first.args[1:], args[other]]
            else:
                sides = [args[other], *first.args[1:]]
            return LOOKUP_OPS[second.op], [*sides, args[2]]
    return None


def order_tests(routine: CodeRoutine) -> None:
    """Move a test of a seat's possessions before a test of what was done, if both jump to the same place.

    The possession test fails more often. Neither test can fault or change the state.
    """
    jump_targets = find_jump_targets(routine)
    for first, second in pairwise(routine.instructions):
        has_same_target = first.op == o.JIN and second.op == o.JOUTX and first.target is second.target
        if has_same_target and not any(label in jump_targets for label in second.labels):
            for part in ("op", "args", "cause", "fork"):
                first_value, second_value = getattr(first, part), getattr(second, part)
                setattr(first, part, second_value)
                setattr(second, part, first_value)


def pair_moves(routine: CodeRoutine) -> None:
    """Join each two successive copies with the same cause into one `MOV2`, unless a jump leads between them."""
    jump_targets = find_jump_targets(routine)
    steps = routine.instructions
    keep = [True] * len(steps)
    for i in range(len(steps) - 1):
        first, second = steps[i : i + 2]
        can_join = first.cause == second.cause and not any(label in jump_targets for label in second.labels)
        if first.op == second.op == o.MOV and can_join:
            second.op, second.args = o.MOV2, [*first.args, *second.args]
            keep[i] = False
    routine.instructions = remove_instructions(steps, keep)


def rotate_loops(routine: CodeRoutine) -> None:
    """Move the test of member loops to their end, which saves the backward jump."""
    steps, where = routine.instructions, find_label_positions(routine)
    for i, instruction in enumerate(steps):
        if instruction.op == o.JMP and instruction.target is not None:
            begin = where[instruction.target]
        else:
            begin = i
        head = steps[begin]
        if begin < i and head.op in LOOP_OPS and head.target in steps[i + 1].labels:
            body = CodeLabel()
            steps[begin + 1].labels.append(body)
            instruction.op, instruction.args, instruction.cause = LOOP_OPS[head.op], [*head.args[:-1], body], head.cause
