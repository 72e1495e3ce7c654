"""The backend in a page whose Python is WebAssembly itself, with rows in the machine's memory.

The page supplies a `PageMachine`: `machine.js` has all that it needs, and the page converts between the numbers of
Python and JavaScript. Rows stay in place, so nothing is copied when the machine works on them.
"""

from __future__ import annotations

import sys
from array import array
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from edict.runtime.program import Program, program_key

CELL_BYTES = 8  # bytes
MAX_PROGRAMS = 16  # programs kept in memory
HEAD_CELLS = 8  # cells before a program's code; they are 0, so it has no translation
Shape = tuple[int, int, int]  # address of rows, their number, and their length


class PageMachine(Protocol):
    """The machine and its memory, the methods of these names of `Machine` in `machine.js`.

    In Pyodide, bytes and lists are passed by `pyodide.ffi.to_js`, and the result of `read` is taken by `to_bytes`.
    """

    def allocate(self, numbers: int) -> int:
        """Allocate cells, all 0, and return their address."""
        ...

    def discard(self, address: int, numbers: int) -> None:
        """Free cells."""
        ...

    def read(self, address: int, numbers: int) -> bytes:
        """Read cells as bytes."""

    def write(self, address: int, numbers: bytes) -> None:
        """Write bytes to cells."""

    def work(self, name: str, given: Sequence[int | float | Shape]) -> int | None:
        """Call the machine's function `module.function` with arguments, and return its result, if it has one."""
        ...


class _Allocation:
    """Memory that lives as long as this object."""

    def __init__(self, machine: PageMachine, numbers: int) -> None:
        self.machine, self.numbers = machine, numbers
        self.address = machine.allocate(numbers)

    def __del__(self) -> None:
        self.machine.discard(self.address, self.numbers)


class PageRow:
    """A row of integers or floats; like a list of fixed length."""

    def __init__(
        self, machine: PageMachine, address: int, length: int, kind: str = "q", allocation: object = None
    ) -> None:
        """Wrap memory as a row.

        Args:
            machine: The machine.
            address: The address of the first number.
            length: The number of numbers.
            kind: Their type code, as of `array`.
            allocation: The allocation to keep alive.
        """
        self._machine, self._kind, self._allocation = machine, kind, allocation
        self.address, self.length = address, length

    @property
    def shape(self) -> Shape:
        """Return address and size for calls of the machine."""
        return self.address, 1, self.length

    def __len__(self) -> int:
        return self.length

    def __iter__(self) -> Iterator[Any]:
        return iter(self.tolist())

    def tolist(self) -> list[Any]:
        """Return the numbers as a list."""
        return self[:]  # type: ignore[no-any-return]

    def __getitem__(self, index: int | slice) -> Any:
        at = range(self.length)[index]
        if isinstance(at, int):
            return self._decode(self._machine.read(self.address + CELL_BYTES * at, 1))[0]
        return self._decode(self._machine.read(self.address + CELL_BYTES * at.start, len(at)))

    def __setitem__(self, index: int | slice, value: Any) -> None:
        """Store a number or a slice of equal length."""
        at = range(self.length)[index]
        numbers = [value] if isinstance(at, int) else value
        start = at if isinstance(at, int) else at.start
        self._machine.write(self.address + CELL_BYTES * start, pack_numbers(numbers, self._kind))

    def _decode(self, raw: bytes) -> list[Any]:
        """Convert the row's little-endian bytes to a list of its integers or floats."""
        numbers = array(self._kind, raw)
        if sys.byteorder == "big":
            numbers.byteswap()
        return numbers.tolist()


class PageRows:
    """Equal rows, contiguous in memory."""

    def __init__(self, machine: PageMachine, count: int, width: int) -> None:
        self._machine, self._allocation = machine, _Allocation(machine, count * width)
        self.count, self.width = count, width

    @property
    def shape(self) -> Shape:
        """Return address and size for calls of the machine."""
        return self._allocation.address, self.count, self.width

    def __len__(self) -> int:
        return self.count

    def __getitem__(self, number: int) -> PageRow:
        at = range(self.count)[number]
        return PageRow(
            self._machine,
            self._allocation.address + CELL_BYTES * self.width * at,
            self.width,
            allocation=self._allocation,
        )

    def __iter__(self) -> Iterator[PageRow]:
        return (self[number] for number in range(self.count))

    def __setitem__(self, numbers: slice, rows: PageRows | Sequence[Sequence[int]]) -> None:
        for number, row in zip(range(self.count)[numbers], rows, strict=True):
            self[number][:] = row


class PageBackend:
    """A backend for a page's machine.

    Args:
        machine: The machine.
        translated: Addresses of the code of programs that have a translation, by `program_key`.
    """

    def __init__(self, machine: PageMachine, translated: Mapping[str, int] | None = None) -> None:
        self._machine = machine
        self._translated = dict(translated or {})
        self._codes = OrderedDict[str, PageRow]()

    def make_integers(self, values: Any) -> PageRow | PageRows:
        """Create a row of these numbers, or rows if they are rows."""
        if values and not isinstance(values[0], int):
            rows = PageRows(self._machine, len(values), len(values[0]))
            rows[:] = values
            return rows
        return self._make_row(values, "q")

    def make_floats(self, values: Sequence[float]) -> PageRow:
        """Create a row of floats."""
        return self._make_row(values, "d")

    def make_rows(self, number: int, width: int) -> PageRows:
        """Create rows of zeros."""
        return PageRows(self._machine, number, width)

    def load_code(self, program: Program) -> PageRow:
        """Return a program's code in the machine's memory."""
        key, length = program_key(program), len(program.code)
        if key in self._translated:
            return PageRow(self._machine, self._translated[key], length)
        if key not in self._codes:
            piece = _Allocation(self._machine, HEAD_CELLS + length)
            self._codes[key] = PageRow(self._machine, piece.address + CELL_BYTES * HEAD_CELLS, length, allocation=piece)
            self._codes[key][:] = program.code
            while len(self._codes) > MAX_PROGRAMS:
                self._codes.popitem(last=False)
        self._codes.move_to_end(key)
        return self._codes[key]

    def accelerate(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Return one of `compiled.EXPORTED_FUNCTIONS`, which takes these rows."""
        name = f"{function.__module__.rpartition('.')[2]}.{function.__name__}"

        def work(*given: Any) -> int | None:
            """Call the function in the page's machine, with each row passed as its address and size."""
            return self._machine.work(
                name, [argument.shape if isinstance(argument, (PageRow, PageRows)) else argument for argument in given]
            )

        return work

    def _make_row(self, values: Iterable[float], kind: str) -> PageRow:
        """Allocate a row in the page's memory, filled with these numbers; it is freed with the last reference."""
        numbers = list(values)
        allocation = _Allocation(self._machine, len(numbers))
        row = PageRow(self._machine, allocation.address, len(numbers), kind, allocation)
        row[:] = numbers
        return row


def pack_numbers(numbers: Iterable[float], kind: str = "q") -> bytes:
    """Pack numbers as the machine stores them, 64 bits each, little-endian; larger integers wrap around."""
    numbers = list(numbers)
    try:
        row = array(kind, numbers)
    except OverflowError:  # rare, and checking each number in advance would be slow
        row = array(kind, (number - (1 << 64) if int(number) >> 63 > 0 else number for number in numbers))
    if sys.byteorder == "big":
        row.byteswap()
    return row.tobytes()
