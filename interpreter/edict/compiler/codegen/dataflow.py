"""What a routine keeps in its own cells: values read twice, copied about or never used again are left out.

Only cells that no other routine touches are looked at, and only in straight runs of steps, so that
every conclusion can be read off the page.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from edict.compiler.codegen.constant_folding import Folding
from edict.compiler.codegen.emit import Code, Label, Operand, Slot
from edict.compiler.codegen.instructions import (
    ENDS,
    PLAIN,
    PURE,
    READ,
    STORES,
    WRITTEN,
    Instruction,
    ProcedureSteps,
    places,
    removed,
    targets,
)
from edict.runtime.program import opcodes as o

ARRAY = 62  # an indexed row of cells may reach so far, or as far as the longest does
MOST_KNOWN = 100  # values that are known at a time: each step looks through all of them
ROWS = (o.STX, o.PUTX, o.SET)  # stores into what the rules declare, never into the header
MEMBERS = (o.NEXT, o.NTH)
Expression = tuple[Operand, ...]


def own_cells(routines: Iterable[ProcedureSteps], code: Code) -> dict[ProcedureSteps, set[Slot]]:
    """For each routine the cells that it alone uses, one at a time."""
    reach = max([ARRAY, *(frame.longest for frame in code.frames)])
    users: dict[Slot, set[ProcedureSteps]] = {}
    shared: set[Slot] = set()
    for routine in routines:
        for step in routine.steps:
            direct = {i - 1 for i in (*READ[step.op], *WRITTEN[step.op])}
            for i, arg in enumerate(step.args):
                if isinstance(arg, Slot):
                    users.setdefault(arg, set()).add(routine)
                    if arg.offset < arg.frame.open:
                        shared.add(arg)
                    if i not in direct:
                        shared |= {Slot(arg.frame, arg.offset + k) for k in range(reach)}
    own: dict[ProcedureSteps, set[Slot]] = {routine: set() for routine in routines}
    for slot, using in users.items():
        if len(using) == 1 and slot not in shared:
            own[next(iter(using))].add(slot)
    return own


# --- forward: what is known already need not be read, copied or worked out again -------------------------


class _Known:
    """What holds at a place: cells that equal others, and results that are still in a cell."""

    def __init__(self, own: set[Slot], constants: set[int], fixed: dict[Operand, Operand]) -> None:
        self.own = own
        self.constants = constants
        self.fixed = fixed
        self.copies: dict[Operand, Operand] = {}
        self.results: dict[Expression, Slot] = {}

    def instead_of(self, cell: Operand) -> Operand:
        """Where the same value stands, the best place for it."""
        cell = self.copies.get(cell, cell)
        return self.fixed.get(cell, cell)

    def never_negative(self, cell: Operand, tables: dict[Label, tuple[Operand, ...]]) -> bool:
        """Whether what is there came from a table that holds nothing below zero."""
        for made, kept in self.results.items():
            if kept == cell and made[0] == o.TAB and isinstance(made[1], Label):
                return all(isinstance(value, int) and value >= 0 for value in tables[made[1]])
        return False

    def forget_all(self) -> None:
        self.copies.clear()
        self.results.clear()

    def forget(self, cell: Operand) -> None:
        """The cell has changed."""
        self.copies.pop(cell, None)
        for of in [of for of, source in self.copies.items() if source == cell]:
            del self.copies[of]
        for made in [made for made, kept in self.results.items() if kept == cell or cell in made[1:]]:
            del self.results[made]

    def forget_shared(self, header: bool) -> None:
        """Anything but the routine's own cells may have changed; of the header's cells only if so said."""
        self.copies = {of: source for of, source in self.copies.items() if self._lasts(source, header)}
        self.results = {made: kept for made, kept in self.results.items() if self._holds(made, header)}

    def _lasts(self, cell: Operand, header: bool) -> bool:
        return cell in self.own or cell in self.constants or (not header and isinstance(cell, int) and cell < o.HEADER)

    def _holds(self, made: Expression, header: bool) -> bool:
        assert isinstance(made[0], int)
        return made[0] != o.LDX and all(self._lasts(made[i - 1], header) for i in READ[made[0]])

    def keep(self, step: Instruction) -> None:
        """Remember what the step's first operand now holds, if that stands in one of the routine's own cells.

        Cells of other routines may lie upon each other, so nothing is concluded from those.
        """
        target = step.args[0] if step.args else None
        read = list(step.read())
        if not isinstance(target, Slot) or target not in self.own or target in read:
            return
        if step.op in PURE and all(not isinstance(cell, Slot) or cell in self.own for cell in read):
            if step.op == o.MOV:
                self.copies[target] = step.args[1]
                _forget_oldest(self.copies)
            else:
                self.results[step.op, *step.args[1:]] = target
                _forget_oldest(self.results)


def _forget_oldest(known: dict[Any, Any]) -> None:
    if len(known) > MOST_KNOWN:
        del known[next(iter(known))]


def simplify(routine: ProcedureSteps, own: set[Slot], code: Code) -> None:
    """Use what is known in place of reading, copying and working it out again."""
    constants = {*code.numbers, o.EVERYONE, o.PLAYERS}
    known = _Known(own, constants, _fixed(routine, own, constants))
    folding = Folding(code)
    reached = targets(routine)
    for step in routine.steps:
        if any(label in reached for label in step.at):
            known.forget_all()
        for i in PLAIN[step.op]:
            step.args[i - 1] = known.instead_of(step.args[i - 1])
        folding.fold(step)
        at_least_zero = step.op == o.MAX and code.value_of(step.args[2]) == 0
        if at_least_zero and known.never_negative(step.args[1], folding.tables):
            step.op, step.args = o.MOV, step.args[:2]
        _step(step, known)


def _fixed(routine: ProcedureSteps, own: set[Slot], constants: set[int]) -> dict[Operand, Operand]:
    """The routine's cells that are written once, with a constant: they never hold anything else."""
    written: dict[Operand, list[Instruction]] = {}
    for step in routine.steps:
        for cell in step.written():
            written.setdefault(cell, []).append(step)
    return {
        cell: steps[0].args[1]
        for cell, steps in written.items()
        if cell in own and len(steps) == 1 and steps[0].op == o.MOV and steps[0].args[1] in constants
    }


