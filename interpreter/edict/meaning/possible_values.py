"""Between which numbers a value lies, and whether a condition always or never holds: from declarations alone."""

from __future__ import annotations

from collections.abc import Iterator
from math import floor, inf

from edict.language import tree as t
from edict.ordering import after_their_needs
from edict.meaning.symbols import NUMBER, Symbol, definition_of
from edict.language.walking import walk
from edict.meaning.types import Typed

Range = tuple[float, float]

ANY: Range = (-inf, inf)
COUNT: Range = (0, inf)


def range_of(typed: Typed, expr: t.Expr) -> Range:
    """The least and the greatest number an expression may give."""
    if isinstance(expr, t.Number):
        return (expr.value, expr.value)
    if isinstance(expr, t.Unary):
        return _unary(typed, expr)
    if isinstance(expr, t.Binary) and expr.op in ("+", "-", "*"):
        return _arithmetic(expr.op, range_of(typed, expr.left), range_of(typed, expr.right))
    if isinstance(expr, t.Binary) and expr.op in ("/", "mod"):
        return _divided(expr.op, range_of(typed, expr.left), range_of(typed, expr.right))
    if isinstance(expr, t.Apply | t.Name):
        return _named(typed, expr)
    return ANY


def keep_range(keep: t.Keep) -> Range:
    """What a keep is declared to hold; one without a beginning begins at 0."""
    if keep.type.low is None or keep.type.high is None:
        return ANY
    start = keep.start.value if isinstance(keep.start, t.Number) else 0
    return (min(keep.type.low, start), max(keep.type.high, start))


def _unary(typed: Typed, expr: t.Unary) -> Range:
    if expr.op == "minus":
        low, high = range_of(typed, expr.arg)
        return (-high, -low)
    if expr.op == "count":
        return _members(typed, expr.arg)
    return COUNT if expr.op == "total" else ANY


def _members(typed: Typed, members: t.Expr) -> Range:
    """How many a set may have, at most all of its kind; the same may be in a bag more than once."""
    of = typed.of(members)
    kind = typed.resolved.book.definitions.get(of.kind)
    return (0, how_many(typed, kind)) if of.shape == "set" and isinstance(kind, t.Kind) else COUNT


def how_many(typed: Typed, kind: t.Kind) -> int:
    """The things of a kind, in number."""
    if kind not in typed.ranges:
        things = (one for one in typed.resolved.book.definitions.values() if isinstance(one, t.Thing))
        typed.ranges[kind] = (0, sum(one.kind.word == kind.name.word for one in things))
    return int(typed.ranges[kind][1])


def _arithmetic(op: str, a: Range, b: Range) -> Range:
    if op == "+":
        return (a[0] + b[0], a[1] + b[1])
    if op == "-":
        return (a[0] - b[1], a[1] - b[0])
    products = [x * y if x and y else 0 for x in a for y in b]  # 0 times anything is 0
    return (min(products), max(products))


def _divided(op: str, a: Range, b: Range) -> Range:
    """By a number above 0, rounded down; the remainder is less than that."""
    if b[0] <= 0:
        return ANY
    if op == "mod":
        return (0, b[1] - 1)
    ends = [x / y if abs(x) < inf else x for x in a for y in b]
    return (floor(min(ends)) if min(ends) > -inf else -inf, floor(max(ends)) if max(ends) < inf else inf)


def _named(typed: Typed, expr: t.Apply | t.Name) -> Range:
    head = expr.head if isinstance(expr, t.Apply) else expr
    meaning = typed.resolved.meaning.get(head)
    if not isinstance(meaning, Symbol):
        return ANY
    if isinstance(expr, t.Apply) and meaning.sort == "field":
        return _field(typed, expr)
    definition = meaning.definition
    if isinstance(definition, t.Keep):
        return keep_range(definition)
    if isinstance(definition, t.Quantity):
        return _once(typed, definition)
    if isinstance(expr, t.Apply) and isinstance(definition, t.Die):
        return COUNT
    owned = isinstance(expr, t.Apply) and isinstance(definition, t.Resource) and not definition.below_zero
    return COUNT if owned else ANY


def _once(typed: Typed, one: t.Quantity | t.FieldValue) -> Range:
    """The range of a quantity or a written field, worked out once, and after those it is built on."""
    if one not in typed.ranges:
        order = after_their_needs([one], lambda x: (y for y in _built_on(typed, x) if y not in typed.ranges), True)
        typed.ranges.update(dict.fromkeys(order, ANY))  # what is built on itself may be anything
        for each in order:
            whole = _bounds(typed, each) if isinstance(each, t.Quantity) else _written(typed, each)
            typed.ranges[each] = whole
    return typed.ranges[one]


