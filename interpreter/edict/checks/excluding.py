"""Whether two conditions can hold together, seen from how they are written: `season is spring`, `season is winter`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import inf
from typing import Any

from edict.language import tree as t
from edict.language.walking import parts
from edict.meaning.symbols import Local, Resolved, Symbol, definition_of

MOST = 64  # ways in which a condition may hold that are looked at
_SPELLING = ("wrapped", "said", "joints")

Key = tuple[Any, ...]
Claim = tuple[t.Expr, bool]  # a condition, and whether it holds


@dataclass(frozen=True, slots=True)
class Allowed:
    """What a value may be: between two numbers, one of some, none of others."""

    low: float = -inf
    high: float = inf
    among: frozenset[Key] | None = None
    but: frozenset[Key] = field(default=frozenset())

    def both(self, other: Allowed) -> Allowed:
        among = self.among if other.among is None else other.among if self.among is None else self.among & other.among
        return Allowed(max(self.low, other.low), min(self.high, other.high), among, self.but | other.but)

    @property
    def nothing(self) -> bool:
        """Whether no value is left."""
        if self.among is None:
            return self.low > self.high or (self.low == self.high and ("number", self.low) in self.but)
        return not any(self._fits(one) for one in self.among - self.but)

    def _fits(self, value: Key) -> bool:
        return value[0] != "number" or bool(self.low <= value[1] <= self.high)


class Reader:
    """Reads conditions, with a thing in place of the name of its kind."""

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self.given: dict[Local, t.Thing] = {}

    def ways(self, conditions: Iterable[t.Expr], thing: t.Thing | None = None) -> list[dict[Key, Allowed]] | None:
        """The ways in which all of them can hold, each with what it says of which values; None if they are too many."""
        kind = definition_of(self.resolved, thing.kind) if thing is not None else None
        if thing is not None and kind in self.resolved.binds:
            self.given = {self.resolved.binds[kind]: thing}
        return self.claimed([(condition, True) for condition in conditions])

    def claimed(self, claims: Iterable[Claim]) -> list[dict[Key, Allowed]] | None:
        """The same of conditions of which some are said not to hold."""
        found: list[dict[Key, Allowed]] = [{}]
        for claim in claims:
            more = self._ways(claim)
            if len(more) * len(found) > MOST:
                return None
            found = [joined(one, other) for one in found for other in more]
        return found

    def _ways(self, held: Claim) -> list[dict[Key, Allowed]]:
        expr, holds = held
        if isinstance(expr, t.Unary) and expr.op == "not":
            return self._ways((expr.arg, not holds))
        if isinstance(expr, t.Binary) and expr.op in ("and", "or"):
            left, right = self._ways((expr.left, holds)), self._ways((expr.right, holds))
            if (expr.op == "or") == holds:
                return [*left, *right]
            return [joined(one, other) for one in left for other in right] if len(left) * len(right) <= MOST else [{}]
        return [dict((self._fact(expr, holds),))]

    def _fact(self, expr: t.Expr, holds: bool) -> tuple[Key, Allowed]:
        """What a single condition says, of what."""
        if isinstance(expr, t.Unary) and expr.op == "not-empty":
            expr, holds = replace(expr, op="empty"), not holds
        if isinstance(expr, t.Binary):
            return self.compared(expr, holds)
        return self.key(expr), Allowed(among=frozenset({("truth", holds)}))

    def compared(self, expr: t.Binary, holds: bool) -> tuple[Key, Allowed]:
        """A value compared with one that never changes."""
        op, left, right = expr.op, self.key(expr.left), self.key(expr.right)
        if _constant(left) and not _constant(right) and op in _TURNED:
            op, left, right = _TURNED[op], right, left
        if op in ("=", "!=") and _constant(right):
            return left, _one_of({right}, (op == "=") == holds)
        members = self._members(expr.right) if op in ("in", "not-in") else None
        if members is not None:
            return left, _one_of(members, (op == "in") == holds)
        if op in _OTHERWISE and right[0] == "number":
            return left, _beyond(op if holds else _OTHERWISE[op], right[1])
        return self._related(op, left, right, holds)

    def _related(self, op: str, left: Key, right: Key, holds: bool) -> tuple[Key, Allowed]:
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
        return (op, left, right), Allowed(among=frozenset({("truth", holds)}))

    def _members(self, expr: t.Expr) -> set[Key] | None:
        """Of a set that is written out."""
        if isinstance(expr, t.Binary) and expr.op == "+":
            left, right = self._members(expr.left), self._members(expr.right)
            return None if left is None or right is None else left | right
        key = self.key(expr)
        if key == ("builtin", "nobody"):
            return set()
        return {key} if _constant(key) else None

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
            return tuple(self._part(one) for one in value)
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
        return next((one.expr for one in fields if one.name.word == apply.head.word), None)


_TURNED = {"=": "=", "!=": "!=", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OTHERWISE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}


def _constant(key: Key) -> bool:
    return key[0] in ("number", "thing") or key == ("builtin", "none")


def _one_of(values: Iterable[Key], holds: bool) -> Allowed:
    return Allowed(among=frozenset(values)) if holds else Allowed(but=frozenset(values))


def _beyond(op: str, number: int) -> Allowed:
    if op in ("<", "<="):
        return Allowed(high=number - (op == "<"))
    return Allowed(low=number + (op == ">"))


def joined(one: dict[Key, Allowed], other: dict[Key, Allowed]) -> dict[Key, Allowed]:
    return {key: one.get(key, Allowed()).both(other.get(key, Allowed())) for key in {**one, **other}}


def exclude(one: list[dict[Key, Allowed]] | None, other: list[dict[Key, Allowed]] | None) -> bool:
    """Whether no way of the one goes with a way of the other."""
    return one is not None and other is not None and all(clashes(a, b) for a in one for b in other)


def clashes(one: dict[Key, Allowed], other: dict[Key, Allowed]) -> bool:
    """Whether they leave no value for something."""
    return any(allowed.nothing for allowed in joined(one, other).values())


def meeting(all_ways: Sequence[list[dict[Key, Allowed]] | None]) -> Iterator[Sequence[int]]:
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
        yield sorted({*elsewhere, *(one for value in values for one in places.get(value, ()))})
        for value in values:
            places.setdefault(value, []).append(place)


def _pinned(ways: list[dict[Key, Allowed]]) -> dict[Key, frozenset[Key]]:
    """What is one of some values in every way, and of which."""
    always = set.intersection(*({key for key, one in way.items() if one.among is not None} for way in ways))
    return {key: frozenset().union(*(way[key].among or () for way in ways)) for key in always}
