"""Lowering of expressions to core values and conditions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, reduce
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.core import ALL_IN_ORDER, Cell, Condition, Const, CoreExpr, Load, Var
from edict.compiler.codegen.core_builder import make_op
from edict.compiler.lowering import containers, costs, network_lowering
from edict.compiler.lowering.containers import (
    DICE,
    VISITED_LOWERINGS,
    additive_opcode,
    all_of_kind,
    die_showing,
    filter_dice,
    is_dice,
    iterable_members,
    iterable_type,
    no_dice,
    order_position,
    select_dice,
    set_of_numbers,
)
from edict.compiler.lowering.context import EVERYONE, NOTHING, PLAYERS, YOU, Context, member_mask
from edict.compiler.lowering.quantity_lowering import call_quantity
from edict.compiler.lowering.value_lowering import (
    CONDITION_LOWERINGS,
    VALUE_LOWERINGS,
    dynamic_resource_place,
    empty_set,
    keep_place,
    lower_condition,
    lower_value,
    resolve_place,
    resource_sum,
    singleton_set,
)
from edict.compiler.semantics.symbols import Local, keep_of
from edict.compiler.syntax import tree as t
from edict.runtime.program import ValueType
from edict.runtime.program import opcodes as o

# --- names -----------------------------------------------------------------------------------------


def _lower_name(c: Context, name: t.Name) -> CoreExpr:
    """Return the value bound to a local name, or what its sort of symbol is lowered to."""
    meaning = c.resolved.meaning_of(name)
    if isinstance(meaning, Local):
        return c.bindings[meaning]
    return SYMBOL_LOWERINGS[meaning.sort](c, meaning.name)


def thing_number(c: Context, thing: t.Thing) -> Const:
    """Return the number of a thing within its kind."""
    return Const(c.linked.thing_index(thing.name.word, thing.kind.word))


BUILTINS: dict[str, CoreExpr] = {
    "you": YOU,
    "everyone": EVERYONE,
    "nobody": NOTHING,
    "none": Const(-1),
    "yes": Const(1),
    "no": NOTHING,
}
SYMBOL_LOWERINGS: dict[str, Callable[[Context, str], CoreExpr]] = {
    "builtin": lambda c, name: no_dice(c) if name == "no-dice" else BUILTINS[name],
    "player": lambda c, _: EVERYONE,
    "thing": lambda c, name: thing_number(c, c.resolved.require_definition(name)),
    "kind": all_of_kind,
    "group": lambda c, name: member_mask(c.linked.resource_indexes(name)),
    "resource": lambda c, name: Const(c.linked.resource_index(name)),
    "keep": lambda c, name: Cell(c.layout.keeps[name].base, c.layout.keeps[name].type.cells),
    "setting": lambda c, name: Cell(c.layout.settings[name]),
    "quantity": lambda c, name: call_quantity(c, name, []),
    "value": lambda c, name: call_quantity(c, name, []),
}


def _lower_apply(c: Context, apply: t.Apply) -> CoreExpr:
    """Lower `NAME of ARGS`: an amount, a public total, a field, a quantity or a keep's value."""
    meaning = c.resolved.meaning_of(apply.head)
    if isinstance(meaning, Local):
        return dynamic_resource_place(c, c.bindings[meaning], lower_value(c, apply.args[0])).value
    if meaning.name in c.layout.totals:
        return Load(c.layout.totals[meaning.name], lower_value(c, apply.args[0]))
    if meaning.sort in ("resource", "group", "die"):
        return resource_sum(c, c.linked.resource_indexes(meaning.name), lower_value(c, apply.args[0]))
    if meaning.sort == "field":
        return _lower_field(c, apply)
    if meaning.sort in ("quantity", "value"):
        return call_quantity(c, meaning.name, [lower_value(c, a) for a in apply.args])
    return keep_place(c, meaning, apply.args).value


