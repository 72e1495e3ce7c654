"""Loops over members that test a number known of each against one that stays the same: a table has the members by it.

`for each building whose price in stone you have` need not look at one building after the other: for each amount, a
table has the set of all that cost no more. What is left of the loop goes through the members of that set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edict.compiler.codegen.dataflow import needed
from edict.compiler.codegen.emit import Code, Label, Operand, Slot
from edict.compiler.codegen.instructions import PURE, Instruction, ProcedureSteps, places, removed, targets
from edict.runtime.program import opcodes as o

MEMBERS = range(o.BITS)
MOST_SETS = 64  # of a table: a number for each amount from the least to the greatest that a member has


@dataclass(frozen=True, slots=True)
class _Loop:
    """Its first step takes a member, its last goes back; by the numbers of the steps."""

    first: int
    last: int


def narrow(routine: ProcedureSteps, own: set[Slot], code: Code) -> bool:
    """Ask for all members at once, before a loop, what of each is known before play; gives whether there was such."""
    number = {slot: i for i, slot in enumerate(own)}
    tables = {label: values for values, label in code.tables.items()}
    found = False
    while (one := _first(routine, number, tables, code)) is not None:
        _narrow(routine, *one, code)
        found = True
    return found


def _first(
    routine: ProcedureSteps, number: dict[Slot, int], tables: dict[Label, tuple[Operand, ...]], code: Code
) -> tuple[_Loop, int, dict[int, int]] | None:
    """A loop, the step in it that looks up a number, and what it is for each member."""
    for loop in _loops(routine):
        for at in range(loop.first + 1, loop.last - 1):
            if _is_looked_up(routine, loop, at) and _fits(routine, loop, at, number):
                numbers = _numbers(routine.steps[at], routine.steps[loop.first].args[0], tables, code)
                if numbers:
                    return loop, at, numbers
    return None


def _loops(routine: ProcedureSteps) -> Iterator[_Loop]:
    """Loops into which nothing leads but their beginning."""
    where = places(routine)
    for last, step in enumerate(routine.steps):
        first = where[step.target] if step.op == o.JMP and step.target is not None else last
        if first < last and routine.steps[first].op == o.NEXT and _closed(routine, first, last):
            yield _Loop(first, last)


def _closed(routine: ProcedureSteps, first: int, last: int) -> bool:
    inside = {label for step in routine.steps[first : last + 1] for label in step.at}
    outside = routine.steps[:first] + routine.steps[last + 1 :]
    return first > 0 and not any(step.target in inside for step in outside)


def _is_looked_up(routine: ProcedureSteps, loop: _Loop, at: int) -> bool:
    """Whether a step looks something up, and the next goes on to another member if that is too much."""
    look, test = routine.steps[at : at + 2]
    if look.op not in (o.TAB, o.TABX) or test.op not in (o.JLT, o.JLTX) or test.args[-2] != look.args[0]:
        return False
    return test.target in routine.steps[loop.first].at and not any(label in targets(routine) for label in test.at)


def _fits(routine: ProcedureSteps, loop: _Loop, at: int, number: dict[Slot, int]) -> bool:
    """Whether the loop only computes, what there is stays the same in it, and whoever fails the test leaves nothing
    behind."""
    steps, where = routine.steps, places(routine)
    inside, first = steps[loop.first : loop.last], steps[loop.first]
    if not all(step.op in PURE or step.target is not None for step in inside):
        return False
    have, rest = steps[at + 1].args[:-2], first.args[1]
    if {cell for step in inside for cell in step.written()} & set(have):
        return False
    if rest in {cell for step in inside[1:] for cell in (*step.read(), *step.written())}:
        return False
    before, after = needed(routine, number)
    found = steps[at].args[0]
    if not _passes(found, after[at + 1], number) or not _passes(first.args[0], before[loop.first], number):
        return False
    for step in steps[loop.first + 1 : at]:
        goes_on = step.target is None or step.target in first.at or loop.first < where[step.target] <= at
        if not goes_on or not all(_passes(cell, before[loop.first], number) for cell in step.written()):
            return False
    return True


def _passes(cell: Operand, later: int, number: dict[Slot, int]) -> bool:
    """Whether nobody reads a cell later."""
    return isinstance(cell, Slot) and cell in number and not later >> number[cell] & 1


def _numbers(
    look: Instruction, member: Operand, tables: dict[Label, tuple[Operand, ...]], code: Code
) -> dict[int, int]:
    """What is looked up, by member; nothing if that is not known."""
    values = tables.get(look.args[1]) if isinstance(look.args[1], Label) else None
    each, more = 1, 0
    if look.op == o.TABX:
        known = code.value_of(look.args[4])
        if not isinstance(look.args[3], int) or known is None:
            return {}
        each, more = look.args[3], known
    if values is None or look.args[2] != member or each < 1:
        return {}
    found = {i: values[i * each + more] for i in MEMBERS if 0 <= i * each + more < len(values)}
    if not all(isinstance(value, int) for value in found.values()):
        return {}
    numbers = {i: value for i, value in found.items() if isinstance(value, int)}
    least, most = min(numbers.values(), default=0), max(numbers.values(), default=0)
    return numbers if most - least < MOST_SETS and o.LEAST < least else {}


def _narrow(routine: ProcedureSteps, loop: _Loop, at: int, numbers: dict[int, int], code: Code) -> None:
    """Put the question before the loop: of those left, only they whose number is no more than there is."""
    steps, frame = routine.steps, routine.frame
    test, rest = steps[at + 1], steps[loop.first].args[1]
    none, most = min(numbers.values()) - 1, max(numbers.values())
    amount, among = Slot(frame, frame.size), Slot(frame, frame.size + 1)
    frame.size += 2
    sets = [sum(1 << i for i, value in numbers.items() if value <= have) for have in range(none, most + 1)]
    cause = test.cause
    asked = [Instruction(o.MAX, [amount, test.args[0], code.constant(none)], cause)]
    if test.op == o.JLTX:
        asked = [
            Instruction(o.LDX, [amount, *test.args[:2]], cause),
            Instruction(o.MAX, [amount, amount, code.constant(none)], cause),
        ]
    asked.append(Instruction(o.MIN, [amount, amount, code.constant(most)], cause))
    if none:
        asked.append(Instruction(o.SUB, [amount, amount, code.constant(none)], cause))
    asked += [
        Instruction(o.TAB, [among, code.table(sets), amount], cause),
        Instruction(o.AND, [rest, rest, among], cause),
    ]
    keep = [i not in (at, at + 1) for i in range(len(steps))]
    routine.steps = [*steps[: loop.first], *asked, *removed(steps[loop.first :], keep[loop.first :])]
