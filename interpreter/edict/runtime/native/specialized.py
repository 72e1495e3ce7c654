"""Faster forms of functions that the loop calls, used where a program's tables are known.

Each computes what the loop's own function does (the tests compare them on random numbers), or returns None where it
does not apply; then the loop's own is used.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from edict.runtime.native.evaluating import Evaluator
from edict.runtime.native.llvm_text import LlvmWriter, Value
from edict.runtime.native.rows import LlvmRow

WORD_BITS = 62  # bits of a number
MAX_TABLE_BYTES = 1 << 15  # of one table
CHUNK_BITS = 6  # bits that are looked up at once


class SpecializedCode(LlvmRow):
    """A program's code, of which every number at a known place and every table is known."""

    def __init__(self, code: Sequence[int], tables: Sequence[tuple[int, int]]) -> None:
        super().__init__("@tables", len(code), fixed=True)
        self._code, self._lengths = code, dict(tables)
        self.tables_start = min(self._lengths, default=len(code))  # tables follow the instructions
        self._bytes: dict[bytes, str] = {}
        self._words: dict[tuple[int, ...], str] = {}

    def load(self, w: LlvmWriter, index: Value) -> Value:
        """Return the number at a known place of the code; for an unknown one, emit a load from the tables."""
        if isinstance(index, int):
            return self._code[index]
        return super().load(w, w.emit_value(f"sub i64 {index}, {self.tables_start}"))

    def table(self, base: Value) -> Sequence[int] | None:
        """Return the table that begins at a place; None if it is unknown."""
        if not isinstance(base, int) or base not in self._lengths:
            return None
        return self._code[base : base + self._lengths[base]]

    def add_byte_table(self, numbers: bytes) -> str:
        """Add a table of bytes and return its name."""
        return self._bytes.setdefault(numbers, f"@bytes{len(self._bytes)}")

    def add_word_table(self, numbers: Sequence[int]) -> KnownTable:
        """Add a table of numbers."""
        name = self._words.setdefault(tuple(numbers), f"@words{len(self._words)}")
        return KnownTable(name, numbers)

    def text(self) -> str:
        """Return the definitions of all tables."""
        numbers = ", ".join(f"i64 {number}" for number in self._code[self.tables_start :])
        definitions = [
            f"{name} = private constant [{len(numbers)} x i8] [{', '.join(f'i8 {number}' for number in numbers)}]"
            for numbers, name in self._bytes.items()
        ]
        definitions += [
            f"{name} = private constant [{len(numbers)} x i64] [{', '.join(f'i64 {number}' for number in numbers)}]"
            for numbers, name in self._words.items()
        ]
        return "\n".join(
            [f"@tables = private constant [{len(self._code) - self.tables_start} x i64] [{numbers}]", *definitions]
        )


class KnownTable(LlvmRow):
    """A table of which all numbers are known."""

    def __init__(self, name: str, numbers: Sequence[int]) -> None:
        super().__init__(name, len(numbers), fixed=True)
        self._numbers = numbers

    def load(self, w: LlvmWriter, index: Value) -> Value:
        """Load a number, or return it if its place is known."""
        return self._numbers[index] if isinstance(index, int) else super().load(w, index)


