"""Abstract values of expressions, and whether conditions can hold, alone and together.

Values follow from declarations and from what is written alone. One abstract domain serves for all of it: an interval
of numbers, a set of alternatives, and exclusions; conditions narrow it down.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import Any

from edict.compiler.semantics.symbols import PLAYER, Local, ResolvedBook, Symbol, definition_of
from edict.compiler.semantics.types import TypedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import iter_fields, walk
from edict.support.ordering import sort_topologically
from edict.support.records import dataclass

ValueKey = tuple[Any, ...]

MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
_SWAPPED = {**MIRRORED, "!=": "!="}  # operators with their sides swapped
_NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}  # operators that hold exactly where others do not
# truth of a comparison of a value with itself
_REFLEXIVE = {"=": True, "<=": True, ">=": True, "within": True, "!=": False, "<": False, ">": False}
_MAX_FINITE = 2**200


@dataclass(frozen=True, slots=True)
class AbstractValue:
    """The values that an expression may have: an interval of numbers, alternatives, exclusions."""

    low: float = -inf
    high: float = inf
    allowed: frozenset[ValueKey] | None = None  # the only values possible; None for no restriction
    excluded: frozenset[ValueKey] = frozenset()  # values that are impossible

    @property
    def is_empty(self) -> bool:
        """True if no value is left."""
        if self.allowed is None:
            return self.low > self.high or (self.low == self.high and ("number", self.low) in self.excluded)
        return not any(self._is_in_bounds(value) for value in self.allowed - self.excluded)

    @property
    def constant(self) -> int | None:
        """The only number it can be; None if there are several."""
        return int(self.low) if self.low == self.high else None

    @property
    def truth(self) -> bool | None:
        """True or False for a condition that always or never holds; None if it depends."""
        if self.allowed is None:
            return None
        return True if self.allowed == _YES.allowed else False if self.allowed == _NO.allowed else None

    @property
    def bounds(self) -> tuple[float, float]:
        """The least and the greatest number."""
        return self.low, self.high

    def is_within(self, other: AbstractValue) -> bool:
        """Return True if the interval lies within that of another value."""
        return self.low >= other.low and self.high <= other.high

    def intersect(self, other: AbstractValue) -> AbstractValue:
        """Return the values that are possible by both."""
        allowed = self.allowed
        if allowed is None:
            allowed = other.allowed
        elif other.allowed is not None:
            allowed &= other.allowed
        return AbstractValue(
            max(self.low, other.low), min(self.high, other.high), allowed, self.excluded | other.excluded
        )

    def __add__(self, other: AbstractValue) -> AbstractValue:
        return _clamp_interval(self.low + other.low, self.high + other.high)

    def __neg__(self) -> AbstractValue:
        return AbstractValue(-self.high, -self.low)

    def __sub__(self, other: AbstractValue) -> AbstractValue:
        return self + -other

    def __mul__(self, other: AbstractValue) -> AbstractValue:
        ends = [x * y if x and y else 0 for x in (self.low, self.high) for y in (other.low, other.high)]
        return _clamp_interval(min(ends), max(ends))  # 0 times anything is 0

    def __floordiv__(self, other: AbstractValue) -> AbstractValue:
        """Divide by a number above 0, rounded down."""
        if other.low <= 0:
            return ANY
        ends = [x // y if abs(x) < inf else x for x in (self.low, self.high) for y in (other.low, other.high)]
        return AbstractValue(min(ends), max(ends))

    def __mod__(self, other: AbstractValue) -> AbstractValue:
        """Return the remainder, which is less than the divisor."""
        return AbstractValue(0, other.high - 1) if other.low > 0 else ANY

    def equals(self, other: AbstractValue) -> bool | None:
        """Return True if two such values are always equal, False if never, None if it depends."""
        if self.allowed is not None and other.allowed is not None:
            if not self.allowed & other.allowed:
                return False
            return True if len(self.allowed) == len(other.allowed) == 1 else None
        if self.high < other.low or other.high < self.low:
            return False
        return True if self.low == self.high == other.low == other.high else None

    def is_less(self, other: AbstractValue) -> bool | None:
        """Return True if it is always less than the other, False if never, None if it depends."""
        return True if self.high < other.low else False if self.low >= other.high else None

    def _is_in_bounds(self, value: ValueKey) -> bool:
        """Return False for the key of a number outside the interval; True for all other keys."""
        return value[0] != "number" or bool(self.low <= value[1] <= self.high)


ANY = AbstractValue()
COUNT = AbstractValue(0)
_NONE = AbstractValue(allowed=frozenset())
_YES, _NO = AbstractValue(allowed=frozenset({("truth", True)})), AbstractValue(allowed=frozenset({("truth", False)}))


def _clamp_interval(low: float, high: float) -> AbstractValue:
    """Return the interval from `low` to `high`, with infinity for bounds too large to be computed exactly."""
    return AbstractValue(
        -inf if low < -_MAX_FINITE else min(low, _MAX_FINITE), inf if high > _MAX_FINITE else max(high, -_MAX_FINITE)
    )


def _from_truth(truth: bool | None) -> AbstractValue:
    """Return the abstract value of a condition: yes, no, or anything if it is None."""
    return ANY if truth is None else _YES if truth else _NO


def _negate(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


# --- what expressions can be ---------------------------------------------------------------------


@lru_cache(maxsize=2)
def _value_cache(resolved: ResolvedBook) -> dict[t.Node, AbstractValue]:
    """Return the cache of values of expressions, quantities and written fields."""
    return {}


def evaluate_abstractly(typed: TypedBook, expr: t.Expr) -> AbstractValue:
    """Return bounds, allowed constants or truth that static analysis finds for an expression; ANY if unknown."""
    if isinstance(expr, t.Number):
        return AbstractValue(expr.value, expr.value)
    if not isinstance(expr, t.Unary | t.Binary | t.Apply | t.Name):
        return ANY
    cache = _value_cache(typed.resolved)
    if expr not in cache:
        cache[expr] = (
            _evaluate_unary(typed, expr)
            if isinstance(expr, t.Unary)
            else (_evaluate_binary(typed, expr) if isinstance(expr, t.Binary) else _evaluate_reference(typed, expr))
        )
    return cache[expr]


def keep_range(keep: t.Keep) -> AbstractValue:
    """Return the declared range of a `keep`, widened to its initial value (default 0); ANY if it has no range."""
    if keep.type.low is None or keep.type.high is None:
        return ANY
    start = keep.start.value if isinstance(keep.start, t.Number) else 0
    return AbstractValue(min(keep.type.low, start), max(keep.type.high, start))


def count_things(typed: TypedBook, kind: t.Kind) -> int:
    """Return how many things of a kind the rules declare."""
    return _count_by_kind(typed.resolved)[kind.name.word]


@lru_cache(maxsize=2)
def _count_by_kind(resolved: ResolvedBook) -> Counter[str]:
    """Return the number of things of each kind, by the kind's name."""
    return Counter(thing.kind.word for thing in resolved.book.things)


