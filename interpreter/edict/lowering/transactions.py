"""Gaining and losing: resources, dice in hand, and goods of one's choice."""

from __future__ import annotations

from collections.abc import Callable

from edict.backend import core
from edict.backend.composing import op
from edict.backend.core import Condition, Const, Expr
from edict.language import tree as t
from edict.lowering import asks, costs, substituting
from edict.lowering.asks import Need
from edict.lowering.blocks import lowers
from edict.lowering.context import NOTHING, Context, mask
from edict.lowering.costs import AnyPart, amount, counted, everything_held, has_floor, named, resources_of, sum_among
from edict.lowering.reason_code import Implied, here
from edict.lowering.values import Place, dynamic_resource, resource_place, value
from edict.meaning.edges import GAINING, LOSING
from edict.program import Question
from edict.program import opcodes as o
from edict.words.titles import joined


def change(c: Context, place: Place, code: int, by: Expr) -> None:
    """Work out a place's new value from its old one."""
    place, by = place.once(c), c.once(by)
    place.write(c, op(code, place.value, by))


def _for_each(c: Context, part: t.Part, carry_out: Callable[[int], None]) -> None:
    for member in resources_of(c, part) or ():
        with c.block() as skip:
            c.unless(counted(c, part, member), skip)
            carry_out(member)


def _called(c: Context, part: AnyPart) -> tuple[str, str]:
    """The word for what is chosen, as a name and as a title."""
    if isinstance(part, t.PartFrom):
        return "resource", "of them"
    title = c.resolved.get(c.symbol(part.what).name).title or part.what.word
    return part.what.word, str(title).partition("/")[0]


# --- gain ----------------------------------------------------------------------------------------


def gain_bundle(c: Context, bundle: t.Bundle) -> None:
    for part in bundle.parts:
        gain(c, part)


def gain(c: Context, part: AnyPart) -> None:
    if isinstance(part, t.PartFrom):
        _gain_of_choice(c, part, value(c, part.source))
        return
    members = resources_of(c, part)
    if part.each:
        _for_each(c, part, lambda member: _gain_one(c, Const(member), amount(c, part)))
    elif members is None:
        _gain_one(c, named(c, part), amount(c, part))
    elif len(members) == 1:
        _gain_one(c, Const(members[0]), amount(c, part))
    else:
        _gain_of_choice(c, part, mask(members))


def _gain_one(c: Context, resource: Expr, by: Expr) -> None:
    substituting.move(c, GAINING, resource, by, _gain_it)


def _gain_it(c: Context, resource: Expr, by: Expr) -> None:
    """As much of it as there is."""
    change(c, dynamic_resource(c, resource), o.ADD, costs.at_most_left(c, resource, by))


def _gain_of_choice(c: Context, part: AnyPart, among: Expr) -> None:
    """Each chosen on its own, repeats allowed."""
    among = c.once(among)
    left = c.let(amount(c, part))
    what, one = _called(c, part)
    question = c.question(Question(f"gain-{what}", f"Which {one} do you gain?", "thing", "resource"))
    with c.block() as end:
        with c.loop():
            c.unless(core.Compare(">", left, NOTHING), end)
            now = costs.still_left(c, among)
            c.unless(core.Test(now), end)
            chosen = asks.resource(c, question, part, now)
            substituting.move(c, GAINING, chosen, Const(1), _gain_chosen)
            c.set(left, op(o.SUB, left, Const(1)))


def _gain_chosen(c: Context, resource: Expr, by: Expr) -> None:
    change(c, dynamic_resource(c, resource), o.ADD, by)


