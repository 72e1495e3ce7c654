"""What is known before play: printed fields, and fields derived from them, as plain integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from edict.compiler.semantics.link import Linked
from edict.compiler.semantics.symbols import Local
from edict.compiler.semantics.types import Coercion, declared
from edict.compiler.sources.input_limits import MEMBERS, MOST_STEPS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk
from edict.runtime.program.opcodes import LEAST, MOST
from edict.support.ordering import after_their_needs
from edict.support.report import Diagnostic, RulesError


class Unknown(RulesError):
    """A derived field that depends on the play."""

    def __init__(self, expr: t.Expr) -> None:
        super().__init__(
            [
                Diagnostic(
                    "E0502",
                    "this is not known before play",
                    expr.span,
                    note="a field that `is` something is worked out once, from printed fields",
                    help="use a `quantity` for what changes during play",
                )
            ]
        )


class Circular(RulesError):
    """A derived field that needs itself."""

    def __init__(self, field: t.FieldDef) -> None:
        super().__init__(
            [
                Diagnostic(
                    "E0507",
                    f"`{field.name.word}` is computed from itself",
                    field.span,
                    help="compute it from fields that are written down",
                )
            ]
        )


class TooLong(RulesError):
    """A derived field that takes too many steps to work out."""

    def __init__(self, field: t.FieldDef) -> None:
        super().__init__(
            [
                Diagnostic(
                    "E0702",
                    f"`{field.name.word}` takes too long to work out",
                    field.span,
                    note=f"Derived fields may take {MOST_STEPS:,} steps in all, and each sum over a kind's things goes "
                    "through all of them.",
                    help="give an inner sum a field of its own, which is then worked out once for each thing",
                )
            ]
        )


class TooLarge(RulesError):
    """A number no cell, or no set, has room for."""

    def __init__(self, expr: t.Expr, member: bool = False) -> None:
        super().__init__(
            [
                Diagnostic(
                    "E0703",
                    "this number gets too large",
                    expr.span,
                    note=f"The numbers in a set go from 0 to {MEMBERS - 1}."
                    if member
                    else "Numbers may be up to 2 to the power of 62, which has 19 digits, above or below 0.",
                    help="keep to that range" if member else "compute with smaller numbers",
                )
            ]
        )


class Constants:
    """Fields of things as tables of integers: one a thing; for amounts one a thing and resource."""

    def __init__(self, linked: Linked) -> None:
        self.linked = linked
        self.steps = 0
        self.working: t.FieldDef | None = None
        self.tables: dict[tuple[str, str], list[int]] = {}
        self.env: dict[Local, int] = {}
        self.begun: set[tuple[str, str]] = set()

    def field(self, kind: str, name: str) -> list[int]:
        """The table of a field of a kind."""
        if (kind, name) not in self.tables:
            for below in after_their_needs([(kind, name)], self._needed, circles=True):
                self._work_out(*below)
        return self.tables[kind, name]

    def _needed(self, field: tuple[str, str]) -> list[tuple[str, str]]:
        """The fields from which a field is computed, as far as they are not yet known."""
        kind, name = field
        written = [f for thing in self.linked.things[kind] for f in thing.fields if f.name.word == name]
        values = (self._definition(kind, name).value, *(x for f in written for x in (f.expr, f.amounts)))
        typed, of = self.linked.typed, self.linked.resolved.of
        read = [x for x in walk(values) if isinstance(x, t.Apply) and of(x.head).sort == "field"]
        needed = [(typed.of(apply.args[0]).kind, apply.head.word) for apply in read]
        return [other for other in needed if other not in self.tables]

    def _definition(self, kind: str, name: str) -> t.FieldDef:
        definition: t.Kind = self.linked.resolved.get(kind)
        return next(f for f in definition.fields if f.name.word == name)

    def _work_out(self, kind: str, name: str) -> None:
        if (kind, name) in self.tables:
            return
        field = self._definition(kind, name)
        if (kind, name) in self.begun:
            raise Circular(field)
        self.begun.add((kind, name))
        before, self.working = self.working, field
        self.tables[kind, name] = self._table(self.linked.resolved.get(kind), field)
        self.working = before

    def _table(self, kind: t.Kind, field: t.FieldDef) -> list[int]:
        """For each thing, which meanwhile is what the kind's own name means."""
        local, table = self.linked.resolved.binds[kind], list[int]()
        before = self.env.get(local, -1)
        for i, thing in enumerate(self.linked.things[kind.name.word]):
            self.env[local] = i
            table.extend(self._values(field, thing))
        self.env[local] = before
        return table

    def _values(self, field: t.FieldDef, thing: t.Thing) -> list[int]:
        if field.type is None:
            assert field.value is not None
            return [self.value(field.value)]
        written = next((f for f in thing.fields if f.name.word == field.name.word), None)
        if field.type.shape == "amounts":
            return self._amounts(written.amounts if written else None)
        if written is None or written.expr is None:
            return [-1 if declared(self.linked.resolved, field.type).shape == "thing" else 0]
        return [self.value(written.expr)]

    def _amounts(self, bundle: t.Bundle | None) -> list[int]:
        amounts = [0] * len(self.linked.resources)
        for part in bundle.parts if bundle else ():
            assert isinstance(part, t.Part), "a printed amount names its resource"
            for member in self.linked.members(self.linked.resolved.of(part.what).name):
                amounts[member] += self.value(part.amount)
        return amounts

    # --- a small evaluator: what play would give, or `Unknown` where play would have to tell ---------

    def value(self, expr: t.Expr) -> int:
        """The value as its place takes it."""
        handler = EVALUATE.get(type(expr))
        if handler is None:
            raise Unknown(expr)
        self.steps += 1
        if self.steps > MOST_STEPS and self.working is not None:
            raise TooLong(self.working)
        result = handler(self, expr)
        if not LEAST <= result <= MOST and self.linked.typed.of(expr).shape != "set":
            raise TooLarge(expr)
        coercion = self.linked.typed.coerced.get(expr)
        return result if coercion is None else self._coerced(expr, result, coercion)

    def _coerced(self, expr: t.Expr, value: int, coercion: Coercion) -> int:
        if coercion is Coercion.PRESENT and value < 0:
            raise Unknown(expr)
        if coercion is Coercion.THING_TO_SET:
            return 1 << value if value >= 0 else 0
        if coercion is Coercion.NUMBER_TO_SET:
            if not 0 <= value < MEMBERS:
                raise TooLarge(expr, member=True)
            return 1 << value
        return value  # orders are never printed

    def _name(self, name: t.Name) -> int:
        meaning = self.linked.resolved.of(name)
        if isinstance(meaning, Local):
            if meaning not in self.env:
                raise Unknown(name)
            return self.env[meaning]
        if meaning.sort == "thing":
            return self.linked.index(meaning.name, self.linked.resolved.get(meaning.name).kind.word)
        if meaning.sort == "kind":
            return (1 << len(self.linked.things[meaning.name])) - 1
        if meaning.sort == "resource":
            return self.linked.resource_index(meaning.name)
        if meaning.sort == "group":
            return sum(1 << i for i in self.linked.members(meaning.name))
        constants = {"nobody": 0, "none": -1, "yes": 1, "no": 0, "no-dice": 0}
        if meaning.sort == "builtin" and meaning.name in constants:
            return constants[meaning.name]
        raise Unknown(name)

    def _apply(self, apply: t.Apply) -> int:
        meaning = self.linked.resolved.of(apply.head)
        if meaning.sort != "field":
            raise Unknown(apply)
        at = [self.value(a) for a in apply.args]
        kind = self.linked.typed.of(apply.args[0]).kind
        table = self.tables.get((kind, apply.head.word)) or self.field(kind, apply.head.word)
        return table[at[0] * len(self.linked.resources) + at[1] if len(at) > 1 else at[0]]

    def _unary(self, unary: t.Unary) -> int:
        shape = self.linked.typed.of(unary.arg).shape
        if unary.op not in UNARY or shape in ("dice", "order"):
            raise Unknown(unary)
        value = self.value(unary.arg)
        return value if unary.op in ("first", "last") and shape == "thing" else int(UNARY[unary.op](value))

    def _binary(self, binary: t.Binary) -> int:
        left = self.value(binary.left)
        if binary.op in DECISIVE and bool(left) == DECISIVE[binary.op]:
            return int(bool(left))
        right = self.value(binary.right)
        if self.linked.typed.of(binary).shape == "set" and binary.op in SETS:
            return SETS[binary.op](left, right)
        if binary.op in ("/", "mod") and right == 0:
            raise Unknown(binary)
        return int(BINARY[binary.op](left, right))

    def _members(self, owner: t.Node, members: t.Expr) -> Iterator[int]:
        """The members of a set, lowest first; each is `it` until the next one is asked for."""
        local, mask = self.linked.resolved.binds[owner], self.value(members)
        for i in range(mask.bit_length()):
            if mask >> i & 1:
                self.env[local] = i
                yield i

    def _where(self, where: t.Where) -> int:
        return sum(1 << i for i in self._members(where, where.members) if self.value(where.condition))

    def next_to(self, kind: str, shape: str, row: t.Name, file: t.Name) -> list[int]:
        """Of each thing of a kind, those next to it on a grid of this shape, where two fields say where it lies."""
        rows, files = (self.field(kind, name.word) for name in (row, file))
        return _next_to(shape, [*zip(rows, files, strict=True)])

    def _next_to(self, one: t.NextTo) -> int:
        thing, kind = self.value(one.thing), self.linked.typed.of(one.thing).kind
        around = self.next_to(kind, one.shape, one.row, one.file)
        return self.value(one.members) & around[thing] if thing >= 0 else 0

    def _connected(self, one: t.Connected) -> int:
        local, among = self.linked.resolved.binds[one], self.value(one.members)
        found = new = self.value(one.start) & among
        while new:
            around = 0
            for i in (i for i in range(new.bit_length()) if new >> i & 1):
                self.env[local] = i
                around |= self.value(one.through)
            new = around & among & ~found
            found |= new
        return found

    def _best(self, best: t.Best) -> int:
        leading = self.value(best.members)
        for word, key in best.keys:
            values = {}
            for i in (i for i in range(leading.bit_length()) if leading >> i & 1):
                self.env[self.linked.resolved.binds[best]] = i
                values[i] = self.value(key)
            wanted = (min if word == "fewest" else max)(values.values(), default=0)
            leading = sum(1 << i for i, value in values.items() if value == wanted)
        return leading

    def _over(self, over: t.Over) -> int:
        values = [self.value(over.value) for _ in self._members(over, over.members)]
        return BEST[over.op](values) if values else 0

    def _of_several(self, several: t.OfSeveral) -> int:
        return BEST[several.op]([self.value(value) for value in several.values])

    def _track(self, track: t.Track) -> int:
        at = min(max(self.value(track.at), 1), len(track.steps))
        return self.value(track.steps[at - 1])

    def _quantified(self, quantified: t.Quantified) -> int:
        results = (self.value(quantified.condition) != 0 for _ in self._members(quantified, quantified.members))
        return int(all(results) if quantified.op == "every" else any(results))


