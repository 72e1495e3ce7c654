"""The machine of a page whose Python is WebAssembly itself: rows in the machine's memory, and who works on them.

A page brings a `PageMachine`: `machine.js` has all that it needs, and what Python's and JavaScript's numbers are to
each other is the page's to know. Rows stay where they lie, so that nothing is copied when the machine works on them.
"""

from __future__ import annotations

import sys
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from edict.runtime.program import Program, key_of

CELL = 8  # bytes
MOST = 16  # programs remembered
BEFORE = 8  # numbers before a program's code; as they are 0, it has no translation
Shape = tuple[int, int, int]
"""Where rows lie, how many there are, and how long each is."""


class PageMachine(Protocol):
    """The machine's memory, and the machine: the methods of these names of `Machine` in `machine.js`.

    In Pyodide, bytes and lists are handed over by `pyodide.ffi.to_js`, and what `read` gives is taken by `to_bytes`.
    """

    def allocate(self, numbers: int) -> int:
        """Where so many numbers have room, all 0."""
        ...

    def discard(self, address: int, numbers: int) -> None:
        """They are not needed any more."""
        ...

    def read(self, address: int, numbers: int) -> bytes: ...

    def write(self, address: int, numbers: bytes) -> None: ...

    def work(self, name: str, given: Sequence[int | float | Shape]) -> int | None:
        """Have one of the machine's functions, `module.function`, do its work."""
        ...


class _Piece:
    """Memory, as long as somebody has a row in it."""

    def __init__(self, machine: PageMachine, numbers: int) -> None:
        self.machine, self.numbers = machine, numbers
        self.address = machine.allocate(numbers)

    def __del__(self) -> None:
        self.machine.discard(self.address, self.numbers)


class Row:
    """A row of whole or real numbers; as a list, but of one length."""

    def __init__(self, machine: PageMachine, address: int, length: int, kind: str = "q", piece: object = None) -> None:
        """kind: as `array` has it. piece: what must live as long as this."""
        self._machine, self._kind, self._piece = machine, kind, piece
        self.address, self.length = address, length

    @property
    def place(self) -> Shape:
        return self.address, 1, self.length

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        return self[:]  # type: ignore[no-any-return]

    def __getitem__(self, index: int | slice) -> Any:
        at = range(self.length)[index]
        if isinstance(at, int):
            return self._numbers(self._machine.read(self.address + CELL * at, 1))[0]
        return self._numbers(self._machine.read(self.address + CELL * at.start, len(at)))

    def __setitem__(self, index: int | slice, value: Any) -> None:
        """A slice takes as many numbers as it has."""
        at = range(self.length)[index]
        numbers = [value] if isinstance(at, int) else value
        start = at if isinstance(at, int) else at.start
        self._machine.write(self.address + CELL * start, packed(numbers, self._kind))

    def _numbers(self, found: bytes) -> list[Any]:
        numbers = array(self._kind, found)
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers.tolist()


class Rows:
    """Equal rows, one behind the other."""

    def __init__(self, machine: PageMachine, count: int, width: int) -> None:
        self._machine, self._piece = machine, _Piece(machine, count * width)
        self.count, self.width = count, width

    @property
    def place(self) -> Shape:
        return self._piece.address, self.count, self.width

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> Row:
        at = range(self.count)[number]
        return Row(self._machine, self._piece.address + CELL * self.width * at, self.width, piece=self._piece)

    def __iter__(self) -> Iterator[Row]:
        return (self[number] for number in range(self.count))

    def __setitem__(self, numbers: slice, rows: Rows | Sequence[Sequence[int]]) -> None:
        for number, row in zip(range(self.count)[numbers], rows, strict=True):
            self[number][:] = row


class InPage:
    """What is worked on in a page. translated: where code of programs lies that play by translations, by `key_of`."""

    def __init__(self, machine: PageMachine, translated: Mapping[str, int] | None = None) -> None:
        self._machine = machine
        self._translated = dict(translated or {})
        self._codes = OrderedDict[str, Row]()

    def integers(self, values: Any) -> Row | Rows:
        """A row of these numbers; or rows, if they are rows."""
        if values and not isinstance(values[0], int):
            rows = Rows(self._machine, len(values), len(values[0]))
            rows[:] = values
            return rows
        return self._row(values, "q")

    def floats(self, values: Sequence[float]) -> Row:
        return self._row(values, "d")

    def rows(self, number: int, width: int) -> Rows:
        """So many rows, all 0."""
        return Rows(self._machine, number, width)

    def code(self, program: Program) -> Row:
        """A program's code as the machine has it."""
        key, length = key_of(program), len(program.code)
        if key in self._translated:
            return Row(self._machine, self._translated[key], length)
        if key not in self._codes:
            piece = _Piece(self._machine, BEFORE + length)
            self._codes[key] = Row(self._machine, piece.address + CELL * BEFORE, length, piece=piece)
            self._codes[key][:] = program.code
            while len(self._codes) > MOST:
                self._codes.popitem(last=False)
        self._codes.move_to_end(key)
        return self._codes[key]

    def faster(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """One of the functions in `compiled.OFFERED`; it takes these rows."""
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"

        def work(*given: Any) -> int | None:
            return self._machine.work(name, [one.place if isinstance(one, (Row, Rows)) else one for one in given])

        return work

    def _row(self, values: Iterable[float], kind: str) -> Row:
        numbers = list(values)
        piece = _Piece(self._machine, len(numbers))
        row = Row(self._machine, piece.address, len(numbers), kind, piece)
        row[:] = numbers
        return row


def packed(numbers: Iterable[float], kind: str = "q") -> bytes:
    """Numbers as the machine has them: 64 bits each, the lowest byte first; whole ones of more wrap round."""
    numbers = list(numbers)
    try:
        row = array(kind, numbers)
    except OverflowError:  # rare, and to look at each number first would take longer than all else
        row = array(kind, (number - (1 << 64) if int(number) >> 63 > 0 else number for number in numbers))
    if sys.byteorder == "big":
        row.byteswap()
    return row.tobytes()
