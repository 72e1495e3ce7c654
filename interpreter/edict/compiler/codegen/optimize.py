"""The last look at the code before it gets its addresses: short routines written in place, detours left out.

Nothing here may change what a game does: the same questions, events and causes, and every endless
loop still passes a backward jump, which is where the machine counts.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from edict.compiler.codegen.constant_folding import NOTHING
from edict.compiler.codegen.dataflow import drop_unread, needed, own_cells, simplify
from edict.compiler.codegen.emit import Code, Frame, Label, Operand, Slot
from edict.compiler.codegen.instructions import (
    CALLS,
    ENDS,
    Instruction,
    ProcedureSteps,
    places,
    put_together,
    removed,
    taken_apart,
    targets,
)
from edict.compiler.codegen.superinstructions import fuse, pair_moves, seldom_first, turn_round
from edict.compiler.codegen.thresholds import narrow
from edict.runtime.program import opcodes as o

SHORT = 14  # steps of a routine that is written in place of a call
ROUNDS = 3
LONGEST = 2_000  # steps of a routine: some of what is done here takes longer for each, the more there are of them
OPPOSITE = {o.JZ: o.JNZ, o.JNZ: o.JZ, o.JEQ: o.JNE, o.JNE: o.JEQ, o.JIN: o.JOUT, o.JOUT: o.JIN}
TURNED = {o.JLT: o.JLE, o.JLE: o.JLT}  # not a < b is b <= a


def optimize(code: Code) -> None:
    """Make the code shorter and quicker."""
    routines = taken_apart(code)
    for _ in range(ROUNDS):
        write_in_place(routines)
    for routine in routines:
        straighten(routine)
    looked_over = [routine for routine in routines if len(routine.steps) <= LONGEST]
    # What nothing more can be done about, as long as it has no cells besides.
    settled: dict[ProcedureSteps, set[Slot]] = {}
    for _ in range(ROUNDS):
        own = own_cells(routines, code)
        for routine in looked_over:
            if settled.get(routine) != own[routine] and not _simpler(routine, own[routine], code):
                settled[routine] = own[routine]
    own = own_cells(routines, code)
    for routine in looked_over:
        straighten(routine)
        fuse(routine, own[routine])
        if narrow(routine, own[routine], code):
            _gather(routine, own[routine])
            straighten(routine)
        seldom_first(routine)
        pair_moves(routine)
        turn_round(routine)
    put_together(code, routines)


def _simpler(routine: ProcedureSteps, own: set[Slot], code: Code) -> bool:
    """Make it simpler, if that can be done."""
    before = routine.written()
    simplify(routine, own, code)
    straighten(routine)
    _gather(routine, own)
    drop_unread(routine, own)
    return routine.written() != before


# --- short routines -----------------------------------------------------------------------------------


def write_in_place(routines: list[ProcedureSteps]) -> None:
    """Calls of short routines that call nothing become those routines."""
    short = {r.frame.entry: r for r in routines if _is_short(r)}
    for routine in routines:
        if not _saves(routine):
            _write_in(routine, short)


def _is_short(routine: ProcedureSteps) -> bool:
    ops = [step.op for step in routine.steps]
    if routine.frame.watched:
        return False
    return (
        len(ops) <= SHORT
        and ops[-1] == o.RET
        and ops.count(o.RET) == 1
        and not _saves(routine)
        and not (CALLS & set(ops))
    )


def _saves(routine: ProcedureSteps) -> bool:
    """Whether the routine may come back to itself and keeps its cells on the stack."""
    return any(step.op in (o.SAVE, o.RESTORE) for step in routine.steps)


def _write_in(routine: ProcedureSteps, short: dict[Label, ProcedureSteps]) -> None:
    cells: dict[Frame, int] = {}
    steps: list[Instruction] = []
    for step in routine.steps:
        called = short.get(step.args[0]) if step.op == o.CALL else None  # type: ignore[arg-type]
        if called is None or called is routine:
            steps.append(step)
            continue
        if called.frame not in cells:
            cells[called.frame] = routine.frame.size
            routine.frame.size += called.frame.size
        copied = _copied(called)
        copied[0].at = step.at + copied[0].at
        steps += copied
    routine.steps = steps
    for step in steps:
        step.args = [_moved(arg, routine.frame, cells) for arg in step.args]


def _moved(arg: Operand, frame: Frame, cells: dict[Frame, int]) -> Operand:
    """A cell of a routine written in place, as a cell of the one it stands in."""
    return Slot(frame, cells[arg.frame] + arg.offset) if isinstance(arg, Slot) and arg.frame in cells else arg


def _copied(routine: ProcedureSteps) -> list[Instruction]:
    """The routine's steps again, with labels of their own; its return becomes a jump to the next step."""
    fresh = {label: Label() for step in routine.steps for label in step.at}
    steps = [
        replace(s, args=[fresh.get(a, a) if isinstance(a, Label) else a for a in s.args], at=[fresh[x] for x in s.at])
        for s in routine.steps
    ]
    last = steps[-1]
    last.op, last.args = o.MOV, [o.SCRATCH, o.SCRATCH]
    return steps