BEST: dict[str, Callable[[Iterable[int]], int]] = {"sum": sum, "best": max, "least": min}
UNARY: dict[str, Callable[[int], int]] = {
    "minus": lambda a: -a,
    "not": lambda a: not a,
    "count": lambda a: a.bit_count(),
    "empty": lambda a: a == 0,
    "not-empty": lambda a: a != 0,
    "first": lambda a: (a & -a).bit_length() - 1,
    "last": lambda a: a.bit_length() - 1,
}
DECISIVE = {"and": False, "or": True}  # what settles it without a look at the right side
SETS: dict[str, Callable[[int, int], int]] = {"+": lambda a, b: a | b, "-": lambda a, b: a & ~b}
BINARY: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a // b,
    "mod": lambda a, b: a % b,
    "and": lambda a, b: b != 0,
    "or": lambda a, b: b != 0,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, b: a >= 0 and b >> a & 1,
    "not-in": lambda a, b: not (a >= 0 and b >> a & 1),
    "within": lambda a, b: a & ~b == 0,
}
_BESIDE = ((0, 1), (0, -1), (1, 0), (-1, 0))
_STEPS = {"square": _BESIDE, "hexagonal": (*_BESIDE, (1, -1), (-1, 1))}
"""From a cell of a grid to those next to it. Of hexagons each row lies half a step further on than the one before."""