def _evaluate_unary(typed: TypedBook, expr: t.Unary) -> AbstractValue:
    """Return the possible values of `minus`, `not`, `count` or `total`; any value for other operators."""
    if expr.op == "minus":
        return -evaluate_abstractly(typed, expr.arg)
    if expr.op == "not":
        return _from_truth(_negate(evaluate_abstractly(typed, expr.arg).truth))
    if expr.op == "count":
        return _evaluate_count(typed, expr.arg)
    return COUNT if expr.op == "total" else ANY


def _evaluate_count(typed: TypedBook, members: t.Expr) -> AbstractValue:
    """Return how many members a set may have: at most all of its kind; a bag has no such limit."""
    type_ = typed.type_of(members)
    if type_.shape == "set" and type_.kind == PLAYER.kind:
        return _count_players(typed, members)
    kind = typed.resolved.book.definitions.get(type_.kind)
    return AbstractValue(0, count_things(typed, kind)) if type_.shape == "set" and isinstance(kind, t.Kind) else COUNT


def _count_players(typed: TypedBook, members: t.Expr) -> AbstractValue:
    """Return how many players a set may have: as many as the game allows if it is all of them, at most so many else."""
    games = [*typed.resolved.book.select(t.Game)]
    if not games:
        return COUNT
    meaning = typed.resolved.meaning.get(members) if isinstance(members, t.Name) else None
    is_everyone = isinstance(meaning, Symbol) and (meaning.sort, meaning.name) == ("builtin", "everyone")
    return AbstractValue(games[0].low if is_everyone else 0, games[0].high)


