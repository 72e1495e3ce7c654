"""Lowering of containers, with sets, orders, bags, and dice that are packed as counts side by side."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from edict.compiler.codegen import core
from edict.compiler.codegen.core import (
    ALL_IN_ORDER,
    BlockLabel,
    Cell,
    Compare,
    Condition,
    Const,
    CoreExpr,
    Load,
    NumberRange,
    Var,
)
from edict.compiler.codegen.core_builder import make_op
from edict.compiler.lowering.context import EVERYONE, NOTHING, Context
from edict.compiler.lowering.layout import NUMBER_LIMIT, fits_in_set
from edict.compiler.lowering.value_lowering import (
    COERCIONS,
    StorageLocation,
    empty_order,
    hide_new_value,
    lower_value,
    lower_without_coercion,
    mark_secret_write,
    order_to_set,
    singleton_set,
)
from edict.compiler.semantics.secret_sources import has_secret
from edict.compiler.semantics.symbols import Local, keep_of
from edict.compiler.semantics.types import Coercion
from edict.compiler.syntax import tree as t
from edict.runtime.program import ValueType
from edict.runtime.program import opcodes as o
from edict.support.records import dataclass

# --- sets and numbers ------------------------------------------------------------------------------


def all_of_kind(c: Context, kind: str) -> CoreExpr:
    """Return the set of all things of a kind."""
    if kind == "player":
        return EVERYONE
    return Const((1 << len(c.linked.things[kind])) - 1, c.cell_count(ValueType("set", kind)))


def order_position(c: Context, thing: CoreExpr, order: CoreExpr) -> CoreExpr:
    """Return the position of a thing in an order, from 1; 0 if it is not in it."""
    with c.collect() as body:
        thing, passed, position = c.evaluate_once(thing), c.let(NOTHING), c.let(NOTHING)
        with c.block() as end, c.loop_over_order(order, ALL_IN_ORDER) as member:
            c.set(passed, make_op(o.ADD, passed, Const(1)))
            with c.block() as other:
                c.jump_unless(core.Compare("=", member, thing), other)
                c.set(position, passed)
                c.jump(end)
    return core.StatementExpression(tuple(body), position)


# opcodes that add and remove
ADDITIVE_OPCODES = {"number": (o.ADD, o.SUB), "set": (o.OR, o.ANDN), "dice": (o.DPUT, o.DTAKE)}


def additive_opcode(shape: str, sign: str) -> int:
    """Return the opcode that adds (`+`) or removes (`-`) values of a shape such as set, dice or number."""
    return ADDITIVE_OPCODES[shape][0 if sign == "+" else 1]


def number_range(c: Context, low: t.Expr, high: t.Expr) -> CoreExpr:
    """Return the nonnegative numbers from `low` to `high`; a small range is a set."""
    first = make_op(o.MAX, lower_value(c, low), NOTHING)
    if not fits_in_set(c.linked, high):
        return NumberRange(first, lower_value(c, high))
    return _set_between(c, first, make_op(o.MIN, lower_value(c, high), Const(NUMBER_LIMIT - 1)))


def set_of_numbers(c: Context, low: t.Expr, high: t.Expr) -> CoreExpr:
    """Return the set of the numbers from `low` to `high`; a number that no set can hold is a fault."""
    first, last = (core.CheckedRange(lower_value(c, end), 0, NUMBER_LIMIT - 1) for end in (low, high))
    return _set_between(c, first, last)


def _set_between(c: Context, low: CoreExpr, high: CoreExpr) -> CoreExpr:
    """Return the set of the numbers from `low` to `high`, which a set can hold."""
    with c.collect() as body:
        first, last, range_set = c.let(low), c.let(high), c.let(NOTHING)
        with c.block() as end:
            c.jump(end, core.Compare("<", last, first))
            highest_bit = c.evaluate_once(make_op(o.BIT, last))
            c.set(range_set, make_op(o.ADD, make_op(o.SUB, highest_bit, make_op(o.BIT, first)), highest_bit))
    return core.StatementExpression(tuple(body), range_set)


# --- dice, packed: counts side by side, one for each number of each kind ---------------------------


DICE = ValueType("dice")


def is_dice(c: Context, expr: t.Expr) -> bool:
    """Return True if an expression is a set of rolled dice."""
    return c.type_of(expr).shape == "dice"


def no_dice(c: Context) -> Const:
    """Return the empty set of dice."""
    return Const(0, c.cell_count(DICE))


def single_die(c: Context, field: CoreExpr) -> CoreExpr:
    """Return a single die by its field."""
    layout, cells = c.layout.dice, c.cell_count(DICE)
    if cells == 1:
        return make_op(o.DONE, field)
    fields = range(max(layout.fields) + 1)
    return core.TableLookup(
        tuple(1 << layout.offset_of(i) if i in layout.fields else 0 for i in fields), field, cells=cells
    )


# lowerings, by type, of sets that a loop visits in another form than the one in which they are stored
VISITED_LOWERINGS: dict[type, Callable[[Context, Any], CoreExpr]] = {}


def iterable_members(c: Context, expr: t.Expr) -> CoreExpr:
    """Return the set that a loop visits; for dice, the numbers they show."""
    if type(expr) in VISITED_LOWERINGS:
        return VISITED_LOWERINGS[type(expr)](c, expr)
    if is_dice(c, expr):
        return make_op(o.DFACES, lower_value(c, expr))
    return lower_value(c, expr)


def iterable_type(c: Context, expr: t.Expr) -> ValueType:
    """Return the type of the set that a loop visits."""
    return ValueType("set", "number") if is_dice(c, expr) else c.type_of(expr)


def filter_dice(c: Context, dice: CoreExpr, select_faces: Callable[[CoreExpr], CoreExpr]) -> CoreExpr:
    """Return the dice that show a wanted number; `select_faces` selects from the set of all shown numbers."""
    kinds = c.layout.dice.kinds
    most = max((sides for _, _, sides, _ in kinds), default=0)
    fields_by_face = [c.layout.dice.mask(first + n for *_, sides, first in kinds if n < sides) for n in range(most)]
    with c.collect() as body:
        dice, result = c.evaluate_once(dice), c.let(no_dice(c))
        with c.loop_over_members(select_faces(make_op(o.DFACES, dice))) as face:
            c.set(result, make_op(o.OR, result, core.TableLookup((0, *fields_by_face), face, cells=c.cell_count(DICE))))
        c.set(result, make_op(o.AND, result, dice))
    return core.StatementExpression(tuple(body), result)


def die_kind(c: Context, name: t.Name) -> tuple[str, int, int]:
    """Return title, sides and first field of a kind of die."""
    word = c.symbol_of(name).name
    return next((title, sides, first) for n, title, sides, first in c.layout.dice.kinds if n == word)


def die_showing(c: Context, name: t.Name, number: CoreExpr) -> CoreExpr:
    """Return a die that shows a face; a face that the die lacks is a fault."""
    _, sides, first = die_kind(c, name)
    with c.collect() as body:
        face = c.evaluate_once(core.CheckedRange(number, 1, sides))
        die = c.let(no_dice(c))
        c.add_step(o.DADD, die, face, first)
    return core.StatementExpression(tuple(body), die)


def select_dice(c: Context, name: t.Name, number: CoreExpr | None, dice: CoreExpr) -> CoreExpr:
    """Return the dice of one kind, or those that show one face, by masking the packed counts."""
    _, sides, first = die_kind(c, name)
    layout, cells = c.layout.dice, c.cell_count(DICE)
    if number is None:
        return make_op(o.AND, dice, Const(layout.mask(range(first, first + sides)), cells))
    face_masks = [layout.mask([first + side]) for side in range(sides)]
    side = make_op(o.MIN, make_op(o.MAX, number, NOTHING), Const(sides + 1))
    return make_op(o.AND, dice, core.TableLookup((0, *face_masks, 0), side, cells=cells))


# --- bags: a number for each thing of a kind -------------------------------------------------------


BagReader = Callable[[CoreExpr], CoreExpr]  # returns how often a bag contains a thing


def bag_reader(c: Context, bag: CoreExpr, cells: int) -> BagReader:
    """Return a function that builds the number of copies of a thing in a bag."""
    if isinstance(bag, Cell):
        return lambda thing: Cell(bag.at + thing.value) if isinstance(thing, Const) else Load(bag.at, thing)
    if isinstance(bag, Load):
        first = c.evaluate_once(make_op(o.MUL, bag.index, Const(cells)))
        return lambda thing: Load(bag.base, make_op(o.ADD, first, thing))
    row = c.let(bag)
    return lambda thing: make_op(o.LDX, row, thing)


def store_count(c: Context, row: Var, thing: CoreExpr, count: CoreExpr) -> None:
    """Set the number of copies of a thing in a temporary bag."""
    c.store_silently(row, count, thing)


def update_public_count(c: Context, secret: StorageLocation) -> None:
    """Update the public count of a secret place that is declared as counted."""
    count_place = secret.count_place
    if count_place is not None and secret.home is not None:
        place_type = secret.home.type
        count_place.store(
            c,
            _total_count(c, secret.value, place_type) if place_type.shape == "bag" else make_op(o.COUNT, secret.value),
        )


# --- contents of bags ------------------------------------------------------------------------------


def bag_count(c: Context, bag: t.Expr) -> CoreExpr:
    """Return the number of things in a bag."""
    return _total_count(c, lower_value(c, bag), c.type_of(bag))


def _total_count(c: Context, bag: CoreExpr, bag_type: ValueType) -> CoreExpr:
    """Return the number of things in a bag, as the sum of the copies of each thing."""
    with c.collect() as body:
        total = c.let(NOTHING)
        read = bag_reader(c, bag, c.cell_count(bag_type))
        with c.loop_over_members(all_of_kind(c, bag_type.kind)) as member:
            c.set(total, make_op(o.ADD, total, read(member)))
    return core.StatementExpression(tuple(body), total)


def thing_count(c: Context, thing: t.Expr, bag: t.Expr) -> CoreExpr:
    """Return the number of copies of a thing in a bag."""
    with c.collect() as body:
        count = bag_reader(c, lower_value(c, bag), c.cell_count(c.type_of(bag)))(lower_value(c, thing))
    return core.StatementExpression(tuple(body), count) if body else count


def bag_of_field(c: Context, kind: str, field: str) -> CoreExpr:
    """Return the bag that contains each thing of a kind as often as its field says."""
    counts = c.constants.field_table(kind, field)
    return Const(
        sum(max(count, 0) << o.BITS * i for i, count in enumerate(counts)), c.cell_count(ValueType("bag", kind))
    )


def repeat_members(c: Context, members: CoreExpr, number: t.Expr, kind: str) -> CoreExpr:
    """Return the bag with `number` copies of each member; a negative number counts as 0."""
    cells, count = c.cell_count(ValueType("bag", kind)), lower_value(c, number)
    if isinstance(members, Const) and isinstance(count, Const):
        places = (i for i in range(cells) if members.value >> i & 1)
        return Const(sum(max(count.value, 0) << o.BITS * i for i in places), cells)
    with c.collect() as body:
        count, row = c.let(make_op(o.MAX, count, NOTHING)), c.let(Const(0, cells))
        with c.loop_over_members(members) as member:
            store_count(c, row, member, count)
    return core.StatementExpression(tuple(body), row)


def combine_bags(c: Context, binary: t.Binary) -> CoreExpr:
    """Return the sum (`+`) or the difference (`-`, not below 0) of two bags."""
    bag_type = c.type_of(binary)
    left, right = lower_value(c, binary.left), lower_value(c, binary.right)
    if binary.op == "+" and isinstance(left, Const) and isinstance(right, Const):
        return Const(left.value + right.value, left.cells)
    with c.collect() as body:
        row, other = c.let(left), c.let(right)
        with c.loop_over_members(all_of_kind(c, bag_type.kind)) as member:
            left_count, right_count = make_op(o.LDX, row, member), make_op(o.LDX, other, member)
            if binary.op == "+":
                new = make_op(o.ADD, left_count, right_count)
            else:
                new = make_op(o.MAX, make_op(o.SUB, left_count, right_count), NOTHING)
            store_count(c, row, member, new)
    return core.StatementExpression(tuple(body), row)


def bag_to_set(c: Context, bag: CoreExpr, kind: str) -> CoreExpr:
    """Return the set of things in a bag."""
    with c.collect() as body:
        member, read = Var(), bag_reader(c, bag, c.cell_count(ValueType("bag", kind)))
        members = core.FilteredSet(all_of_kind(c, kind), member, (core.Compare(">", read(member), NOTHING),))
    return core.StatementExpression(tuple(body), members) if body else members


def set_to_bag(c: Context, members: CoreExpr, kind: str) -> CoreExpr:
    """Return the bag that contains each member once."""
    cells = c.cell_count(ValueType("bag", kind))
    with c.collect() as body:
        row = c.let(Const(0, cells))
        with c.loop_over_members(members) as member:
            store_count(c, row, member, Const(1))
    return core.StatementExpression(tuple(body), row)


COERCIONS.update(
    {
        Coercion.BAG_TO_SET: bag_to_set,
        Coercion.SET_TO_BAG: set_to_bag,
        Coercion.THING_TO_BAG: lambda c, thing, kind: set_to_bag(c, singleton_set(c, thing, kind), kind),
    }
)
# --- changes of bags -------------------------------------------------------------------------------


def change_bag(
    c: Context,
    things_expr: t.Expr,
    bag: StorageLocation,
    sign: str,
    excluded: CoreExpr | None = None,
    *,
    may_be_none: bool = False,
) -> None:
    """Add things to a bag or remove them from it, and update its public count.

    Args:
        c: The context.
        things_expr: The things, as a thing, a set or a bag.
        bag: The bag.
        sign: `+` to add, `-` to remove; only what the bag contains is removed.
        excluded: A set of things to leave out.
        may_be_none: Whether the thing may be `none`.
    """
    _change_bag(c, things_expr, bag, sign, excluded, may_be_none)
    update_public_count(c, bag)


def _change_bag(
    c: Context, things_expr: t.Expr, bag: StorageLocation, sign: str, excluded: CoreExpr | None, may_be_none: bool
) -> None:
    """Emit code that adds (`+`) or removes (`-`) a thing, set or bag in a bag, without the `excluded` members."""
    things_type = c.type_of(things_expr)
    mark_secret_write(c, bag)
    if has_secret(c.resolved, things_expr):  # hide it before any event about it
        hide_new_value(c, bag)
    if things_type.shape == "thing" and not things_type.optional and not may_be_none and excluded is None:
        _change_count(c, bag, c.evaluate_once(lower_without_coercion(c, things_expr)), Const(1), sign)
    elif things_type.shape in ("set", "thing"):
        things = lower_without_coercion(c, things_expr)
        if things_type.shape == "set":
            members = things
        else:
            members = singleton_set(c, things, things_type.kind)
        with c.loop_over_members(members if excluded is None else make_op(o.ANDN, members, excluded)) as member:
            _change_count(c, bag, member, Const(1), sign)
    else:
        row = c.let(lower_value(c, things_expr))
        with c.loop_over_members(all_of_kind(c, things_type.kind)) as member, c.block() as end:
            c.jump_unless(core.Compare(">", make_op(o.LDX, row, member), NOTHING), end)
            _change_count(c, bag, member, make_op(o.LDX, row, member), sign)


def _change_count(c: Context, bag: StorageLocation, thing: CoreExpr, count: CoreExpr, sign: str) -> None:
    """Add to (`+`) or subtract from (`-`) a bag's copies of a thing; the count stays at 0 or above."""
    read = bag_reader(c, bag.value, bag.cells)
    if sign == "+":
        new = make_op(o.ADD, read(thing), count)
    else:
        new = make_op(o.MAX, make_op(o.SUB, read(thing), count), NOTHING)
    if isinstance(bag.base, Var):
        store_count(c, bag.base, thing, new)
        return
    index = thing if bag.index is None else make_op(o.IDX, bag.index, bag.cells, thing)
    c.add(core.StoreState(bag.base, index, new, cause=c.cause))


