"""Loops that only carry the members of one set into another: done at once.

Such a loop is left where a condition on the members turned out to hold for all of them.
"""

from __future__ import annotations

from edict.backend.emit import Slot
from edict.backend.dataflow import needed
from edict.backend.constant_folding import NOTHING
from edict.backend.instructions import Routine, Step, places, targets
from edict.program import opcodes as o

LOOP = [o.NEXT, o.BIT, o.OR, o.JMP]


def gather(routine: Routine, own: set[Slot]) -> None:
    """Take the sets together where a loop would carry over one member after the other."""
    number = {slot: i for i, slot in enumerate(own)}
    wanted = targets(routine)
    for i in range(len(routine.steps) - 3):
        loop = routine.steps[i : i + 4]
        if [step.op for step in loop] == LOOP and not any(x in wanted for step in loop[1:] for x in step.at):
            _at_once(routine, loop, number)


def _at_once(routine: Routine, loop: list[Step], number: dict[Slot, int]) -> None:
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


def _read_later(routine: Routine, cells: list[object], end: object, number: dict[Slot, int]) -> bool:
    """Whether anybody may read one of the cells when the loop has ended."""
    before, _ = needed(routine, number)
    left = next(before[i] for label, i in places(routine).items() if label is end)
    return any(not isinstance(cell, Slot) or cell not in number or left >> number[cell] & 1 for cell in cells)
