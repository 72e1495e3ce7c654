"""Faster forms of functions that the loop calls, for where a program makes their tables known.

Each gives what the loop's own function gives (the tests try both on random numbers), or None where it is no use; then
the loop's own is taken.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from edict.runtime.native.evaluating import Evaluator
from edict.runtime.native.llvm_text import LlvmWriter, Value
from edict.runtime.native.rows import Row

WORD = 62  # bits that a number has
BYTES = 1 << 15  # of a table, at most
CHUNK = 6  # numbers of which it is looked up at once who has any of them


class SpecializedCode(Row):
    """A program's code: every number at a known place is known, and so are the tables."""

    def __init__(self, code: Sequence[int], tables: Sequence[tuple[int, int]]) -> None:
        super().__init__("@tables", len(code), fixed=True)
        self._code, self._lengths = code, dict(tables)
        self.begin = min(self._lengths, default=len(code))  # of the tables, which stand behind the instructions
        self._bytes: dict[bytes, str] = {}
        self._words: dict[tuple[int, ...], str] = {}

    def load(self, w: LlvmWriter, index: Value) -> Value:
        if isinstance(index, int):
            return self._code[index]
        return super().load(w, w.op(f"sub i64 {index}, {self.begin}"))

    def table(self, base: Value) -> Sequence[int] | None:
        """The table that begins at a place, if it is known."""
        if not isinstance(base, int) or base not in self._lengths:
            return None
        return self._code[base : base + self._lengths[base]]

    def bytes(self, numbers: bytes) -> str:
        """The name of a table of bytes made besides."""
        return self._bytes.setdefault(numbers, f"@bytes{len(self._bytes)}")

    def words(self, numbers: Sequence[int]) -> KnownTable:
        """A table of numbers made besides."""
        name = self._words.setdefault(tuple(numbers), f"@words{len(self._words)}")
        return KnownTable(name, numbers)

    def text(self) -> str:
        """All tables, for a module in which functions read them."""
        numbers = ", ".join(f"i64 {number}" for number in self._code[self.begin :])
        made = [
            f"{name} = private constant [{len(numbers)} x i8] [{', '.join(f'i8 {number}' for number in numbers)}]"
            for numbers, name in self._bytes.items()
        ]
        made += [
            f"{name} = private constant [{len(numbers)} x i64] [{', '.join(f'i64 {number}' for number in numbers)}]"
            for numbers, name in self._words.items()
        ]
        return "\n".join([f"@tables = private constant [{len(self._code) - self.begin} x i64] [{numbers}]", *made])


class KnownTable(Row):
    """A table of which all is known."""

    def __init__(self, name: str, numbers: Sequence[int]) -> None:
        super().__init__(name, len(numbers), fixed=True)
        self._numbers = numbers

    def load(self, w: LlvmWriter, index: Value) -> Value:
        return self._numbers[index] if isinstance(index, int) else super().load(w, index)


