"""Code under construction: frames, labels, instructions, and their final addresses."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import field
from typing import NamedTuple

from edict.runtime.program import opcodes as o
from edict.support.ordering import CycleError, find_cycles, sort_topologically
from edict.support.records import dataclass


@dataclass(eq=False, slots=True)
class CodeLabel:
    """A place in the code whose address is known once the label is placed."""

    at: int = -1


@dataclass(eq=False)
class StackFrame:
    """The cells of one procedure. Mutually recursive procedures save them on the stack."""

    name: str
    entry: CodeLabel = field(default_factory=CodeLabel)
    used: int = 0
    size: int = 0
    base: int = -1
    longest: int = 1  # cells of the longest row that is reached by an index
    watched: bool = False  # option texts and reasons read its cells, so the procedure is not inlined
    shared: int = 0  # number of leading cells that callers access, the result and the parameters
    calls: list[StackFrame] = field(default_factory=list)
    # called through a thing's field and therefore perhaps not at all
    possible_calls: list[StackFrame] = field(default_factory=list)

    def allocate_cell(self) -> FrameSlot:
        """Allocate one cell."""
        slot = FrameSlot(self, self.used)
        self.used += 1
        self.size = max(self.size, self.used)
        return slot

    def allocate_row(self, n: int) -> FrameSlot:
        """Allocate consecutive cells, and return the first."""
        first = self.allocate_cell()
        self.longest = max(self.longest, n)
        for _ in range(n - 1):
            self.allocate_cell()
        return first


class FrameSlot(NamedTuple):  # made, hashed and compared more often than anything else here
    """A cell of a frame."""

    frame: StackFrame
    offset: int

    def row(self, cells: int) -> Sequence[FrameSlot]:
        """Return this cell and the following ones as a row."""
        if cells == 1:
            return [self]
        return [FrameSlot(self.frame, self.offset + i) for i in range(cells)]


@dataclass(frozen=True, slots=True)
class FrameSize:
    """The number of cells of a frame, known after assembly."""

    frame: StackFrame


Operand = int | FrameSlot | CodeLabel | FrameSize
ForkNote = tuple[int, int, int]  # cause, meaning of jumping, meaning of falling through: see `program.Fork`


class UnsavedRecursion(Exception):
    """Procedures that can call themselves through a thing's field; maps names to the number of their cycle."""

    def __init__(self, names: dict[str, int]) -> None:
        self.names = names
        super().__init__()


class EndlessRecursion(Exception):
    """Procedures that always call each other in a cycle without end."""

    def __init__(self, frames: list[StackFrame]) -> None:
        self.frames = frames
        super().__init__(" -> ".join(f.name for f in frames))


class CodeTooLarge(Exception):
    """More code than a program may have; `cause` is the rule at which the limit was exceeded."""

    def __init__(self, cause: int) -> None:
        self.cause = cause
        super().__init__()


