"""To pay one price or another."""

from __future__ import annotations

from dataclasses import dataclass

from edict.backend import core
from edict.backend.composing import ALWAYS
from edict.backend.core import Condition, Const, Var
from edict.language import tree as t
from edict.lowering import costs, transactions
from edict.lowering.asks import Ask, Need, Option
from edict.lowering.blocks import Offer, block, declinable, lowers
from edict.lowering.choosing import capital, word_cause
from edict.lowering.completing import completes
from edict.lowering.context import Context
from edict.lowering.reason_code import Implied, Scope, drawn_on, here, owned, title_forms
from edict.lowering.values import resource_place
from edict.meaning.symbols import Symbol
from edict.program import Question
from edict.program import opcodes as o
from edict.words import block_words, bundle_words


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
            transactions.pay_bundle(c, self.bundle)
        else:
            transactions.change(c, resource_place(c, self.resource), o.SUB, Const(1))
            if paid is not None:
                c.set(paid, Const(self.resource))


def prices(c: Context, spend: t.Spend) -> list[Price]:
    found: list[Price] = []
    for bundle in spend.options:
        part = bundle.parts[0]
        several = costs.resources_of(c, part) if isinstance(part, t.Part) else None
        single = len(bundle.parts) == 1 and isinstance(part.amount, t.Number) and part.amount.value == 1
        if single and several is not None and isinstance(part, t.Part) and not part.each:
            found += [Price(bundle, r, capital(f"1 {_title(c, r).partition('/')[0]}")) for r in several]
        else:
            found.append(Price(bundle, None, capital(bundle_words(c.resolved, bundle))))
    return found


@lowers(t.Spend)
def _spend(c: Context, one: t.Spend) -> None:
    with c.block() as end:
        with c.block() as no:
            _pay(c, one, Offer(no, then=one.then))
            block(c, one.then)
            if one.otherwise:
                c.go(end)
        block(c, one.otherwise)


@declinable(t.Spend)
def _pay(c: Context, one: t.Spend, offer: Offer) -> bool:
    """Pay one of the prices, if there is one that can be paid."""
    ways, paid, then = prices(c, one), None, block_words(c.resolved, offer.then)
    if one.name is not None:
        paid = c.declare()
        c.bind(one, paid)
    plain = f"What do you spend to {then}?" if then else "What do you spend?"
    question = c.question(Question(
        "spend", offer.prompt or plain, "branch", labels=tuple(way.label for way in ways), decline=offer.decline or ""
    ))  # fmt: skip
    scope = here(c)
    options = tuple(Option(i, (_way_need(c, way, scope),)) for i, way in enumerate(ways))
    ask = Ask(question, options, none=offer.no, declined=offer.declined, untaken=offer.decline is None)
    answer, cases = ask.put(c), []
    for way in ways:
        with c.apart() as case:
            way.pay(c, paid)
        cases.append((word_cause(c, way.bundle) if len(one.options) > 1 else -1, tuple(case)))
    c.add(core.Switch(answer, tuple(cases), cause=c.cause))
    return True


# --- what must be paid ---------------------------------------------------------------------------------


def _way_need(c: Context, way: Price, scope: Scope) -> Need:
    single = way.resource is not None and f"1 {_title(c, way.resource).partition('/')[0]}"
    text = single or bundle_words(c.resolved, way.bundle)

    def check(c2: Context) -> int:
        return payable(c2, scope, text, (way.bundle,), way.resource)

    return Need("price", scope, way.bundle.span, way.payable, check)


def payable(
    c: Context, scope: Scope, text: str, bundles: tuple[t.Bundle, ...], resource: int | None = None
) -> int:  # fmt: skip
    """The check whether one of the bundles can be paid, or the one resource."""

    def test(c2: Context) -> Condition:
        if resource is not None:
            return core.Compare(">=", resource_place(c2, resource).value, Const(1))
        return costs.one_payable(c2, bundles)

    used = {r for b in bundles for part in b.parts for r in drawn_on(c, part)} if resource is None else {resource}
    found = tuple(owned(c, scope, r) for r in sorted(used) if costs.has_floor(c, r))
    return Implied(("price", bundles, resource), scope, bundles[0].span, test, text, bundles, found).add(c)


@completes(t.Spend)
def _one_price(c: Context, spend: t.Spend, scope: Scope) -> Need:
    text = " or ".join(bundle_words(c.resolved, bundle) for bundle in spend.options)

    def check(c2: Context) -> int:
        return payable(c2, scope, text, spend.options)

    return Need("price", scope, spend.span, lambda c2: costs.one_payable(c2, spend.options), check)


def _title(c: Context, resource: int) -> str:
    definition = c.linked.resources[resource]
    return title_forms(Symbol("resource", definition.name.word, definition))