def offer_bag(c: Context, bag: t.Expr) -> None:
    """Offer every thing as often as a bag contains it."""
    of = c.type_of(bag)
    read = bag_reader(c, lower_without_coercion(c, bag), c.cell_count(of))
    with c.loop_over_members(all_of_kind(c, of.kind)) as member:
        offer_repeatedly(c, member, read(member))


def offer_repeatedly(c: Context, thing: CoreExpr, count: CoreExpr) -> None:
    """Emit `count` offers of one thing to the next chance node, so that copies weigh its probability."""
    remaining = c.let(count)
    with c.block() as end, c.loop():
        c.jump_unless(core.Compare(">", remaining, NOTHING), end)
        c.add_step(o.OFFER, thing)
        c.set(remaining, make_op(o.SUB, remaining, Const(1)))


# --- long orders -----------------------------------------------------------------------------------


EMPTY_POSITION = Const(-1)


def insert_in_order(c: Context, target: StorageLocation, member: CoreExpr, first: bool) -> None:
    """Move a member to the beginning or the end of a long order; `none` is ignored."""
    mark_secret_write(c, target)
    with c.block() as end:
        c.jump_unless(Compare(">=", member, NOTHING), end)
        place = _close_gap(c, target, member)
        if first:
            _shift_down(c, target, place)
        _store_member(c, target, place, member)
        _end_events(c)


