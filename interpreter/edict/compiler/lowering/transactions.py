"""Resources that change hands: to gain, to lose, and to spend, of one's choice where there is one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Condition, Const, Expr, Label, Var
from edict.compiler.codegen.core_builder import op
from edict.compiler.lowering import costs
from edict.compiler.lowering.asks import Ask, Branches, Domain, Filter, Need, Scope, here, switch
from edict.compiler.lowering.block_lowering import Offer, block, lowers
from edict.compiler.lowering.context import NOTHING, Context, mask
from edict.compiler.lowering.costs import (
    AnyPart,
    Move,
    Plain,
    amount,
    counted,
    drawn_on,
    has_floor,
    named,
    resources_of,
    sum_among,
)
from edict.compiler.lowering.hiding import unseen_places
from edict.compiler.lowering.layout import is_secret
from edict.compiler.lowering.option_texts import amount_text
from edict.compiler.lowering.program_reasons import Implied, from_group, from_source, price, query, title_forms
from edict.compiler.lowering.program_wording import left_text, price_label, price_text, single_text, spend_prompt
from edict.compiler.lowering.value_lowering import LocalPlace, dynamic_resource, hide, resource_place, value
from edict.compiler.semantics.ability_targets import GAINING, LOSING
from edict.compiler.semantics.effects import moved
from edict.compiler.semantics.secret_sources import gives_away
from edict.compiler.semantics.symbols import NUMBER, Local, Symbol, parts_of
from edict.compiler.syntax import tree as t
from edict.runtime.program import Question
from edict.runtime.program import opcodes as o
from edict.runtime.program.reasons import Value
from edict.support.morphology import split_title
from edict.support.text import NOWHERE

OPTION = Local("option", NOWHERE)  # the resource that is asked about, for which rules have no name


def change(c: Context, place: LocalPlace, code: int, by: Expr) -> None:
    """Work out a place's new value from its old one."""
    place, by = place.once(c), c.once(by)
    place.write(c, op(code, place.value, by))


def _called(c: Context, part: AnyPart) -> tuple[str, str]:
    """The word for what is chosen, as a name and as a title."""
    if isinstance(part, t.PartFrom):
        return "resource", "of them"
    title = c.resolved.get(c.symbol(part.what).name).title or part.what.word
    return part.what.word, split_title(str(title))[0]


# --- gain and lose ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Transfer:
    """What differs between gaining and losing.

    some: so much of a resource changes hands. one: one that was chosen does. choose: it is asked for, out of a set
    (those of it that one may have are given too), with where to go if there is none. beforehand: what is settled
    without asking.
    """

    edge: str
    name: str
    verb: str
    some: Plain
    one: Plain
    choose: Callable[[Context, int, AnyPart, Expr, tuple[int, ...], Label], Var]
    beforehand: Callable[[Context, Var, Expr, tuple[int, ...], Label, Move], None] = lambda *_: None


def transfer_bundle(c: Context, way: Transfer, bundle: t.Bundle, move: Move) -> None:
    for part in parts_of(c.resolved, bundle):
        _transfer(c, way, part, move)


def pay_bundle(c: Context, bundle: t.Bundle) -> None:
    """To pay is not to lose, so nothing is done instead, and nothing waits for it."""
    with c.paying():
        transfer_bundle(c, LOSE, bundle, lambda c2, _, resource, by, plain: plain(c2, resource, by))


def _transfer(c: Context, way: Transfer, part: AnyPart, move: Move) -> None:
    told = part.amount if gives_away(c.resolved, part.amount) else None

    def some(resource: Expr) -> None:
        move(c, way.edge, resource, amount(c, part), way.some)
        if told is not None:  # who knew how much there was does not know how much has come or gone
            hide(c, dynamic_resource(c, resource))

    members = drawn_on(c, part)
    if isinstance(part, t.PartFrom):
        _transfer_of_choice(c, way, part, members or (), value(c, part.source), move)
    elif part.each:
        for member in members or ():
            with c.block() as skip:
                c.unless(counted(c, part, member), skip)
                some(Const(member))
    elif members is None:
        some(named(c, part))
    elif len(members) == 1:
        some(Const(members[0]))
    else:
        _transfer_of_choice(c, way, part, members, mask(members), move)


