"""Code under construction: frames, labels, instructions, and their final addresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from edict.program import opcodes as o


@dataclass(eq=False, slots=True)
class Label:
    """A place in the code, known once it is put."""

    at: int = -1


@dataclass(eq=False)
class Frame:
    """The cells of one procedure. Rules do not call themselves, so each needs only one set of them."""

    name: str
    entry: Label = field(default_factory=Label)
    used: int = 0
    size: int = 0
    base: int = -1
    calls: list[Frame] = field(default_factory=list)

    def cell(self) -> Slot:
        slot = Slot(self, self.used)
        self.used += 1
        self.size = max(self.size, self.used)
        return slot

    def cells(self, n: int) -> Slot:
        first = self.cell()
        for _ in range(n - 1):
            self.cell()
        return first


@dataclass(frozen=True, slots=True)
class Slot:
    frame: Frame
    offset: int


Operand = int | Slot | Label


class Recursion(Exception):
    """Procedures that call each other in a circle."""

    def __init__(self, frames: list[Frame]) -> None:
        self.frames = frames
        super().__init__(" -> ".join(f.name for f in frames))


class Code:
    """Instructions as they are made; `assemble` gives the final integers."""

    def __init__(self) -> None:
        self.out: list[Operand] = []
        self.frames: list[Frame] = []
        self.places: list[tuple[int, int]] = []
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

    def assemble(self) -> tuple[int, ...]:
        """Lay out the frames, callers below the called, and turn everything into integers."""
        for values, label in self.tables.items():
            self.put(label)
            self.out.extend(values)
        start = len(self.initial)
        order = self._callers_first()
        for frame in order:
            frame.base = start
        for frame in order:
            for called in frame.calls:
                called.base = max(called.base, frame.base + frame.size)
        end = max((f.base + f.size for f in self.frames), default=start)
        self.initial.extend([0] * (end - start))
        return tuple(self._final(x) for x in self.out)

    def _final(self, operand: Operand) -> int:
        if isinstance(operand, Slot):
            return operand.frame.base + operand.offset
        if isinstance(operand, Label):
            assert operand.at >= 0, "a label was never put"
            return operand.at
        return operand

    def _callers_first(self) -> list[Frame]:
        done: list[Frame] = []
        state: dict[Frame, int] = {}

        def visit(frame: Frame, path: list[Frame]) -> None:
            if state.get(frame) == 2:
                return
            if state.get(frame) == 1:
                raise Recursion([*path[path.index(frame) :], frame])
            state[frame] = 1
            for called in frame.calls:
                visit(called, [*path, frame])
            state[frame] = 2
            done.append(frame)

        for frame in self.frames:
            visit(frame, [])
        return done[::-1]


@contextmanager
def scratch(frame: Frame) -> Iterator[None]:
    """Cells taken inside are free again afterwards."""
    mark = frame.used
    yield
    frame.used = mark