def remove_from_order(c: Context, target: StorageLocation, member: CoreExpr, moved_local: Var | None = None) -> None:
    """Remove a member from a long order; `moved_local` becomes `none` if it was not in the order."""
    mark_secret_write(c, target)
    if moved_local is not None:
        member = c.let(moved_local)
        c.set(moved_local, EMPTY_POSITION)
    with c.block() as end:
        c.jump_unless(Compare(">=", member, NOTHING), end)
        _close_gap(c, target, member, moved_local)
        _end_events(c)


def rewrite_order(c: Context, kind: str, target: StorageLocation, members: CoreExpr, position: str) -> None:
    """Rewrite an order with some members `first`, `last` or removed; the others keep their sequence."""
    order, length = c.let(empty_order(c, kind)), c.let(NOTHING)

    def push(member: CoreExpr) -> None:
        """Append a member to the new order."""
        c.add_step(o.PUSHO, order, member, length)
        c.set(length, make_op(o.ADD, length, Const(1)))

    def push_all() -> None:
        with c.loop_over_members(members) as member:
            push(member)

    if position == "first":
        push_all()
    with c.loop_over_order(target.value, ALL_IN_ORDER) as member, c.block() as skip:
        c.jump(skip, core.Compare("in", member, members))
        push(member)
    if position == "last":
        push_all()
    target.store(c, order)