def _lower_field(c: Context, apply: t.Apply) -> CoreExpr:
    """Lower the field of a thing to a table in the code."""
    values, cells = (
        c.constants.field_table(c.type_of(apply.args[0]).kind, apply.head.word),
        c.cell_count(c.type_of(apply)),
    )
    index = lower_value(c, apply.args[0])
    if len(apply.args) == 2:
        index = make_op(o.IDX, index, len(c.linked.resources), lower_value(c, apply.args[1]))
    if isinstance(index, Const):
        return Const(values[index.value], cells)
    return core.TableLookup(tuple(values), index, c.type_of(apply).shape in ("number", "thing"), cells)


# --- operators -------------------------------------------------------------------------------------


def _lower_minus(c: Context, unary: t.Unary) -> CoreExpr:
    """Lower a negation, to a constant if its operand is one."""
    number = lower_value(c, unary.arg)
    if isinstance(number, Const):
        return Const(-number.value)
    return make_op(o.SUB, NOTHING, number)


def _lower_count(c: Context, unary: t.Unary) -> CoreExpr:
    """Lower `count of X`, to the public count if X is a secret place with one."""
    public = public_count(c, unary.arg)
    if public is not None:
        return public
    if c.type_of(unary.arg).shape == "bag":
        return containers.bag_count(c, unary.arg)
    if c.type_of(unary.arg).shape == "dice":
        all_fields = sum(1 << field for field in c.layout.dice.fields)
        return make_op(o.DCOUNT, lower_value(c, unary.arg), Const(all_fields, c.cell_count(DICE)))
    return make_op(o.COUNT, lower_value(c, unary.arg))


def public_count(c: Context, expr: t.Expr) -> CoreExpr | None:
    """Return the public count of a secret place, or None if it has none."""
    keep = keep_of(c.resolved, expr)
    count_place = resolve_place(c, expr).count_place if keep is not None and keep.counted else None
    return None if count_place is None else count_place.value


def _lower_first(c: Context, unary: t.Unary) -> CoreExpr:
    """Lower `first of X`: an order's first member, or a set's lowest number; `none` if empty."""
    members, shape = lower_value(c, unary.arg), c.type_of(unary.arg).shape
    if shape != "order":
        return members if shape == "thing" else make_op(o.LOW, members)
    with c.collect() as body:
        first = c.let(Const(-1))
        with c.block() as end, c.loop_over_order(members, ALL_IN_ORDER) as member:
            c.set(first, member)
            c.jump(end)
    return core.StatementExpression(tuple(body), first)


def _lower_last(c: Context, unary: t.Unary) -> CoreExpr:
    """Lower `last of X`: an order's last member, or a set's highest number; `none` if empty."""
    members, shape = lower_value(c, unary.arg), c.type_of(unary.arg).shape
    if shape == "thing":
        return members
    with c.collect() as body:
        last = c.let(Const(-1))
        with c.loop_over_order(members, ALL_IN_ORDER) if shape == "order" else c.loop_over_members(members) as member:
            c.set(last, member)
    return core.StatementExpression(tuple(body), last)


def _make_neighbor(step: int) -> Callable[[Context, t.Unary], CoreExpr]:
    """Return the lowering of a neighbor; the player to the left has the next seat."""

    def neighbor(c: Context, unary: t.Unary) -> CoreExpr:
        """Return the player `step` seats to the left of a player, round the table."""
        return make_op(o.MOD, make_op(o.ADD, make_op(o.ADD, lower_value(c, unary.arg), Const(step)), PLAYERS), PLAYERS)

    return neighbor


def _lower_truth(c: Context, expr: t.Expr) -> CoreExpr:
    return core.TruthValue(lower_condition(c, expr))


