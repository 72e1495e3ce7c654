"""Code under construction: frames, labels, instructions, and their final addresses."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from edict.runtime.program import opcodes as o
from edict.support.ordering import Circle, after_their_needs, together


@dataclass(eq=False, slots=True)
class Label:
    """A place in the code, known once it is put."""

    at: int = -1


@dataclass(eq=False)
class Frame:
    """The cells of one procedure; those that call each other in a circle save them on the stack."""

    name: str
    entry: Label = field(default_factory=Label)
    used: int = 0
    size: int = 0
    base: int = -1
    longest: int = 1  # cells of a row, which steps reach by an index
    watched: bool = False  # reasons read its cells, so it is not written in place
    open: int = 0  # its first cells, which others write and read: result and parameters
    calls: list[Frame] = field(default_factory=list)
    chooses: list[Frame] = field(default_factory=list)  # called by way of a thing's field, so perhaps not

    def cell(self) -> Slot:
        slot = Slot(self, self.used)
        self.used += 1
        self.size = max(self.size, self.used)
        return slot

    def cells(self, n: int) -> Slot:
        first = self.cell()
        self.longest = max(self.longest, n)
        for _ in range(n - 1):
            self.cell()
        return first


@dataclass(frozen=True, slots=True)
class Slot:
    frame: Frame
    offset: int

    def row(self, cells: int) -> Sequence[Slot]:
        """So many cells, of which this is the first."""
        return [self] if cells == 1 else [Slot(self.frame, self.offset + i) for i in range(cells)]


@dataclass(frozen=True, slots=True)
class Size:
    """How many cells a frame has in the end."""

    frame: Frame


Operand = int | Slot | Label | Size
Forking = tuple[int, int, int]  # cause, what it means to jump, to go on: see `program.Fork`


class Circles(Exception):
    """Procedures that may come back to themselves by way of a thing's field: name -> number of its circle."""

    def __init__(self, names: dict[str, int]) -> None:
        self.names = names
        super().__init__()


class Recursion(Exception):
    """Procedures that must call each other in a circle, without end."""

    def __init__(self, frames: list[Frame]) -> None:
        self.frames = frames
        super().__init__(" -> ".join(f.name for f in frames))


class TooMuchCode(Exception):
    """More instructions than a program may have; `cause` is the rule at which it got too much."""

    def __init__(self, cause: int) -> None:
        self.cause = cause
        super().__init__()