def _close_gap(c: Context, target: StorageLocation, member: CoreExpr, moved_local: Var | None = None) -> Var:
    """Remove a member by moving up those behind it, and return the first free position."""
    place, size = c.let(NOTHING), Const(target.cells)
    with c.block() as end:
        with c.block() as at_member, c.loop():
            c.jump_unless(Compare("<", place, size), end)
            current = c.let(_member_at(target, place))
            c.jump_unless(Compare("!=", current, member), at_member)
            c.jump_unless(Compare(">=", current, NOTHING), end)
            c.set(place, make_op(o.ADD, place, Const(1)))
        if moved_local is not None:
            c.set(moved_local, member)
        with c.loop():
            next_position, next_member = c.let(make_op(o.ADD, place, Const(1))), c.let(EMPTY_POSITION)
            with c.block() as last:
                c.jump_unless(Compare("<", next_position, size), last)
                c.set(next_member, _member_at(target, next_position))
            _store_member(c, target, place, next_member)
            c.jump_unless(Compare(">=", next_member, NOTHING), end)
            c.set(place, next_position)
    return place


def _shift_down(c: Context, target: StorageLocation, place: Var) -> None:
    """Shift members before a free position up to it, one place each, until position 0 is free."""
    with c.block() as end, c.loop():
        c.jump_unless(Compare(">", place, NOTHING), end)
        previous = c.let(make_op(o.SUB, place, Const(1)))
        _store_member(c, target, place, _member_at(target, previous))
        c.set(place, previous)