def _step(step: Instruction, known: _Known) -> None:
    made = (step.op, *step.args[1:])
    if step.op in PURE and made in known.results:
        step.op, step.args = o.MOV, [step.args[0], known.results[made]]
    for cell in step.written():
        known.forget(cell)
    if step.op in STORES or any(cell not in known.own for cell in step.written()):
        known.forget_shared(header=step.op not in ROWS)
    known.keep(step)


# --- backward: what nobody reads need not be worked out ----------------------------------------------------


def drop_unread(routine: ProcedureSteps, own: set[Slot]) -> None:
    """Leave out results that nobody reads; write a result at once where it would only be copied to."""
    number = {slot: i for i, slot in enumerate(own)}
    before, after = needed(routine, number)
    steps, where = routine.steps, places(routine)
    keep = [True] * len(steps)
    reached = targets(routine)
    for i, step in enumerate(steps):
        if step.op not in PURE:
            continue
        target = step.args[0]
        if target in number and not after[i] >> number[target] & 1:
            keep[i] = False
        elif step.op == o.MOV and i and keep[i - 1] and not any(label in reached for label in step.at):
            off = steps[i - 1].target
            elsewhere = 0 if off is None else before[where[off]]
            keep[i] = not _redirected(steps[i - 1], step, number, after[i] | elsewhere)
    routine.steps = removed(steps, keep)


def _redirected(maker: Instruction, move: Instruction, number: dict[Slot, int], after: int) -> bool:
    """Let the step before write where its result is only moved to, if that can be."""
    source = move.args[1]
    if not isinstance(source, Slot) or source not in number or after >> number[source] & 1:
        return False
    if maker.op not in (*PURE, *MEMBERS) or maker.args[0] != source or source in maker.args[1:]:
        return False
    maker.args[0] = move.args[0]
    return True


def needed(routine: ProcedureSteps, number: dict[Slot, int]) -> tuple[list[int], list[int]]:
    """For each step the sets of own cells that may still be read from it on, and after it."""
    steps, where = routine.steps, places(routine)
    reads = [_mask(step.read(), number) for step in steps]
    writes = [_mask(step.written(), number) for step in steps]
    before = [0] * (len(steps) + 1)
    after = [0] * len(steps)
    changed = True
    while changed:
        changed = False
        for i in range(len(steps) - 1, -1, -1):
            wanted = 0 if steps[i].op in ENDS or i + 1 == len(steps) else before[i + 1]
            target = steps[i].target
            elsewhere = 0 if target is None else before[where[target]]
            after[i] = wanted | elsewhere
            kept = elsewhere if steps[i].op in MEMBERS else 0  # where no member is left, none is written
            now = reads[i] | (after[i] & ~writes[i]) | kept
            changed = changed or now != before[i]
            before[i] = now
    return before, after


def _mask(cells: Iterable[Operand], number: dict[Slot, int]) -> int:
    mask = 0
    for cell in cells:
        if isinstance(cell, Slot) and cell in number:
            mask |= 1 << number[cell]
    return mask
