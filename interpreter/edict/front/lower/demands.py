"""What there is to choose from, and what each option must meet, noted where the question is written (see `reasons`)."""

from __future__ import annotations

from edict.front import tree as t
from edict.front.link import Held
from edict.front.lower import costs, periods
from edict.front.lower.completing import first_step, jump_impossible, offered
from edict.front.lower.context import Context
from edict.backend.emit import Label, Operand
from edict.front.lower.expressions import dynamic_resource, everything, group_set, resource_place, value
from edict.front.lower.reasons import (
    NUMBER, OPTION, Scope, check, demand, guarded, here, own, query, row, spelled, title_forms, value_of,
)  # fmt: skip
from edict.front.lower.sifting import kept
from edict.front.symbols import Symbol
from edict.front.words import bundle_words, sentence, stmt_words, title_of
from edict.program import opcodes as o
from edict.program.reasons import Value
from edict.text import Span


# --- what there is to choose from ------------------------------------------------------------------


def choice_question(c: Context, choice: t.Choose, decline: str | None) -> int:
    meaning = c.resolved.of(choice.kind)
    kind = {"group": "resource"}.get(meaning.sort, meaning.name)
    domain = "number" if meaning.sort == "number" else "thing"
    prompt = choice.prompt or f"Choose a {title_of(c.resolved, choice.kind)}"
    return c.question(
        f"choose-{choice.name.word}", prompt, domain, kind, decline=decline or "", secret=choice.secretly
    )  # fmt: skip


def options_of(c: Context, choice: t.Choose) -> Operand:
    """The set of what may be chosen."""
    found = domain_of(c, choice)
    return found if choice.where is None else kept(c, choice.where, found, choice.where)


def domain_of(c: Context, choice: t.Choose) -> Operand:
    meaning = c.resolved.of(choice.kind)
    if choice.low is not None and choice.high is not None:
        return _numbers(c, value(c, choice.low), value(c, choice.high))
    if choice.source is not None:
        return value(c, choice.source)
    if meaning.sort == "group":
        return c.const(group_set(c, meaning.name))
    return everything(c, meaning.name)


def _numbers(c: Context, low: Operand, high: Operand) -> Operand:
    """The numbers from low to high, within 0 to 61; empty if high is below low."""
    found, first, last, end = c.copy(c.const(0)), c.cell(), c.cell(), c.label()
    c.emit(o.MAX, first, low, c.const(0))
    c.emit(o.MIN, last, high, c.const(61))
    c.emit(o.JLT, last, first, end)
    c.emit(o.BIT, last, last)
    c.emit(o.BIT, first, first)
    c.emit(o.SUB, found, last, first)
    c.emit(o.ADD, found, found, last)
    c.put(end)
    return found


# --- choosing ------------------------------------------------------------------------------------


def choosing(c: Context, question: int, choice: t.Choose) -> None:
    """A thing or a number must come from where one chooses, and meet every part of `where`."""
    scope = here(c, choice)
    if choice.low is not None and choice.high is not None:
        _range(c, question, choice, choice.low, choice.high, scope)
    if choice.source is not None:
        _source(c, question, choice, choice.source, scope)
    elif c.resolved.of(choice.kind).sort == "group":
        _one_of(c, question, choice.kind, group_set(c, c.symbol(choice.kind).name), scope, choice.span)
    if choice.where is not None:
        scope = here(c, choice.where)
        for part in row(choice.where, "and"):
            demand(c, question, "where", scope, part.span, check(c, part, scope))


def _source(
    c: Context, question: int, choice: t.Choose | t.PartFrom, source: t.Expr, scope: Scope
) -> None:
    it = scope.params[0]

    def fails(c2: Context, no: Label) -> None:
        c2.emit(o.JOUT, c2.where[it], value(c2, source), no)

    text, found = spelled(c, source, scope), value_of(c, source, scope)
    made = own(c, ("from", source), text, scope, (source,), fails, source.span, found)
    demand(c, question, "from", scope, choice.span, made)


def _one_of(c: Context, question: int, group: t.Name, members: int, scope: Scope, span: Span) -> None:
    """A resource must be one of its group."""
    it = scope.params[0]

    def fails(c2: Context, no: Label) -> None:
        c2.emit(o.JOUT, c2.where[it], c2.const(members), no)

    made = own(c, ("group", members), title_of(c.resolved, group, many=True), scope, (), fails, span)
    demand(c, question, "from", scope, span, made)


def _range(c: Context, question: int, choice: t.Choose, low: t.Expr, high: t.Expr, scope: Scope) -> None:
    it = scope.params[0]

    def fails(c2: Context, no: Label) -> None:
        c2.emit(o.JLT, c2.where[it], value(c2, low), no)
        c2.emit(o.JLT, value(c2, high), c2.where[it], no)

    text = f"{spelled(c, low, scope)} to {spelled(c, high, scope)}"
    found = (*value_of(c, low, scope), *value_of(c, high, scope))
    made = own(c, ("range", low, high), text, scope, (low, high), fails, low.span, found)
    demand(c, question, "range", scope, choice.span, made)


def die(c: Context, question: int, choice: t.ChooseDie) -> None:
    scope = here(c, choice)
    it = scope.params[0]

    def fails(c2: Context, no: Label) -> None:
        fields = c2.cell()
        c2.emit(o.DFIELDS, fields, value(c2, choice.source))
        c2.emit(o.JOUT, c2.where[it], fields, no)

    found = value_of(c, choice.source, scope)
    made = own(c, "die", spelled(c, choice.source, scope), scope, (choice.source,), fails, choice.span, found)
    demand(c, question, "from", scope, choice.span, made)


