"""Initial contents of bags."""

from __future__ import annotations

from math import inf

from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.possible_values import evaluate_abstractly
from edict.compiler.syntax import tree as t


def count_initial_bag_things(linked: LinkedBook) -> int:
    """Return an upper bound of the number of things in all bags together at the start of a game."""
    keeps = (keep for keep in linked.resolved.book.definitions.values() if isinstance(keep, t.Keep))
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
