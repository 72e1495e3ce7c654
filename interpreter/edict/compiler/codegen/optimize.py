"""The optimizer: inlines short routines, simplifies values and straightens jumps before addresses are assigned.

Instructions that often follow each other are joined to superinstructions, but only if they have the same cause;
otherwise a search for the code of a rule would miss one of them.

No pass may change the behavior of a game: it has the same questions, events and causes, and every endless loop still
passes a backward jump, where the machine counts its budget.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from edict.compiler.codegen.dataflow import NO_OP_ARGS, compute_liveness, drop_unread, find_own_cells, simplify
from edict.compiler.codegen.emit import CodeBuffer, CodeLabel, FrameSlot, Operand, StackFrame
from edict.compiler.codegen.instructions import (
    CALL_OPS,
    END_OPS,
    CodeRoutine,
    Instruction,
    find_jump_targets,
    find_label_positions,
    remove_instructions,
    split_routines,
    write_routines,
)
from edict.compiler.codegen.thresholds import narrow_loops
from edict.runtime.program import opcodes as o

MAX_INLINED = 14  # instructions of a routine that is inlined
MAX_ROUNDS = 3
MAX_OPTIMIZED = 2_000  # instructions of a routine; some passes take more than linear time
MAX_TOTAL = 200_000  # numbers of a program; in a longer one this would take seconds
OPPOSITE_JUMPS = {o.JZ: o.JNZ, o.JNZ: o.JZ, o.JEQ: o.JNE, o.JNE: o.JEQ, o.JIN: o.JOUT, o.JOUT: o.JIN}
SWAPPED_JUMPS = {o.JLT: o.JLE, o.JLE: o.JLT}  # not a < b is b <= a


def optimize(code: CodeBuffer) -> None:
    """Rewrite the code in place: inline, simplify, fuse instructions, narrow loops, straighten jumps."""
    if len(code.out) > MAX_TOTAL:
        return
    routines = split_routines(code)
    for _ in range(MAX_ROUNDS):
        inline_short_routines(routines)
    for routine in routines:
        straighten_jumps(routine)
    optimized = [routine for routine in routines if len(routine.instructions) <= MAX_OPTIMIZED]
    # Routines that cannot be simplified further unless they get more own cells.
    finished_with: dict[CodeRoutine, set[FrameSlot]] = {}
    for _ in range(MAX_ROUNDS):
        own_slots = find_own_cells(routines, code)
        for routine in optimized:
            if finished_with.get(routine) != own_slots[routine] and not _simplify_once(
                routine, own_slots[routine], code
            ):
                finished_with[routine] = own_slots[routine]
    own_slots = find_own_cells(routines, code)
    for routine in optimized:
        straighten_jumps(routine)
        fuse_instructions(routine, own_slots[routine])
        if narrow_loops(routine, own_slots[routine], code):
            _replace_copy_loops(routine, own_slots[routine])
            straighten_jumps(routine)
        order_tests(routine)
        pair_moves(routine)
        rotate_loops(routine)
    write_routines(code, routines)


def _simplify_once(routine: CodeRoutine, own_slots: set[FrameSlot], code: CodeBuffer) -> bool:
    """Run the simplifying passes on a routine, and return True if it changed."""
    old_code = routine.as_tuples()
    simplify(routine, own_slots, code)
    straighten_jumps(routine)
    _replace_copy_loops(routine, own_slots)
    drop_unread(routine, own_slots)
    return routine.as_tuples() != old_code


# --- inlining -----------------------------------------------------------------------------------------


def inline_short_routines(routines: list[CodeRoutine]) -> None:
    """Replace each call of a short routine without calls by its body, except in callers that save cells."""
    short = {r.frame.entry: r for r in routines if _is_short(r)}
    for routine in routines:
        if not _saves_cells(routine):
            _inline_calls(routine, short)


def _is_short(routine: CodeRoutine) -> bool:
    """Return True for a routine that can be inlined: at most MAX_INLINED instructions, no calls, one RET at its end."""
    ops = [step.op for step in routine.instructions]
    if routine.frame.watched:
        return False
    return (
        len(ops) <= MAX_INLINED
        and ops[-1] == o.RET
        and ops.count(o.RET) == 1
        and not _saves_cells(routine)
        and not (CALL_OPS & set(ops))
    )


def _saves_cells(routine: CodeRoutine) -> bool:
    """Return True if the routine is recursive and saves its cells on the stack."""
    return any(step.op in (o.SAVE, o.RESTORE) for step in routine.instructions)


def _inline_calls(routine: CodeRoutine, short: dict[CodeLabel, CodeRoutine]) -> None:
    """Replace the routine's calls of `short` routines by copies of their code, and move their cells to its frame."""
    offsets: dict[StackFrame, int] = {}
    steps: list[Instruction] = []
    for instruction in routine.instructions:
        called = short.get(instruction.args[0]) if instruction.op == o.CALL else None  # type: ignore[arg-type]
        if called is None or called is routine:
            steps.append(instruction)
            continue
        if called.frame not in offsets:
            offsets[called.frame] = routine.frame.size
            routine.frame.size += called.frame.size
        copy = _copy_instructions(called)
        copy[0].labels = instruction.labels + copy[0].labels
        steps += copy
    routine.instructions = steps
    for instruction in steps:
        instruction.args = [_move_slot(arg, routine.frame, offsets) for arg in instruction.args]