def branch(c: Context, question: int, option: int, one: t.Branch) -> None:
    """An option with a condition of its own."""
    if one.condition is not None:
        scope = here(c)
        demand(c, question, "if", scope, one.span, check(c, one.condition, scope), option)
    possible(c, question, option, here(c), one.block)


def possible(c: Context, question: int, option: int, scope: Scope, block: t.Block) -> None:
    """An option whose first step must be paid, or must have something to choose from."""
    first = first_step(c, block)
    if isinstance(first, t.Spend):
        text = " or ".join(bundle_words(c.resolved, bundle) for bundle in first.options)
        demand(c, question, "price", scope, first.span, payable(c, scope, text, first.options), option)
    elif first is not None:

        def fails(c2: Context, no: Label) -> None:
            jump_impossible(c2, block, no)

        made = own(c, ("possible", first), _asked(c, first), scope, (first,), fails, first.span)
        demand(c, question, "next", scope, first.span, made, option)


def _asked(c: Context, first: t.Stmt) -> str:
    """What would be asked."""
    return getattr(first, "prompt", "") or sentence(stmt_words(c.resolved, first))


# --- paying, gaining and losing --------------------------------------------------------------------


def price(c: Context, question: int, option: int, bundle: t.Bundle, resource: int | None = None) -> None:
    """A way to pay: all of a bundle, or one single resource of a group."""
    scope = here(c)
    text = bundle_words(c.resolved, bundle) if resource is None else f"1 {_one(_title(c, resource))}"
    demand(c, question, "price", scope, bundle.span, payable(c, scope, text, (bundle,), resource), option)


def payable(
    c: Context, scope: Scope, text: str, bundles: tuple[t.Bundle, ...], resource: int | None = None
) -> int:  # fmt: skip
    """Whether one of the bundles can be paid, or the one resource."""

    def fails(c2: Context, no: Label) -> None:
        if resource is not None:
            c2.emit(o.JLT, resource_place(c2, resource).read(c2), c2.const(1), no)
            return
        costs.jump_none_payable(c2, bundles, no)

    used = {resource} if resource is not None else {r for b in bundles for part in b.parts for r in _used(c, part)}
    found = tuple(_has(c, scope, r) for r in sorted(used) if costs.has_floor(c, r))
    return own(c, ("price", bundles, resource), text, scope, bundles, fails, bundles[0].span, found)


def _used(c: Context, part: t.Part | t.PartFrom) -> tuple[int, ...]:
    return (costs.resources_of(c, part) or ()) if isinstance(part, t.Part) else ()


def _has(c: Context, scope: Scope, resource: int) -> Value:
    asked = query(c, ("has", resource), scope, (), NUMBER, lambda c2: resource_place(c2, resource).read(c2))
    return Value(_title(c, resource), asked, have=True)


def _title(c: Context, resource: int) -> str:
    definition = c.linked.resources[resource]
    return title_forms(Symbol("resource", definition.name.word, definition))


def _one(title: str) -> str:
    return title.partition("/")[0]


def among(c: Context, question: int, part: t.Part | t.PartFrom, held: tuple[int, ...] | None) -> None:
    """A resource of one's choice: one of those the part allows; `held` if you must have some of it to give it up."""
    scope = here(c).about(OPTION)
    if isinstance(part, t.PartFrom):
        _source(c, question, part, part.source, scope)
    else:
        _one_of(c, question, part.what, costs.mask(costs.resources_of(c, part) or ()), scope, part.span)
    if held is not None:
        _held(c, question, part, held, scope)


def _held(c: Context, question: int, part: t.Part | t.PartFrom, members: tuple[int, ...], scope: Scope) -> None:
    def fails(c2: Context, no: Label) -> None:
        c2.emit(o.JOUT, c2.where[OPTION], c2.const(costs.mask(members)), no)
        c2.emit(o.JLT, dynamic_resource(c2, c2.where[OPTION]).read(c2), c2.const(1), no)

    has = Value("{0}", _amount_of(c, scope), have=True)
    made = own(c, ("held", members), "", scope, (), fails, part.span, (has,))
    demand(c, question, "held", scope, part.span, made)


def _amount_of(c: Context, scope: Scope) -> int:
    """How much you have of the resource that is asked about."""
    return query(
        c, "amount", scope, (), NUMBER, lambda c2: dynamic_resource(c2, c2.where[OPTION]).read(c2)
    )


# --- effects at one moment ---------------------------------------------------------------------------


def effect(c: Context, question: int, option: int, held: Held, used: Operand) -> None:
    """One of several abilities that one may use now."""
    when, scope = held.ability, Scope((held.name, held.title))
    assert isinstance(when, t.When)
    works = guarded(c, held)
    if works >= 0:
        demand(c, question, "works", scope, when.span, works, option)
    if when.once_per is not None:
        demand(c, question, "once", scope, when.span, once(c, when, scope), option)
    possible(c, question, option, scope, offered(when))

    def fails(c2: Context, no: Label) -> None:
        c2.emit(o.JIN, c2.const(option), used, no)

    made = own(c, ("used", option), "", scope, (), fails, when.span, cells=(used,))
    demand(c, question, "used", scope, when.span, made, option)


def once(c: Context, ability: t.When | t.Shift, scope: Scope, before: str = "") -> int:
    """Whether what works once in a while can still be used."""
    period = title_of(c.resolved, ability.once_per) if ability.once_per is not None else ""

    def fails(c2: Context, no: Label) -> None:
        periods.jump_used_up(c2, ability, no)

    return own(c, ("once", ability), f"{before}once per {period}", scope, (), fails, ability.span)