# --- jumps -----------------------------------------------------------------------------------------------


def straighten(routine: ProcedureSteps) -> None:
    """No jump to a jump, none to the next step, nothing that is never reached."""
    _drop_idle(routine)
    _shorten(routine)
    _drop_unreached(routine)
    _turn(routine)
    _drop_idle(routine)


def _drop_idle(routine: ProcedureSteps) -> None:
    """Copies of a cell to itself and jumps to the next step do nothing."""
    steps = routine.steps
    keep = [not _is_idle(step, after.at) for step, after in pairwise(steps)]
    routine.steps = removed(steps, [*keep, True])


def _is_idle(step: Instruction, at_next: list[Label]) -> bool:
    if step.op == o.MOV:
        return step.args[0] == step.args[1]
    return o.JMP <= step.op <= o.JOUT and step.args[-1] in at_next


def _shorten(routine: ProcedureSteps) -> None:
    """Jump at once where a chain of jumps leads. Only jumps without condition may lead backward."""
    where = places(routine)
    for i, step in enumerate(routine.steps):
        target = step.target
        seen: set[Label] = set()
        while target is not None and target not in seen:
            seen.add(target)
            there = routine.steps[where[target]]
            if there.op != o.JMP:
                break
            further = there.args[0]
            assert isinstance(further, Label)
            if step.op != o.JMP and where[further] <= i:
                break
            step.args[-1] = target = further


def _drop_unreached(routine: ProcedureSteps) -> None:
    steps, where = routine.steps, places(routine)
    reached = [False] * len(steps)
    todo = [where[routine.frame.entry]]
    while todo:
        i = todo.pop()
        if reached[i]:
            continue
        reached[i] = True
        target = steps[i].target
        if target is not None:
            todo.append(where[target])
        if steps[i].op not in ENDS and i + 1 < len(steps):  # the last call of the game does not come back
            todo.append(i + 1)
    routine.steps = _without(steps, reached)


def _without(steps: list[Instruction], reached: list[bool]) -> list[Instruction]:
    """What is never reached at the end has nowhere to pass its labels; nobody jumps to those."""
    last = max(i for i, is_reached in enumerate(reached) if is_reached)
    return removed(steps[: last + 1], reached[: last + 1])


def _turn(routine: ProcedureSteps) -> None:
    """A jump over a jump ahead: the opposite jump."""
    steps, where = routine.steps, places(routine)
    wanted = targets(routine)
    keep = [True] * len(steps)
    for i in range(len(steps) - 2):
        step, detour, after = steps[i : i + 3]
        over = step.target in after.at and step.op in (*OPPOSITE, *TURNED)
        plain = detour.op == o.JMP and not any(label in wanted for label in detour.at)
        if over and plain and keep[i] and where[detour.args[0]] > i:  # type: ignore[index]
            left, right = step.args[0], step.args[1]
            if step.op in TURNED:
                step.op, step.args = TURNED[step.op], [right, left, detour.args[0]]
            else:
                step.op, step.args = OPPOSITE[step.op], [*step.args[:-1], detour.args[0]]
            if step.fork is not None:
                cause, there, on = step.fork
                step.fork = (cause, on, there)
            keep[i + 1] = False
    routine.steps = removed(steps, keep)


# --- loops that only carry the members of one set into another -------------------------------------------

COPYING = [o.NEXT, o.BIT, o.OR, o.JMP]


def _gather(routine: ProcedureSteps, own: set[Slot]) -> None:
    """Take the sets together where a loop would carry over one member after the other.

    Such a loop is left where a condition on the members turned out to hold for all of them.
    """
    number = {slot: i for i, slot in enumerate(own)}
    wanted = targets(routine)
    for i in range(len(routine.steps) - 3):
        loop = routine.steps[i : i + 4]
        if [step.op for step in loop] == COPYING and not any(x in wanted for step in loop[1:] for x in step.at):
            _at_once(routine, loop, number)


def _at_once(routine: ProcedureSteps, loop: list[Instruction], number: dict[Slot, int]) -> None:
    take, single, add, back = loop
    it, rest, end = take.args
    bit, found = single.args[0], add.args[0]
    if single.args[1] != it or add.args[1:] != [found, bit] or back.args[0] not in take.at:
        return
    if len({it, rest, bit, found}) < 4 or _read_later(routine, [it, rest, bit], end, number):
        return
    take.op, take.args = o.OR, [found, found, rest]
    single.op, single.args = o.JMP, [end]
    for step in (add, back):
        step.op, step.args = o.MOV, [*NOTHING]


def _read_later(routine: ProcedureSteps, cells: list[object], end: object, number: dict[Slot, int]) -> bool:
    """Whether anybody may read one of the cells when the loop has ended."""
    before, _ = needed(routine, number)
    left = next(before[i] for label, i in places(routine).items() if label is end)
    return any(not isinstance(cell, Slot) or cell not in number or left >> number[cell] & 1 for cell in cells)


__all__ = ["straighten", "optimize"]