def _move_slot(arg: Operand, frame: StackFrame, offsets: dict[StackFrame, int]) -> Operand:
    """Return a cell of a frame in `offsets` as the cell of `frame` at that offset; other operands unchanged."""
    if isinstance(arg, FrameSlot) and arg.frame in offsets:
        return FrameSlot(frame, offsets[arg.frame] + arg.offset)
    return arg


def _copy_instructions(routine: CodeRoutine) -> list[Instruction]:
    """Copy the routine's instructions with fresh labels; the return becomes a no-op."""
    fresh = {label: CodeLabel() for step in routine.instructions for label in step.labels}
    steps = [
        replace(
            s,
            args=[fresh.get(a, a) if isinstance(a, CodeLabel) else a for a in s.args],
            labels=[fresh[x] for x in s.labels],
        )
        for s in routine.instructions
    ]
    last = steps[-1]
    last.op, last.args = o.MOV, [o.SCRATCH, o.SCRATCH]
    return steps


# --- jumps -----------------------------------------------------------------------------------------------


def straighten_jumps(routine: CodeRoutine) -> None:
    """Remove jumps to jumps, jumps to the next instruction and unreachable code."""
    _drop_no_ops(routine)
    _thread_jumps(routine)
    _drop_unreachable(routine)
    _invert_jumps(routine)
    _drop_no_ops(routine)


def _drop_no_ops(routine: CodeRoutine) -> None:
    """Remove the copies of a cell to itself and the jumps to the next instruction."""
    steps = routine.instructions
    keep = [not _is_no_op(instruction, next_instruction.labels) for instruction, next_instruction in pairwise(steps)]
    routine.instructions = remove_instructions(steps, [*keep, True])


def _is_no_op(instruction: Instruction, next_labels: list[CodeLabel]) -> bool:
    """Return True for a copy of a cell to itself, or a jump to the next instruction, which has `next_labels`."""
    if instruction.op == o.MOV:
        return instruction.args[0] == instruction.args[1]
    return o.JMP <= instruction.op <= o.JOUT and instruction.args[-1] in next_labels


def _thread_jumps(routine: CodeRoutine) -> None:
    """Redirect each jump whose target is a `JMP` to the end of the chain; conditional jumps only forward."""
    where = find_label_positions(routine)
    for i, instruction in enumerate(routine.instructions):
        target = instruction.target
        seen: set[CodeLabel] = set()
        while target is not None and target not in seen:
            seen.add(target)
            target_instruction = routine.instructions[where[target]]
            if target_instruction.op != o.JMP:
                break
            next_target = target_instruction.args[0]
            assert isinstance(next_target, CodeLabel)
            if instruction.op != o.JMP and where[next_target] <= i:
                break
            instruction.args[-1] = target = next_target


def _drop_unreachable(routine: CodeRoutine) -> None:
    """Remove the instructions that neither jumps nor the sequence of code reach from the routine's entry."""
    steps, where = routine.instructions, find_label_positions(routine)
    is_reached = [False] * len(steps)
    worklist = [where[routine.frame.entry]]
    while worklist:
        i = worklist.pop()
        if is_reached[i]:
            continue
        is_reached[i] = True
        target = steps[i].target
        if target is not None:
            worklist.append(where[target])
        if steps[i].op not in END_OPS and i + 1 < len(steps):  # the game's last call does not return
            worklist.append(i + 1)
    routine.instructions = _keep_reached_instructions(steps, is_reached)


