"""What an instruction came to before for the same numbers: looked up in a table beside the code, not computed again.

Each such instruction has a table of its own, of `ENTRIES`; where its numbers would stand follows from them. An entry is
a row of cells as long as the processor fetches at once: a turn, what was charged and how much was given, the numbers,
and what was given. Threads that play the same program share the tables. So a writer makes the turn odd first, and even
again at last, and who reads looks at it before and after: 0 is an empty entry, an odd one is being written, and if it
has changed, all is computed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from edict.native.running import Runner, Way
from edict.native.writing import Value, Writer, written
from edict.program import opcodes as o

NUMBERS = {o.REACH: (2, 3, 5), o.WAYS: (1, 2, 3, 5)}  # operands on which all depends, besides what is constant
BITS = 13  # of the number of an entry
CELLS = 8  # of an entry
TURN, CHARGED, NUMBER = range(3)  # cells of an entry; then the other numbers and what was given
FEW = 3  # bits for how much that is; above them stands what was charged
FACTORS = (0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x27D4EB2F165667C5)


def table(at: int) -> str:
    """The table of the instruction at a place."""
    return f"{_name(at)} = internal global [{CELLS << BITS} x i64] zeroinitializer, align {8 * CELLS}"


def _name(at: int) -> str:
    return f"@known{at}"


@dataclass
class Entry:
    """The entry for some numbers, while code is written that reads it or writes to it."""

    w: Writer
    address: str
    numbers: Sequence[Value]

    @property
    def given(self) -> int:
        return NUMBER + len(self.numbers)

    def cell(self, number: int) -> str:
        return self.address if number == 0 else self.w.op(f"getelementptr i64, ptr {self.address}, i64 {number}")

    def read(self, number: int, order: str = "monotonic") -> str:
        return self.w.op(f"load atomic i64, ptr {self.cell(number)} {order}, align 8")

    def write(self, number: int, value: Value, order: str = "monotonic") -> None:
        self.w.do(f"store atomic i64 {written(value)}, ptr {self.cell(number)} {order}, align 8")

    def unlike(self) -> str:
        """0 if it is of these numbers."""
        differ = [self.w.op(f"xor i64 {self.read(NUMBER + i)}, {number}") for i, number in enumerate(self.numbers)]
        return _any(self.w, [*differ, "0"])


def recalls(e: Runner) -> bool:
    """Whether the instruction has a table: what it gives follows from its numbers alone, and there are some."""
    s, op = e.env["s"], e.env["op"]
    return op in NUMBERS and all(isinstance(s.load(e.w, cell), int) for cell in (o.WIDTH, o.FIELDS, o.FACES))


def recalled(e: Runner, compute: Callable[[], list[Way]]) -> list[Way]:
    """The instruction, by its table where that has it; else as `compute` writes it, and what it gives is kept."""
    entry = _entry(e)
    answer = _Answer(e, CELLS - NUMBER - len(entry.numbers))
    before, hit, miss = e.env["spent"], e.w.new_block(), e.w.new_block()
    turn = entry.read(TURN, "acquire")
    charged = entry.read(CHARGED)
    found = [entry.read(entry.given + i) for i in range(answer.size)]
    unlike = [entry.unlike(), *answer.unlike()]
    e.w.do("fence acquire")
    unlike += [e.w.op(f"xor i64 {turn}, {entry.read(TURN)}"), e.w.op(f"and i64 {turn}, 1")]
    spent = e.w.op(f"add i64 {before}, {e.w.op(f'lshr i64 {charged}, {FEW}')}")
    tests = [f"eq i64 {_any(e.w, unlike)}, 0", f"ne i64 {turn}, 0", f"sle i64 {spent}, {e.known['BUDGET']}"]
    e.w.fork(_all(e.w, [e.w.op(f"icmp {test}") for test in tests]), hit, miss)
    env = {**e.env, "spent": spent, "pc": e.env["pc"] + o.SIZE[e.env["op"]]}
    e.take(Way(miss, dict(e.env)))
    ways = compute()
    for number, way in enumerate(ways):
        e.take(way)
        _keep(e, entry, answer, e.w.op(f"sub i64 {way.env['spent']}, {before}"))
        ways[number] = e.here()
    e.take(Way(hit, env))
    answer.give(found, e.w.op(f"and i64 {charged}, {(1 << FEW) - 1}"))
    return [*ways, e.here()]


def _entry(e: Runner) -> Entry:
    """Where the entry for the numbers of an instruction is, if there is one."""
    s, code, at = e.env["s"], e.env["code"], e.env["pc"]
    numbers = [s.load(e.w, code.load(e.w, at + operand)) for operand in NUMBERS[e.env["op"]]]
    numbers = [number for number in numbers if not isinstance(number, int)]
    mixed = "0"
    for number, factor in zip(numbers, FACTORS, strict=False):
        mixed = e.w.op(f"add i64 {mixed}, {e.w.op(f'mul i64 {number}, {written(factor)}')}")
    row = e.w.op(f"lshr i64 {mixed}, {64 - BITS}")
    return Entry(e.w, e.w.op(f"getelementptr [{CELLS} x i64], ptr {_name(at)}, i64 {row}"), numbers)


def _keep(e: Runner, entry: Entry, answer: _Answer, charged: str) -> None:
    """Put what was computed into the table, unless it is too much or somebody writes there."""
    w = e.w
    claim, fill, on = (w.new_block() for _ in range(3))
    turn = entry.read(TURN)
    idle = w.op(f"icmp eq i64 {w.op(f'and i64 {turn}, 1')}, 0")
    w.fork(_all(w, [idle, *answer.fits()]), claim, on)
    w.begin(claim)
    odd = w.op(f"add i64 {turn}, 1")
    mine = w.op(f"cmpxchg ptr {entry.address}, i64 {turn}, i64 {odd} acquire monotonic")
    w.fork(w.op(f"extractvalue {{ i64, i1 }} {mine}, 1"), fill, on)
    w.begin(fill)
    w.do("fence release")
    for i, value in enumerate(answer.given()):
        entry.write(entry.given + i, value)
    for i, number in enumerate(entry.numbers):
        entry.write(NUMBER + i, number)
    entry.write(CHARGED, w.op(f"or i64 {w.op(f'shl i64 {charged}, {FEW}')}, {answer.count()}"))
    entry.write(TURN, w.op(f"add i64 {turn}, 2"), "release")
    w.jump(on)
    w.begin(on)


class _Answer:
    """What an instruction gives: a number into a cell, or options where there were none."""

    def __init__(self, e: Runner, room: int) -> None:
        self._e, self._s = e, e.env["s"]
        self._many = e.env["op"] == o.WAYS
        self._cell = e.env["code"].load(e.w, e.env["pc"] + 1)
        self._before = self.count()
        self.size = room if self._many else 1

    def count(self) -> Value:
        return self._s.load(self._e.w, o.OPTIONS) if self._many else 1

    def given(self) -> list[Value]:
        first = o.FIRST_OPTION if self._many else self._cell
        return [self._s.load(self._e.w, first + i) for i in range(self.size)]

    def unlike(self) -> list[str]:
        """Not 0 if there are options already."""
        return [str(self._before)] if self._many else []

    def fits(self) -> list[str]:
        """Whether that can be kept."""
        if not self._many:
            return []
        tests = (f"eq i64 {self._before}, 0", f"sle i64 {self.count()}, {self.size}")
        return [self._e.w.op(f"icmp {test}") for test in tests]

    def give(self, found: Sequence[str], count: str) -> None:
        """As the instruction does; behind the options there may stand anything."""
        for i, value in enumerate(found):
            self._s.store(self._e.w, (o.FIRST_OPTION if self._many else self._cell) + i, value)
        if self._many:
            self._s.store(self._e.w, o.OPTIONS, count)


def _any(w: Writer, bits: Sequence[str]) -> str:
    found = bits[0]
    for more in bits[1:]:
        found = w.op(f"or i64 {found}, {more}")
    return found


def _all(w: Writer, truths: Sequence[str]) -> str:
    found = truths[0]
    for more in truths[1:]:
        found = w.op(f"and i1 {found}, {more}")
    return found