UNARY_LOWERINGS: dict[str, Callable[[Context, t.Unary], CoreExpr]] = {
    "minus": _lower_minus,
    "count": _lower_count,
    "first": _lower_first,
    "last": _lower_last,
    "left": _make_neighbor(1),
    "right": _make_neighbor(-1),
    "total": lambda c, u: make_op(o.DSUM, lower_value(c, u.arg)),
    "faces": lambda c, u: make_op(o.DFACES, lower_value(c, u.arg)),
    "text": lambda c, u: lower_value(c, u.arg),  # the type says that it is shown as text
    "not": _lower_truth,
    "empty": _lower_truth,
    "not-empty": _lower_truth,
}
ARITHMETIC_OPCODES = {"*": o.MUL, "/": o.DIV, "mod": o.MOD, "+": o.ADD, "-": o.SUB}


def _lower_binary(c: Context, binary: t.Binary) -> CoreExpr:
    """Lower arithmetic on numbers, sets, dice or bags; comparisons become a truth value."""
    if binary.op not in ARITHMETIC_OPCODES:
        return _lower_truth(c, binary)
    shape = c.type_of(binary).shape
    if shape == "bag":
        return containers.combine_bags(c, binary)
    if shape in ("set", "dice"):
        opcode = additive_opcode(shape, binary.op)
    else:
        opcode = ARITHMETIC_OPCODES[binary.op]
    return make_op(opcode, lower_value(c, binary.left), lower_value(c, binary.right))


def _lower_of_several(c: Context, several: t.OfSeveral) -> CoreExpr:
    """Lower the `sum`, the greatest (`best`) or the `least` of several listed values."""
    opcode = {"sum": o.ADD, "best": o.MAX, "least": o.MIN}[several.op]
    return reduce(
        lambda result, other: make_op(opcode, result, other), [lower_value(c, operand) for operand in several.values]
    )


def _lower_track(c: Context, track: t.Track) -> CoreExpr:
    """Lower a track to its step at a position, from 1; positions beyond an end count as that end."""
    with c.collect() as body:
        position, number = c.evaluate_once(lower_value(c, track.at)), c.let(lower_value(c, track.steps[0]))
        for place, step in enumerate(track.steps[1:], 2):
            with c.collect() as assign:
                c.set(number, lower_value(c, step))
            c.add(core.IfElse(core.Compare(">=", position, Const(place)), tuple(assign), (), cause=c.cause))
    return core.StatementExpression(tuple(body), number)


def _lower_first_after(c: Context, first: t.FirstAfter) -> CoreExpr:
    """Lower a search once round the table that ends with the player; the result is `none` for an empty set."""
    with c.collect() as body:
        candidates, seat = c.evaluate_once(lower_value(c, first.members)), c.let(lower_value(c, first.player))
        with c.block() as end:
            with c.block() as nobody, c.loop():
                c.jump_unless(core.Test(candidates), nobody)
                c.set(seat, make_op(o.MOD, make_op(o.ADD, seat, Const(1)), PLAYERS))
                c.jump(end, core.Compare("in", seat, candidates))
            c.set(seat, Const(-1))
    return core.StatementExpression(tuple(body), seat)


# --- members of sets -------------------------------------------------------------------------------


def _lower_where(c: Context, where: t.Where) -> CoreExpr:
    """Lower `X where CONDITION` to the members, or dice, that meet the condition."""
    members = lower_value(c, where.members)
    if is_dice(c, where.members):
        return filter_dice(c, members, lambda faces: filter_members(c, where, faces, where.condition))
    return filter_members(c, where, members, where.condition)


def filter_members(c: Context, owner: t.Node, members: CoreExpr, wanted_expr: t.Expr | None) -> CoreExpr:
    """Return the members that meet a condition whose `it` the owner binds."""
    if wanted_expr is None:
        return members
    member = Var()
    c.bind(owner, member)
    return core.FilteredSet(members, member, (lower_condition(c, wanted_expr),))


def _lower_next_to(c: Context, node: t.NextTo) -> CoreExpr:
    """Lower to the members next to a thing, by a table of the grid's neighbors."""
    neighbors = c.constants.neighbor_table(c.type_of(node.thing).kind, node.shape, node.row, node.file)
    return network_lowering.neighbors_among(c, node.members, node.thing, neighbors)