def _evaluate_binary(typed: TypedBook, expr: t.Binary) -> AbstractValue:
    """Return the possible values of an arithmetic operation, comparison or junction; any value for other operators."""
    op, left, right = expr.op, evaluate_abstractly(typed, expr.left), evaluate_abstractly(typed, expr.right)
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
            return _from_truth(_combine_truths(op, left.truth, right.truth))
        case "=" | "!=":
            equal = left.equals(right)
            return _from_truth(equal if op == "=" else _negate(equal))
        case "<" | ">=":
            less = left.is_less(right)
            return _from_truth(less if op == "<" else _negate(less))
        case ">" | "<=":
            less = right.is_less(left)
            return _from_truth(less if op == ">" else _negate(less))
    return ANY


def _combine_truths(op: str, left: bool | None, right: bool | None) -> bool | None:
    """Return the truth of `and` or `or` by three-valued logic; None if it depends."""
    decisive = op == "or"
    if decisive in (left, right):
        return decisive
    return not decisive if left == right == (not decisive) else None


def _evaluate_reference(typed: TypedBook, expr: t.Apply | t.Name) -> AbstractValue:
    """Return the possible values of a name or `NAME of ...`, by the declaration it refers to."""
    head = expr.head if isinstance(expr, t.Apply) else expr
    meaning = typed.resolved.meaning.get(head)
    if not isinstance(meaning, Symbol):
        return ANY
    if isinstance(expr, t.Name) and meaning.sort == "builtin":
        return {"yes": _YES, "no": _NO}.get(meaning.name, ANY)
    if isinstance(expr, t.Apply) and meaning.sort == "field":
        return _evaluate_field(typed, expr)
    definition = meaning.definition
    if isinstance(definition, t.Thing):
        return AbstractValue(allowed=frozenset({("thing", meaning.name)}))
    if isinstance(definition, t.Keep):
        return keep_range(definition)
    if isinstance(definition, t.Quantity):
        return _evaluate_declaration(typed, definition)
    if isinstance(expr, t.Apply) and isinstance(definition, t.Die):
        return COUNT
    is_amount = isinstance(expr, t.Apply) and isinstance(definition, t.Resource) and not definition.below_zero
    return COUNT if is_amount else ANY


def _evaluate_declaration(typed: TypedBook, declaration: t.Quantity | t.FieldValue) -> AbstractValue:
    """Return the values of a quantity or a written field, computed once and after those it depends on."""
    cache = _value_cache(typed.resolved)
    if declaration not in cache:
        order = sort_topologically(
            [declaration], lambda x: (y for y in _iter_dependencies(typed, x) if y not in cache), True
        )
        cache.update(dict.fromkeys(order, ANY))  # a value that depends on itself may be anything
        for needed in order:
            cache[needed] = (
                _evaluate_quantity(typed, needed)
                if isinstance(needed, t.Quantity)
                else _evaluate_written_field(typed, needed)
            )
    return cache[declaration]


def _iter_dependencies(typed: TypedBook, declaration: t.Quantity | t.FieldValue) -> Iterator[t.Quantity | t.FieldValue]:
    """Yield the quantities and written fields that the values of a declaration depend on."""
    expressions = (
        (declaration.at_least, declaration.at_most) if isinstance(declaration, t.Quantity) else (declaration.expr,)
    )
    for node in walk(expressions):
        definition = definition_of(typed.resolved, node)
        if isinstance(definition, t.Quantity):
            yield definition
        field = _get_written_field(typed, node) if isinstance(node, t.Apply) else None
        if field is not None:
            yield field


def _evaluate_written_field(typed: TypedBook, field: t.FieldValue) -> AbstractValue:
    """Return the possible values of the expression that a thing has in a field; any value if it has none."""
    return evaluate_abstractly(typed, field.expr) if field.expr is not None else ANY


