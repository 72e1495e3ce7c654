"""Expressions as core: what each is worth, and when it holds."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.core import ALL_IN_LINE, Cell, Condition, Const, Expr, Load, Var
from edict.compiler.codegen.core_builder import op
from edict.compiler.lowering import containers, costs, networks
from edict.compiler.lowering.containers import (
    DICE,
    among,
    dice_with,
    everything,
    is_dice,
    members_of,
    members_type,
    no_dice,
    plus,
    position_in,
    showing,
)
from edict.compiler.lowering.context import EVERYONE, NOTHING, PLAYERS, YOU, Context, mask
from edict.compiler.lowering.quantities import call_quantity
from edict.compiler.lowering.value_lowering import (
    CONDITIONS,
    VALUES,
    condition,
    dynamic_resource,
    kept,
    no_members,
    place,
    singleton,
    sum_of_resources,
    value,
)
from edict.compiler.semantics.symbols import Local, keep_of
from edict.compiler.syntax import tree as t
from edict.runtime.program import Type
from edict.runtime.program import opcodes as o

# --- names -----------------------------------------------------------------------------------------


def _name(c: Context, name: t.Name) -> Expr:
    meaning = c.resolved.of(name)
    return c.where[meaning] if isinstance(meaning, Local) else SYMBOLS[meaning.sort](c, meaning.name)


def thing_number(c: Context, thing: t.Thing) -> Const:
    return Const(c.linked.index(thing.name.word, thing.kind.word))


BUILTINS: dict[str, Expr] = {
    "you": YOU,
    "everyone": EVERYONE,
    "nobody": NOTHING,
    "none": Const(-1),
    "yes": Const(1),
    "no": NOTHING,
}
SYMBOLS: dict[str, Callable[[Context, str], Expr]] = {
    "builtin": lambda c, name: no_dice(c) if name == "no-dice" else BUILTINS[name],
    "player": lambda c, _: EVERYONE,
    "thing": lambda c, name: thing_number(c, c.resolved.get(name)),
    "kind": everything,
    "group": lambda c, name: mask(c.linked.members(name)),
    "resource": lambda c, name: Const(c.linked.resource_index(name)),
    "keep": lambda c, name: Cell(c.layout.keeps[name].base, c.layout.keeps[name].type.cells),
    "setting": lambda c, name: Cell(c.layout.settings[name]),
    "quantity": lambda c, name: call_quantity(c, name, []),
    "value": lambda c, name: call_quantity(c, name, []),
}


def _apply(c: Context, apply: t.Apply) -> Expr:
    meaning = c.resolved.of(apply.head)
    if isinstance(meaning, Local):
        return dynamic_resource(c, c.where[meaning], value(c, apply.args[0])).value
    if meaning.name in c.layout.totals:
        return Load(c.layout.totals[meaning.name], value(c, apply.args[0]))
    if meaning.sort in ("resource", "group", "die"):
        return sum_of_resources(c, c.linked.members(meaning.name), value(c, apply.args[0]))
    if meaning.sort == "field":
        return _field(c, apply)
    if meaning.sort in ("quantity", "value"):
        return call_quantity(c, meaning.name, [value(c, a) for a in apply.args])
    return kept(c, meaning, apply.args).value


def _field(c: Context, apply: t.Apply) -> Expr:
    """Fields of things are tables in the code."""
    values, cells = c.constants.field(c.type(apply.args[0]).kind, apply.head.word), c.cells(c.type(apply))
    at = value(c, apply.args[0])
    if len(apply.args) == 2:
        at = op(o.IDX, at, len(c.linked.resources), value(c, apply.args[1]))
    if isinstance(at, Const):
        return Const(values[at.value], cells)
    return core.Table(tuple(values), at, c.type(apply).shape in ("number", "thing"), cells)


# --- operators -------------------------------------------------------------------------------------


def _minus(c: Context, unary: t.Unary) -> Expr:
    number = value(c, unary.arg)
    return Const(-number.value) if isinstance(number, Const) else op(o.SUB, NOTHING, number)


def _count(c: Context, unary: t.Unary) -> Expr:
    seen = seen_count(c, unary.arg)
    if seen is not None:
        return seen
    if c.type(unary.arg).shape == "bag":
        return containers.bag_count(c, unary.arg)
    if c.type(unary.arg).shape == "dice":
        every = sum(1 << field for field in c.layout.dice.fields)
        return op(o.DCOUNT, value(c, unary.arg), Const(every, c.cells(DICE)))
    return op(o.COUNT, value(c, unary.arg))


def seen_count(c: Context, of: t.Expr) -> Expr | None:
    """How many a secret holds of which everybody may know that."""
    keep = keep_of(c.resolved, of)
    seen = place(c, of).counted if keep is not None and keep.counted else None
    return None if seen is None else seen.value


def _first(c: Context, unary: t.Unary) -> Expr:
    members, shape = value(c, unary.arg), c.type(unary.arg).shape
    if shape != "order":
        return members if shape == "thing" else op(o.LOW, members)
    with c.apart() as body:
        first = c.let(Const(-1))
        with c.block() as end, c.line(members, ALL_IN_LINE) as member:
            c.set(first, member)
            c.go(end)
    return core.After(tuple(body), first)


def _last(c: Context, unary: t.Unary) -> Expr:
    members, shape = value(c, unary.arg), c.type(unary.arg).shape
    if shape == "thing":
        return members
    with c.apart() as body:
        last = c.let(Const(-1))
        with c.line(members, ALL_IN_LINE) if shape == "order" else c.members(members) as member:
            c.set(last, member)
    return core.After(tuple(body), last)


def _neighbour(step: int) -> Callable[[Context, t.Unary], Expr]:
    """Seats go round the table: the player to the left sits in the next seat."""

    def neighbour(c: Context, unary: t.Unary) -> Expr:
        return op(o.MOD, op(o.ADD, op(o.ADD, value(c, unary.arg), Const(step)), PLAYERS), PLAYERS)

    return neighbour


def _truth(c: Context, expr: t.Expr) -> Expr:
    return core.Truth(condition(c, expr))


UNARY: dict[str, Callable[[Context, t.Unary], Expr]] = {
    "minus": _minus,
    "count": _count,
    "first": _first,
    "last": _last,
    "left": _neighbour(1),
    "right": _neighbour(-1),
    "total": lambda c, u: op(o.DSUM, value(c, u.arg)),
    "faces": lambda c, u: op(o.DFACES, value(c, u.arg)),
    "text": lambda c, u: value(c, u.arg),  # the type says that its words are meant
    "not": _truth,
    "empty": _truth,
    "not-empty": _truth,
}
ARITHMETIC = {"*": o.MUL, "/": o.DIV, "mod": o.MOD, "+": o.ADD, "-": o.SUB}


def _binary(c: Context, binary: t.Binary) -> Expr:
    if binary.op not in ARITHMETIC:
        return _truth(c, binary)
    shape = c.type(binary).shape
    if shape == "bag":
        return containers.both_bags(c, binary)
    code = plus(shape, binary.op) if shape in ("set", "dice") else ARITHMETIC[binary.op]
    return op(code, value(c, binary.left), value(c, binary.right))


def _of_several(c: Context, several: t.OfSeveral) -> Expr:
    code = {"sum": o.ADD, "best": o.MAX, "least": o.MIN}[several.op]
    return reduce(lambda so_far, other: op(code, so_far, other), [value(c, each) for each in several.values])


def _track(c: Context, track: t.Track) -> Expr:
    with c.apart() as body:
        at, number = c.once(value(c, track.at)), c.let(value(c, track.steps[0]))
        for place, step in enumerate(track.steps[1:], 2):
            with c.apart() as reached:
                c.set(number, value(c, step))
            c.add(core.If(core.Compare(">=", at, Const(place)), tuple(reached), (), cause=c.cause))
    return core.After(tuple(body), number)


def _first_after(c: Context, first: t.FirstAfter) -> Expr:
    """Once round the table, to oneself; none if nobody is in the set."""
    with c.apart() as body:
        among, seat = c.once(value(c, first.members)), c.let(value(c, first.player))
        with c.block() as end:
            with c.block() as nobody, c.loop():
                c.unless(core.Test(among), nobody)
                c.set(seat, op(o.MOD, op(o.ADD, seat, Const(1)), PLAYERS))
                c.go(end, core.Compare("in", seat, among))
            c.set(seat, Const(-1))
    return core.After(tuple(body), seat)


# --- going through members -------------------------------------------------------------------------


def _where(c: Context, where: t.Where) -> Expr:
    members = value(c, where.members)
    if is_dice(c, where.members):
        return dice_with(c, members, lambda faces: filtered(c, where, faces, where.condition))
    return filtered(c, where, members, where.condition)


def filtered(c: Context, owner: t.Node, members: Expr, wanted: t.Expr | None) -> Expr:
    """The members of a set that meet a condition; the owner of the condition binds its `it`."""
    if wanted is None:
        return members
    it = Var()
    c.bind(owner, it)
    return core.Kept(members, it, (condition(c, wanted),))


def _next_to(c: Context, one: t.NextTo) -> Expr:
    around = c.constants.next_to(c.type(one.thing).kind, one.shape, one.row, one.file)
    return networks.beside(c, one.members, one.thing, around)


def _best(c: Context, best: t.Best) -> Expr:
    members = value(c, best.members)
    return dice_with(c, members, partial(_leading, c, best)) if is_dice(c, best.members) else _leading(c, best, members)


def _leading(c: Context, best: t.Best, members: Expr) -> Expr:
    with c.apart() as body:
        leading: Expr = c.once(members)
        for word, key in best.keys:
            among, leading = leading, c.let(no_members(c, members_type(c, best.members).kind))
            record = c.let(NOTHING)
            with c.members(among) as it:
                c.bind(best, it)
                score = value(c, key)
                c.step(o.BEST, leading, record, op(o.SUB, NOTHING, score) if word == "fewest" else score, it)
    return core.After(tuple(body), leading)


def _over(c: Context, over: t.Over) -> Expr:
    """sum adds up; best and least give 0 for an empty set."""
    with c.apart() as body:
        result = c.let(NOTHING)
        seen = c.let(NOTHING)
        with c.members(value(c, over.members)) as it:
            c.bind(over, it)
            term = value(c, over.value)
            if over.op == "sum":
                c.set(result, op(o.ADD, result, term))
            else:
                _greatest(c, over.op, result, seen, c.once(term))
    return core.After(tuple(body), result)


def _greatest(c: Context, word: str, result: Var, seen: Var, term: Expr) -> None:
    with c.apart() as first:
        c.set(seen, Const(1))
        c.set(result, term)
    with c.apart() as later:
        c.set(result, op(o.MAX if word == "best" else o.MIN, result, term))
    c.add(core.If(core.Test(seen, empty=True), tuple(first), tuple(later), cause=c.cause))


def _copies_of(c: Context, one: t.CopiesOf) -> Expr:
    kind, thing = c.type(one).kind, value(c, one.thing)
    alone: Expr = singleton(c, thing, kind)
    if isinstance(thing, Const) and thing.value >= 0:
        alone = Const(1 << thing.value, c.cells(Type("set", kind)))
    return containers.copies_of(c, alone, one.number, kind)


def _of_each(c: Context, one: t.OfEach) -> Expr:
    kind = c.symbol(one.kind).name
    if one.number is not None:
        return containers.copies_of(c, everything(c, kind), one.number, kind)
    assert one.field is not None
    return containers.as_field_says(c, kind, one.field.word)


# --- conditions ------------------------------------------------------------------------------------


def _compared(c: Context, binary: t.Binary, cause: int) -> Condition:
    if binary.op in ("and", "or"):
        row = core.All if binary.op == "and" else core.Any_
        return row((condition(c, binary.left), condition(c, binary.right)), cause=cause)
    left, right = value(c, binary.left), value(c, binary.right)
    return core.Compare(binary.op, left, right, cause=cause, told=True, works=c.now.works)


def _decided(c: Context, unary: t.Unary, cause: int) -> Condition:
    if unary.op == "not":
        return core.Not(condition(c, unary.arg), cause=cause)
    seen = seen_count(c, unary.arg)
    held = value(c, unary.arg) if seen is None else seen
    return core.Test(held, unary.op == "empty", cause=cause, told=True, works=c.now.works)


def _quantified(c: Context, quantified: t.Quantified, cause: int) -> Condition:
    members, it = members_of(c, quantified.members), Var()
    c.bind(quantified, it)
    return core.Some(quantified.op == "every", members, it, condition(c, quantified.condition), cause=cause)


_VALUES: dict[type, Callable[[Context, Any], Expr]] = {
    t.Number: lambda c, number: Const(number.value),
    t.Name: _name,
    t.Apply: _apply,
    t.Unary: lambda c, unary: UNARY[unary.op](c, unary),
    t.Binary: _binary,
    t.Listed: _binary,
    t.Where: _where,
    t.Best: _best,
    t.Over: _over,
    t.Quantified: _truth,
    t.CanPay: _truth,
    t.OfSeveral: _of_several,
    t.CountIn: lambda c, one: containers.count_in(c, one.thing, one.bag),
    t.CopiesOf: _copies_of,
    t.PositionIn: lambda c, one: position_in(c, value(c, one.thing), value(c, one.order)),
    t.OfEach: _of_each,
    t.InSupply: lambda c, one: costs.in_supply(c, one.resource),
    t.Track: _track,
    t.NextTo: _next_to,
    t.Connected: lambda c, one: networks.connected(c, one, one.members, one.start, one.through),
    t.LongestPath: lambda c, one: networks.longest_path(c, one, one.members, one.through, one.counting),
    t.LongestTrail: lambda c, one: networks.longest_trail(c, one, one.members, one.through, one.counting),
    t.FirstAfter: _first_after,
    t.Showing: lambda c, one: showing(c, one.die, value(c, one.face)),
    t.Among: lambda c, one: among(c, one.die, one.face and value(c, one.face), value(c, one.dice)),
    t.During: lambda c, d: Cell(c.layout.phases[c.symbol(d.phase).name]),
}
VALUES.update(_VALUES)
CONDITIONS.update(
    {
        t.Binary: _compared,
        t.Unary: _decided,
        t.Quantified: _quantified,
        t.CanPay: lambda c, one, _: costs.one_payable(c, one.options),
    }
)