def _order_index(target: StorageLocation, place: CoreExpr) -> CoreExpr:
    """Return the cell index of a position in a long order, behind those of the keep's earlier members."""
    if target.index is None:
        return place
    return make_op(o.ADD, make_op(o.MUL, target.index, Const(target.cells)), place)


def _member_at(target: StorageLocation, place: CoreExpr) -> CoreExpr:
    """Return the member at a position of a long order in the state, from 0."""
    assert isinstance(target.base, int)
    return Load(target.base, _order_index(target, place))


def _store_member(c: Context, target: StorageLocation, place: CoreExpr, member: CoreExpr) -> None:
    """Store a member at a position of a long order, as an event."""
    c.add(core.StoreState(target.base, _order_index(target, place), member, cause=c.cause))


def _end_events(c: Context) -> None:
    """Add an event of a scratch cell that ends the change, as others may follow directly."""
    c.add(core.StoreState(o.SCRATCH, None, make_op(o.ANDN, Const(1), Cell(o.SCRATCH)), cause=c.cause))


# --- moved things ----------------------------------------------------------------------------------


UNIQUE_MEMBER_SHAPES = ("set", "order")  # containers in which each thing occurs once


@dataclass(frozen=True)
class Relocation:
    """A move of things from one place to another."""

    value: t.Expr
    place: t.Expr
    to: t.Expr