def _evaluate_quantity(typed: TypedBook, quantity: t.Quantity) -> AbstractValue:
    """Return the interval between a quantity's `at least` and `at most`, infinite where there is no bound."""
    low = evaluate_abstractly(typed, quantity.at_least).low if quantity.at_least is not None else -inf
    high = evaluate_abstractly(typed, quantity.at_most).high if quantity.at_most is not None else inf
    return AbstractValue(low, high)


def _evaluate_field(typed: TypedBook, expr: t.Apply) -> AbstractValue:
    """Return the value that a thing named outright has in a field; else what its kind allows."""
    written = _get_written_field(typed, expr)
    if written is not None:
        return _evaluate_declaration(typed, written)
    kind = typed.resolved.book.definitions.get(typed.type_of(expr.args[0]).kind)
    fields = kind.fields if isinstance(kind, t.Kind) else ()
    type_ = next((f.type for f in fields if f.name.word == expr.head.word), None)
    if type_ is None or type_.low is None or type_.high is None or _get_thing(typed, expr.args[0]) is not None:
        return ANY
    return AbstractValue(min(0, type_.low), type_.high)  # 0 where an optional field is left out


def _get_written_field(typed: TypedBook, expr: t.Apply) -> t.FieldValue | None:
    """Return the field of a thing that is named outright, if it is written as an expression."""
    thing = _get_thing(typed, expr.args[0]) if expr.args else None
    fields = thing.fields if thing is not None else ()
    return next((f for f in fields if f.name.word == expr.head.word and f.expr is not None), None)


def _get_thing(typed: TypedBook, expr: t.Expr) -> t.Thing | None:
    """Return the thing that an expression names outright; None for any other expression."""
    definition = definition_of(typed.resolved, expr)
    return definition if isinstance(definition, t.Thing) else None


# --- what conditions say -------------------------------------------------------------------------

Claim = tuple[t.Expr, bool]
Way = dict[ValueKey, AbstractValue]  # one way for conditions to hold: the restrictions of values then
Ways = list[Way] | None  # the alternatives; None if they are too many

MAX_WAYS = 64  # more ways are not looked at
# fields of nodes that say how something is written and not what it means
_SPELLING = ("wrapped", "said", "joints", "bare")