def needed(c: Context, bundle: t.Bundle) -> tuple[Need, ...]:
    """What is all gone is not offered."""
    limited, scope = costs.limits(c), here(c)
    named = [resources_of(c, part) if isinstance(part, t.Part) else None for part in bundle.parts]
    numbers = [number for members in named for number in members or (-1,)]
    if any(number not in limited for number in numbers):
        return ()

    def test(c2: Context) -> Condition:
        return core.Any_(tuple(core.Test(costs.left_of(c2, number)) for number in numbers))

    def check(c2: Context) -> int:
        many = joined((costs.titles_of(c2, i)[1] for i in numbers), "or")
        return Implied(("supply", bundle), scope, bundle.span, test, f"there are {many} left").add(c2)

    return (Need("supply", scope, bundle.span, test, check),)


# --- lose ----------------------------------------------------------------------------------------


@lowers(t.Lose)
def _lose(c: Context, one: t.Lose) -> None:
    lose_bundle(c, one.bundle)


def lose_bundle(c: Context, bundle: t.Bundle) -> None:
    for part in bundle.parts:
        lose(c, part)


def pay_bundle(c: Context, bundle: t.Bundle) -> None:
    """To pay is not to lose, so nothing is done instead."""
    c.paying = True
    lose_bundle(c, bundle)
    c.paying = False


def lose(c: Context, part: AnyPart) -> None:
    """What one does not have cannot be lost."""
    if isinstance(part, t.PartFrom):
        _lose_of_choice(c, part, everything_held(c), value(c, part.source))
        return
    members = resources_of(c, part)
    if part.each:
        _for_each(c, part, lambda member: _lose_one(c, member, amount(c, part)))
    elif members is None:
        _lose_some(c, named(c, part), amount(c, part))
    elif len(members) == 1:
        _lose_one(c, members[0], amount(c, part))
    else:
        _lose_of_choice(c, part, members, mask(members))


def _lose_one(c: Context, resource: int, by: Expr) -> None:
    _lose_some(c, Const(resource), by)


def _lose_some(c: Context, resource: Expr, by: Expr) -> None:
    substituting.move(c, LOSING, resource, by, _lose_it)


def _lose_it(c: Context, resource: Expr, by: Expr) -> None:
    """What one does not have cannot be lost."""
    by = c.once(by)
    if isinstance(resource, Const):
        place = resource_place(c, resource.value)
        left = op(o.SUB, place.value, by)
        place.write(c, op(o.MAX, left, NOTHING) if has_floor(c, resource.value) else left)
        return
    place = dynamic_resource(c, resource).once(c)
    floors = tuple(0 if has_floor(c, r) else -(1 << 40) for r in range(len(c.linked.resources)))
    place.write(c, op(o.MAX, op(o.SUB, place.value, by), core.Table(floors, resource)))


def _lose_of_choice(c: Context, part: AnyPart, members: tuple[int, ...], among: Expr) -> None:
    """One at a time, of what there is in the set; all at once when all must go."""
    among = c.once(among)
    left = c.let(amount(c, part))
    what, one = _called(c, part)
    question = c.question(Question(f"lose-{what}", f"Which {one} do you give up?", "thing", "resource"))
    with c.block() as end:
        with c.block() as some_left:
            c.go(some_left, core.Compare("<", left, sum_among(c, members, among)))
            _lose_all(c, members, among)
            c.go(end)
        with c.loop():
            c.unless(core.Compare(">", left, NOTHING), end)
            chosen = asks.resource(c, question, part, among, members, end)
            substituting.move(c, LOSING, chosen, Const(1), _lose_chosen)
            c.set(left, op(o.SUB, left, Const(1)))


def _lose_all(c: Context, members: tuple[int, ...], among: Expr) -> None:
    for member in members:
        with c.block() as keep:
            c.unless(core.Compare("in", Const(member), among), keep)
            substituting.move(c, LOSING, Const(member), resource_place(c, member).value, _lose_whole)


def _lose_chosen(c: Context, resource: Expr, by: Expr) -> None:
    change(c, dynamic_resource(c, resource), o.SUB, by)


def _lose_whole(c: Context, resource: Expr, _: Expr) -> None:
    dynamic_resource(c, resource).write(c, NOTHING)