def _lower_best(c: Context, best: t.Best) -> CoreExpr:
    """Lower to the members with the most or fewest of some keys; of dice, those that show such numbers."""
    members = lower_value(c, best.members)
    if is_dice(c, best.members):
        return filter_dice(c, members, partial(_lower_leaders, c, best))
    return _lower_leaders(c, best, members)


def _lower_leaders(c: Context, best: t.Best, members: CoreExpr) -> CoreExpr:
    """Return the members that lead by each key in turn; later keys only break ties."""
    with c.collect() as body:
        leading: CoreExpr = c.evaluate_once(members)
        for word, key in best.keys:
            candidates, leading = leading, c.let(empty_set(c, iterable_type(c, best.members).kind))
            best_score = c.let(NOTHING)
            with c.loop_over_members(candidates) as member:
                c.bind(best, member)
                score = lower_value(c, key)
                c.add_step(
                    o.BEST, leading, best_score, make_op(o.SUB, NOTHING, score) if word == "fewest" else score, member
                )
    return core.StatementExpression(tuple(body), leading)


def _lower_over(c: Context, over: t.Over) -> CoreExpr:
    """Lower an aggregate over a set; `best` and `least` of an empty set are 0."""
    with c.collect() as body:
        result = c.let(NOTHING)
        has_term = c.let(NOTHING)
        with c.loop_over_members(iterable_members(c, over.members)) as member:
            c.bind(over, member)
            term = lower_value(c, over.value)
            if over.op == "sum":
                c.set(result, make_op(o.ADD, result, term))
            else:
                _update_extreme(c, over.op, result, has_term, c.evaluate_once(term))
    return core.StatementExpression(tuple(body), result)


def _update_extreme(c: Context, operator: str, result: Var, has_term: Var, term: CoreExpr) -> None:
    """Set `result` to the greater (`best`) or lesser of it and `term`, or to the first term."""
    with c.collect() as first:
        c.set(has_term, Const(1))
        c.set(result, term)
    with c.collect() as later:
        c.set(result, make_op(o.MAX if operator == "best" else o.MIN, result, term))
    c.add(core.IfElse(core.Test(has_term, empty=True), tuple(first), tuple(later), cause=c.cause))


def _lower_copies_of(c: Context, node: t.CopiesOf) -> CoreExpr:
    """Lower `7 of penny` to a bag."""
    kind, thing = c.type_of(node).kind, lower_value(c, node.thing)
    members: CoreExpr = singleton_set(c, thing, kind)
    if isinstance(thing, Const) and thing.value >= 0:
        members = Const(1 << thing.value, c.cell_count(ValueType("set", kind)))
    return containers.repeat_members(c, members, node.number, kind)


def _lower_of_each(c: Context, node: t.OfEach) -> CoreExpr:
    """Lower `20 of each tile`, or a field's number of each, to a bag."""
    kind = c.symbol_of(node.kind).name
    if node.number is not None:
        return containers.repeat_members(c, all_of_kind(c, kind), node.number, kind)
    assert node.field is not None
    return containers.bag_of_field(c, kind, node.field.word)


# --- conditions ------------------------------------------------------------------------------------


def _lower_comparison(c: Context, binary: t.Binary, cause: int) -> Condition:
    """Lower a comparison, or `and` or `or`, to a condition with a cause for the log."""
    if binary.op in ("and", "or"):
        junction = core.All if binary.op == "and" else core.Any_
        return junction((lower_condition(c, binary.left), lower_condition(c, binary.right)), cause=cause)
    if binary.op in ("in", "not-in") and isinstance(binary.right, t.NumbersFrom):
        return _lower_between(c, binary, binary.right, cause)
    left, right = lower_value(c, binary.left), lower_value(c, binary.right)
    return core.Compare(binary.op, left, right, cause=cause, told=True, works=c.env.works)