def _keep_reached_instructions(instructions: list[Instruction], reached: list[bool]) -> list[Instruction]:
    """Remove unreached instructions. Trailing ones have no successor to take their labels."""
    last = max(i for i, is_reached in enumerate(reached) if is_reached)
    return remove_instructions(instructions[: last + 1], reached[: last + 1])


def _invert_jumps(routine: CodeRoutine) -> None:
    """Replace a conditional jump over a forward jump by the opposite jump."""
    steps, where = routine.instructions, find_label_positions(routine)
    jump_targets = find_jump_targets(routine)
    keep = [True] * len(steps)
    for i in range(len(steps) - 2):
        instruction, jump, following = steps[i : i + 3]
        skips_detour = instruction.target in following.labels and instruction.op in (*OPPOSITE_JUMPS, *SWAPPED_JUMPS)
        is_plain_jump = jump.op == o.JMP and not any(label in jump_targets for label in jump.labels)
        if skips_detour and is_plain_jump and keep[i] and where[jump.args[0]] > i:  # type: ignore[index]
            left, right = instruction.args[0], instruction.args[1]
            if instruction.op in SWAPPED_JUMPS:
                instruction.op, instruction.args = SWAPPED_JUMPS[instruction.op], [right, left, jump.args[0]]
            else:
                instruction.op, instruction.args = (
                    OPPOSITE_JUMPS[instruction.op],
                    [*instruction.args[:-1], jump.args[0]],
                )
            if instruction.fork is not None:
                cause, meaning_of_jump, meaning_of_next = instruction.fork
                instruction.fork = (cause, meaning_of_next, meaning_of_jump)
            keep[i + 1] = False
    routine.instructions = remove_instructions(steps, keep)


# --- loops that only copy the members of one set to another ----------------------------------------------

COPY_LOOP = [o.NEXT, o.BIT, o.OR, o.JMP]  # opcodes of a loop that adds the members of one set to another


def _replace_copy_loops(routine: CodeRoutine, own_slots: set[FrameSlot]) -> None:
    """Replace each loop that only copies every member of one set into another by a union of the sets.

    Such a loop remains where a condition on the members turned out to hold for all of them.
    """
    number = {slot: i for i, slot in enumerate(own_slots)}
    jump_targets = find_jump_targets(routine)
    for i in range(len(routine.instructions) - 3):
        loop = routine.instructions[i : i + 4]
        if [instruction.op for instruction in loop] == COPY_LOOP and not any(
            x in jump_targets for instruction in loop[1:] for x in instruction.labels
        ):
            _replace_copy_loop(routine, loop, number)


def _replace_copy_loop(routine: CodeRoutine, loop: list[Instruction], slot_bits: dict[FrameSlot, int]) -> None:
    """Replace a loop that adds each member of a set to another by one OR, unless its cells are read later."""
    take_next, make_bit, add, jump_back = loop
    member, source, end = take_next.args
    bit, target = make_bit.args[0], add.args[0]
    if make_bit.args[1] != member or add.args[1:] != [target, bit] or jump_back.args[0] not in take_next.labels:
        return
    if len({member, source, bit, target}) < 4 or _is_any_read_later(routine, [member, source, bit], end, slot_bits):
        return
    take_next.op, take_next.args = o.OR, [target, target, source]
    make_bit.op, make_bit.args = o.JMP, [end]
    for instruction in (add, jump_back):
        instruction.op, instruction.args = o.MOV, [*NO_OP_ARGS]


def _is_any_read_later(routine: CodeRoutine, cells: list[object], end: object, slot_bits: dict[FrameSlot, int]) -> bool:
    """Return True if one of the cells is live after the loop."""
    live_before, _ = compute_liveness(routine, slot_bits)
    live = next(live_before[i] for label, i in find_label_positions(routine).items() if label is end)
    return any(
        not isinstance(cell, FrameSlot) or cell not in slot_bits or live >> slot_bits[cell] & 1 for cell in cells
    )


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