class CodeBuffer:
    """The instructions of a program under construction; `assemble` returns the final integers."""

    def __init__(self, finish: Callable[[CodeBuffer], None] = lambda code: None, most: int = 1 << 30) -> None:
        self.finish = finish  # optimizes the instructions before they get their addresses
        self.max_size = most  # integers that the unoptimized code may have
        self.out: list[Operand] = []
        self.frames: list[StackFrame] = []
        self.places: list[tuple[int, int]] = []
        self.forks: dict[int, ForkNote] = {}
        self.last_address = 0  # address of the last instruction
        self.constants: dict[int, int] = {}
        self.numbers: dict[int, int] = {}
        self.initial: list[int] = [0] * o.HEADER
        self.tables: dict[tuple[Operand, ...], CodeLabel] = {}
        self.dice_faces = CodeLabel()
        self.cause = 0

    # --- cells -------------------------------------------------------------------------------

    def constant_value(self, cell: Operand) -> int | None:
        """Return the number in a constant's cell, or None for any other cell."""
        return self.numbers.get(cell) if isinstance(cell, int) else None

    def reserve(self, count: int, value: int = 0) -> int:
        """Reserve cells for the whole game, and return the address of the first."""
        base = len(self.initial)
        self.initial.extend([value] * count)
        return base

    def constant_cell(self, value: int) -> int:
        """Return the cell of a constant, allocating it on first use."""
        if value not in self.constants:
            self.constants[value] = self.reserve(1, value)
            self.numbers[self.constants[value]] = value
        return self.constants[value]

    # --- instructions --------------------------------------------------------------------------

    def emit(self, op: int, *operands: Operand) -> None:
        """Append an instruction."""
        assert len(operands) == o.SIZE[op] - 1, (o.NAMES[op], operands)
        if not self.places or self.places[-1][1] != self.cause:
            self.places.append((len(self.out), self.cause))
        self.last_address = len(self.out)
        if self.last_address > self.max_size:
            raise CodeTooLarge(self.cause)
        self.out.append(op)
        self.out.extend(operands)

    def place_label(self, label: CodeLabel) -> None:
        """Place a label at the current end of the code."""
        label.at = len(self.out)

    def add_table(self, values: Sequence[Operand]) -> CodeLabel:
        """Return the label of a constant table, which is placed behind the code; equal tables are shared."""
        key = tuple(values)
        if key not in self.tables:
            self.tables[key] = CodeLabel()
        return self.tables[key]

    def add_frame(self, name: str) -> StackFrame:
        """Add the frame of a procedure."""
        frame = StackFrame(name)
        self.frames.append(frame)
        return frame

    # --- the end -------------------------------------------------------------------------------

    def assemble(self, recursive: Container[str] = ()) -> tuple[int, ...]:
        """Lay out the frames, callers below callees, and resolve all operands to integers.

        Args:
            recursive: Names of the procedures that save their cells when they call each other.

        Raises:
            UnsavedRecursion: If more procedures must save their cells.
            EndlessRecursion: If procedures always call each other in a cycle.
        """
        self._sort_callers_first(lambda frame: frame.calls)
        cycles = self._find_cycles()
        if any(name not in recursive for name in cycles):
            raise UnsavedRecursion(cycles)
        self.finish(self)
        for values, label in self.tables.items():
            self.place_label(label)
            self.out.extend(values)
        start = len(self.initial)
        self._lay_out_frames(start, cycles)
        end = max((f.base + f.size for f in self.frames), default=start)
        self.initial.extend([0] * (end - start))
        return tuple([x if isinstance(x, int) else self._resolve_operand(x) for x in self.out])

    def _resolve_operand(self, operand: Operand) -> int:
        """Return the integer for an operand: the address of a slot, the size of a frame, the place of a label."""
        if isinstance(operand, FrameSlot):
            return operand.frame.base + operand.offset
        if isinstance(operand, FrameSize):
            return operand.frame.size
        if isinstance(operand, CodeLabel):
            assert operand.at >= 0, "a label was never put"
            return operand.at
        return operand

    def _lay_out_frames(self, start: int, cycles: dict[str, int]) -> None:
        """Place the frames of one cycle side by side, and their callees behind all of them."""
        circular: dict[int, list[StackFrame]] = {}
        for frame in self.frames:
            if frame.name in cycles:
                circular.setdefault(cycles[frame.name], []).append(frame)
        groups = {f: circular[cycles[f.name]] if f.name in cycles else [f] for f in self.frames}

        def callees_of(frame: StackFrame) -> list[StackFrame]:
            """Return the first frame of each other cycle that the cycle of `frame` calls or may call."""
            callees = [x for f in groups[frame] for x in (*f.calls, *f.possible_calls)]
            return [groups[x][0] for x in dict.fromkeys(callees) if groups[x][0] is not frame]

        representatives = [f for f in self.frames if groups[f][0] is f]
        order = [f for f in self._sort_callers_first(callees_of, representatives) if groups[f][0] is f]
        base = dict.fromkeys(order, start)
        for frame in order:
            address = base[frame]
            for member in groups[frame]:
                member.base = address
                address += member.size
            for called in callees_of(frame):
                base[called] = max(base[called], address)

    def _find_cycles(self) -> dict[str, int]:
        """Map the name of each procedure that can call itself, also indirectly, to the number of its cycle."""
        cycles = find_cycles(self.frames, lambda frame: (*frame.calls, *frame.possible_calls))
        number = {frame: i for i, cycle in enumerate(cycles) for frame in cycle}
        circular = [f for f in self.frames if f in number]
        first: dict[int, int] = {}
        for i, frame in enumerate(circular):
            first.setdefault(number[frame], i)
        return {f.name: first[number[f]] for f in circular}

    def _sort_callers_first(
        self, callees_of: Callable[[StackFrame], Sequence[StackFrame]], frames: Sequence[StackFrame] | None = None
    ) -> list[StackFrame]:
        """Return frames so that each comes before those it calls; raise `EndlessRecursion` for a cycle."""
        try:
            return sort_topologically(self.frames if frames is None else frames, callees_of)[::-1]
        except CycleError as circle:
            raise EndlessRecursion([f for f in circle.members if isinstance(f, StackFrame)]) from None


@contextmanager
def scratch_cells(frame: StackFrame) -> Iterator[None]:
    """Free the cells allocated inside on exit."""
    used_before = frame.used
    yield
    frame.used = used_before
