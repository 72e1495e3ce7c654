"""The writer of one procedure, which tracks the cells of its variables, its calls and its causes.

Each class of the core has an emitter, in one of three tables. A value takes as many cells as its type needs, nearly
always one; an emitter returns their operands. The first members of a set of several cells are in the first cell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.emit import CodeBuffer, CodeLabel, FrameSize, FrameSlot, Operand, StackFrame
from edict.runtime.program import HOLDS, NEITHER, NO, YES
from edict.runtime.program import opcodes as o


class ProcedureWriter:
    """The shared state of the emitters of expressions, conditions and statements.

    `cycles` maps the names of recursive procedures to the number of the cycle they are on.
    """

    def __init__(self, code: CodeBuffer, cycles: Mapping[str, int]) -> None:
        self.code = code
        self.emit, self.const, self.place_label = code.emit, code.constant_cell, code.place_label
        self.cycles = cycles
        self.frames: dict[core.Procedure, StackFrame] = {}
        self.procedure = core.Procedure("", (), core.Var())
        self.frame = StackFrame("")
        self.copies = 1  # copies of the current code that unrolled loops emit
        self._homes: dict[core.Var, Operand] = {}
        self._open_homes: dict[core.Var, Operand] = {}  # homes of the variables in scope
        self._labels: dict[core.BlockLabel, CodeLabel] = {}

    # --- procedures ----------------------------------------------------------------------------

    def declare(self, procedure: core.Procedure) -> StackFrame:
        """Create a procedure's frame, which begins with its result and parameters."""
        frame = self.code.add_frame(procedure.name)
        for var in (procedure.result, *procedure.params):
            self._homes[var] = frame.allocate_row(var.cells)
        frame.shared = frame.used
        self.frames[procedure] = frame
        return frame

    def begin(self, procedure: core.Procedure, cause: int) -> None:
        """Begin the code of a declared procedure."""
        self.procedure, self.frame = procedure, self.frames[procedure]
        self._open_homes = {var: self._homes[var] for var in (procedure.result, *procedure.params)}
        self._labels = {}
        self.code.cause = cause
        self.code.place_label(self.frame.entry)

    def emit_call(
        self, procedure: core.Procedure, args: tuple[Operand, ...], perhaps: bool = False
    ) -> Sequence[FrameSlot]:
        """Emit a call, and return the cells of its result, which last until the next call.

        Args:
            procedure: The callee.
            args: The cells of the arguments.
            perhaps: Whether the call may be skipped at run time.
        """
        frame = self.frames[procedure]
        is_recursive = self.is_recursive(frame)
        lends_cells = is_recursive and procedure.lends and frame is not self.frame
        if is_recursive:
            self.emit_save(self.frame)
        if lends_cells:
            self.emit_save(frame)  # the cells of the previous call are still read
        for param, arg in zip(procedure.params, args, strict=True):
            self.emit(o.MOV, self._homes[param], arg)
        (self.frame.possible_calls if perhaps or procedure.asks else self.frame.calls).append(frame)
        self.emit(o.CALL, frame.entry)
        cells = procedure.result.cells
        home = self._homes[procedure.result]
        assert isinstance(home, FrameSlot)
        result = home.row(cells)
        if not is_recursive:
            return result
        first = o.SCRATCH if cells == 1 else self.code.reserve(cells)
        transfer_cells = range(first, first + cells)
        self.emit_copies(transfer_cells, result)
        if lends_cells:
            self.emit_restore(frame)
        self.emit_restore(self.frame)
        result_copy = self.allocate_row(cells)
        self.emit_copies(result_copy, transfer_cells)
        return result_copy

    def is_recursive(self, frame: StackFrame) -> bool:
        """Return True if the frame's procedure can call the current one again."""
        current_cycle = self.cycles.get(self.frame.name)
        return current_cycle is not None and current_cycle == self.cycles.get(frame.name)

    def emit_save(self, frame: StackFrame) -> None:
        """Save the cells of a frame on the stack."""
        self.emit(o.SAVE, FrameSlot(frame, 0), FrameSize(frame))

    def emit_restore(self, frame: StackFrame) -> None:
        """Restore the cells of a frame from the stack."""
        self.emit(o.RESTORE, FrameSlot(frame, 0), FrameSize(frame))

    # --- code ----------------------------------------------------------------------------------

    def open_label(self, label: core.BlockLabel) -> CodeLabel:
        """Create the code label of a block; a block that is emitted again gets a new one."""
        self._labels[label] = CodeLabel()
        return self._labels[label]

    def code_label(self, label: core.BlockLabel) -> CodeLabel:
        """Return the code label of a block that is being emitted."""
        return self._labels[label]

    def note_fork(self, on_jump: int, on_next: int, works: bool = False, cause: int = -1) -> None:
        """Note that the last jump is a fork in the rules, for coverage and explanations.

        Args:
            on_jump: The meaning of jumping.
            on_next: The meaning of falling through.
            works: Whether the fork asks if an ability's thing works.
            cause: The place in the rules; -1 is the current cause.
        """
        if works:
            on_jump, on_next = (HOLDS if way == YES else NEITHER for way in (on_jump, on_next))
        self.code.forks[self.code.last_address] = (self.code.cause if cause < 0 else cause, on_jump, on_next)

    def emit_decision(self, condition: core.Condition, when: bool, op: int, *operands: Operand) -> None:
        """Emit the jump `op`, taken if the condition is `when`; note it as a fork if the condition is `told`."""
        self.emit(op, *operands)
        if condition.told:
            self.note_fork(YES if when else NO, NO if when else YES, condition.works)

    def is_constant(self, cell: Operand) -> bool:
        """Return True if a cell has the same value during the whole game."""
        return self.code.constant_value(cell) is not None or cell in (o.EVERYONE, o.PLAYERS)

    # --- variables -----------------------------------------------------------------------------

    def allocate_cell(self) -> FrameSlot:
        """Allocate a cell of the current frame."""
        return self.frame.allocate_cell()

    def allocate_row(self, cells: int) -> Sequence[FrameSlot]:
        """Allocate consecutive cells of the current frame."""
        return self.frame.allocate_row(cells).row(cells)

    def emit_copy(self, operand: Operand) -> FrameSlot:
        """Copy a cell to a new one, and return it."""
        cell = self.allocate_cell()
        self.emit(o.MOV, cell, operand)
        return cell

    def emit_copies(self, targets: Sequence[Operand], sources: Sequence[Operand]) -> None:
        """Emit a copy of each source to the target at the same index; both have the same length."""
        for target, operand in zip(targets, sources, strict=True):
            self.emit(o.MOV, target, operand)

    def own_slot(self, var: core.Var) -> FrameSlot:
        """Return the first cell of a variable that is set here, allocating it on first use."""
        if var not in self._open_homes:
            self._open_homes[var] = self._homes[var] = self.frame.allocate_row(var.cells)
        home = self._open_homes[var]
        assert isinstance(home, FrameSlot), "another name for something else is not set"
        return home

    def alias(self, var: core.Var, operand: Operand) -> None:
        """Make a variable an alias of an existing cell."""
        self._open_homes[var] = self._homes[var] = operand

    def locate(self, var: core.Var) -> Operand:
        """Return the first cell of a variable, which may belong to another procedure."""
        if var in self._open_homes:
            return self._open_homes[var]
        home = self._homes[var]
        if not isinstance(home, FrameSlot):
            return home
        assert home.frame is not self.frame, "a variable is read before it is set, or behind its scope"
        if self.procedure.aside and not (home.frame.watched and self.frame in home.frame.calls):
            home.frame.watched = True
            home.frame.calls.append(self.frame)  # never called, but its cells must not overlap those it reads
        return home

    def address(self, var: core.Var) -> int:
        """Return the address of a parameter or result, known after assembly."""
        home = self._homes[var]
        assert isinstance(home, FrameSlot)
        return home.frame.base + home.offset

    @contextmanager
    def scope(self) -> Iterator[None]:
        """Provide a context at whose end all cells and variables allocated inside are free again."""
        used_before, open_before = self.frame.used, len(self._open_homes)
        yield
        self.frame.used = used_before
        while len(self._open_homes) > open_before:
            self._open_homes.popitem()  # the variable opened last