def _transfer_of_choice(
    c: Context, way: Transfer, part: AnyPart, members: tuple[int, ...], among: Expr, move: Move
) -> None:
    """Each chosen on its own, repeats allowed."""
    among = c.once(among)
    left = c.let(amount(c, part))
    name, title = _called(c, part)
    secret = [member for member in members if is_secret(c.linked, member)] if way.edge == LOSING else []
    prompt = f"Which {title} do you {way.verb}?"
    with c.block() as end, unseen_places(c, [resource_place(c, member) for member in secret]):
        among_these = tuple(sorted(members))
        question = c.question(
            Question(f"{way.name}-{name}", prompt, "thing", "resource", among_these, secret=bool(secret))
        )
        way.beforehand(c, left, among, members, end, move)
        with c.loop():
            c.unless(core.Compare(">", left, NOTHING), end)
            move(c, way.edge, way.choose(c, question, part, among, members, end), Const(1), way.one)
            c.set(left, op(o.SUB, left, Const(1)))


def _choose_resource(
    c: Context, question: int, part: AnyPart, among: Expr, filters: tuple[Filter, ...] = (), none: Label | None = None
) -> Var:
    """Ask for a resource of one's choice out of a set."""
    scope = here(c).about(OPTION)
    if isinstance(part, t.PartFrom):
        origin = from_source(c, part, part.source, scope)
    else:
        origin = from_group(part.what, mask(resources_of(c, part) or ()), scope, part.span)
    return Ask(question, Domain(lambda c2: among, origin, filters), none=none).put(c)


# --- gain ------------------------------------------------------------------------------------------


def _gain_some(c: Context, resource: Expr, by: Expr) -> None:
    """As much of it as there is."""
    change(c, dynamic_resource(c, resource), o.ADD, costs.at_most_left(c, resource, by))


def _gain_chosen(c: Context, resource: Expr, by: Expr) -> None:
    change(c, dynamic_resource(c, resource), o.ADD, by)


def _choose_to_gain(c: Context, question: int, part: AnyPart, among: Expr, _: tuple[int, ...], none: Label) -> Var:
    among = costs.still_left(c, among)
    c.unless(core.Test(among), none)
    return _choose_resource(c, question, part, among)


GAIN = Transfer(GAINING, "gain", "gain", _gain_some, _gain_chosen, _choose_to_gain)


def gainable(c: Context, bundle: t.Bundle) -> tuple[Need, ...]:
    """What is all gone is not offered."""
    limited, scope = costs.limits(c), here(c)
    named = [resources_of(c, part) if isinstance(part, t.Part) else None for part in parts_of(c.resolved, bundle)]
    numbers = [number for members in named for number in members or (-1,)]
    if any(number not in limited for number in numbers):
        return ()

    def test(c2: Context) -> Condition:
        return core.Any_(tuple(core.Test(costs.left_of(c2, number)) for number in numbers))

    def text(c2: Context) -> str:
        return left_text(costs.titles_of(c2, number)[1] for number in numbers)

    return (Implied(("supply", bundle), scope, bundle.span, test, text).need("supply"),)


# --- lose ------------------------------------------------------------------------------------------


def _lose_some(c: Context, resource: Expr, by: Expr) -> None:
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


def _lose_chosen(c: Context, resource: Expr, by: Expr) -> None:
    change(c, dynamic_resource(c, resource), o.SUB, by)


def _lose_whole(c: Context, resource: Expr, _: Expr) -> None:
    dynamic_resource(c, resource).write(c, NOTHING)


def _choose_to_lose(
    c: Context, question: int, part: AnyPart, among: Expr, members: tuple[int, ...], none: Label
) -> Var:
    owned = Filter(OPTION, (_owned(part, mask(members), here(c).about(OPTION)),))
    return _choose_resource(c, question, part, among, (owned,), none)


def _lose_all(c: Context, left: Var, among: Expr, members: tuple[int, ...], end: Label, move: Move) -> None:
    """All that there is in the set goes at once when all must go."""
    with c.block() as some_left:
        c.go(some_left, core.Compare("<", left, sum_among(c, members, among)))
        for member in members:
            with c.block() as keep:
                c.unless(core.Compare("in", Const(member), among), keep)
                move(c, LOSING, Const(member), resource_place(c, member).value, _lose_whole)
        c.go(end)


