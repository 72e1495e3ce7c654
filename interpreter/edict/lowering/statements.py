"""Statements as core: names and places, what is said, and the flow of the game."""

from __future__ import annotations

from edict.backend import core
from edict.backend.core import ALL_IN_LINE, Const, Expr, Procedure
from edict.language import tree as t
from edict.lowering.asks import Need
from edict.lowering.bags import put_in, recount
from edict.lowering.blocks import block, lowers
from edict.lowering.builder import EVERYONE, NOTHING, op
from edict.lowering.completing import completes
from edict.lowering.context import Context
from edict.lowering.expressions import everything, plus
from edict.lowering.moments import each_player, seat_order
from edict.lowering.passing import change
from edict.lowering.places import Place, hide, knowledge, place, write_hidden
from edict.lowering.reason_code import Implied, Scope
from edict.lowering.substituting import exceptions
from edict.lowering.values import blank_order, condition, value
from edict.meaning.edges import LEAVING
from edict.meaning.panels import displays
from edict.meaning.secrets import gives_away
from edict.meaning.symbols import keep_of
from edict.words import expr_words, sentence
from edict.program import opcodes as o


# --- values and places -----------------------------------------------------------------------------


def _noted(c: Context, expr: t.Expr) -> Expr:
    """A value; if it is a quantity, it is logged with everything that goes into it."""
    c.noted = isinstance(expr, t.Apply)
    found = value(c, expr)
    c.noted = False
    return found


@lowers(t.Let)
def _let(c: Context, let: t.Let) -> None:
    c.bind(let, c.let(_noted(c, let.value)))


@completes(t.Let)
def _some(c: Context, let: t.Let, scope: Scope) -> Need | None:
    """Of what a step in short chooses from, something must be there."""
    if not let.some:
        return None

    def test(c2: Context) -> core.Condition:
        return core.Test(value(c2, let.value))

    def check(c2: Context) -> int:
        text = sentence(f"choose from {expr_words(c2.resolved, let.value)}")
        return Implied(("possible", let), scope, let.span, test, text, (let.value,)).add(c2)

    return Need("next", scope, let.span, test, check)


@lowers(t.Set)
def _set(c: Context, one: t.Set) -> None:
    target = place(c, one.place).once(c)
    _rewrite(c, one.place, target, _noted(c, one.value))


def _rewrite(c: Context, written: t.Expr, target: Place, new: Expr) -> None:
    """A place gets another value, which whoever knew the old one does not know."""
    if c.type(written).shape == "bag":
        write_hidden(c, target, new)
    else:
        change(c, written, target, None, new)
        hide(c, target)
    recount(c, target)


@lowers(t.Swap)
def _swap(c: Context, one: t.Swap) -> None:
    here, there = place(c, one.place).once(c), place(c, one.other).once(c)
    left, right = c.let(value(c, one.place)), c.let(value(c, one.other))
    for written, target, new in ((one.place, here, right), (one.other, there, left)):
        _rewrite(c, written, target, new)


@lowers(t.Add)
def _add(c: Context, one: t.Add) -> None:
    _change(c, one, "+")


@lowers(t.Remove)
def _remove(c: Context, one: t.Remove) -> None:
    _change(c, one, "-")


def _change(c: Context, one: t.Add | t.Remove, sign: str) -> None:
    target = place(c, one.place).once(c)
    if c.type(one.place).shape == "bag":
        put_in(c, one.value, target, sign)
        return
    by = c.once(_moved(c, one))
    if c.type(one.place).shape == "order":
        _reorder(c, one, target, by)
        return
    change(c, one.place, target, plus(c.type(one.place).shape, sign), by)
    if gives_away(c.resolved, one.value):  # who knew the place does not know what has come or gone
        hide(c, target)
    recount(c, target)


def _moved(c: Context, one: t.Add | t.Remove) -> Expr:
    """What is added or removed; of what is moved, only what has left the place it came from."""
    from_ = one.gone if isinstance(one, t.Add) else None
    keep = keep_of(c.resolved, from_) if from_ is not None else None
    if from_ is None or keep is None or not exceptions(c, keep.name.word, LEAVING):
        return value(c, one.value)
    return op(o.ANDN, value(c, one.value), value(c, from_))


def _reorder(c: Context, one: t.Add | t.Remove, target: Place, among: Expr) -> None:
    """All others as they stand; what is added comes before or behind them, wherever it was."""
    order, length = c.let(blank_order(c, c.type(one.place).kind)), c.let(NOTHING)

    def push(member: Expr) -> None:
        c.step(o.PUSHO, order, member, length)
        c.set(length, op(o.ADD, length, Const(1)))

    def push_all() -> None:
        with c.members(among) as member:
            push(member)

    if isinstance(one, t.Add) and one.first:
        push_all()
    with c.line(target.value, ALL_IN_LINE) as member, c.block() as gone:
        c.go(gone, core.Compare("in", member, among))
        push(member)
    if isinstance(one, t.Add) and not one.first:
        push_all()
    target.write(c, order)
    if gives_away(c.resolved, one.value):
        hide(c, target)