def find_moved_variable(c: Context, relocation: Relocation | None) -> Var | None:
    """Return the variable of the local that is bound to the moved things, if any."""
    value_expr = None if relocation is None else relocation.value
    meaning = c.resolved.meaning[value_expr] if isinstance(value_expr, t.Name) else None
    moved = c.bindings[meaning] if isinstance(meaning, Local) else None
    return moved if isinstance(moved, Var) else None


def limit_to_movable(c: Context, relocation: Relocation, *, checked_by_removal: bool = False) -> None:
    """Restrict the local of moved things to those that the target lacks and, unless checked later, the source has."""
    moved, limit = find_moved_variable(c, relocation), LIMITS.get(c.type_of(relocation.value).shape)
    if moved is None or limit is None:
        return
    if _moves_to_unique_place(c, relocation):
        limit(c, relocation, moved, relocation.to, True)
    if not checked_by_removal:
        limit(c, relocation, moved, relocation.place, False)


# Keep of the moved things those that a place contains or, if `absent`, those it lacks and so has room for.


def _limit_thing(c: Context, _: Relocation, moved: Var, place: t.Expr, absent: bool) -> None:
    """Set the moved thing to `none` unless it is at a place, or, if `absent`, unless it is not there yet."""
    if c.type_of(place).shape == "bag":
        is_present: Condition = Compare(">", _count_reader(c, place)(moved), NOTHING)
    else:
        is_present = Compare("in", moved, _members_at(c, place))
    with c.block() as end:
        _jump_if(c, end, is_present, not absent)
        c.set(moved, Const(-1))


def _limit_set(c: Context, _: Relocation, moved: Var, place: t.Expr, absent: bool) -> None:
    """Keep of the moved set the members at a place, or, if `absent`, those that are not there yet."""
    c.set(moved, make_op(o.ANDN if absent else o.AND, moved, _members_at(c, place)))