def _owned(part: AnyPart, members: Const, scope: Scope) -> Need:
    def have(c: Context) -> Expr:
        return dynamic_resource(c, c.where[OPTION]).value

    def test(c: Context) -> Condition:
        return core.All((core.Compare("in", c.where[OPTION], members), core.Compare(">=", have(c), Const(1))))

    def values(c: Context) -> tuple[Value, ...]:
        return (Value("{0}", query(c, "amount", scope, (), NUMBER, have), have=True),)

    return Implied(("held", members.value), scope, part.span, test, values=values).need("held")


LOSE = Transfer(LOSING, "lose", "give up", _lose_some, _lose_chosen, _choose_to_lose, _lose_all)


# --- spend -----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Price:
    """One way to pay: a bundle, or a single resource out of a group; `text`: what that is called."""

    bundle: t.Bundle
    resource: int | None
    text: str

    def written(self, c: Context) -> str:
        return amount_text(self.bundle, None if self.resource is None else c.linked.resources[self.resource])

    def pay(self, c: Context, paid: Var | None) -> None:
        if self.resource is None:
            pay_bundle(c, self.bundle)
        else:
            with c.paying():
                change(c, resource_place(c, self.resource), o.SUB, Const(1))
            if paid is not None:
                c.set(paid, Const(self.resource))


def prices(c: Context, spend: t.Spend) -> list[Price]:
    ways: list[Price] = []
    for bundle in spend.options:
        part = bundle.parts[0]
        several = costs.resources_of(c, part) if isinstance(part, t.Part) else None
        single = len(bundle.parts) == 1 and isinstance(part.amount, t.Number) and part.amount.value == 1
        if single and several is not None and isinstance(part, t.Part) and not part.each:
            ways += [Price(bundle, r, single_text(_title(c, r))) for r in several]
        else:
            ways.append(Price(bundle, None, price_text(c.resolved, bundle)))
    return ways


def _pay(c: Context, spend: t.Spend, offer: Offer) -> bool:
    """Pay one of the prices, if there is one that can be paid."""
    ways, paid = prices(c, spend), None
    if spend.name is not None:
        paid = c.declare()
        c.bind(spend, paid)
    prompt, labels = offer.prompt or spend_prompt(c.resolved, offer.then), tuple(price_label(way.text) for way in ways)
    keys = tuple(way.written(c) for way in ways)
    secret = secrets_paid(c, spend) if len(ways) > 1 else []
    question = Question("spend", prompt, "branch", labels=labels, keys=keys, secret=bool(secret))
    question_ = c.question(question, offer.decline)
    scope = here(c)
    options = Branches(tuple((price(scope, way.text, (way.bundle,), way.resource).need("price"),) for way in ways))
    ask = Ask(question_, options, none=offer.no, declined=offer.declined, untaken=offer.decline is None)
    answer = ask.put(c)
    with unseen_places(c, [resource_place(c, number) for number in secret]):
        switch(c, answer, ways, lambda way: way.pay(c, paid), (lambda way: way.bundle) if len(ways) > 1 else None)
    return True


def secrets_paid(c: Context, spend: t.Spend) -> list[int]:
    """The secret resources with which it may be paid."""
    paid = {meaning.name for bundle in spend.options for meaning in moved(c.resolved, bundle)}
    numbers = (c.linked.resource_index(name) for name in sorted(paid))
    return [number for number in numbers if is_secret(c.linked, number)]


def _one_price(c: Context, spend: t.Spend, _: t.Block, scope: Scope) -> Need:
    return price(scope, price_text(c.resolved, *spend.options), spend.options).need("price", spend.span)


@lowers(t.Spend, needs=_one_price, offered=_pay)
def _spend(c: Context, spend: t.Spend) -> None:
    with c.block() as end:
        with c.block() as no:
            _pay(c, spend, Offer(no, then=spend.then))
            block(c, spend.then)
            if spend.otherwise:
                c.go(end)
        block(c, spend.otherwise)


def _title(c: Context, resource: int) -> str:
    definition = c.linked.resources[resource]
    return title_forms(Symbol("resource", definition.name.word, definition))