def hexagonal_grids(book: t.Book) -> Iterator[t.NextTo]:
    """Where rules ask what is next to something on a hexagonal grid."""
    nodes = (node for one in (*book.definitions.values(), *book.standalone) for node in walk(one))
    return (node for node in nodes if isinstance(node, t.NextTo) and node.shape == "hexagonal")


def _next_to(shape: str, places: Sequence[tuple[int, int]]) -> list[int]:
    """Of each of these cells, the set of those next to it; several may lie in one place."""
    there: dict[tuple[int, int], int] = {}
    for cell, place in enumerate(places):
        there[place] = there.get(place, 0) | 1 << cell
    around = [[(row + down, file + on) for down, on in _STEPS[shape]] for row, file in places]
    return [sum(there.get(place, 0) for place in found) for found in around]


EVALUATE: dict[type, Callable[[Constants, Any], int]] = {
    t.Number: lambda _, n: n.value,
    t.Name: Constants._name,
    t.Apply: Constants._apply,
    t.Unary: Constants._unary,
    t.Binary: Constants._binary,
    t.Listed: Constants._binary,
    t.Where: Constants._where,
    t.Connected: Constants._connected,
    t.NextTo: Constants._next_to,
    t.Best: Constants._best,
    t.Over: Constants._over,
    t.OfSeveral: Constants._of_several,
    t.Track: Constants._track,
    t.Quantified: Constants._quantified,
}