def _limit_order(c: Context, relocation: Relocation, moved: Var, place: t.Expr, absent: bool) -> None:
    """Keep of the moved order the members at a place, or, if `absent`, the others, in their sequence."""
    members, kind = c.evaluate_once(_members_at(c, place)), c.type_of(relocation.value).kind
    kept, length = c.let(empty_order(c, kind)), c.let(NOTHING)
    with c.loop_over_order(moved, ALL_IN_ORDER) as member, c.block() as skip:
        _jump_if(c, skip, Compare("in", member, members), absent)
        c.add_step(o.PUSHO, kept, member, length)
        c.set(length, make_op(o.ADD, length, Const(1)))
    c.set(moved, kept)


def _jump_if(c: Context, label: BlockLabel, condition: Condition, when: bool) -> None:
    """Jump if the condition has the truth value `when`."""
    if when:
        c.jump(label, condition)
    else:
        c.jump_unless(condition, label)


def _limit_bag(c: Context, relocation: Relocation, moved: Var, place: t.Expr, absent: bool) -> None:
    """Limit the moved copies to those at a place, or, if `absent`, to one of each thing not yet there."""
    if absent:
        members = c.evaluate_once(_members_at(c, place))
    else:
        count_of = _count_reader(c, place)
    with c.loop_over_members(all_of_kind(c, c.type_of(relocation.value).kind)) as member:
        store_count(
            c, moved, member, make_op(o.MIN, make_op(o.LDX, moved, member), Const(1) if absent else count_of(member))
        )
        if absent:
            with c.block() as end:
                c.jump_unless(Compare("in", member, members), end)
                store_count(c, moved, member, NOTHING)


def _limit_dice(c: Context, _: Relocation, moved: Var, place: t.Expr, absent: bool) -> None:
    """Keep of the moved dice those at a place; no limit if `absent`, as several dice may be equal."""
    if absent:  # several dice may be equal
        return
    present, limited = c.evaluate_once(lower_value(c, place)), c.let(no_dice(c))
    with c.loop_over_members(make_op(o.DFIELDS, moved)) as field:
        same_field = c.evaluate_once(core.Singleton(field, c.cell_count(DICE)))
        remaining = c.let(make_op(o.MIN, make_op(o.DCOUNT, moved, same_field), make_op(o.DCOUNT, present, same_field)))
        with c.block() as end, c.loop():
            c.jump_unless(Compare(">", remaining, NOTHING), end)
            c.set(limited, make_op(o.DPUT, limited, single_die(c, field)))
            c.set(remaining, make_op(o.SUB, remaining, Const(1)))
    c.set(moved, limited)


LIMITS: dict[str, Callable[[Context, Relocation, Var, t.Expr, bool], None]] = {
    "thing": _limit_thing,
    "set": _limit_set,
    "bag": _limit_bag,
    "dice": _limit_dice,
    "order": _limit_order,
}


def _members_at(c: Context, place: t.Expr) -> CoreExpr:
    """Return the content of a place as a set."""
    content, place_type = lower_value(c, place), c.type_of(place)
    convert = {"order": order_to_set, "bag": bag_to_set, "thing": singleton_set}.get(place_type.shape)
    return content if convert is None else convert(c, content, place_type.kind)


def _count_reader(c: Context, place: t.Expr) -> BagReader:
    """Return a function that builds the number of copies of a thing in a place."""
    place_type = c.type_of(place)
    if place_type.shape == "bag":
        return bag_reader(c, lower_value(c, place), c.cell_count(place_type))
    bag = set_to_bag(c, _members_at(c, place), place_type.kind)
    return bag_reader(c, bag, bag.cells if isinstance(bag, Var) else c.cell_count(c.type_of(place)))


def _moves_to_unique_place(c: Context, relocation: Relocation) -> bool:
    """Return True if things move to another place that holds each thing once.

    Within one order they only change position.
    """
    source, target = keep_of(c.resolved, relocation.place), keep_of(c.resolved, relocation.to)
    shape = c.type_of(relocation.to).shape
    return shape in UNIQUE_MEMBER_SHAPES and (source is None or source is not target or shape == "set")