def _lower_between(c: Context, binary: t.Binary, numbers: t.NumbersFrom, cause: int) -> Condition:
    """Lower `X is in (numbers from A to B)` to two comparisons, for numbers of any size."""
    bounds = ((">=", numbers.low), ("<=", numbers.high))
    number = lower_value(c, binary.left)
    parts = (
        core.Compare(op, number, lower_value(c, bound), cause=cause, told=True, works=c.env.works)
        for op, bound in bounds
    )
    between = core.All(tuple(parts), cause=cause)
    return between if binary.op == "in" else core.Not(between, cause=cause)


def _lower_unary_condition(c: Context, unary: t.Unary, cause: int) -> Condition:
    """Lower `not`, or a test for emptiness, to a condition; it tests the public count if there is one."""
    if unary.op == "not":
        return core.Not(lower_condition(c, unary.arg), cause=cause)
    public = public_count(c, unary.arg)
    operand = lower_value(c, unary.arg) if public is None else public
    return core.Test(operand, unary.op == "empty", cause=cause, told=True, works=c.env.works)


def _lower_quantifier(c: Context, quantified: t.Quantified, cause: int) -> Condition:
    """Lower `every`, `some` or `no ... has` to a condition over all members of a set."""
    members, member = iterable_members(c, quantified.members), Var()
    c.bind(quantified, member)
    condition = lower_condition(c, quantified.condition)
    if quantified.op == "no":
        return core.Not(core.Quantifier(False, members, member, condition, cause=cause), cause=cause)
    return core.Quantifier(quantified.op == "every", members, member, condition, cause=cause)


_VALUES: dict[type, Callable[[Context, Any], CoreExpr]] = {
    t.Number: lambda c, number: Const(number.value),
    t.Name: _lower_name,
    t.Apply: _lower_apply,
    t.Unary: lambda c, unary: UNARY_LOWERINGS[unary.op](c, unary),
    t.Binary: _lower_binary,
    t.Listed: _lower_binary,
    t.Where: _lower_where,
    t.Best: _lower_best,
    t.Over: _lower_over,
    t.Quantified: _lower_truth,
    t.CanPay: _lower_truth,
    t.OfSeveral: _lower_of_several,
    t.CountIn: lambda c, one: containers.thing_count(c, one.thing, one.bag),
    t.CopiesOf: _lower_copies_of,
    t.PositionIn: lambda c, one: order_position(c, lower_value(c, one.thing), lower_value(c, one.order)),
    t.OfEach: _lower_of_each,
    t.InSupply: lambda c, one: costs.supply_amount(c, one.resource),
    t.Track: _lower_track,
    t.NextTo: _lower_next_to,
    t.NumbersFrom: lambda c, numbers: set_of_numbers(c, numbers.low, numbers.high),
    t.Connected: lambda c, one: network_lowering.reachable_members(c, one, one.members, one.start, one.through),
    t.LongestPath: lambda c, one: network_lowering.longest_path(c, one, one.members, one.through, one.counting),
    t.LongestTrail: lambda c, one: network_lowering.longest_trail(c, one, one.members, one.through, one.counting),
    t.FirstAfter: _lower_first_after,
    t.Showing: lambda c, one: die_showing(c, one.die, lower_value(c, one.face)),
    t.Among: lambda c, one: select_dice(c, one.die, one.face and lower_value(c, one.face), lower_value(c, one.dice)),
    t.During: lambda c, d: Cell(c.layout.phases[c.symbol_of(d.phase).name]),
}
VALUE_LOWERINGS.update(_VALUES)
VISITED_LOWERINGS[t.NumbersFrom] = lambda c, numbers: core.NumberRange(
    lower_value(c, numbers.low), lower_value(c, numbers.high)
)
CONDITION_LOWERINGS.update(
    {
        t.Binary: _lower_comparison,
        t.Unary: _lower_unary_condition,
        t.Quantified: _lower_quantifier,
        t.CanPay: lambda c, one, _: costs.any_payable(c, one.options),
    }
)
