"""What bags begin with."""

from __future__ import annotations

from math import inf

from edict.compiler.semantics.link import Linked
from edict.compiler.semantics.possible_values import possible
from edict.compiler.syntax import tree as t


def begun_with(linked: Linked) -> int:
    """How many things all bags begin with together, at most."""
    keeps = (keep for keep in linked.resolved.book.definitions.values() if isinstance(keep, t.Keep))
    return sum(_in_all(linked, keep.start) for keep in keeps if keep.start is not None)


def _in_all(linked: Linked, start: t.Expr) -> int:
    if isinstance(start, t.Binary):
        return _in_all(linked, start.left) + _in_all(linked, start.right)
    if isinstance(start, t.CopiesOf):
        return _many(linked, start.number)
    return _of_each(linked, start) if isinstance(start, t.OfEach) else 0


def _many(linked: Linked, number: t.Expr | None) -> int:
    """Of what only play tells, what is needed is not known."""
    high = possible(linked.typed, number).high if number is not None else 0
    return int(max(high, 0)) if high < inf else 0


def _of_each(linked: Linked, start: t.OfEach) -> int:
    """Of fields without a range, the numbers that are written count."""
    kind = linked.resolved.of(start.kind).name
    things = linked.things[kind]
    if start.field is None:
        return len(things) * _many(linked, start.number)
    name = start.field.word
    field = next(field for field in linked.resolved.get(kind).fields if field.name.word == name)
    if field.type is not None and field.type.high is not None:
        return len(things) * int(field.type.high)
    written = (field.expr for thing in things for field in thing.fields if field.name.word == name)
    return sum(number.value for number in written if isinstance(number, t.Number))
