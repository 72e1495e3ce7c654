"""Values and conditions as core, and where values are kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.core import ALL_IN_LINE, Cell, Condition, Const, Expr, Load, Var
from edict.compiler.codegen.core_builder import op
from edict.compiler.lowering.context import NOTHING, YOU, Context
from edict.compiler.lowering.layout import NUMBERS, Home, is_secret
from edict.compiler.semantics.symbols import Local, Symbol
from edict.compiler.semantics.types import Coercion
from edict.compiler.syntax import tree as t
from edict.runtime.program import Type
from edict.runtime.program import opcodes as o
from edict.runtime.program.cells import steady

VALUES: dict[type, Callable[[Context, Any], Expr]] = {}
CONDITIONS: dict[type, Callable[[Context, Any, int], Condition]] = {}
"""What a condition of this sort, with its cause, becomes; others hold if their value is not 0."""


def value(c: Context, expr: t.Expr) -> Expr:
    """The value as its place takes it."""
    result = uncoerced(c, expr)
    coercion = c.typed.coerced.get(expr)
    return result if coercion is None else COERCE[coercion](c, result, c.type(expr).kind)


def uncoerced(c: Context, expr: t.Expr) -> Expr:
    """The value as it is, whatever its place makes of it."""
    return VALUES[type(expr)](c, expr)


def condition(c: Context, expr: t.Expr) -> Condition:
    """Whether it holds."""
    with c.caused_by(c.asking(expr.span)):
        if type(expr) in CONDITIONS:
            return CONDITIONS[type(expr)](c, expr, c.cause)
        return core.Test(value(c, expr), cause=c.cause, told=True, works=c.now.works)


def singleton(c: Context, thing: Expr, kind: str) -> Expr:
    """The set of one thing, or of none."""
    return core.Single(thing, c.cells(Type("set", kind)))


def no_members(c: Context, kind: str) -> Const:
    """The empty set of a kind."""
    return Const(0, c.cells(Type("set", kind)))


def blank_order(c: Context, kind: str) -> Expr:
    """An order of the kind in which nothing stands yet."""
    cells = c.cells(Type("order", kind))
    return Const((1 << 60) - 1) if cells == 1 else Const(-1, cells)


def members_of_order(c: Context, order: Expr, kind: str) -> Expr:
    with c.apart() as body:
        members, order = c.let(no_members(c, kind)), c.once(order)
        with c.line(order, ALL_IN_LINE) as member:
            c.set(members, op(o.OR, members, singleton(c, member, kind)))
    return core.After(tuple(body), members)


COERCE: dict[Coercion, Callable[[Context, Expr, str], Expr]] = {
    Coercion.THING_TO_SET: singleton,
    Coercion.ORDER_TO_SET: members_of_order,
    Coercion.NUMBER_TO_SET: lambda c, number, _: op(o.BIT, core.Within(number, 0, NUMBERS - 1)),
    Coercion.PRESENT: lambda c, thing, _: core.Present(thing),
}


# --- keeps, resources and local names --------------------------------------------------------------


@dataclass(frozen=True)
class LocalPlace:
    """A local name's variable, or cells: where they begin and, unless it is a single one, an index."""

    base: int | Var
    index: Expr | None = None
    home: Home | None = None

    @property
    def value(self) -> Expr:
        if isinstance(self.base, Var):
            return self.base
        return Cell(self.base, self.cells) if self.index is None else Load(self.base, self.index, self.cells)

    @property
    def cells(self) -> int:
        """How many cells the value takes."""
        return 1 if self.home is None else self.home.type.cells

    @property
    def known(self) -> LocalPlace | None:
        """Where it is kept who knows this value."""
        if self.home is None or self.home.known < 0:
            return None
        assert isinstance(self.base, int)
        index = self.index
        if index is not None and self.cells > 1:
            index = op(o.MUL, index, Const(self.cells))
        return LocalPlace(self.base + self.home.known - self.home.base, index)

    def once(self, c: Context) -> LocalPlace:
        """The same place, found now."""
        return self if self.index is None else replace(self, index=c.once(self.index))

    def write(self, c: Context, new: Expr) -> None:
        """A change that is an event, within its declared range; of a local name it is none."""
        if isinstance(self.base, Var):
            c.set(self.base, new)
            return
        if not (isinstance(new, Const) and new.value < 0):  # what is put away is not told to anybody
            mark(c, self)
        written = self.home.keep.type if self.home else None
        if written is not None and written.low is not None and written.high is not None:
            new = core.Within(new, written.low, written.high)
        c.add(core.Store(self.base, self.index, new, cells=self.cells, cause=c.cause))

    @property
    def counted(self) -> LocalPlace | None:
        """Where everybody sees how many this secret holds."""
        if self.home is None or self.home.counts < 0:
            return None
        assert isinstance(self.base, int)
        at = self.home.counts + (0 if self.index is not None else (self.base - self.home.base) // self.cells)
        return LocalPlace(at, self.index)

    def owner(self) -> Expr:
        """The player the place belongs to, which is its first index."""
        assert self.home is not None and isinstance(self.base, int)
        below = prod(self.home.sizes[1:])
        if self.index is None:
            return Const((self.base - self.home.base) // self.cells // below)
        return self.index if len(self.home.sizes) == 1 else op(o.DIV, self.index, Const(below))


@dataclass(frozen=True)
class Holding(LocalPlace):
    """How much a player has of a resource; `secret`: how far behind it is kept who knows that, or -1."""

    holder: Expr = YOU
    secret: int = -1
    totals: tuple[Total, ...] = ()

    @property
    def known(self) -> LocalPlace | None:
        assert isinstance(self.base, int)
        return None if self.secret < 0 else LocalPlace(self.base + self.secret, self.index)

    def once(self, c: Context) -> Holding:
        assert self.index is not None
        return replace(self, index=c.once(self.index), holder=c.once(self.holder))

    def owner(self) -> Expr:
        return self.holder

    def write(self, c: Context, new: Expr) -> None:
        """The same, and everybody sees how many there are then of what is counted."""
        super().write(c, new)
        for total in self.totals:
            LocalPlace(total.base, self.holder).write(c, sum_of_resources(c, total.members, self.holder))


@dataclass(frozen=True)
class Total:
    """Where everybody sees how many a player has of all these secret resources together."""

    base: int
    members: tuple[int, ...]


def place(c: Context, expr: t.Expr) -> LocalPlace:
    """What a place that is written in the rules stands for."""
    head = expr.head if isinstance(expr, t.Apply) else expr
    meaning = c.resolved.meaning[head]  # type: ignore[index]
    if isinstance(meaning, Local):
        var = c.where[meaning]
        assert isinstance(var, Var)
        return LocalPlace(var)
    return kept(c, meaning, expr.args if isinstance(expr, t.Apply) else ())


def secret_place(c: Context, expr: t.Expr) -> LocalPlace:
    """The same, or how much of a resource somebody has."""
    meaning = c.resolved.of(expr.head) if isinstance(expr, t.Apply) else None
    if isinstance(expr, t.Apply) and isinstance(meaning, Symbol) and meaning.sort == "resource":
        return resource_place(c, c.linked.resource_index(meaning.name), value(c, expr.args[0]))
    return place(c, expr)


def kept(c: Context, keep: Symbol, args: tuple[t.Expr, ...]) -> LocalPlace:
    home = c.layout.keeps[keep.name]
    return _indexed(home, [_bounded(c, a) for a in args])


def _bounded(c: Context, expr: t.Expr) -> Expr:
    """An index of a keep: a number beyond what is kept is a fault."""
    index = value(c, expr)
    if c.type(expr).shape != "number" or isinstance(index, Const) and 0 <= index.value < NUMBERS:
        return index
    return core.Within(index, 0, NUMBERS - 1)


def _indexed(home: Home, args: list[Expr]) -> LocalPlace:
    if all(isinstance(arg, Const) for arg in args):
        offset = 0
        for arg, size in zip(args, home.sizes, strict=True):
            assert isinstance(arg, Const)
            offset = offset * size + arg.value
        return LocalPlace(home.base + offset * home.type.cells, None, home)
    at = args[0]
    for size, arg in zip(home.sizes[1:], args[1:], strict=True):
        at = op(o.IDX, at, size, arg)
    return LocalPlace(home.base, at, home)


def knowledge(target: LocalPlace) -> list[LocalPlace]:
    """Where it is kept who knows what is there: of a bag, of each thing how often it is in it."""
    known = target.known
    if known is None:
        return []
    if target.home is None or target.home.type.shape != "bag":
        return [known]
    first = known.index
    indices = (Const(i) if first is None else op(o.ADD, first, Const(i)) for i in range(target.cells))
    return [replace(known, index=index) for index in indices]


def hide(c: Context, target: LocalPlace) -> None:
    """A secret newly set is known to its owner, if it is a player's, and to nobody else."""
    for known in knowledge(target):
        known.write(c, _owning(c, target))


def keep_from(c: Context, target: LocalPlace, knowing: Expr) -> None:
    """A secret that is still known to those who knew it, if they are among these players or own it."""
    for known in knowledge(target):
        owner = _owning(c, target)
        allowed = owner if knowing == NOTHING else knowing if owner == NOTHING else op(o.OR, knowing, owner)
        known.write(c, op(o.AND, known.value, allowed))


def _owning(c: Context, target: LocalPlace) -> Expr:
    """The set of the player whose it is; empty, if it is the table's."""
    if isinstance(target, Holding):
        return op(o.BIT, target.owner())
    assert target.home is not None
    owned = target.home.sizes and c.resolved.of(target.home.keep.params[0].kind).sort == "player"
    return op(o.BIT, target.owner()) if owned else NOTHING


def mark(c: Context, target: LocalPlace) -> None:
    """An event before a secret is written, which names its first cell: others read that line of the log whether or not
    the value changes, or they could tell from it whether it did."""
    home = target.home
    quiet = home is not None and (home.keep.quiet or steady(home.type))
    if target.known is None or quiet:
        return
    assert isinstance(target.base, int)
    at: Expr = Const(target.base)
    if target.index is not None:
        at = op(o.ADD, at, op(o.MUL, target.index, Const(target.cells)) if target.cells > 1 else target.index)
    c.mark(at)


def write_hidden(c: Context, target: LocalPlace, new: Expr) -> None:
    """A secret is newly set; of a bag it is said first who knows, as each cell of it is told by itself."""
    if target.home is not None and target.home.type.shape == "bag":
        hide(c, target)
        target.write(c, new)
    else:
        target.write(c, new)
        hide(c, target)


def resource_place(c: Context, resource: int, player: Expr = YOU) -> Holding:
    return _holding(c, c.layout.resources + resource * c.layout.players, player, player, (resource,))


def dynamic_resource(c: Context, resource: Expr, player: Expr = YOU) -> Holding:
    if isinstance(resource, Const):
        return resource_place(c, resource.value, player)
    every = tuple(range(len(c.linked.resources)))
    return _holding(c, c.layout.resources, op(o.IDX, resource, c.layout.players, player), player, every)


def _holding(c: Context, base: int, index: Expr, player: Expr, among: tuple[int, ...]) -> Holding:
    """Of one of these resources."""
    secret = any(is_secret(c.linked, resource) for resource in among)
    totals = tuple(total for total in totals_of(c).values() if not set(among).isdisjoint(total.members))
    return Holding(base, index, None, player, c.layout.known - c.layout.resources if secret else -1, totals)


def totals_of(c: Context) -> dict[str, Total]:
    """What is counted of secrets, by the names of the groups."""
    return {group: Total(base, c.linked.members(group)) for group, base in c.layout.totals.items()}


def sum_of_resources(c: Context, resources: tuple[int, ...], player: Expr = YOU) -> Expr:
    """How much a player has of all these together."""
    total = resource_place(c, resources[0], player).value
    for resource in resources[1:]:
        total = op(o.ADD, total, resource_place(c, resource, player).value)
    return total