def _summed(e: Evaluator, arguments: Sequence[Any]) -> Value | None:
    """The total of dice by a few multiplications: fields so far apart that sums do not meet are added at once."""
    code, dice, width, faces = arguments
    table = code.table(faces)
    if table is None or not isinstance(width, int):
        return None
    fields, full = table[:-1], (1 << width) - 1
    for apart in range(1, WORD // width + 1):
        lanes = -(-len(fields) // apart)
        if width * apart * lanes <= WORD and full * sum(sorted(fields)[-lanes:]) < 1 << (width * apart):
            return _by_lanes(e, dice, width, fields, apart)
    return None


def _by_lanes(e: Evaluator, dice: Value, width: int, fields: Sequence[int], apart: int) -> Value:
    total: Value = 0
    lane = width * apart
    lanes = -(-len(fields) // apart)
    for first in range(min(apart, len(fields))):
        mine = fields[first::apart]
        mask = sum(((1 << width) - 1) << (lane * i) for i in range(len(mine)))
        weights = sum(face << (lane * (lanes - 1 - i)) for i, face in enumerate(mine))
        part = _(e, ast.BitAnd, _(e, ast.RShift, dice, width * first), mask)
        top = _(e, ast.RShift, _(e, ast.Mult, part, weights), lane * (lanes - 1))
        total = _(e, ast.Add, total, _(e, ast.BitAnd, top, (1 << lane) - 1))
    return total


def _sifted(e: Evaluator, arguments: Sequence[Any]) -> Value | None:
    """For each value that is wanted: who has it?"""
    code, members, base, wanted = arguments
    table = code.table(base)
    if table is None:
        return None
    fits = {i: x for i, x in enumerate(table[:WORD]) if 0 <= x < WORD}
    steps = {x - i for i, x in fits.items()}
    if len(steps) == 1:  # each has its own value, in their order
        (step,) = steps
        moved = _(e, ast.RShift if step >= 0 else ast.LShift, wanted, abs(step))
        return _(e, ast.BitAnd, members, _(e, ast.BitAnd, moved, sum(1 << i for i in fits)))
    who: dict[int, int] = {}
    for i, x in fits.items():
        who[x] = who.get(x, 0) | 1 << i
    return _(e, ast.BitAnd, members, _united(e, code, wanted, who))


def _within(e: Evaluator, arguments: Sequence[Any]) -> Value | None:
    """For each thing that may be missing: who needs it?"""
    code, members, base, there = arguments
    table = code.table(base)
    if table is None or min(table[:WORD]) < 0:
        return None
    needed = (x for x in range(WORD) if any(needs >> x & 1 for needs in table[:WORD]))
    who = {x: sum(1 << i for i, needs in enumerate(table[:WORD]) if needs >> x & 1) for x in needed}
    lost = _united(e, code, _(e, ast.BitXor, there, -1), who)
    return _(e, ast.BitAnd, members, _(e, ast.BitXor, lost, -1))


def _united(e: Evaluator, code: SpecializedCode, bits: Value, sets: Mapping[int, int]) -> Value:
    """Those in any of the sets, by number, whose number is among the bits: a few numbers at once, by tables."""
    found: Value = 0
    left = sorted(sets)
    while left:
        first, mine = left[0], [x for x in left if x < left[0] + CHUNK]
        left = left[len(mine) :]
        size = mine[-1] - first + 1
        part = _(e, ast.BitAnd, _(e, ast.RShift, bits, first), (1 << size) - 1)
        row = code.words([_union(sets[x] for x in mine if which >> (x - first) & 1) for which in range(1 << size)])
        found = _(e, ast.BitOr, found, row.load(e.w, part))
    return found


def _union(sets: Iterable[int]) -> int:
    return reduce(operator.or_, sets, 0)


def _allowed_from(e: Evaluator, arguments: Sequence[Any]) -> Value | None:
    """The answers, for every set and number, as a table of bytes."""
    code, base, number, allowed = arguments
    table = code.table(base)
    needs = table[1::2] if table else ()
    sets = 1 << max(needs, default=0).bit_length()
    if not needs or len(needs) > 255 or sets * (len(needs) + 1) > BYTES:
        return None
    answers = [_first(needs, number, which) for which in range(sets) for number in range(len(needs) + 1)]
    row = _(e, ast.Mult, _(e, ast.BitAnd, allowed, sets - 1), len(needs) + 1)
    place = _(e, ast.Add, row, number)
    if isinstance(place, int):
        return answers[place]
    found = e.w.op(f"getelementptr i8, ptr {code.bytes(bytes(answers))}, i64 {place}")
    return e.w.op(f"zext i8 {e.w.op(f'load i8, ptr {found}, !invariant.load !0')} to i64")


def _first(needs: Sequence[int], number: int, allowed: int) -> int:
    return next((k for k in range(number, len(needs)) if needs[k] & ~allowed == 0), len(needs))


def _(e: Evaluator, op: type[ast.operator], a: Value, b: Value) -> Value:
    return e.calculated(op, a, b)


FASTER: dict[str, Callable[[Evaluator, Sequence[Any]], Value | None]] = {
    "summed": _summed,
    "sifted": _sifted,
    "within": _within,
    "allowed_from": _allowed_from,
}
"""By the name of the function in the loop's module."""
