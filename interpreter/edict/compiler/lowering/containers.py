"""Containers as core: sets, orders, bags, and dice, which are packed as counts side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edict.compiler.codegen import core
from edict.compiler.codegen.core import ALL_IN_LINE, Cell, Compare, Condition, Const, Expr, Label, Load, Numbers, Var
from edict.compiler.codegen.core_builder import op
from edict.compiler.lowering.context import EVERYONE, NOTHING, Context
from edict.compiler.lowering.layout import few_numbers
from edict.compiler.lowering.value_lowering import (
    COERCE,
    LocalPlace,
    blank_order,
    hide,
    mark,
    members_of_order,
    singleton,
    uncoerced,
    value,
)
from edict.compiler.semantics.secret_sources import gives_away
from edict.compiler.semantics.symbols import Local, keep_of
from edict.compiler.semantics.types import Coercion
from edict.compiler.syntax import tree as t
from edict.runtime.program import Type
from edict.runtime.program import opcodes as o

# --- what there is ---------------------------------------------------------------------------------


def everything(c: Context, kind: str) -> Expr:
    """The set of all things of a kind."""
    if kind == "player":
        return EVERYONE
    return Const((1 << len(c.linked.things[kind])) - 1, c.cells(Type("set", kind)))


def position_in(c: Context, thing: Expr, order: Expr) -> Expr:
    """Where a thing stands in an order, counted from 1; 0 if it is not there."""
    with c.apart() as body:
        thing, passed, position = c.once(thing), c.let(NOTHING), c.let(NOTHING)
        with c.block() as end, c.line(order, ALL_IN_LINE) as member:
            c.set(passed, op(o.ADD, passed, Const(1)))
            with c.block() as other:
                c.unless(core.Compare("=", member, thing), other)
                c.set(position, passed)
                c.go(end)
    return core.After(tuple(body), position)


PLUS = {"number": (o.ADD, o.SUB), "set": (o.OR, o.ANDN), "dice": (o.DPUT, o.DTAKE)}


def plus(shape: str, sign: str) -> int:
    """The operation that adds or removes values of a type."""
    return PLUS[shape][0 if sign == "+" else 1]


def numbers(c: Context, low: t.Expr, high: t.Expr) -> Expr:
    """The numbers from low to high, none below 0; empty if high is below low. Few of them are a set."""
    if not few_numbers(c.linked, high):
        return Numbers(value(c, low), value(c, high))
    with c.apart() as body:
        least, most, between = c.once(value(c, low)), c.once(value(c, high)), c.let(NOTHING)
        first, last = c.let(op(o.MAX, least, NOTHING)), c.let(op(o.MIN, most, Const(61)))
        with c.block() as end:
            c.go(end, core.Compare("<", last, first))
            above = c.once(op(o.BIT, last))
            c.set(between, op(o.ADD, op(o.SUB, above, op(o.BIT, first)), above))
    return core.After(tuple(body), between)


# --- dice, packed: counts side by side, one for each number of each kind ---------------------------


DICE = Type("dice")


def is_dice(c: Context, expr: t.Expr) -> bool:
    """Whether a value is dice that were rolled."""
    return c.type(expr).shape == "dice"


def no_dice(c: Context) -> Const:
    return Const(0, c.cells(DICE))


def one_die(c: Context, field: Expr) -> Expr:
    """A single die, by its field."""
    layout, cells = c.layout.dice, c.cells(DICE)
    if cells == 1:
        return op(o.DONE, field)
    fields = range(max(layout.fields) + 1)
    return core.Table(tuple(1 << layout.place(i) if i in layout.fields else 0 for i in fields), field, cells=cells)


def members_of(c: Context, expr: t.Expr) -> Expr:
    """The set that is gone through: of dice, the numbers they show."""
    return op(o.DFACES, value(c, expr)) if is_dice(c, expr) else value(c, expr)


def members_type(c: Context, expr: t.Expr) -> Type:
    """The type of that set."""
    return Type("set", "number") if is_dice(c, expr) else c.type(expr)


def dice_with(c: Context, dice: Expr, wanted: Callable[[Expr], Expr]) -> Expr:
    """Those of all kinds that show one of the wanted numbers; `wanted` chooses among the set of those they show."""
    kinds = c.layout.dice.kinds
    most = max((sides for _, _, sides, _ in kinds), default=0)
    shown = [c.layout.dice.mask(first + n for *_, sides, first in kinds if n < sides) for n in range(most)]
    with c.apart() as body:
        dice, kept = c.once(dice), c.let(no_dice(c))
        with c.members(wanted(op(o.DFACES, dice))) as face:
            c.set(kept, op(o.OR, kept, core.Table((0, *shown), face, cells=c.cells(DICE))))
        c.set(kept, op(o.AND, kept, dice))
    return core.After(tuple(body), kept)


def die_kind(c: Context, name: t.Name) -> tuple[str, int, int]:
    """Title, sides and first field of a kind of die."""
    word = c.symbol(name).name
    return next((title, sides, first) for n, title, sides, first in c.layout.dice.kinds if n == word)


def showing(c: Context, name: t.Name, number: Expr) -> Expr:
    """A face the die does not have is a fault."""
    _, sides, first = die_kind(c, name)
    with c.apart() as body:
        face = c.once(core.Within(number, 1, sides))
        die = c.let(no_dice(c))
        c.step(o.DADD, die, face, first)
    return core.After(tuple(body), die)


def among(c: Context, name: t.Name, number: Expr | None, dice: Expr) -> Expr:
    """Packed dice are counts side by side, so those of one kind, or with one face, are cut out with a mask."""
    _, sides, first = die_kind(c, name)
    layout, cells = c.layout.dice, c.cells(DICE)
    if number is None:
        return op(o.AND, dice, Const(layout.mask(range(first, first + sides)), cells))
    shown = [layout.mask([first + side]) for side in range(sides)]
    side = op(o.MIN, op(o.MAX, number, NOTHING), Const(sides + 1))
    return op(o.AND, dice, core.Table((0, *shown, 0), side, cells=cells))


# --- bags: a number for each thing of a kind -------------------------------------------------------


Reader = Callable[[Expr], Expr]


def reader(c: Context, bag: Expr, cells: int) -> Reader:
    """How often a thing is in a bag, by its number."""
    if isinstance(bag, Cell):
        return lambda thing: Cell(bag.at + thing.value) if isinstance(thing, Const) else Load(bag.at, thing)
    if isinstance(bag, Load):
        first = c.once(op(o.MUL, bag.index, Const(cells)))
        return lambda thing: Load(bag.base, op(o.ADD, first, thing))
    row = c.let(bag)
    return lambda thing: op(o.LDX, row, thing)


def change_copy(c: Context, row: Var, thing: Expr, often: Expr) -> None:
    """How often a thing is in a copy, which nobody sees."""
    c.put(row, often, thing)


def recount(c: Context, secret: LocalPlace) -> None:
    """Of a secret that is counted, everybody sees how many it holds now."""
    counted = secret.counted
    if counted is not None and secret.home is not None:
        of = secret.home.type
        counted.write(c, _in_all(c, secret.value, of) if of.shape == "bag" else op(o.COUNT, secret.value))


# --- what is in a bag ------------------------------------------------------------------------------


def bag_count(c: Context, bag: t.Expr) -> Expr:
    """How many there are in all."""
    return _in_all(c, value(c, bag), c.type(bag))


def _in_all(c: Context, bag: Expr, of: Type) -> Expr:
    with c.apart() as body:
        total = c.let(NOTHING)
        read = reader(c, bag, c.cells(of))
        with c.members(everything(c, of.kind)) as it:
            c.set(total, op(o.ADD, total, read(it)))
    return core.After(tuple(body), total)


def count_in(c: Context, thing: t.Expr, bag: t.Expr) -> Expr:
    """How many there are of one thing."""
    with c.apart() as body:
        count = reader(c, value(c, bag), c.cells(c.type(bag)))(value(c, thing))
    return core.After(tuple(body), count) if body else count


def as_field_says(c: Context, kind: str, field: str) -> Expr:
    """Each thing of a kind as often as its field says."""
    counts = c.constants.field(kind, field)
    return Const(sum(max(count, 0) << o.BITS * i for i, count in enumerate(counts)), c.cells(Type("bag", kind)))


def copies_of(c: Context, members: Expr, number: t.Expr, kind: str) -> Expr:
    """Each of some things so many times; fewer than none are none."""
    cells, many = c.cells(Type("bag", kind)), value(c, number)
    if isinstance(members, Const) and isinstance(many, Const):
        places = (i for i in range(cells) if members.value >> i & 1)
        return Const(sum(max(many.value, 0) << o.BITS * i for i in places), cells)
    with c.apart() as body:
        many, row = c.let(op(o.MAX, many, NOTHING)), c.let(Const(0, cells))
        with c.members(members) as it:
            change_copy(c, row, it, many)
    return core.After(tuple(body), row)


def both_bags(c: Context, binary: t.Binary) -> Expr:
    """What is in two bags together, or in the one beyond what is in the other."""
    of = c.type(binary)
    left, right = value(c, binary.left), value(c, binary.right)
    if binary.op == "+" and isinstance(left, Const) and isinstance(right, Const):
        return Const(left.value + right.value, left.cells)
    with c.apart() as body:
        row, other = c.let(left), c.let(right)
        with c.members(everything(c, of.kind)) as it:
            there, more = op(o.LDX, row, it), op(o.LDX, other, it)
            new = op(o.ADD, there, more) if binary.op == "+" else op(o.MAX, op(o.SUB, there, more), NOTHING)
            change_copy(c, row, it, new)
    return core.After(tuple(body), row)


def to_set(c: Context, bag: Expr, kind: str) -> Expr:
    with c.apart() as body:
        it, read = Var(), reader(c, bag, c.cells(Type("bag", kind)))
        members = core.Kept(everything(c, kind), it, (core.Compare(">", read(it), NOTHING),))
    return core.After(tuple(body), members) if body else members


def each_once(c: Context, members: Expr, kind: str) -> Expr:
    cells = c.cells(Type("bag", kind))
    with c.apart() as body:
        row = c.let(Const(0, cells))
        with c.members(members) as it:
            change_copy(c, row, it, Const(1))
    return core.After(tuple(body), row)


COERCE.update(
    {
        Coercion.BAG_TO_SET: to_set,
        Coercion.SET_TO_BAG: each_once,
        Coercion.THING_TO_BAG: lambda c, thing, kind: each_once(c, singleton(c, thing, kind), kind),
    }
)
# --- into bags and out of them ---------------------------------------------------------------------


def put_in(
    c: Context, what: t.Expr, bag: LocalPlace, sign: str, but: Expr | None = None, *, perhaps: bool = False
) -> None:
    """Each as often as it is there, `but` a set of things; what is not in the bag cannot be taken out of it.

    `perhaps`: it may be nothing.
    """
    _put_in(c, what, bag, sign, but, perhaps)
    recount(c, bag)


def _put_in(c: Context, what: t.Expr, bag: LocalPlace, sign: str, but: Expr | None, perhaps: bool) -> None:
    of = c.type(what)
    mark(c, bag)
    if gives_away(c.resolved, what):  # before anything is said about it
        hide(c, bag)
    if of.shape == "thing" and not of.optional and not perhaps and but is None:
        _change_count(c, bag, c.once(uncoerced(c, what)), Const(1), sign)
    elif of.shape in ("set", "thing"):
        things = uncoerced(c, what)
        among = things if of.shape == "set" else singleton(c, things, of.kind)
        with c.members(among if but is None else op(o.ANDN, among, but)) as it:
            _change_count(c, bag, it, Const(1), sign)
    else:
        row = c.let(value(c, what))
        with c.members(everything(c, of.kind)) as it, c.block() as end:
            c.unless(core.Compare(">", op(o.LDX, row, it), NOTHING), end)
            _change_count(c, bag, it, op(o.LDX, row, it), sign)


def _change_count(c: Context, bag: LocalPlace, thing: Expr, by: Expr, sign: str) -> None:
    read = reader(c, bag.value, bag.cells)
    if sign == "+":
        new = op(o.ADD, read(thing), by)
    else:
        new = op(o.MAX, op(o.SUB, read(thing), by), NOTHING)
    if isinstance(bag.base, Var):
        change_copy(c, bag.base, thing, new)
        return
    at = thing if bag.index is None else op(o.IDX, bag.index, bag.cells, thing)
    c.add(core.Store(bag.base, at, new, cause=c.cause))


def offer_each(c: Context, bag: t.Expr) -> None:
    """Every thing is offered as often as it is in a bag, so that chance takes any one of them."""
    of = c.type(bag)
    read = reader(c, uncoerced(c, bag), c.cells(of))
    with c.members(everything(c, of.kind)) as it:
        offer_so_often(c, it, read(it))


def offer_so_often(c: Context, thing: Expr, often: Expr) -> None:
    left = c.let(often)
    with c.block() as end, c.loop():
        c.unless(core.Compare(">", left, NOTHING), end)
        c.step(o.OFFER, thing)
        c.set(left, op(o.SUB, left, Const(1)))


# --- long orders -----------------------------------------------------------------------------------


NOBODY = Const(-1)


def put_in_line(c: Context, target: LocalPlace, member: Expr, first: bool) -> None:
    """At the beginning or the end, wherever it stood before; no thing is put nowhere."""
    mark(c, target)
    with c.block() as end:
        c.unless(Compare(">=", member, NOTHING), end)
        place = _take_out(c, target, member)
        if first:
            _move_down(c, target, place)
        _write_at(c, target, place, member)
        _ended(c)


def take_from_line(c: Context, target: LocalPlace, member: Expr, moved: Var | None = None) -> None:
    """It stands there no more; `moved`: the name it has, which then stands for nothing if it was not there."""
    mark(c, target)
    if moved is not None:
        member = c.let(moved)
        c.set(moved, NOBODY)
    with c.block() as end:
        c.unless(Compare(">=", member, NOTHING), end)
        _take_out(c, target, member, moved)
        _ended(c)


def rewrite_line(c: Context, kind: str, target: LocalPlace, among: Expr, to: str) -> None:
    """All others as they stand; these stand `first` or `last`, wherever they were, or else nowhere any more."""
    order, length = c.let(blank_order(c, kind)), c.let(NOTHING)

    def push(member: Expr) -> None:
        c.step(o.PUSHO, order, member, length)
        c.set(length, op(o.ADD, length, Const(1)))

    def push_all() -> None:
        with c.members(among) as member:
            push(member)

    if to == "first":
        push_all()
    with c.line(target.value, ALL_IN_LINE) as member, c.block() as gone:
        c.go(gone, core.Compare("in", member, among))
        push(member)
    if to == "last":
        push_all()
    target.write(c, order)


def _take_out(c: Context, target: LocalPlace, member: Expr, moved: Var | None = None) -> Var:
    """Those behind it move up; the first place in which nobody stands. It is put into `moved`, if it stood there."""
    place, size = c.let(NOTHING), Const(target.cells)
    with c.block() as end:
        with c.block() as there, c.loop():
            c.unless(Compare("<", place, size), end)
            here = c.let(_standing_at(target, place))
            c.unless(Compare("!=", here, member), there)
            c.unless(Compare(">=", here, NOTHING), end)
            c.set(place, op(o.ADD, place, Const(1)))
        if moved is not None:
            c.set(moved, member)
        with c.loop():
            behind, following = c.let(op(o.ADD, place, Const(1))), c.let(NOBODY)
            with c.block() as last:
                c.unless(Compare("<", behind, size), last)
                c.set(following, _standing_at(target, behind))
            _write_at(c, target, place, following)
            c.unless(Compare(">=", following, NOTHING), end)
            c.set(place, behind)
    return place


def _move_down(c: Context, target: LocalPlace, place: Var) -> None:
    """All move down by one, as far as to this place; then it is the first."""
    with c.block() as end, c.loop():
        c.unless(Compare(">", place, NOTHING), end)
        before = c.let(op(o.SUB, place, Const(1)))
        _write_at(c, target, place, _standing_at(target, before))
        c.set(place, before)


def _cell(target: LocalPlace, place: Expr) -> Expr:
    if target.index is None:
        return place
    return op(o.ADD, op(o.MUL, target.index, Const(target.cells)), place)


def _standing_at(target: LocalPlace, place: Expr) -> Expr:
    assert isinstance(target.base, int)
    return Load(target.base, _cell(target, place))


def _write_at(c: Context, target: LocalPlace, place: Expr, member: Expr) -> None:
    c.add(core.Store(target.base, _cell(target, place), member, cause=c.cause))


def _ended(c: Context) -> None:
    """An event of a cell that is no variable ends the change, as others may follow it at once."""
    c.add(core.Store(o.SCRATCH, None, op(o.ANDN, Const(1), Cell(o.SCRATCH)), cause=c.cause))


# --- what is moved ---------------------------------------------------------------------------------


ONCE = ("set", "order")  # of these each thing is a member once


@dataclass(frozen=True)
class Relocation:
    """What goes from a place to another."""

    value: t.Expr
    place: t.Expr
    to: t.Expr


def name_of_moved(c: Context, relocation: Relocation | None) -> Var | None:
    """The name that stands for what is moved."""
    what = None if relocation is None else relocation.value
    meaning = c.resolved.meaning[what] if isinstance(what, t.Name) else None
    moved = c.where[meaning] if isinstance(meaning, Local) else None
    return moved if isinstance(moved, Var) else None


def limit_moved(c: Context, relocation: Relocation, *, sought: bool = False) -> None:
    """The name that stands for what is moved stands from now on for what can be moved.

    `sought`: whether it is there is found out as it is taken away.
    """
    moved, limit = name_of_moved(c, relocation), LIMITS.get(c.type(relocation.value).shape)
    if moved is None or limit is None:
        return
    if _each_once_there(c, relocation):
        limit(c, relocation, moved, relocation.to, True)
    if not sought:
        limit(c, relocation, moved, relocation.place, False)


# Of what is moved, keep what is in a place; or else, what is not, as there is no room for another where it goes.


def _limit_thing(c: Context, _: Relocation, moved: Var, place: t.Expr, absent: bool) -> None:
    if c.type(place).shape == "bag":
        there: Condition = Compare(">", _often(c, place)(moved), NOTHING)
    else:
        there = Compare("in", moved, _members(c, place))
    with c.block() as end:
        _go_if(c, end, there, not absent)
        c.set(moved, Const(-1))


def _limit_set(c: Context, _: Relocation, moved: Var, place: t.Expr, absent: bool) -> None:
    c.set(moved, op(o.ANDN if absent else o.AND, moved, _members(c, place)))


def _limit_order(c: Context, relocation: Relocation, moved: Var, place: t.Expr, absent: bool) -> None:
    there, kind = c.once(_members(c, place)), c.type(relocation.value).kind
    kept, length = c.let(blank_order(c, kind)), c.let(NOTHING)
    with c.line(moved, ALL_IN_LINE) as member, c.block() as gone:
        _go_if(c, gone, Compare("in", member, there), absent)
        c.step(o.PUSHO, kept, member, length)
        c.set(length, op(o.ADD, length, Const(1)))
    c.set(moved, kept)


def _go_if(c: Context, label: Label, condition: Condition, when: bool) -> None:
    """Go there if the condition holds, or if it does not."""
    if when:
        c.go(label, condition)
    else:
        c.unless(condition, label)


def _limit_bag(c: Context, relocation: Relocation, moved: Var, place: t.Expr, absent: bool) -> None:
    if absent:
        there = c.once(_members(c, place))
    else:
        often = _often(c, place)
    with c.members(everything(c, c.type(relocation.value).kind)) as it:
        change_copy(c, moved, it, op(o.MIN, op(o.LDX, moved, it), Const(1) if absent else often(it)))
        if absent:
            with c.block() as end:
                c.unless(Compare("in", it, there), end)
                change_copy(c, moved, it, NOTHING)


def _limit_dice(c: Context, _: Relocation, moved: Var, place: t.Expr, absent: bool) -> None:
    if absent:  # there may be several alike
        return
    there, limited = c.once(value(c, place)), c.let(no_dice(c))
    with c.members(op(o.DFIELDS, moved)) as field:
        alike = c.once(core.Single(field, c.cells(DICE)))
        left = c.let(op(o.MIN, op(o.DCOUNT, moved, alike), op(o.DCOUNT, there, alike)))
        with c.block() as end, c.loop():
            c.unless(Compare(">", left, NOTHING), end)
            c.set(limited, op(o.DPUT, limited, one_die(c, field)))
            c.set(left, op(o.SUB, left, Const(1)))
    c.set(moved, limited)


LIMITS: dict[str, Callable[[Context, Relocation, Var, t.Expr, bool], None]] = {
    "thing": _limit_thing,
    "set": _limit_set,
    "bag": _limit_bag,
    "dice": _limit_dice,
    "order": _limit_order,
}


def _members(c: Context, place: t.Expr) -> Expr:
    """What there is in a place, as a set."""
    content, of = value(c, place), c.type(place)
    by = {"order": members_of_order, "bag": to_set, "thing": singleton}.get(of.shape)
    return content if by is None else by(c, content, of.kind)


def _often(c: Context, place: t.Expr) -> Reader:
    """How often a thing is in a place."""
    of = c.type(place)
    if of.shape == "bag":
        return reader(c, value(c, place), c.cells(of))
    bag = each_once(c, _members(c, place), of.kind)
    return reader(c, bag, bag.cells if isinstance(bag, Var) else c.cells(c.type(place)))


def _each_once_there(c: Context, relocation: Relocation) -> bool:
    """Whether it goes to another place where each thing can be but once. (Within one order it only changes places.)"""
    here, there = keep_of(c.resolved, relocation.place), keep_of(c.resolved, relocation.to)
    shape = c.type(relocation.to).shape
    return shape in ONCE and (here is None or here is not there or shape == "set")