@lowers(t.Arrange)
def _arrange(c: Context, arrange: t.Arrange) -> None:
    target, keys = place(c, arrange.place).once(c), c.declare(max(15, c.cells(c.type(arrange.place))))
    order = c.let(target.value)
    with c.line(order, ALL_IN_LINE) as member:
        c.bind(arrange, member)
        key = value(c, arrange.key)
        c.add(core.Store(keys, member, op(o.SUB, NOTHING, key) if arrange.direction == "highest" else key,
                         event=False, cause=c.cause))  # fmt: skip
    c.step(o.SORT, order, order, keys)
    target.write(c, order)
    if gives_away(c.resolved, arrange.key):
        hide(c, target)


# --- what is told ------------------------------------------------------------------------------------


@lowers(t.Show)
def _show(c: Context, show: t.Show) -> None:
    for known in knowledge(place(c, show.place).once(c)):
        known = known.once(c)
        known.write(c, op(o.OR, known.value, value(c, show.to)))


@lowers(t.Announce)
def _announce(c: Context, announce: t.Announce) -> None:
    for i, part in enumerate(announce.parts):
        last = i == len(announce.parts) - 1
        if isinstance(part, str):
            c.step(o.SAY, c.say(part, None, last), NOTHING)
            continue
        several = c.cells(c.type(part)) > 1  # which is logged cell by cell
        c.step(o.SAY, c.say("", c.sized(c.type(part)), last and not several), value(c, part))
        if last and several:
            c.step(o.SAY, c.say("", None, True), NOTHING)


@lowers(t.Look)
def _look(c: Context, look: t.Look) -> None:
    names = [one.name.word for one in displays(c.resolved)]
    panel = names.index(look.display.word)
    c.step(o.SAY, c.say(displays(c.resolved)[panel].title, None, True, panel), NOTHING)


# --- flow ----------------------------------------------------------------------------------------------


@lowers(t.If)
def _if(c: Context, one: t.If) -> None:
    met = condition(c, one.condition)
    with c.apart() as then:
        block(c, one.then)
    with c.apart() as otherwise:
        block(c, one.otherwise)
    c.add(core.If(met, tuple(then), tuple(otherwise), cause=c.cause))


@lowers(t.Each)
def _each(c: Context, each: t.Each) -> None:
    meaning = c.resolved.of(each.kind)
    if meaning.sort == "player":
        _each_player(c, each)
    else:
        _each_thing(c, each, meaning.sort, meaning.name)


def _each_player(c: Context, each: t.Each) -> None:
    """In the game's order; `you`, unless a name is given."""
    order: Expr
    order, among = seat_order(c), EVERYONE if each.source is None else value(c, each.source)
    if each.source is not None and c.type(each.source).shape == "order":
        order, among = among, EVERYONE
    with each_player(c, among, order, rebind=each.name is None) as member:
        if each.name is not None:
            c.bind(each, member)
        block(c, each.block)


def _each_thing(c: Context, each: t.Each, sort: str, name: str) -> None:
    if each.source is not None:
        among = value(c, each.source)
    else:
        among = Const(sum(1 << i for i in c.linked.members(name))) if sort == "group" else everything(c, name)
    if among == NOTHING:
        return  # modules may bring members; here there is none
    with c.members(among) as member:
        if each in c.resolved.binds:
            c.bind(each, member)
        block(c, each.block)


@lowers(t.Repeat)
def _repeat(c: Context, repeat: t.Repeat) -> None:
    left = c.let(value(c, repeat.count)) if repeat.count is not None else None
    with c.block() as end, c.loop():
        if left is not None:
            c.unless(core.Compare(">", left, NOTHING), end)
            c.set(left, op(o.SUB, left, Const(1)))
        elif repeat.until is not None:
            c.go(end, condition(c, repeat.until))
        block(c, repeat.block)


@lowers(t.EndGame)
def _end(c: Context, _: t.EndGame) -> None:
    end_game(c)


def end_game(c: Context, _: Procedure | None = None) -> None:
    """Settle who has won; the machine stops."""
    c.add(core.Store(o.WINNERS, None, value(c, c.linked.game.winners), event=False, cause=c.cause))
    c.step(o.OVER)


@lowers(t.Nothing)
def _nothing(c: Context, _: t.Nothing) -> None:
    pass


