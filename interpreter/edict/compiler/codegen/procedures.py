"""The procedure that is being written: where its variables live, what it calls, and which rule its code is for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from edict.compiler.codegen import core
from edict.compiler.codegen.emit import Code, Frame, Label, Operand, Size, Slot
from edict.runtime.program import HOLDS, NEITHER, NO, YES
from edict.runtime.program import opcodes as o


class Writer:
    """What writing expressions, conditions and statements shares.

    circles: names of procedures -> the number of the circle on which they may come back to themselves.
    """

    def __init__(self, code: Code, circles: Mapping[str, int]) -> None:
        self.code = code
        self.emit, self.const, self.put = code.emit, code.constant, code.put
        self.circles = circles
        self.frames: dict[core.Procedure, Frame] = {}
        self.procedure = core.Procedure("", (), core.Var())
        self.frame = Frame("")
        self.copies = 1  # how often what is being written is written, once for each of a few members
        self._homes: dict[core.Var, Operand] = {}
        self._open: dict[core.Var, Operand] = {}  # the variables that have their cells now
        self._labels: dict[core.Label, Label] = {}

    # --- procedures ----------------------------------------------------------------------------

    def declare(self, procedure: core.Procedure) -> Frame:
        """Its frame begins with its result and its parameters, which its callers know."""
        frame = self.code.frame(procedure.name)
        for var in (procedure.result, *procedure.params):
            self._homes[var] = frame.cells(var.cells)
        frame.open = frame.used
        self.frames[procedure] = frame
        return frame

    def begin(self, procedure: core.Procedure, cause: int) -> None:
        self.procedure, self.frame = procedure, self.frames[procedure]
        self._open = {var: self._homes[var] for var in (procedure.result, *procedure.params)}
        self._labels = {}
        self.code.cause = cause
        self.code.put(self.frame.entry)

    def call(self, procedure: core.Procedure, args: tuple[Operand, ...], perhaps: bool = False) -> Sequence[Slot]:
        """Call it, if it comes to that. Gives the cells of its result, which last until it is called again."""
        frame = self.frames[procedure]
        circular = self.circular(frame)
        lent = circular and procedure.lends and frame is not self.frame
        if circular:
            self.save(self.frame)
        if lent:
            self.save(frame)  # of the call before, for those that still read it
        for param, arg in zip(procedure.params, args, strict=True):
            self.emit(o.MOV, self._homes[param], arg)
        (self.frame.chooses if perhaps or procedure.asks else self.frame.calls).append(frame)
        self.emit(o.CALL, frame.entry)
        cells = procedure.result.cells
        home = self._homes[procedure.result]
        assert isinstance(home, Slot)
        result = home.row(cells)
        if not circular:
            return result
        first = o.SCRATCH if cells == 1 else self.code.reserve(cells)
        passed = range(first, first + cells)
        self.copy_all(passed, result)
        if lent:
            self.restore(frame)
        self.restore(self.frame)
        found = self.fresh(cells)
        self.copy_all(found, passed)
        return found

    def circular(self, frame: Frame) -> bool:
        """Whether it may come back to the procedure being written."""
        here = self.circles.get(self.frame.name)
        return here is not None and here == self.circles.get(frame.name)

    def save(self, frame: Frame) -> None:
        self.emit(o.SAVE, Slot(frame, 0), Size(frame))

    def restore(self, frame: Frame) -> None:
        self.emit(o.RESTORE, Slot(frame, 0), Size(frame))

    # --- code ----------------------------------------------------------------------------------

    def enter(self, label: core.Label) -> Label:
        """The label of a block that begins here; of the same block written again, in other places, another one."""
        self._labels[label] = Label()
        return self._labels[label]

    def label(self, label: core.Label) -> Label:
        """That of a block which is being written."""
        return self._labels[label]

    def fork(self, there: int, on: int, works: bool = False, cause: int = -1) -> None:
        """The jump written last is where words of the rules part the ways; `cause`: which, if not those of now."""
        if works:
            there, on = (HOLDS if way == YES else NEITHER for way in (there, on))
        self.code.forks[self.code.last] = (self.code.cause if cause < 0 else cause, there, on)

    def decide(self, condition: core.Condition, when: bool, op: int, *operands: Operand) -> None:
        """The jump of a condition that has no parts."""
        self.emit(op, *operands)
        if condition.told:
            self.fork(YES if when else NO, NO if when else YES, condition.works)

    def never_changes(self, cell: Operand) -> bool:
        return self.code.value_of(cell) is not None or cell in (o.EVERYONE, o.PLAYERS)

    # --- variables -----------------------------------------------------------------------------

    def cell(self) -> Slot:
        return self.frame.cell()

    def fresh(self, cells: int) -> Sequence[Slot]:
        """So many cells in a row."""
        return self.frame.cells(cells).row(cells)

    def copy(self, operand: Operand) -> Slot:
        cell = self.cell()
        self.emit(o.MOV, cell, operand)
        return cell

    def copy_all(self, targets: Sequence[Operand], found: Sequence[Operand]) -> None:
        for target, operand in zip(targets, found, strict=True):
            self.emit(o.MOV, target, operand)

    def own(self, var: core.Var) -> Slot:
        """The first cell of a variable that is set here."""
        if var not in self._open:
            self._open[var] = self._homes[var] = self.frame.cells(var.cells)
        home = self._open[var]
        assert isinstance(home, Slot), "another name for something else is not set"
        return home

    def name(self, var: core.Var, operand: Operand) -> None:
        """The variable is another name for what is there already."""
        self._open[var] = self._homes[var] = operand

    def where(self, var: core.Var) -> Operand:
        """Where a variable begins, which may be that of another procedure."""
        if var in self._open:
            return self._open[var]
        home = self._homes[var]
        if not isinstance(home, Slot):
            return home
        assert home.frame is not self.frame, "a variable is read before it is set, or behind its scope"
        if self.procedure.aside and not (home.frame.watched and self.frame in home.frame.calls):
            home.frame.watched = True
            home.frame.calls.append(self.frame)  # never called, but it must not lie upon the cells it reads
        return home

    def address(self, var: core.Var) -> int:
        """After assembly: the cell of a parameter or result."""
        home = self._homes[var]
        assert isinstance(home, Slot)
        return home.frame.base + home.offset

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Variables set inside, and cells taken, are free again afterwards."""
        mark, known = self.frame.used, len(self._open)
        yield
        self.frame.used = mark
        while len(self._open) > known:
            self._open.popitem()  # the one that was opened last
