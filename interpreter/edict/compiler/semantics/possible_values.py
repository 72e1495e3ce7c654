"""What values can be, from how they are declared and written alone; and whether conditions can hold, and hold together.

One abstract value serves for all of it: numbers lie between two others, things are among some, and what a condition
says of a value narrows that down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import inf
from typing import Any

from edict.compiler.semantics.symbols import PLAYER, Local, Resolved, Symbol, definition_of
from edict.compiler.semantics.types import Typed
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import parts, walk
from edict.support.ordering import after_their_needs

Key = tuple[Any, ...]  # what a value is, whoever wrote it

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_TURNED = {**MIRRORED, "!=": "!="}
_OTHERWISE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_OF_ITSELF = {"=": True, "<=": True, ">=": True, "within": True, "!=": False, "<": False, ">": False}
_FAR = 2**200  # beyond this, no matter how far


@dataclass(frozen=True, slots=True)
class Possible:
    """What a value may be: between two numbers, one of some, none of others."""

    low: float = -inf
    high: float = inf
    among: frozenset[Key] | None = None
    but: frozenset[Key] = frozenset()

    @property
    def nothing(self) -> bool:
        """Whether no value is left."""
        if self.among is None:
            return self.low > self.high or (self.low == self.high and ("number", self.low) in self.but)
        return not any(self._fits(value) for value in self.among - self.but)

    @property
    def number(self) -> int | None:
        """The only number it can be, if it is one."""
        return int(self.low) if self.low == self.high else None

    @property
    def truth(self) -> bool | None:
        """Whether this always holds, or never; None when it depends."""
        if self.among is None:
            return None
        return True if self.among == _YES.among else False if self.among == _NO.among else None

    @property
    def range(self) -> tuple[float, float]:
        return self.low, self.high

    def within(self, other: Possible) -> bool:
        """Whether all of its numbers lie between those of the other."""
        return self.low >= other.low and self.high <= other.high

    def both(self, other: Possible) -> Possible:
        """What is possible by the one and by the other."""
        among = self.among if other.among is None else other.among if self.among is None else self.among & other.among
        return Possible(max(self.low, other.low), min(self.high, other.high), among, self.but | other.but)

    def __add__(self, other: Possible) -> Possible:
        return _between(self.low + other.low, self.high + other.high)

    def __neg__(self) -> Possible:
        return Possible(-self.high, -self.low)

    def __sub__(self, other: Possible) -> Possible:
        return self + -other

    def __mul__(self, other: Possible) -> Possible:
        ends = [x * y if x and y else 0 for x in (self.low, self.high) for y in (other.low, other.high)]
        return _between(min(ends), max(ends))  # 0 times anything is 0

    def __floordiv__(self, other: Possible) -> Possible:
        """By a number above 0, rounded down."""
        if other.low <= 0:
            return ANY
        ends = [x // y if abs(x) < inf else x for x in (self.low, self.high) for y in (other.low, other.high)]
        return Possible(min(ends), max(ends))

    def __mod__(self, other: Possible) -> Possible:
        """The remainder is less than what it is divided by."""
        return Possible(0, other.high - 1) if other.low > 0 else ANY

    def same(self, other: Possible) -> bool | None:
        """Whether two such values are equal; None when it depends."""
        if self.among is not None and other.among is not None:
            if not self.among & other.among:
                return False
            return True if len(self.among) == len(other.among) == 1 else None
        if self.high < other.low or other.high < self.low:
            return False
        return True if self.low == self.high == other.low == other.high else None

    def less(self, other: Possible) -> bool | None:
        """Whether it is the smaller one; None when it depends."""
        return True if self.high < other.low else False if self.low >= other.high else None

    def _fits(self, value: Key) -> bool:
        return value[0] != "number" or bool(self.low <= value[1] <= self.high)


ANY = Possible()
COUNT = Possible(0)
_NONE = Possible(among=frozenset())
_YES, _NO = Possible(among=frozenset({("truth", True)})), Possible(among=frozenset({("truth", False)}))


def _between(low: float, high: float) -> Possible:
    return Possible(-inf if low < -_FAR else min(low, _FAR), inf if high > _FAR else max(high, -_FAR))


def _truth(holds: bool | None) -> Possible:
    return ANY if holds is None else _YES if holds else _NO


def _not(holds: bool | None) -> bool | None:
    return None if holds is None else not holds


# --- what expressions can be ---------------------------------------------------------------------


@lru_cache(maxsize=2)
def _known(resolved: Resolved) -> dict[t.Node, Possible]:
    """What was worked out already: of expressions, quantities and what things say in their fields."""
    return {}


def possible(typed: Typed, expr: t.Expr) -> Possible:
    """What an expression may come to; a condition, too."""
    if isinstance(expr, t.Number):
        return Possible(expr.value, expr.value)
    if not isinstance(expr, t.Unary | t.Binary | t.Apply | t.Name):
        return ANY
    known = _known(typed.resolved)
    if expr not in known:
        known[expr] = (
            _unary(typed, expr)
            if isinstance(expr, t.Unary)
            else (_binary(typed, expr) if isinstance(expr, t.Binary) else _named(typed, expr))
        )
    return known[expr]


def keep_range(keep: t.Keep) -> Possible:
    """What a keep is declared to hold; one without a beginning begins at 0."""
    if keep.type.low is None or keep.type.high is None:
        return ANY
    start = keep.start.value if isinstance(keep.start, t.Number) else 0
    return Possible(min(keep.type.low, start), max(keep.type.high, start))


def how_many(typed: Typed, kind: t.Kind) -> int:
    """The things of a kind, in number."""
    return _things(typed.resolved)[kind.name.word]


@lru_cache(maxsize=2)
def _things(resolved: Resolved) -> Counter[str]:
    return Counter(thing.kind.word for thing in resolved.book.definitions.values() if isinstance(thing, t.Thing))


def _unary(typed: Typed, expr: t.Unary) -> Possible:
    if expr.op == "minus":
        return -possible(typed, expr.arg)
    if expr.op == "not":
        return _truth(_not(possible(typed, expr.arg).truth))
    if expr.op == "count":
        return _members(typed, expr.arg)
    return COUNT if expr.op == "total" else ANY


def _members(typed: Typed, members: t.Expr) -> Possible:
    """How many a set may have, at most all of its kind; the same may be in a bag more than once."""
    of = typed.of(members)
    kind = typed.resolved.book.definitions.get(of.kind)
    return Possible(0, how_many(typed, kind)) if of.shape == "set" and isinstance(kind, t.Kind) else COUNT


def _binary(typed: Typed, expr: t.Binary) -> Possible:
    op, left, right = expr.op, possible(typed, expr.left), possible(typed, expr.right)
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left // right
        case "mod":
            return left % right
        case "and" | "or":
            return _truth(_joined(op, left.truth, right.truth))
        case "=" | "!=":
            same = left.same(right)
            return _truth(same if op == "=" else _not(same))
        case "<" | ">=":
            less = left.less(right)
            return _truth(less if op == "<" else _not(less))
        case ">" | "<=":
            less = right.less(left)
            return _truth(less if op == ">" else _not(less))
    return ANY


def _joined(op: str, left: bool | None, right: bool | None) -> bool | None:
    decisive = op == "or"
    if decisive in (left, right):
        return decisive
    return not decisive if left == right == (not decisive) else None


def _named(typed: Typed, expr: t.Apply | t.Name) -> Possible:
    head = expr.head if isinstance(expr, t.Apply) else expr
    meaning = typed.resolved.meaning.get(head)
    if not isinstance(meaning, Symbol):
        return ANY
    if isinstance(expr, t.Name) and meaning.sort == "builtin":
        return {"yes": _YES, "no": _NO}.get(meaning.name, ANY)
    if isinstance(expr, t.Apply) and meaning.sort == "field":
        return _field(typed, expr)
    definition = meaning.definition
    if isinstance(definition, t.Thing):
        return Possible(among=frozenset({("thing", meaning.name)}))
    if isinstance(definition, t.Keep):
        return keep_range(definition)
    if isinstance(definition, t.Quantity):
        return _once(typed, definition)
    if isinstance(expr, t.Apply) and isinstance(definition, t.Die):
        return COUNT
    owned = isinstance(expr, t.Apply) and isinstance(definition, t.Resource) and not definition.below_zero
    return COUNT if owned else ANY


def _once(typed: Typed, worked_out: t.Quantity | t.FieldValue) -> Possible:
    """What a quantity or a written field may be, worked out once, and after those it is built on."""
    known = _known(typed.resolved)
    if worked_out not in known:
        order = after_their_needs([worked_out], lambda x: (y for y in _built_on(typed, x) if y not in known), True)
        known.update(dict.fromkeys(order, ANY))  # what is built on itself may be anything
        for each in order:
            known[each] = _bounds(typed, each) if isinstance(each, t.Quantity) else _said(typed, each)
    return known[worked_out]


def _built_on(typed: Typed, worked_out: t.Quantity | t.FieldValue) -> Iterator[t.Quantity | t.FieldValue]:
    """The quantities and written fields that its range is worked out from."""
    below = (worked_out.at_least, worked_out.at_most) if isinstance(worked_out, t.Quantity) else (worked_out.expr,)
    for node in walk(below):
        meaning = typed.resolved.meaning.get(node) if isinstance(node, t.Name) else None
        if isinstance(meaning, Symbol) and isinstance(meaning.definition, t.Quantity):
            yield meaning.definition
        field = _field_value(typed, node) if isinstance(node, t.Apply) else None
        if field is not None:
            yield field


def _said(typed: Typed, field: t.FieldValue) -> Possible:
    return possible(typed, field.expr) if field.expr is not None else ANY


def _bounds(typed: Typed, quantity: t.Quantity) -> Possible:
    low = possible(typed, quantity.at_least).low if quantity.at_least is not None else -inf
    high = possible(typed, quantity.at_most).high if quantity.at_most is not None else inf
    return Possible(low, high)


def _field(typed: Typed, expr: t.Apply) -> Possible:
    """Of a thing named outright, what it says; otherwise what its kind allows."""
    written = _field_value(typed, expr)
    if written is not None:
        return _once(typed, written)
    kind = typed.resolved.book.definitions.get(typed.of(expr.args[0]).kind)
    fields = kind.fields if isinstance(kind, t.Kind) else ()
    type_ = next((f.type for f in fields if f.name.word == expr.head.word), None)
    if type_ is None or type_.low is None or type_.high is None or _thing(typed, expr.args[0]) is not None:
        return ANY
    return Possible(min(0, type_.low), type_.high)  # 0 where an optional field is left out


def _field_value(typed: Typed, expr: t.Apply) -> t.FieldValue | None:
    """What a thing that is named outright says of the field, if it says a number."""
    thing = _thing(typed, expr.args[0]) if expr.args else None
    fields = thing.fields if thing is not None else ()
    return next((f for f in fields if f.name.word == expr.head.word and f.expr is not None), None)


def _thing(typed: Typed, expr: t.Expr) -> t.Thing | None:
    definition = definition_of(typed.resolved, expr)
    return definition if isinstance(definition, t.Thing) else None


# --- what conditions say -------------------------------------------------------------------------

Claim = tuple[t.Expr, bool]  # a condition, and whether it holds
Way = dict[Key, Possible]  # one in which conditions may hold: what values can be then
Ways = list[Way] | None  # None if they are too many

MOST = 64  # ways that are looked at
_SPELLING = ("wrapped", "said", "joints", "bare")


class Reader:
    """Reads conditions, with a thing in place of the name of its kind."""

    def __init__(self, typed: Typed) -> None:
        self.typed = typed
        self.resolved: Resolved = typed.resolved
        self.given: dict[Local, t.Thing] = {}

    def of_thing(self, conditions: Iterable[t.Expr], thing: t.Thing | None) -> Ways:
        """The ways in which all of these can hold for the thing."""
        kind = definition_of(self.resolved, thing.kind) if thing is not None else None
        if thing is not None and kind in self.resolved.binds:
            self.given = {self.resolved.binds[kind]: thing}
        return self.ways([(condition, True) for condition in conditions])

    def ways(self, claims: Iterable[Claim]) -> Ways:
        """The ways in which conditions can all hold, or not hold, as is said of them."""
        ways: list[Way] = [{}]
        for claim in claims:
            more = self._ways(claim)
            if len(more) * len(ways) > MOST:
                return None
            ways = [_together(way, other) for way in ways for other in more]
        return ways

    def cannot_be(self, claims: Sequence[Claim]) -> bool:
        """Whether these cannot all be so."""
        if any(possible(self.typed, condition).truth is (not so) for condition, so in claims):
            return True
        ways = self.ways(claims)
        return ways is not None and all(map(_contradicts, ways))

    def key(self, node: Any) -> Key:
        """What a value is, whoever wrote it; the same for two that are always equal, as far as that can be seen."""
        if isinstance(node, t.Number):
            return ("number", node.value)
        if isinstance(node, t.Name):
            return self._named(node)
        written = self._written(node) if isinstance(node, t.Apply) else None
        if written is not None:
            return self.key(written)
        return (type(node).__name__, *(self._part(value) for name, value in parts(node) if name not in _SPELLING))

    def _part(self, value: Any) -> Key:
        if isinstance(value, tuple):
            return tuple(self._part(part) for part in value)
        return self.key(value) if isinstance(value, t.Node) else ("word", value)

    def _named(self, name: t.Name) -> Key:
        meaning = self.resolved.meaning.get(name)
        if isinstance(meaning, Local):
            thing = self.given.get(meaning)
            return ("local", id(meaning)) if thing is None else ("thing", thing.name.word)
        return (meaning.sort, meaning.name) if isinstance(meaning, Symbol) else ("word", name.word)

    def _written(self, apply: t.Apply) -> t.Expr | None:
        """What a thing says of itself in one of its fields."""
        key = self.key(apply.args[0]) if len(apply.args) == 1 else ("", "")
        thing = self.resolved.book.definitions.get(key[1]) if key[0] == "thing" else None
        fields = thing.fields if isinstance(thing, t.Thing) else ()
        return next((field.expr for field in fields if field.name.word == apply.head.word), None)

    def _ways(self, claim: Claim) -> list[Way]:
        expr, holds = claim
        if isinstance(expr, t.Unary) and expr.op == "not":
            return self._ways((expr.arg, not holds))
        if isinstance(expr, t.Binary) and expr.op in ("and", "or"):
            left, right = self._ways((expr.left, holds)), self._ways((expr.right, holds))
            if (expr.op == "or") == holds:
                return [*left, *right]
            return [_together(a, b) for a in left for b in right] if len(left) * len(right) <= MOST else [{}]
        if isinstance(expr, t.Binary):
            return [dict((self._compared(expr, holds),))]
        if isinstance(expr, t.Unary) and expr.op == "not-empty":
            expr, holds = replace(expr, op="empty"), not holds
        return [{self.key(expr): _truth(holds)}]

    def _compared(self, expr: t.Binary, holds: bool) -> tuple[Key, Possible]:
        """What is said of a value that is compared with one that never changes; else, of the two together."""
        certain = possible(self.typed, expr).truth
        op, value, left, right = expr.op, expr.left, self.key(expr.left), self.key(expr.right)
        if left == right:
            certain = _OF_ITSELF.get(op)
        if certain is not None:
            return ("certain",), ANY if certain == holds else _NONE
        if _constant(left) and not _constant(right) and op in _TURNED:
            op, value, left, right = _TURNED[op], expr.right, right, left
        members = self._members(expr.right) if op in ("in", "not-in") else None
        if op in ("=", "!=") and _constant(right):
            said = _one_of({right}, (op == "=") == holds)
        elif members is not None:
            said = _one_of(members, (op == "in") == holds)
        elif op in _OTHERWISE and right[0] == "number":
            said = _beyond(op if holds else _OTHERWISE[op], right[1])
        else:
            return _related(op, left, right, holds)
        return left, said.both(Possible(among=frozenset({left})) if _constant(left) else possible(self.typed, value))

    def _members(self, expr: t.Expr) -> set[Key] | None:
        """Of a set that is written out."""
        if isinstance(expr, t.Binary) and expr.op == "+":
            left, right = self._members(expr.left), self._members(expr.right)
            return None if left is None or right is None else left | right
        key = self.key(expr)
        if key == ("builtin", "nobody"):
            return set()
        return {key} if _constant(key) else None


def _related(op: str, left: Key, right: Key, holds: bool) -> tuple[Key, Possible]:
    """One value compared with another, each way of writing it made the same."""
    if op in (">", "<="):  # a > b is b < a, and a <= b is not b < a
        op, left, right, holds = "<", right, left, holds == (op == ">")
    elif op == ">=":
        op, holds = "<", not holds
    elif op in ("=", "!="):
        op, holds = "=", holds == (op == "=")
        left, right = sorted((left, right), key=repr)
    elif op == "not-in":
        op, holds = "in", not holds
    return (op, left, right), _truth(holds)


def _constant(key: Key) -> bool:
    return key[0] in ("number", "thing") or key == ("builtin", "none")


def _one_of(values: Iterable[Key], holds: bool) -> Possible:
    return Possible(among=frozenset(values)) if holds else Possible(but=frozenset(values))


def _beyond(op: str, number: int) -> Possible:
    if op in ("<", "<="):
        return Possible(high=number - (op == "<"))
    return Possible(low=number + (op == ">"))


def _together(way: Way, other: Way) -> Way:
    return {key: way.get(key, ANY).both(other.get(key, ANY)) for key in {**way, **other}}


def _contradicts(way: Way) -> bool:
    """Whether it leaves no value for something."""
    return any(possible.nothing for possible in way.values())


def exclude(ways: Ways, other: Ways) -> bool:
    """Whether no way of the one goes with a way of the other."""
    return ways is not None and other is not None and all(_contradicts(_together(a, b)) for a in ways for b in other)


def meeting(all_ways: Sequence[Ways]) -> Iterator[Sequence[int]]:
    """Of each, by their places, those before it that may hold with it.

    Most rules that exclude each other ask different values of one thing; such pairs need no closer look.
    """
    pins = [_pinned(ways) if ways else {} for ways in all_ways]
    asked = Counter(key for pin in pins for key in pin).most_common(1)
    places: dict[Key, list[int]] = {}
    elsewhere: list[int] = []
    for place, pin in enumerate(pins):
        values = pin.get(asked[0][0]) if asked else None
        if values is None:
            yield range(place)
            elsewhere.append(place)
            continue
        yield sorted({*elsewhere, *(place for value in values for place in places.get(value, ()))})
        for value in values:
            places.setdefault(value, []).append(place)


def _pinned(ways: list[Way]) -> dict[Key, frozenset[Key]]:
    """What is one of some values in every way, and of which."""
    always = set.intersection(*({key for key, possible in way.items() if possible.among is not None} for way in ways))
    return {key: frozenset().union(*(way[key].among or () for way in ways)) for key in always}


def surely_somebody(resolved: Resolved, players: t.Expr) -> bool:
    """Whether there is always one of them: of all players, those with the most or fewest of something."""
    if isinstance(players, t.Best):
        return surely_somebody(resolved, players.members)
    meaning = resolved.meaning.get(players) if isinstance(players, t.Name) else None
    return isinstance(meaning, Symbol) and meaning.name in (PLAYER.kind, "everyone")
