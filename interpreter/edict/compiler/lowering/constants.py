"""Constant evaluation of printed and derived fields before play, and of what bags hold at most when a game starts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import inf
from typing import Any

from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.possible_values import evaluate_abstractly
from edict.compiler.semantics.symbols import Local
from edict.compiler.semantics.types import Coercion, from_type_name
from edict.compiler.sources.input_limits import MOST_STEPS, SET_BITS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from edict.runtime.program.opcodes import LEAST, MOST
from edict.support.ordering import sort_topologically
from edict.support.report import Diagnostic, RulesError


class NotConstantError(RulesError):
    """A derived field that depends on play."""

    def __init__(self, expr: t.Expr) -> None:
        super().__init__(
            [
                Diagnostic(
                    "E0502",
                    "this is not known before play",
                    expr.span,
                    note="a computed field is worked out once, before play, from other fields",
                    help="use a `quantity` for what changes during play",
                )
            ]
        )


class CircularFieldError(RulesError):
    """A derived field that depends on itself."""

    def __init__(self, field: t.FieldDef) -> None:
        super().__init__(
            [
                Diagnostic(
                    "E0507",
                    f"`{field.name.word}` is computed from itself",
                    field.span,
                    help="compute it from fields with written values",
                )
            ]
        )


class FieldTooComplexError(RulesError):
    """A derived field that takes too many steps to evaluate."""

    def __init__(self, field: t.FieldDef) -> None:
        super().__init__(
            [
                Diagnostic(
                    "E0702",
                    f"`{field.name.word}` takes too long to work out",
                    field.span,
                    note=f"Computed fields may take {MOST_STEPS:,} steps in all, and each sum over a kind goes "
                    f"through all its things.",
                    help="move an inner sum to its own field, which is worked out once for each thing",
                )
            ]
        )


class ConstantTooLargeError(RulesError):
    """A number too large for a cell or for a set."""

    def __init__(self, expr: t.Expr, member: bool = False) -> None:
        super().__init__(
            [
                Diagnostic(
                    "E0703",
                    "this number gets too large",
                    expr.span,
                    note=f"The numbers in a set go from 0 to {SET_BITS - 1}."
                    if member
                    else "Numbers go up to 2 to the power of 62, which has 19 digits, positive or negative.",
                    help="stay within that range" if member else "use smaller numbers",
                )
            ]
        )


class FieldConstants:
    """Fields of things as tables of integers, one for each thing; amounts have one for each thing and resource."""

    def __init__(self, linked: LinkedBook) -> None:
        self.linked = linked
        self.steps = 0
        self.current_field: t.FieldDef | None = None
        self.tables: dict[tuple[str, str], list[int]] = {}
        self.env: dict[Local, int] = {}
        self.started_fields: set[tuple[str, str]] = set()

    def field_table(self, kind: str, name: str) -> list[int]:
        """Return a field's value for each thing of a kind, by thing number; evaluate it first if needed."""
        if (kind, name) not in self.tables:
            for field in sort_topologically([(kind, name)], self._missing_dependencies, allow_cycles=True):
                self._evaluate_field(*field)
        return self.tables[kind, name]

    def _missing_dependencies(self, field: tuple[str, str]) -> list[tuple[str, str]]:
        """Return the fields that a field reads and that are not evaluated yet."""
        kind, name = field
        written = [f for thing in self.linked.things[kind] for f in thing.fields if f.name.word == name]
        values = (self._definition(kind, name).value, *(x for f in written for x in (f.expr, f.amounts)))
        typed, meaning_of = self.linked.typed, self.linked.resolved.meaning_of
        field_reads = [x for x in walk(values) if isinstance(x, t.Apply) and meaning_of(x.head).sort == "field"]
        dependencies = [(typed.type_of(apply.args[0]).kind, apply.head.word) for apply in field_reads]
        return [other for other in dependencies if other not in self.tables]

    def _definition(self, kind: str, name: str) -> t.FieldDef:
        """Return the declaration of a kind's field by its name."""
        definition: t.Kind = self.linked.resolved.require_definition(kind)
        return next(f for f in definition.fields if f.name.word == name)

    def _evaluate_field(self, kind: str, name: str) -> None:
        """Store the table of a field in `tables`, once; raise CircularFieldError if it depends on itself."""
        if (kind, name) in self.tables:
            return
        field = self._definition(kind, name)
        if (kind, name) in self.started_fields:
            raise CircularFieldError(field)
        self.started_fields.add((kind, name))
        outer_field, self.current_field = self.current_field, field
        self.tables[kind, name] = self._build_table(self.linked.resolved.require_definition(kind), field)
        self.current_field = outer_field

    def _build_table(self, kind: t.Kind, field: t.FieldDef) -> list[int]:
        """Evaluate a field for each thing while the local of the kind is bound to it."""
        local, table = self.linked.resolved.binds[kind], list[int]()
        outer_value = self.env.get(local, -1)
        for i, thing in enumerate(self.linked.things[kind.name.word]):
            self.env[local] = i
            table.extend(self._evaluate_for_thing(field, thing))
        self.env[local] = outer_value
        return table

    def _evaluate_for_thing(self, field: t.FieldDef, thing: t.Thing) -> list[int]:
        """Return a field's values for a thing: one number, or an amount of each resource; -1 for no thing."""
        if field.type is None:
            assert field.value is not None
            return [self.evaluate(field.value)]
        written = next((f for f in thing.fields if f.name.word == field.name.word), None)
        if field.type.shape == "amounts":
            return self._evaluate_amounts(written.amounts if written else None)
        if written is None or written.expr is None:
            return [-1 if from_type_name(self.linked.resolved, field.type).shape == "thing" else 0]
        return [self.evaluate(written.expr)]

    def _evaluate_amounts(self, bundle: t.Bundle | None) -> list[int]:
        """Return the amount of each resource in a bundle, by resource number; all 0 without a bundle."""
        amounts = [0] * len(self.linked.resources)
        for part in bundle.parts if bundle else ():
            assert isinstance(part, t.Part), "an amount in a field must name its resource"
            for member in self.linked.resource_indexes(self.linked.resolved.meaning_of(part.what).name):
                amounts[member] += self.evaluate(part.amount)
        return amounts

    # --- evaluator ------------------------------------------------------------------------------------

    def evaluate(self, expr: t.Expr) -> int:
        """Evaluate an expression and apply its coercion.

        Raises:
            NotConstantError: If the value depends on play.
            FieldTooComplexError: If evaluation takes too many steps.
            ConstantTooLargeError: If the number is too large.
        """
        handler = EVALUATORS.get(type(expr))
        if handler is None:
            raise NotConstantError(expr)
        self.steps += 1
        if self.steps > MOST_STEPS and self.current_field is not None:
            raise FieldTooComplexError(self.current_field)
        result = handler(self, expr)
        if not LEAST <= result <= MOST and self.linked.typed.type_of(expr).shape != "set":
            raise ConstantTooLargeError(expr)
        coercion = self.linked.typed.coerced.get(expr)
        return result if coercion is None else self._coerce(expr, result, coercion)

    def _coerce(self, expr: t.Expr, value: int, coercion: Coercion) -> int:
        """Apply a coercion to a constant: a thing or number becomes the set of itself, a bit at its number."""
        if coercion is Coercion.PRESENT and value < 0:
            raise NotConstantError(expr)
        if coercion is Coercion.THING_TO_SET:
            return 1 << value if value >= 0 else 0
        if coercion is Coercion.NUMBER_TO_SET:
            if not 0 <= value < SET_BITS:
                raise ConstantTooLargeError(expr, member=True)
            return 1 << value
        return value  # orders are never printed

    def _evaluate_name(self, name: t.Name) -> int:
        """Return the number of a thing, resource or constant, or a set's bits; else raise NotConstantError."""
        meaning = self.linked.resolved.meaning_of(name)
        if isinstance(meaning, Local):
            if meaning not in self.env:
                raise NotConstantError(name)
            return self.env[meaning]
        if meaning.sort == "thing":
            return self.linked.thing_index(
                meaning.name, self.linked.resolved.require_definition(meaning.name).kind.word
            )
        if meaning.sort == "kind":
            return (1 << len(self.linked.things[meaning.name])) - 1
        if meaning.sort == "resource":
            return self.linked.resource_index(meaning.name)
        if meaning.sort == "group":
            return sum(1 << i for i in self.linked.resource_indexes(meaning.name))
        constants = {"nobody": 0, "none": -1, "yes": 1, "no": 0, "no-dice": 0}
        if meaning.sort == "builtin" and meaning.name in constants:
            return constants[meaning.name]
        raise NotConstantError(name)

    def _evaluate_apply(self, apply: t.Apply) -> int:
        """Return a thing's field, or its amount of one resource, out of the field's table."""
        meaning = self.linked.resolved.meaning_of(apply.head)
        if meaning.sort != "field":
            raise NotConstantError(apply)
        indices = [self.evaluate(a) for a in apply.args]
        kind = self.linked.typed.type_of(apply.args[0]).kind
        table = self.tables.get((kind, apply.head.word)) or self.field_table(kind, apply.head.word)
        return table[indices[0] * len(self.linked.resources) + indices[1] if len(indices) > 1 else indices[0]]

    def _evaluate_unary(self, unary: t.Unary) -> int:
        """Return a prefix operation on a number or set; raise NotConstantError for dice and orders."""
        shape = self.linked.typed.type_of(unary.arg).shape
        if unary.op not in UNARY_OPERATORS or shape in ("dice", "order"):
            raise NotConstantError(unary)
        value = self.evaluate(unary.arg)
        if unary.op in ("first", "last") and shape == "thing":
            return value
        return int(UNARY_OPERATORS[unary.op](value))

    def _evaluate_binary(self, binary: t.Binary) -> int:
        """Return a binary operation; `and` and `or` skip their right side if the left decides."""
        left = self.evaluate(binary.left)
        if isinstance(binary.right, t.NumbersFrom) and binary.op in ("in", "not-in"):
            is_between = self.evaluate(binary.right.low) <= left <= self.evaluate(binary.right.high)
            return int(is_between == (binary.op == "in"))
        if binary.op in SHORT_CIRCUITS and bool(left) == SHORT_CIRCUITS[binary.op]:
            return int(bool(left))
        right = self.evaluate(binary.right)
        if self.linked.typed.type_of(binary).shape == "set" and binary.op in SET_OPERATORS:
            return SET_OPERATORS[binary.op](left, right)
        if binary.op in ("/", "mod") and right == 0:
            raise NotConstantError(binary)
        return int(BINARY_OPERATORS[binary.op](left, right))

    def _iter_members(self, owner: t.Node, members: t.Expr) -> Iterator[int]:
        """Iterate over the members of a set, lowest first, and bind `it` to each in turn."""
        local = self.linked.resolved.binds[owner]
        for i in self._iter_numbers(members):
            self.env[local] = i
            yield i

    def _iter_numbers(self, members: t.Expr) -> Iterator[int]:
        """Iterate over the members of a set, lowest first; those of a range may be of any size."""
        if isinstance(members, t.NumbersFrom):
            yield from range(self.evaluate(members.low), self.evaluate(members.high) + 1)
            return
        mask = self.evaluate(members)
        yield from (i for i in range(mask.bit_length()) if mask >> i & 1)

    def _evaluate_number_range(self, numbers: t.NumbersFrom) -> int:
        """Return the numbers of a range as bits."""
        mask = 0
        for number in self._iter_numbers(numbers):
            mask |= self._coerce(numbers, number, Coercion.NUMBER_TO_SET)
        return mask

    def _evaluate_where(self, where: t.Where) -> int:
        """Return the set of members that meet the condition, as bits."""
        return sum(1 << i for i in self._iter_members(where, where.members) if self.evaluate(where.condition))

    def neighbor_table(self, kind: str, shape: str, row: t.Name, file: t.Name) -> list[int]:
        """Return for each thing of a kind the set of its neighbors on a grid, given the fields of its coordinates."""
        rows, files = (self.field_table(kind, name.word) for name in (row, file))
        return _find_neighbors(shape, [*zip(rows, files, strict=True)])

    def _evaluate_next_to(self, node: t.NextTo) -> int:
        """Return the members next to a thing on its grid, as bits; none if the thing is absent."""
        thing, kind = self.evaluate(node.thing), self.linked.typed.type_of(node.thing).kind
        neighbors = self.neighbor_table(kind, node.shape, node.row, node.file)
        return self.evaluate(node.members) & neighbors[thing] if thing >= 0 else 0

    def _evaluate_connected_set(self, node: t.Connected) -> int:
        """Return the members that can be reached from the start through neighboring members, as bits."""
        local, allowed = self.linked.resolved.binds[node], self.evaluate(node.members)
        reached = new = self.evaluate(node.start) & allowed
        while new:
            neighbors = 0
            for i in (i for i in range(new.bit_length()) if new >> i & 1):
                self.env[local] = i
                neighbors |= self.evaluate(node.through)
            new = neighbors & allowed & ~reached
            reached |= new
        return reached

    def _evaluate_best(self, best: t.Best) -> int:
        """Return the members with the most or fewest of each key in turn, as bits; several if they tie."""
        leading = self.evaluate(best.members)
        for word, key in best.keys:
            values = {}
            for i in (i for i in range(leading.bit_length()) if leading >> i & 1):
                self.env[self.linked.resolved.binds[best]] = i
                values[i] = self.evaluate(key)
            best_value = (min if word == "fewest" else max)(values.values(), default=0)
            leading = sum(1 << i for i, value in values.items() if value == best_value)
        return leading

    def _evaluate_over(self, over: t.Over) -> int:
        """Return the sum, greatest or least value over a set's members; 0 for an empty set."""
        values = [self.evaluate(over.value) for _ in self._iter_members(over, over.members)]
        return AGGREGATES[over.op](values) if values else 0

    def _evaluate_of_several(self, several: t.OfSeveral) -> int:
        """Return the sum, greatest or least of several listed values."""
        return AGGREGATES[several.op]([self.evaluate(value) for value in several.values])

    def _evaluate_track(self, track: t.Track) -> int:
        """Return the value at a position of a track, from 1; positions beyond an end count as that end."""
        position = min(max(self.evaluate(track.at), 1), len(track.steps))
        return self.evaluate(track.steps[position - 1])

    def _evaluate_quantifier(self, quantified: t.Quantified) -> int:
        """Return 1 if every (some, no) member of a set meets the condition, else 0."""
        results = (self.evaluate(quantified.condition) != 0 for _ in self._iter_members(quantified, quantified.members))
        return int(all(results) if quantified.op == "every" else any(results) == (quantified.op == "some"))


