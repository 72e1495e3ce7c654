"""Steps that often follow each other become one: what the first works out goes straight into the next.

They stand in the code for the same rule, or whoever looks where something was done would miss one of the two.
"""

from __future__ import annotations

from itertools import pairwise

from edict.compiler.codegen.dataflow import needed
from edict.compiler.codegen.emit import Label, Operand, Slot
from edict.compiler.codegen.instructions import Instruction, ProcedureSteps, places, removed, targets
from edict.runtime.program import opcodes as o

INDEXED = {o.LDX: o.LDXX, o.TAB: o.TABX, o.STX: o.STXX}  # what an index that was worked out goes into
LOOKED_UP = {o.JIN: o.JINX, o.JOUT: o.JOUTX, o.JLT: o.JLTX}  # what a value that was looked up goes into
REPEATED = {o.NEXT: o.LOOP, o.NTH: o.LOOPN}


def fuse(routine: ProcedureSteps, own: set[Slot]) -> None:
    """Join what can be joined. The cell between must be the routine's own, and read no more."""
    number = {slot: i for i, slot in enumerate(own)}
    before, after = needed(routine, number)
    steps, where, wanted = routine.steps, places(routine), targets(routine)
    keep = [True] * len(steps)
    for i, step in enumerate(steps):
        made = step.args[0] if step.op in (o.IDX, o.LDX) else None
        if not isinstance(made, Slot) or made not in number:
            continue
        users = _users(steps, i, made, wanted)
        joined = [_joined(step, user, made) for user in users]
        if not users or None in joined:
            continue
        last = i + len(users)
        off = steps[last].target
        later = after[last] | (0 if off is None else before[where[off]])
        if made in steps[last].written() or not later >> number[made] & 1:
            keep[i] = False
            for user, joint in zip(users, joined, strict=True):
                user.op, user.args = joint  # type: ignore[misc]
    routine.steps = removed(steps, keep)


def _users(steps: list[Instruction], i: int, made: Slot, wanted: set[Label]) -> list[Instruction]:
    """The steps right after one that use what it makes, once each."""
    users: list[Instruction] = []
    for step in steps[i + 1 :]:
        lost = not users and step.cause != steps[i].cause  # the first stands in for it
        if lost or any(label in wanted for label in step.at) or list(step.read()).count(made) != 1:
            break
        users.append(step)
        if made in step.written() or step.target is not None:
            break
    return users


def _joined(first: Instruction, second: Instruction, made: Slot) -> tuple[int, list[Operand]] | None:
    """The two as one operation, if there is one."""
    args = second.args
    if first.op == o.IDX and second.op in INDEXED:
        base = 0 if second.op == o.STX else 1
        if args[base + 1] == made:
            return INDEXED[second.op], [*args[: base + 1], *first.args[1:], *args[base + 2 :]]
    if first.op == o.LDX and second.op in LOOKED_UP:
        looked, other = (0, 1) if second.op == o.JLT else (1, 0)
        if args[looked] == made:
            sides = [*first.args[1:], args[other]] if second.op == o.JLT else [args[other], *first.args[1:]]
            return LOOKED_UP[second.op], [*sides, args[2]]
    return None


def seldom_first(routine: ProcedureSteps) -> None:
    """Of two tests that lead to the same place, that of what somebody has comes before that of what was done.

    Few have any one thing, and little was done already. Neither test can fail or change anything.
    """
    wanted = targets(routine)
    for first, second in pairwise(routine.steps):
        same = first.op == o.JIN and second.op == o.JOUTX and first.target is second.target
        if same and not any(label in wanted for label in second.at):
            for part in ("op", "args", "cause", "fork"):
                mine, other = getattr(first, part), getattr(second, part)
                setattr(first, part, other)
                setattr(second, part, mine)


def pair_moves(routine: ProcedureSteps) -> None:
    """Two copies one after the other become one step."""
    wanted = targets(routine)
    steps = routine.steps
    keep = [True] * len(steps)
    for i in range(len(steps) - 1):
        first, second = steps[i : i + 2]
        alone = first.cause == second.cause and not any(label in wanted for label in second.at)
        if first.op == second.op == o.MOV and alone:
            second.op, second.args = o.MOV2, [*first.args, *second.args]
            keep[i] = False
    routine.steps = removed(steps, keep)


def turn_round(routine: ProcedureSteps) -> None:
    """Loops over members look for the next one at their end, and so do without the jump back to where they began."""
    steps, where = routine.steps, places(routine)
    for i, step in enumerate(steps):
        begin = where[step.target] if step.op == o.JMP and step.target is not None else i
        head = steps[begin]
        if begin < i and head.op in REPEATED and head.target in steps[i + 1].at:
            body = Label()
            steps[begin + 1].at.append(body)
            step.op, step.args, step.cause = REPEATED[head.op], [*head.args[:-1], body], head.cause
