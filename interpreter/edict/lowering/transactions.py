"""Resources that change hands: to gain, to lose, and to spend, of one's choice where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edict.backend import core
from edict.backend.composing import ALWAYS, op
from edict.backend.core import Condition, Const, Expr, Label, Var
from edict.language import tree as t
from edict.lowering import costs
from edict.lowering.asks import Ask, Branches, Domain, Filter, Need, Scope, here, switch
from edict.lowering.blocks import Offer, block, lowers
from edict.lowering.context import NOTHING, Context, mask
from edict.lowering.costs import (
    AnyPart, Move, amount, counted, everything_held, has_floor, named, resources_of, sum_among,
)  # fmt: skip
from edict.lowering.program_reasons import Implied, from_group, from_source, payable_check, query, title_forms
from edict.lowering.values import Place, dynamic_resource, resource_place, value
from edict.lowering.wording import bundle_label, left_text, price_text, spend_prompt
from edict.meaning.ability_targets import GAINING, LOSING
from edict.meaning.symbols import NUMBER, Local, Symbol
from edict.program import Question
from edict.program import opcodes as o
from edict.program.reasons import Value
from edict.text import NOWHERE

OPTION = Local("option", NOWHERE)  # the resource that is asked about, for which rules have no name


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


# --- gain ------------------------------------------------------------------------------------------


def gain_bundle(c: Context, bundle: t.Bundle, move: Move) -> None:
    for part in bundle.parts:
        gain(c, part, move)


def gain(c: Context, part: AnyPart, move: Move) -> None:
    if isinstance(part, t.PartFrom):
        _gain_of_choice(c, part, value(c, part.source), move)
        return
    members = resources_of(c, part)
    if part.each:
        _for_each(c, part, lambda member: _gain_one(c, Const(member), amount(c, part), move))
    elif members is None:
        _gain_one(c, named(c, part), amount(c, part), move)
    elif len(members) == 1:
        _gain_one(c, Const(members[0]), amount(c, part), move)
    else:
        _gain_of_choice(c, part, mask(members), move)


def _gain_one(c: Context, resource: Expr, by: Expr, move: Move) -> None:
    move(c, GAINING, resource, by, _gain_it)


def _gain_it(c: Context, resource: Expr, by: Expr) -> None:
    """As much of it as there is."""
    change(c, dynamic_resource(c, resource), o.ADD, costs.at_most_left(c, resource, by))


def _gain_of_choice(c: Context, part: AnyPart, among: Expr, move: Move) -> None:
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
            chosen = choose_resource(c, question, part, now)
            move(c, GAINING, chosen, Const(1), _gain_chosen)
            c.set(left, op(o.SUB, left, Const(1)))


def _gain_chosen(c: Context, resource: Expr, by: Expr) -> None:
    change(c, dynamic_resource(c, resource), o.ADD, by)


def gainable(c: Context, bundle: t.Bundle) -> tuple[Need, ...]:
    """What is all gone is not offered."""
    limited, scope = costs.limits(c), here(c)
    named = [resources_of(c, part) if isinstance(part, t.Part) else None for part in bundle.parts]
    numbers = [number for members in named for number in members or (-1,)]
    if any(number not in limited for number in numbers):
        return ()

    def test(c2: Context) -> Condition:
        return core.Any_(tuple(core.Test(costs.left_of(c2, number)) for number in numbers))

    def check(c2: Context) -> int:
        text = left_text(costs.titles_of(c2, i)[1] for i in numbers)
        return Implied(("supply", bundle), scope, bundle.span, test, text).add(c2)

    return (Need("supply", scope, bundle.span, test, check),)


# --- lose ------------------------------------------------------------------------------------------


def lose_bundle(c: Context, bundle: t.Bundle, move: Move) -> None:
    for part in bundle.parts:
        lose(c, part, move)


def pay_bundle(c: Context, bundle: t.Bundle) -> None:
    """To pay is not to lose, so nothing is done instead, and nothing waits for it."""
    lose_bundle(c, bundle, lambda c2, _, resource, by, plain: plain(c2, resource, by))


def lose(c: Context, part: AnyPart, move: Move) -> None:
    """What one does not have cannot be lost."""
    if isinstance(part, t.PartFrom):
        _lose_of_choice(c, part, everything_held(c), value(c, part.source), move)
        return
    members = resources_of(c, part)
    if part.each:
        _for_each(c, part, lambda member: _lose_some(c, Const(member), amount(c, part), move))
    elif members is None:
        _lose_some(c, named(c, part), amount(c, part), move)
    elif len(members) == 1:
        _lose_some(c, Const(members[0]), amount(c, part), move)
    else:
        _lose_of_choice(c, part, members, mask(members), move)


def _lose_some(c: Context, resource: Expr, by: Expr, move: Move) -> None:
    move(c, LOSING, resource, by, _lose_it)


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


def _lose_of_choice(
    c: Context, part: AnyPart, members: tuple[int, ...], among: Expr, move: Move
) -> None:  # fmt: skip
    """One at a time, of what there is in the set; all at once when all must go."""
    among = c.once(among)
    left = c.let(amount(c, part))
    what, one = _called(c, part)
    question = c.question(Question(f"lose-{what}", f"Which {one} do you give up?", "thing", "resource"))
    with c.block() as end:
        with c.block() as some_left:
            c.go(some_left, core.Compare("<", left, sum_among(c, members, among)))
            _lose_all(c, members, among, move)
            c.go(end)
        with c.loop():
            c.unless(core.Compare(">", left, NOTHING), end)
            chosen = choose_resource(c, question, part, among, members, end)
            move(c, LOSING, chosen, Const(1), _lose_chosen)
            c.set(left, op(o.SUB, left, Const(1)))


def _lose_all(c: Context, members: tuple[int, ...], among: Expr, move: Move) -> None:
    for member in members:
        with c.block() as keep:
            c.unless(core.Compare("in", Const(member), among), keep)
            move(c, LOSING, Const(member), resource_place(c, member).value, _lose_whole)


def _lose_chosen(c: Context, resource: Expr, by: Expr) -> None:
    change(c, dynamic_resource(c, resource), o.SUB, by)


def _lose_whole(c: Context, resource: Expr, _: Expr) -> None:
    dynamic_resource(c, resource).write(c, NOTHING)


# --- resources of one's choice ---------------------------------------------------------------------


def choose_resource(
    c: Context, question: int, part: AnyPart, among: Expr, held: tuple[int, ...] | None = None,
    none: Label | None = None,
) -> Var:  # fmt: skip
    """Ask for a resource of one's choice out of a set; `held`: out of those one has some of, to give it up."""
    scope = here(c).about(OPTION)
    if isinstance(part, t.PartFrom):
        origin = from_source(c, part, part.source, scope)
    else:
        origin = from_group(part.what, mask(resources_of(c, part) or ()), scope, part.span)
    filters = () if held is None else (Filter(OPTION, (_owned(part, mask(held), scope),)),)
    return Ask(question, Domain(lambda c2: among, origin, filters), none=none).put(c)