AGGREGATES: dict[str, Callable[[Iterable[int]], int]] = {"sum": sum, "best": max, "least": min}
UNARY_OPERATORS: dict[str, Callable[[int], int]] = {
    "minus": lambda a: -a,
    "not": lambda a: not a,
    "count": lambda a: a.bit_count(),
    "empty": lambda a: a == 0,
    "not-empty": lambda a: a != 0,
    "first": lambda a: (a & -a).bit_length() - 1,
    "last": lambda a: a.bit_length() - 1,
}
SHORT_CIRCUITS = {"and": False, "or": True}
SET_OPERATORS: dict[str, Callable[[int, int], int]] = {"+": lambda a, b: a | b, "-": lambda a, b: a & ~b}
BINARY_OPERATORS: dict[str, Callable[[int, int], int]] = {
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
_SQUARE_STEPS = ((0, 1), (0, -1), (1, 0), (-1, 0))
# steps to adjacent cells; each row of hexagons is shifted by half a cell against the one before
_NEIGHBOR_STEPS = {"square": _SQUARE_STEPS, "hexagonal": (*_SQUARE_STEPS, (1, -1), (-1, 1))}


def iter_hexagonal_grids(book: t.Book) -> Iterator[t.NextTo]:
    """Iterate over the expressions of a book that refer to neighbors on a hexagonal grid."""
    nodes = (node for root in book.roots for node in walk(root))
    return (node for node in nodes if isinstance(node, t.NextTo) and node.shape == "hexagonal")


def _find_neighbors(shape: str, places: Sequence[tuple[int, int]]) -> list[int]:
    """Return the set of neighbors of each cell; several cells may share a place."""
    cells_at: dict[tuple[int, int], int] = {}
    for cell, place in enumerate(places):
        cells_at[place] = cells_at.get(place, 0) | 1 << cell
    neighbor_places = [[(row + down, file + on) for down, on in _NEIGHBOR_STEPS[shape]] for row, file in places]
    return [sum(cells_at.get(place, 0) for place in cell_neighbors) for cell_neighbors in neighbor_places]


EVALUATORS: dict[type, Callable[[FieldConstants, Any], int]] = {
    t.Number: lambda _, n: n.value,
    t.Name: FieldConstants._evaluate_name,
    t.Apply: FieldConstants._evaluate_apply,
    t.Unary: FieldConstants._evaluate_unary,
    t.Binary: FieldConstants._evaluate_binary,
    t.Listed: FieldConstants._evaluate_binary,
    t.Where: FieldConstants._evaluate_where,
    t.Connected: FieldConstants._evaluate_connected_set,
    t.NextTo: FieldConstants._evaluate_next_to,
    t.NumbersFrom: FieldConstants._evaluate_number_range,
    t.Best: FieldConstants._evaluate_best,
    t.Over: FieldConstants._evaluate_over,
    t.OfSeveral: FieldConstants._evaluate_of_several,
    t.Track: FieldConstants._evaluate_track,
    t.Quantified: FieldConstants._evaluate_quantifier,
}


def count_initial_bag_things(linked: LinkedBook) -> int:
    """Return an upper bound of the number of things in all bags together at the start of a game."""
    keeps = linked.resolved.book.select(t.Keep)
    return sum(_count_things(linked, keep.start) for keep in keeps if keep.start is not None)


def _count_things(linked: LinkedBook, start: t.Expr) -> int:
    """Return an upper bound of the things in a bag's initial value; 0 for forms other than sums and copies."""
    if isinstance(start, t.Binary):
        return _count_things(linked, start.left) + _count_things(linked, start.right)
    if isinstance(start, t.CopiesOf):
        return _upper_bound(linked, start.number)
    return _count_of_each(linked, start) if isinstance(start, t.OfEach) else 0


def _upper_bound(linked: LinkedBook, number: t.Expr | None) -> int:
    """Return the greatest value of a number; 0 if it is known only in play."""
    high = evaluate_abstractly(linked.typed, number).high if number is not None else 0
    return int(max(high, 0)) if high < inf else 0


def _count_of_each(linked: LinkedBook, start: t.OfEach) -> int:
    """Count the copies of each thing; a field without a range counts as the numbers written in things."""
    kind = linked.resolved.meaning_of(start.kind).name
    things = linked.things[kind]
    if start.field is None:
        return len(things) * _upper_bound(linked, start.number)
    name = start.field.word
    field = next(field for field in linked.resolved.require_definition(kind).fields if field.name.word == name)
    if field.type is not None and field.type.high is not None:
        return len(things) * int(field.type.high)
    written = (field.expr for thing in things for field in thing.fields if field.name.word == name)
    return sum(number.value for number in written if isinstance(number, t.Number))