def _built_on(typed: Typed, one: t.Quantity | t.FieldValue) -> Iterator[t.Quantity | t.FieldValue]:
    """The quantities and written fields that its range is worked out from."""
    parts = (one.at_least, one.at_most) if isinstance(one, t.Quantity) else (one.expr,)
    for node in walk(parts):
        meaning = typed.resolved.meaning.get(node) if isinstance(node, t.Name) else None
        if isinstance(meaning, Symbol) and isinstance(meaning.definition, t.Quantity):
            yield meaning.definition
        field = _field_value(typed, node) if isinstance(node, t.Apply) else None
        if field is not None:
            yield field


def _written(typed: Typed, field: t.FieldValue) -> Range:
    return range_of(typed, field.expr) if field.expr is not None else ANY


def _bounds(typed: Typed, quantity: t.Quantity) -> Range:
    low = range_of(typed, quantity.at_least)[0] if quantity.at_least is not None else -inf
    high = range_of(typed, quantity.at_most)[1] if quantity.at_most is not None else inf
    return (low, high)


def _field(typed: Typed, expr: t.Apply) -> Range:
    """Of a thing named outright, what it says; otherwise what its kind allows."""
    thing, written = _thing(typed, expr.args[0]), _field_value(typed, expr)
    if written is not None:
        return _once(typed, written)
    kind = typed.resolved.book.definitions.get(typed.of(expr.args[0]).kind)
    fields = kind.fields if isinstance(kind, t.Kind) else ()
    type_ = next((f.type for f in fields if f.name.word == expr.head.word), None)
    if type_ is None or type_.low is None or type_.high is None or thing is not None:
        return ANY
    return (min(0, type_.low), type_.high)  # 0 where an optional field is left out


def _field_value(typed: Typed, expr: t.Apply) -> t.FieldValue | None:
    """What a thing that is named outright says of the field, if it says a number."""
    thing = _thing(typed, expr.args[0]) if expr.args else None
    fields = thing.fields if thing is not None else ()
    return next((f for f in fields if f.name.word == expr.head.word and f.expr is not None), None)


def _thing(typed: Typed, expr: t.Expr) -> t.Thing | None:
    found = definition_of(typed.resolved, expr)
    return found if isinstance(found, t.Thing) else None


# --- conditions ----------------------------------------------------------------------------------


def holds(typed: Typed, expr: t.Expr) -> bool | None:
    """Whether a condition always holds, or never; None when it depends."""
    if isinstance(expr, t.Name):
        meaning = typed.resolved.meaning.get(expr)
        builtin = isinstance(meaning, Symbol) and meaning.sort == "builtin"
        return {"yes": True, "no": False}.get(expr.word) if builtin else None
    if isinstance(expr, t.Unary) and expr.op == "not":
        inner = holds(typed, expr.arg)
        return None if inner is None else not inner
    if isinstance(expr, t.Binary):
        return _joined(typed, expr) if expr.op in ("and", "or") else _compared(typed, expr)
    return None


def _joined(typed: Typed, expr: t.Binary) -> bool | None:
    left, right = holds(typed, expr.left), holds(typed, expr.right)
    decisive = expr.op == "or"
    if decisive in (left, right):
        return decisive
    return not decisive if left == right == (not decisive) else None


def _compared(typed: Typed, expr: t.Binary) -> bool | None:
    if expr.op in ("=", "!="):
        same = _same(typed, expr)
        return same if same is None or expr.op == "=" else not same
    if expr.op not in ("<", "<=", ">", ">="):
        return None
    left, right = range_of(typed, expr.left), range_of(typed, expr.right)
    if expr.op in (">", ">="):
        left, right = right, left
    strict = expr.op in ("<", ">")
    if left[1] < right[0] or (left[1] == right[0] and not strict):
        return True
    if left[0] > right[1] or (left[0] == right[1] and strict):
        return False
    return None


def _same(typed: Typed, expr: t.Binary) -> bool | None:
    one, other = _thing(typed, expr.left), _thing(typed, expr.right)
    if one is not None and other is not None:
        return one is other
    if NUMBER not in (typed.of(expr.left), typed.of(expr.right)):
        return None
    left, right = range_of(typed, expr.left), range_of(typed, expr.right)
    if left[1] < right[0] or right[1] < left[0]:
        return False
    return True if left[0] == left[1] == right[0] == right[1] else None