Operands = Sequence[Operand]
PreferredTarget = Sequence[FrameSlot] | None  # cells where a value would best be placed; the emitter may ignore them

VALUE_EMITTERS: dict[type, Callable[[ProcedureWriter, Any, PreferredTarget], Operands]] = {}
CONDITION_EMITTERS: dict[type, Callable[[ProcedureWriter, Any, CodeLabel, bool], None]] = {}
STATEMENT_EMITTERS: dict[type, Callable[[ProcedureWriter, Any], None]] = {}


def emit_values(w: ProcedureWriter, expr: core.CoreExpr, into: PreferredTarget = None) -> Operands:
    """Emit an expression, and return its cells. They may belong to a variable; copy what must not change."""
    return VALUE_EMITTERS[type(expr)](w, expr, into)


def emit_value(w: ProcedureWriter, expr: core.CoreExpr) -> Operand:
    """Emit an expression that takes one cell, and return the cell."""
    (cell,) = VALUE_EMITTERS[type(expr)](w, expr, None)
    return cell


def emit_jump(w: ProcedureWriter, condition: core.Condition, target: CodeLabel, when: bool) -> None:
    """Emit a jump to `target` that is taken if the condition has the truth value `when`; otherwise code goes on."""
    outer_cause = w.code.cause
    if condition.cause >= 0:
        w.code.cause = condition.cause
    CONDITION_EMITTERS[type(condition)](w, condition, target, when)
    w.code.cause = outer_cause


def emit_body(w: ProcedureWriter, body: core.Body) -> None:
    """Emit the statements of a body, each with its cause."""
    outer_cause = w.code.cause
    for statement in body:
        w.code.cause = statement.cause
        STATEMENT_EMITTERS[type(statement)](w, statement)
    w.code.cause = outer_cause