class ConditionReader:
    """A reader of conditions, which may put a thing in place of the name of its kind."""

    def __init__(self, typed: TypedBook) -> None:
        self.typed = typed
        self.resolved: ResolvedBook = typed.resolved
        self.substitutions: dict[Local, t.Thing] = {}

    def find_ways_for_thing(self, conditions: Iterable[t.Expr], thing: t.Thing | None) -> Ways:
        """Return the ways (value to restriction) all conditions can hold, with the kind's name meaning `thing`."""
        kind = definition_of(self.resolved, thing.kind) if thing is not None else None
        if thing is not None and kind in self.resolved.binds:
            self.substitutions = {self.resolved.binds[kind]: thing}
        return self.find_ways_for_claims([(condition, True) for condition in conditions])

    def find_ways_for_claims(self, claims: Iterable[Claim]) -> Ways:
        """Return a list of ways (value to restriction) all claims can be true; None beyond `MAX_WAYS`."""
        ways: list[Way] = [{}]
        for claim in claims:
            claim_ways = self._find_claim_ways(claim)
            if len(claim_ways) * len(ways) > MAX_WAYS:
                return None
            ways = [_merge_ways(way, other) for way in ways for other in claim_ways]
        return ways

    def are_contradictory(self, claims: Sequence[Claim]) -> bool:
        """Return True if the claims cannot all be true."""
        if any(evaluate_abstractly(self.typed, condition).truth is (not holds) for condition, holds in claims):
            return True
        ways = self.find_ways_for_claims(claims)
        return ways is not None and all(map(_is_contradictory, ways))

    def value_key(self, node: Any) -> ValueKey:
        """Return a hashable key of an expression, equal for two that are always equal as far as can be seen."""
        if isinstance(node, t.Number):
            return ("number", node.value)
        if isinstance(node, t.Name):
            return self._name_key(node)
        field_value = self._get_field_value(node) if isinstance(node, t.Apply) else None
        if field_value is not None:
            return self.value_key(field_value)
        return (
            type(node).__name__,
            *(self._part_key(value) for name, value in iter_fields(node) if name not in _SPELLING),
        )

    def _part_key(self, value: Any) -> ValueKey:
        """Return the key of a part of a node: a node, a tuple, or a plain word."""
        if isinstance(value, tuple):
            return tuple(self._part_key(part) for part in value)
        return self.value_key(value) if isinstance(value, t.Node) else ("word", value)

    def _name_key(self, name: t.Name) -> ValueKey:
        """Return the key of a name: the thing put in its place, its local, its symbol, or the bare word."""
        meaning = self.resolved.meaning.get(name)
        if isinstance(meaning, Local):
            thing = self.substitutions.get(meaning)
            return ("local", id(meaning)) if thing is None else ("thing", thing.name.word)
        return (meaning.sort, meaning.name) if isinstance(meaning, Symbol) else ("word", name.word)

    def _get_field_value(self, apply: t.Apply) -> t.Expr | None:
        """Return the expression that a thing has in one of its fields."""
        key = self.value_key(apply.args[0]) if len(apply.args) == 1 else ("", "")
        thing = self.resolved.book.definitions.get(key[1]) if key[0] == "thing" else None
        fields = thing.fields if isinstance(thing, t.Thing) else ()
        return next((field.expr for field in fields if field.name.word == apply.head.word), None)

    def _find_claim_ways(self, claim: Claim) -> list[Way]:
        """Return the alternative ways in which one condition is true or false; `[{}]` if they are too many."""
        expr, holds = claim
        if isinstance(expr, t.Unary) and expr.op == "not":
            return self._find_claim_ways((expr.arg, not holds))
        if isinstance(expr, t.Quantified) and expr.op == "no":
            expr, holds = replace(expr, op="some"), not holds
        if isinstance(expr, t.Binary) and expr.op in ("and", "or"):
            left, right = self._find_claim_ways((expr.left, holds)), self._find_claim_ways((expr.right, holds))
            if (expr.op == "or") == holds:
                return [*left, *right]
            return [_merge_ways(a, b) for a in left for b in right] if len(left) * len(right) <= MAX_WAYS else [{}]
        if isinstance(expr, t.Binary):
            return [dict((self._read_comparison(expr, holds),))]
        if isinstance(expr, t.Unary) and expr.op == "not-empty":
            expr, holds = replace(expr, op="empty"), not holds
        return [{self.value_key(expr): _from_truth(holds)}]

    def _read_comparison(self, expr: t.Binary, holds: bool) -> tuple[ValueKey, AbstractValue]:
        """Return the key of a value and its restriction; if none is constant, the comparison's key and truth."""
        known_truth = evaluate_abstractly(self.typed, expr).truth
        op, value, left, right = expr.op, expr.left, self.value_key(expr.left), self.value_key(expr.right)
        if left == right:
            known_truth = _REFLEXIVE.get(op)
        if known_truth is not None:
            return ("certain",), ANY if known_truth == holds else _NONE
        if _is_constant(left) and not _is_constant(right) and op in _SWAPPED:
            op, value, left, right = _SWAPPED[op], expr.right, right, left
        members = self._member_keys(expr.right) if op in ("in", "not-in") else None
        if op in ("=", "!=") and _is_constant(right):
            restriction = _restrict_to({right}, (op == "=") == holds)
        elif members is not None:
            restriction = _restrict_to(members, (op == "in") == holds)
        elif op in _NEGATED and right[0] == "number":
            restriction = _restrict_order(op if holds else _NEGATED[op], right[1])
        else:
            return _normalize_comparison(op, left, right, holds)
        return left, restriction.intersect(
            AbstractValue(allowed=frozenset({left})) if _is_constant(left) else evaluate_abstractly(self.typed, value)
        )

    def _member_keys(self, expr: t.Expr) -> set[ValueKey] | None:
        """Return the keys of the members of a set of constants such as `oak + elm`; None if any is not constant."""
        if isinstance(expr, t.Binary) and expr.op == "+":
            left, right = self._member_keys(expr.left), self._member_keys(expr.right)
            return None if left is None or right is None else left | right
        key = self.value_key(expr)
        if key == ("builtin", "nobody"):
            return set()
        return {key} if _is_constant(key) else None