def _sum_dice(evaluator: Evaluator, arguments: Sequence[Any]) -> Value | None:
    """Sum dice by a few multiplications, adding fields at once that are so far apart that sums do not overlap."""
    code, dice, width, faces = arguments
    table = code.table(faces)
    if table is None or not isinstance(width, int):
        return None
    fields, full = table[:-1], (1 << width) - 1
    for stride in range(1, WORD_BITS // width + 1):
        lanes = -(-len(fields) // stride)
        if width * stride * lanes <= WORD_BITS and full * sum(sorted(fields)[-lanes:]) < 1 << (width * stride):
            return _sum_lanes(evaluator, dice, width, fields, stride)
    return None


def _sum_lanes(evaluator: Evaluator, dice: Value, width: int, fields: Sequence[int], stride: int) -> Value:
    """Emit the total of dice; fields `stride` apart are multiplied and added at once. `fields` are their faces."""
    total: Value = 0
    lane = width * stride
    lanes = -(-len(fields) // stride)
    for first in range(min(stride, len(fields))):
        lane_fields = fields[first::stride]
        mask = sum(((1 << width) - 1) << (lane * i) for i in range(len(lane_fields)))
        weights = sum(face << (lane * (lanes - 1 - i)) for i, face in enumerate(lane_fields))
        part = _calculate(evaluator, ast.BitAnd, _calculate(evaluator, ast.RShift, dice, width * first), mask)
        top = _calculate(evaluator, ast.RShift, _calculate(evaluator, ast.Mult, part, weights), lane * (lanes - 1))
        total = _calculate(evaluator, ast.Add, total, _calculate(evaluator, ast.BitAnd, top, (1 << lane) - 1))
    return total


def _filter_by_value(evaluator: Evaluator, arguments: Sequence[Any]) -> Value | None:
    """Filter a set by the union, over the wanted values, of the members with that value."""
    code, members, base, wanted = arguments
    table = code.table(base)
    if table is None:
        return None
    values = {i: x for i, x in enumerate(table[:WORD_BITS]) if 0 <= x < WORD_BITS}
    steps = {x - i for i, x in values.items()}
    if len(steps) == 1:  # values are consecutive: one shift maps values to members
        (step,) = steps
        moved = _calculate(evaluator, ast.RShift if step >= 0 else ast.LShift, wanted, abs(step))
        return _calculate(
            evaluator, ast.BitAnd, members, _calculate(evaluator, ast.BitAnd, moved, sum(1 << i for i in values))
        )
    members_by_value: dict[int, int] = {}
    for i, x in values.items():
        members_by_value[x] = members_by_value.get(x, 0) | 1 << i
    return _calculate(evaluator, ast.BitAnd, members, _unite_sets(evaluator, code, wanted, members_by_value))


def _filter_by_subset(evaluator: Evaluator, arguments: Sequence[Any]) -> Value | None:
    """Emit `loop.filter_by_subset` as bit operations by tables; None if the table is not known."""
    code, members, base, container = arguments
    table = code.table(base)
    if table is None or min(table[:WORD_BITS]) < 0:
        return None
    needed = (x for x in range(WORD_BITS) if any(needs >> x & 1 for needs in table[:WORD_BITS]))
    members_by_thing = {x: sum(1 << i for i, needs in enumerate(table[:WORD_BITS]) if needs >> x & 1) for x in needed}
    removed = _unite_sets(evaluator, code, _calculate(evaluator, ast.BitXor, container, -1), members_by_thing)
    return _calculate(evaluator, ast.BitAnd, members, _calculate(evaluator, ast.BitXor, removed, -1))


def _unite_sets(evaluator: Evaluator, code: SpecializedCode, bits: Value, sets: Mapping[int, int]) -> Value:
    """Return the union of `sets[i]` for every bit i in `bits`, looked up some bits at a time in tables."""
    union: Value = 0
    remaining = sorted(sets)
    while remaining:
        first, chunk = remaining[0], [x for x in remaining if x < remaining[0] + CHUNK_BITS]
        remaining = remaining[len(chunk) :]
        size = chunk[-1] - first + 1
        part = _calculate(evaluator, ast.BitAnd, _calculate(evaluator, ast.RShift, bits, first), (1 << size) - 1)
        table = code.add_word_table(
            [_union(sets[x] for x in chunk if pattern >> (x - first) & 1) for pattern in range(1 << size)]
        )
        union = _calculate(evaluator, ast.BitOr, union, table.load(evaluator.w, part))
    return union


def _union(sets: Iterable[int]) -> int:
    return reduce(operator.or_, sets, 0)


def _next_allowed_combination(evaluator: Evaluator, arguments: Sequence[Any]) -> Value | None:
    """Look up `loop.next_allowed_combination` in a byte table; None if the table would be too large."""
    code, base, number, allowed = arguments
    table = code.table(base)
    needs = table[1::2] if table else ()
    sets = 1 << max(needs, default=0).bit_length()
    if not needs or len(needs) > 255 or sets * (len(needs) + 1) > MAX_TABLE_BYTES:
        return None
    answers = [
        _find_first(needs, number, allowed_set) for allowed_set in range(sets) for number in range(len(needs) + 1)
    ]
    row = _calculate(evaluator, ast.Mult, _calculate(evaluator, ast.BitAnd, allowed, sets - 1), len(needs) + 1)
    place = _calculate(evaluator, ast.Add, row, number)
    if isinstance(place, int):
        return answers[place]
    address = evaluator.w.emit_value(f"getelementptr i8, ptr {code.add_byte_table(bytes(answers))}, i64 {place}")
    return evaluator.w.emit_value(
        f"zext i8 {evaluator.w.emit_value(f'load i8, ptr {address}, !invariant.load !0')} to i64"
    )


def _find_first(needs: Sequence[int], number: int, allowed: int) -> int:
    """Return the first k from `number` on whose set `needs[k]` lies within `allowed`, or the count of all."""
    return next((k for k in range(number, len(needs)) if needs[k] & ~allowed == 0), len(needs))


def _calculate(evaluator: Evaluator, op: type[ast.operator], a: Value, b: Value) -> Value:
    """Apply a binary operator to two values; known ones are computed while compiling."""
    return evaluator.calculate(op, a, b)


# by the name of the function in the loop's module
FASTER: dict[str, Callable[[Evaluator, Sequence[Any]], Value | None]] = {
    "sum_dice": _sum_dice,
    "filter_by_value": _filter_by_value,
    "filter_by_subset": _filter_by_subset,
    "next_allowed_combination": _next_allowed_combination,
}