class Code:
    """Instructions as they are made; `assemble` gives the final integers."""

    def __init__(self, finish: Callable[[Code], None] = lambda code: None, most: int = 1 << 30) -> None:
        self.finish = finish  # looks the instructions over before they get their addresses
        self.most = most  # integers there may be before that
        self.out: list[Operand] = []
        self.frames: list[Frame] = []
        self.places: list[tuple[int, int]] = []
        self.forks: dict[int, Forking] = {}
        self.last = 0  # where the instruction emitted last begins
        self.constants: dict[int, int] = {}
        self.numbers: dict[int, int] = {}
        self.initial: list[int] = [0] * o.HEADER
        self.tables: dict[tuple[Operand, ...], Label] = {}
        self.dice_faces = Label()
        self.cause = 0

    # --- cells -------------------------------------------------------------------------------

    def value_of(self, cell: Operand) -> int | None:
        """The number in a constant's cell; None for every other cell."""
        return self.numbers.get(cell) if isinstance(cell, int) else None

    def reserve(self, count: int, value: int = 0) -> int:
        """Fixed cells for the whole game; the address of the first."""
        base = len(self.initial)
        self.initial.extend([value] * count)
        return base

    def constant(self, value: int) -> int:
        if value not in self.constants:
            self.constants[value] = self.reserve(1, value)
            self.numbers[self.constants[value]] = value
        return self.constants[value]

    # --- instructions --------------------------------------------------------------------------

    def emit(self, op: int, *operands: Operand) -> None:
        assert len(operands) == o.SIZE[op] - 1, (o.NAMES[op], operands)
        if not self.places or self.places[-1][1] != self.cause:
            self.places.append((len(self.out), self.cause))
        self.last = len(self.out)
        if self.last > self.most:
            raise TooMuchCode(self.cause)
        self.out.append(op)
        self.out.extend(operands)

    def put(self, label: Label) -> None:
        label.at = len(self.out)

    def table(self, values: Sequence[Operand]) -> Label:
        """Data that will stand behind the instructions; equal tables are kept once."""
        key = tuple(values)
        if key not in self.tables:
            self.tables[key] = Label()
        return self.tables[key]

    def frame(self, name: str) -> Frame:
        frame = Frame(name)
        self.frames.append(frame)
        return frame

    # --- the end -------------------------------------------------------------------------------

    def assemble(self, recursive: Container[str] = ()) -> tuple[int, ...]:
        """Lay out the frames, callers below the called, and turn everything into integers.

        recursive: names of the procedures whose calls of each other save their cells; `Circles` if more must.
        """
        self._callers_first(lambda frame: frame.calls)
        circle = self._circles()
        if any(name not in recursive for name in circle):
            raise Circles(circle)
        self.finish(self)
        for values, label in self.tables.items():
            self.put(label)
            self.out.extend(values)
        start = len(self.initial)
        self._lay_out(start, circle)
        end = max((f.base + f.size for f in self.frames), default=start)
        self.initial.extend([0] * (end - start))
        return tuple([x if isinstance(x, int) else self._final(x) for x in self.out])

    def _final(self, operand: Operand) -> int:
        if isinstance(operand, Slot):
            return operand.frame.base + operand.offset
        if isinstance(operand, Size):
            return operand.frame.size
        if isinstance(operand, Label):
            assert operand.at >= 0, "a label was never put"
            return operand.at
        return operand

    def _lay_out(self, start: int, circle: dict[str, int]) -> None:
        """Frames of one circle lie side by side; whatever any of them calls lies behind all of them."""
        circular: dict[int, list[Frame]] = {}
        for frame in self.frames:
            if frame.name in circle:
                circular.setdefault(circle[frame.name], []).append(frame)
        groups = {f: circular[circle[f.name]] if f.name in circle else [f] for f in self.frames}

        def called_by(frame: Frame) -> list[Frame]:
            calls = [x for f in groups[frame] for x in (*f.calls, *f.chooses)]
            return [groups[x][0] for x in dict.fromkeys(calls) if groups[x][0] is not frame]

        first = [f for f in self.frames if groups[f][0] is f]
        order = [f for f in self._callers_first(called_by, first) if groups[f][0] is f]
        base = dict.fromkeys(order, start)
        for frame in order:
            at = base[frame]
            for member in groups[frame]:
                member.base = at
                at += member.size
            for called in called_by(frame):
                base[called] = max(base[called], at)

    def _circles(self) -> dict[str, int]:
        """The procedures that can reach themselves, each with a number shared by those on the same circle."""
        circles = together(self.frames, lambda frame: (*frame.calls, *frame.chooses))
        number = {frame: i for i, circle in enumerate(circles) for frame in circle}
        circular = [f for f in self.frames if f in number]
        first: dict[int, int] = {}
        for i, frame in enumerate(circular):
            first.setdefault(number[frame], i)
        return {f.name: first[number[f]] for f in circular}

    def _callers_first(
        self, called_by: Callable[[Frame], Sequence[Frame]], frames: Sequence[Frame] | None = None
    ) -> list[Frame]:
        try:
            return after_their_needs(self.frames if frames is None else frames, called_by)[::-1]
        except Circle as circle:
            raise Recursion([f for f in circle.members if isinstance(f, Frame)]) from None


@contextmanager
def scratch(frame: Frame) -> Iterator[None]:
    """Cells taken inside are free again afterwards."""
    mark = frame.used
    yield
    frame.used = mark
