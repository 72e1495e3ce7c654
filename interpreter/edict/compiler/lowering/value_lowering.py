"""Lowering of values and conditions by type of node, and the places where values are stored."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from math import prod
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.core import ALL_IN_ORDER, Cell, Condition, Const, CoreExpr, Load, Var
from edict.compiler.codegen.core_builder import make_op
from edict.compiler.lowering.context import NOTHING, YOU, Context
from edict.compiler.lowering.layout import NUMBER_LIMIT, KeepCells, is_secret_resource
from edict.compiler.semantics.symbols import Local, Symbol
from edict.compiler.semantics.types import Coercion
from edict.compiler.syntax import tree as t
from edict.runtime.program import ValueType
from edict.runtime.program import opcodes as o
from edict.runtime.program.cell_values import is_rarely_logged
from edict.support.records import dataclass

VALUE_LOWERINGS: dict[type, Callable[[Context, Any], CoreExpr]] = {}
# lowerings of conditions by type; other expressions hold if their value is not 0
CONDITION_LOWERINGS: dict[type, Callable[[Context, Any, int], Condition]] = {}


def lower_value(c: Context, expr: t.Expr) -> CoreExpr:
    """Lower an expression and apply its coercion."""
    result = lower_without_coercion(c, expr)
    coercion = c.typed.coerced.get(expr)
    if coercion is None:
        return result
    return COERCIONS[coercion](c, result, c.type_of(expr).kind)


def lower_without_coercion(c: Context, expr: t.Expr) -> CoreExpr:
    """Lower an expression without its coercion."""
    return VALUE_LOWERINGS[type(expr)](c, expr)


def lower_condition(c: Context, expr: t.Expr) -> Condition:
    """Lower an expression to a condition."""
    with c.with_cause(c.add_condition_cause(expr.span)):
        if type(expr) in CONDITION_LOWERINGS:
            return CONDITION_LOWERINGS[type(expr)](c, expr, c.cause)
        return core.Test(lower_value(c, expr), cause=c.cause, told=True, works=c.env.works)


def singleton_set(c: Context, thing: CoreExpr, kind: str) -> CoreExpr:
    """Return the set of one thing, empty for `none`."""
    return core.Singleton(thing, c.cell_count(ValueType("set", kind)))


def empty_set(c: Context, kind: str) -> Const:
    """Return the empty set of a kind."""
    return Const(0, c.cell_count(ValueType("set", kind)))


def empty_order(c: Context, kind: str) -> CoreExpr:
    """Return the empty order of a kind."""
    cells = c.cell_count(ValueType("order", kind))
    return Const((1 << 60) - 1) if cells == 1 else Const(-1, cells)


def order_to_set(c: Context, order: CoreExpr, kind: str) -> CoreExpr:
    """Return the set of the members of an order."""
    with c.collect() as body:
        members, order = c.let(empty_set(c, kind)), c.evaluate_once(order)
        with c.loop_over_order(order, ALL_IN_ORDER) as member:
            c.set(members, make_op(o.OR, members, singleton_set(c, member, kind)))
    return core.StatementExpression(tuple(body), members)


COERCIONS: dict[Coercion, Callable[[Context, CoreExpr, str], CoreExpr]] = {
    Coercion.THING_TO_SET: singleton_set,
    Coercion.ORDER_TO_SET: order_to_set,
    Coercion.NUMBER_TO_SET: lambda c, number, _: make_op(o.BIT, core.CheckedRange(number, 0, NUMBER_LIMIT - 1)),
    Coercion.PRESENT: lambda c, thing, _: core.CheckedPresence(thing),
}


# --- keeps, resources and local names --------------------------------------------------------------


@dataclass(frozen=True)
class StorageLocation:
    """A place where a value is stored, either a local variable or cells of the state."""

    base: int | Var  # variable or address
    index: CoreExpr | None = None  # index into a row of values; None for a single one
    home: KeepCells | None = None

    @property
    def value(self) -> CoreExpr:
        """Return the value at the place."""
        if isinstance(self.base, Var):
            return self.base
        if self.index is None:
            return Cell(self.base, self.cells)
        return Load(self.base, self.index, self.cells)

    @property
    def cells(self) -> int:
        """Return the number of cells that the value takes."""
        return 1 if self.home is None else self.home.type.cells

    @property
    def knowledge_place(self) -> StorageLocation | None:
        """Return the place of the set of players who know this value; None if it is no secret."""
        if self.home is None or self.home.known < 0:
            return None
        assert isinstance(self.base, int)
        index = self.index
        if index is not None and self.cells > 1:
            index = make_op(o.MUL, index, Const(self.cells))
        return StorageLocation(self.base + self.home.known - self.home.base, index)

    def evaluate_once(self, c: Context) -> StorageLocation:
        """Return the same place with its index evaluated now."""
        if self.index is None:
            return self
        return replace(self, index=c.evaluate_once(self.index))

    def store(self, c: Context, value: CoreExpr) -> None:
        """Store a value within the declared range; a change of the state is an event."""
        if isinstance(self.base, Var):
            c.set(self.base, value)
            return
        if not (isinstance(value, Const) and value.value < 0):  # a removal is not reported
            mark_secret_write(c, self)
        keep_type = self.home.keep.type if self.home else None
        if keep_type is not None and keep_type.low is not None and keep_type.high is not None:
            value = core.CheckedRange(value, keep_type.low, keep_type.high)
        c.add(core.StoreState(self.base, self.index, value, cells=self.cells, cause=c.cause))

    @property
    def count_place(self) -> StorageLocation | None:
        """Return the place of the secret's public count, or None."""
        if self.home is None or self.home.counts < 0:
            return None
        assert isinstance(self.base, int)
        address = self.home.counts + (0 if self.index is not None else (self.base - self.home.base) // self.cells)
        return StorageLocation(address, self.index)

    def owner(self) -> CoreExpr:
        """Return the player who owns the place, which is its first index."""
        assert self.home is not None and isinstance(self.base, int)
        below = prod(self.home.sizes[1:])
        if self.index is None:
            return Const((self.base - self.home.base) // self.cells // below)
        if len(self.home.sizes) == 1:
            return self.index
        return make_op(o.DIV, self.index, Const(below))


@dataclass(frozen=True)
class ResourcePlace(StorageLocation):
    """The place of a player's amount of a resource."""

    holder: CoreExpr = YOU
    secret: int = -1  # offset of the knowledge cells; -1 if it is no secret
    totals: tuple[PublicTotal, ...] = ()

    @property
    def knowledge_place(self) -> StorageLocation | None:
        """Return the place of the set of players who know this amount; None if it is no secret."""
        assert isinstance(self.base, int)
        if self.secret < 0:
            return None
        return StorageLocation(self.base + self.secret, self.index)

    def evaluate_once(self, c: Context) -> ResourcePlace:
        """Return the same place with its index and player evaluated now."""
        assert self.index is not None
        return replace(self, index=c.evaluate_once(self.index), holder=c.evaluate_once(self.holder))

    def owner(self) -> CoreExpr:
        """Return the player."""
        return self.holder

    def store(self, c: Context, value: CoreExpr) -> None:
        """Store an amount and update the public totals."""
        StorageLocation.store(self, c, value)
        for total in self.totals:
            StorageLocation(total.base, self.holder).store(c, resource_sum(c, total.members, self.holder))


@dataclass(frozen=True)
class PublicTotal:
    """The public total of a player's secret resources of a group."""

    base: int
    members: tuple[int, ...]


def resolve_place(c: Context, expr: t.Expr) -> StorageLocation:
    """Return the place that an expression refers to."""
    head = expr.head if isinstance(expr, t.Apply) else expr
    meaning = c.resolved.meaning[head]  # type: ignore[index]
    if isinstance(meaning, Local):
        var = c.bindings[meaning]
        assert isinstance(var, Var)
        return StorageLocation(var)
    return keep_place(c, meaning, expr.args if isinstance(expr, t.Apply) else ())


def resolve_secret_place(c: Context, expr: t.Expr) -> StorageLocation:
    """Return the place that an expression refers to, including amounts of resources."""
    meaning = c.resolved.meaning_of(expr.head) if isinstance(expr, t.Apply) else None
    if isinstance(expr, t.Apply) and isinstance(meaning, Symbol) and meaning.sort == "resource":
        return resource_place(c, c.linked.resource_index(meaning.name), lower_value(c, expr.args[0]))
    return resolve_place(c, expr)


def keep_place(c: Context, keep: Symbol, args: tuple[t.Expr, ...]) -> StorageLocation:
    """Return the place of a keep with arguments."""
    home = c.layout.keeps[keep.name]
    return _index_keep(home, [_lower_checked_index(c, a) for a in args])


def _lower_checked_index(c: Context, expr: t.Expr) -> CoreExpr:
    """Lower an index of a keep; a number out of range is a fault."""
    index = lower_value(c, expr)
    if c.type_of(expr).shape != "number" or isinstance(index, Const) and 0 <= index.value < NUMBER_LIMIT:
        return index
    return core.CheckedRange(index, 0, NUMBER_LIMIT - 1)


def _index_keep(home: KeepCells, args: list[CoreExpr]) -> StorageLocation:
    """Return the place of a keep for lowered indices, at a fixed address if all are constants."""
    if all(isinstance(arg, Const) for arg in args):
        offset = 0
        for arg, size in zip(args, home.sizes, strict=True):
            assert isinstance(arg, Const)
            offset = offset * size + arg.value
        return StorageLocation(home.base + offset * home.type.cells, None, home)
    index = args[0]
    for size, arg in zip(home.sizes[1:], args[1:], strict=True):
        index = make_op(o.IDX, index, size, arg)
    return StorageLocation(home.base, index, home)


def knowledge_places(target: StorageLocation) -> list[StorageLocation]:
    """Return the places of the knowledge about a value; a bag has one for each thing."""
    first_place = target.knowledge_place
    if first_place is None:
        return []
    if target.home is None or target.home.type.shape != "bag":
        return [first_place]
    first = first_place.index
    indices = (Const(i) if first is None else make_op(o.ADD, first, Const(i)) for i in range(target.cells))
    return [replace(first_place, index=index) for index in indices]


def hide_new_value(c: Context, target: StorageLocation, informed: Sequence[CoreExpr] = ()) -> None:
    """Make a newly set secret known to its owner only, to nobody if it has none; skip a place that is not secret.

    Args:
        c: The context.
        target: The place.
        informed: Others who know the value, for each place of its knowledge.
    """
    for knowers, others in zip_longest(knowledge_places(target), informed):
        owner = owner_set(c, target)
        knowers.store(c, owner if others is None else make_op(o.OR, owner, others))


def restrict_knowledge(c: Context, target: StorageLocation, informed: CoreExpr) -> None:
    """Restrict the knowledge of a secret to these players and its owner."""
    for knowers in knowledge_places(target):
        owner = owner_set(c, target)
        if informed == NOTHING:
            allowed = owner
        elif owner == NOTHING:
            allowed = informed
        else:
            allowed = make_op(o.OR, informed, owner)
        knowers.store(c, make_op(o.AND, knowers.value, allowed))


def owner_set(c: Context, target: StorageLocation) -> CoreExpr:
    """Return the set that contains the owner of a place; empty if the place belongs to the table."""
    if isinstance(target, ResourcePlace):
        return make_op(o.BIT, target.owner())
    assert target.home is not None
    has_owner = target.home.sizes and c.resolved.meaning_of(target.home.keep.params[0].kind).sort == "player"
    return make_op(o.BIT, target.owner()) if has_owner else NOTHING


def mark_secret_write(c: Context, target: StorageLocation) -> None:
    """Add a marker event before a write to a secret.

    Others see this line in the log whether or not the value changes, so it does not reveal if it did.
    """
    home = target.home
    quiet = home is not None and (home.keep.quiet or is_rarely_logged(home.type))
    if target.knowledge_place is None or quiet:
        return
    assert isinstance(target.base, int)
    address: CoreExpr = Const(target.base)
    if target.index is not None:
        address = make_op(
            o.ADD, address, make_op(o.MUL, target.index, Const(target.cells)) if target.cells > 1 else target.index
        )
    c.add_marker(address)


def store_secret(c: Context, target: StorageLocation, value: CoreExpr, informed: Sequence[CoreExpr] = ()) -> None:
    """Store a new secret and restrict its knowledge; for a bag this comes first, as each of its cells is reported."""
    if target.home is not None and target.home.type.shape == "bag":
        hide_new_value(c, target, informed)
        target.store(c, value)
    else:
        target.store(c, value)
        hide_new_value(c, target)


def resource_place(c: Context, resource: int, player: CoreExpr = YOU) -> ResourcePlace:
    """Return the place of a player's amount of a resource."""
    return _make_resource_place(c, c.layout.resources + resource * c.layout.players, player, player, (resource,))


def dynamic_resource_place(c: Context, resource: CoreExpr, player: CoreExpr = YOU) -> ResourcePlace:
    """Return the place of a player's amount of a resource that is computed in play."""
    if isinstance(resource, Const):
        return resource_place(c, resource.value, player)
    all_resources = tuple(range(len(c.linked.resources)))
    return _make_resource_place(
        c, c.layout.resources, make_op(o.IDX, resource, c.layout.players, player), player, all_resources
    )


def _make_resource_place(
    c: Context, base: int, index: CoreExpr, player: CoreExpr, resources: tuple[int, ...]
) -> ResourcePlace:
    """Return a place that holds the amount of one of several resources."""
    secret = any(is_secret_resource(c.linked, resource) for resource in resources)
    totals = tuple(total for total in public_totals(c).values() if not set(resources).isdisjoint(total.members))
    return ResourcePlace(base, index, None, player, c.layout.known - c.layout.resources if secret else -1, totals)


def public_totals(c: Context) -> dict[str, PublicTotal]:
    """Return the public totals by the names of their groups."""
    return {group: PublicTotal(base, c.linked.resource_indexes(group)) for group, base in c.layout.totals.items()}


def resource_sum(c: Context, resources: tuple[int, ...], player: CoreExpr = YOU) -> CoreExpr:
    """Return the sum of a player's amounts of several resources."""
    total = resource_place(c, resources[0], player).value
    for resource in resources[1:]:
        total = make_op(o.ADD, total, resource_place(c, resource, player).value)
    return total