def _normalize_comparison(op: str, left: ValueKey, right: ValueKey, holds: bool) -> tuple[ValueKey, AbstractValue]:
    """Return a comparison in terms of `=`, `<` or `in` as key, and its truth: `a >= b` is `a < b`, false."""
    if op in (">", "<="):  # a > b is b < a, and a <= b is not b < a
        op, left, right, holds = "<", right, left, holds == (op == ">")
    elif op == ">=":
        op, holds = "<", not holds
    elif op in ("=", "!="):
        op, holds = "=", holds == (op == "=")
        left, right = sorted((left, right), key=repr)
    elif op == "not-in":
        op, holds = "in", not holds
    return (op, left, right), _from_truth(holds)


def _is_constant(key: ValueKey) -> bool:
    """Return True if a key stands for a number, a thing or `none`."""
    return key[0] in ("number", "thing") or key == ("builtin", "none")


def _restrict_to(values: Iterable[ValueKey], holds: bool) -> AbstractValue:
    """Return one of these values if `holds`, else any value but these."""
    return AbstractValue(allowed=frozenset(values)) if holds else AbstractValue(excluded=frozenset(values))


def _restrict_order(op: str, number: int) -> AbstractValue:
    """Return the numbers that stand in the relation `<`, `<=`, `>` or `>=` to a number."""
    if op in ("<", "<="):
        return AbstractValue(high=number - (op == "<"))
    return AbstractValue(low=number + (op == ">"))


def _merge_ways(way: Way, other: Way) -> Way:
    """Return the way that combines two ways: for each value the intersection of both restrictions."""
    return {key: way.get(key, ANY).intersect(other.get(key, ANY)) for key in {**way, **other}}


def _is_contradictory(way: Way) -> bool:
    """Return True if a way restricts some value so much that no alternative is left."""
    return any(restriction.is_empty for restriction in way.values())


def are_exclusive(ways: Ways, other: Ways) -> bool:
    """Return True if each pair of a way of one and a way of the other contradicts; False if one is None."""
    return (
        ways is not None
        and other is not None
        and all(_is_contradictory(_merge_ways(a, b)) for a in ways for b in other)
    )


def iter_compatible(all_ways: Sequence[Ways]) -> Iterator[Sequence[int]]:
    """Yield for each item the earlier indices whose ways are not excluded by one commonly restricted value.

    Most rules that exclude each other restrict one value to different constants; such pairs need no closer look.
    """
    restrictions = [_common_restrictions(ways) if ways else {} for ways in all_ways]
    most_common = Counter(key for restriction in restrictions for key in restriction).most_common(1)
    indices_by_value: dict[ValueKey, list[int]] = {}
    unrestricted: list[int] = []
    for index, restriction in enumerate(restrictions):
        values = restriction.get(most_common[0][0]) if most_common else None
        if values is None:
            yield range(index)
            unrestricted.append(index)
            continue
        yield sorted({*unrestricted, *(index for value in values for index in indices_by_value.get(value, ()))})
        for value in values:
            indices_by_value.setdefault(value, []).append(index)


def _common_restrictions(ways: list[Way]) -> dict[ValueKey, frozenset[ValueKey]]:
    """Map each value that all ways restrict to constants to the union of these constants."""
    keys = set.intersection(
        *({key for key, restriction in way.items() if restriction.allowed is not None} for way in ways)
    )
    return {key: frozenset().union(*(way[key].allowed or () for way in ways)) for key in keys}


def is_never_empty(resolved: ResolvedBook, players: t.Expr) -> bool:
    """Return True if a set of players always has a member: all players, or those with the most of something."""
    if isinstance(players, t.Best):
        return is_never_empty(resolved, players.members)
    meaning = resolved.meaning.get(players) if isinstance(players, t.Name) else None
    return isinstance(meaning, Symbol) and meaning.name in (PLAYER.kind, "everyone")