def _owned(part: AnyPart, members: Const, scope: Scope) -> Need:
    def have(c: Context) -> Expr:
        return dynamic_resource(c, c.where[OPTION]).value

    def test(c: Context) -> Condition:
        return core.All((core.Compare("in", c.where[OPTION], members), core.Compare(">=", have(c), Const(1))))

    def number(c: Context) -> int:
        has = Value("{0}", query(c, "amount", scope, (), NUMBER, have), have=True)
        return Implied(("held", members.value), scope, part.span, test, values=(has,)).add(c)

    return Need("held", scope, part.span, test, number)


# --- spend -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Price:
    """One way to pay: a bundle, or a single resource out of a group."""

    bundle: t.Bundle
    resource: int | None
    label: str

    def payable(self, c: Context) -> Condition:
        if self.resource is None:
            return costs.payable(c, self.bundle)
        if not costs.has_floor(c, self.resource):
            return ALWAYS
        return core.Compare(">=", resource_place(c, self.resource).value, Const(1))

    def pay(self, c: Context, paid: Var | None) -> None:
        if self.resource is None:
            pay_bundle(c, self.bundle)
        else:
            change(c, resource_place(c, self.resource), o.SUB, Const(1))
            if paid is not None:
                c.set(paid, Const(self.resource))


def prices(c: Context, spend: t.Spend) -> list[Price]:
    found: list[Price] = []
    for bundle in spend.options:
        part = bundle.parts[0]
        several = costs.resources_of(c, part) if isinstance(part, t.Part) else None
        single = len(bundle.parts) == 1 and isinstance(part.amount, t.Number) and part.amount.value == 1
        if single and several is not None and isinstance(part, t.Part) and not part.each:
            found += [Price(bundle, r, f"1 {_title(c, r).partition('/')[0]}") for r in several]
        else:
            found.append(Price(bundle, None, bundle_label(c.resolved, bundle)))
    return found


def _pay(c: Context, one: t.Spend, offer: Offer) -> bool:
    """Pay one of the prices, if there is one that can be paid."""
    ways, paid = prices(c, one), None
    if one.name is not None:
        paid = c.declare()
        c.bind(one, paid)
    prompt, labels = offer.prompt or spend_prompt(c.resolved, offer.then), tuple(way.label for way in ways)
    question = c.question(Question("spend", prompt, "branch", labels=labels, decline=offer.decline or ""))
    scope = here(c)
    options = Branches(tuple((_way_need(c, way, scope),) for way in ways))
    ask = Ask(question, options, none=offer.no, declined=offer.declined, untaken=offer.decline is None)
    switch(
        c, ask.put(c), ways, lambda way: way.pay(c, paid), (lambda way: way.bundle) if len(one.options) > 1 else None
    )  # fmt: skip
    return True


def _way_need(c: Context, way: Price, scope: Scope) -> Need:
    single = way.resource is not None and f"1 {_title(c, way.resource).partition('/')[0]}"
    text = single or price_text(c.resolved, way.bundle)

    def check(c2: Context) -> int:
        return payable_check(c2, scope, text, (way.bundle,), way.resource)

    return Need("price", scope, way.bundle.span, way.payable, check)


def _one_price(c: Context, spend: t.Spend, _: t.Block, scope: Scope) -> Need:
    text = price_text(c.resolved, *spend.options)

    def check(c2: Context) -> int:
        return payable_check(c2, scope, text, spend.options)

    return Need("price", scope, spend.span, lambda c2: costs.one_payable(c2, spend.options), check)


@lowers(t.Spend, needs=_one_price, offered=_pay)
def _spend(c: Context, one: t.Spend) -> None:
    with c.block() as end:
        with c.block() as no:
            _pay(c, one, Offer(no, then=one.then))
            block(c, one.then)
            if one.otherwise:
                c.go(end)
        block(c, one.otherwise)


def _title(c: Context, resource: int) -> str:
    definition = c.linked.resources[resource]
    return title_forms(Symbol("resource", definition.name.word, definition))
