"""The reasons of a program: every condition that decides what is offered, as code that can be asked by itself.

Nothing of it runs in play. While a question waits, the names it was put with still stand in their cells, so a condition
that is asked then finds everything as the rules found it; only the option itself is handed over.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Condition, Const, Expr, Procedure
from edict.compiler.codegen.core_builder import ALWAYS
from edict.compiler.lowering import costs
from edict.compiler.lowering.asks import Filter, Need, Scope, Test, cause_of, here
from edict.compiler.lowering.containers import members_of, members_type
from edict.compiler.lowering.context import Context
from edict.compiler.lowering.program_wording import (
    condition_about,
    condition_text,
    group_text,
    once_text,
    price_text,
    sentence_of,
)
from edict.compiler.lowering.quantities import unused
from edict.compiler.lowering.value_lowering import condition, resource_place, uncoerced, value
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.secret_sources import secrets_of_locals
from edict.compiler.semantics.symbols import NUMBER, TRUTH, Local, Meaning, Symbol, parts_of
from edict.compiler.syntax import tree as t
from edict.runtime.program import Type
from edict.runtime.program.reasons import Check, Value
from edict.support.text import Span

COUNTED = ("resource", "group", "die")
READ = ("keep", "quantity", "value", "setting")


# --- queries ---------------------------------------------------------------------------------------


def query(
    c: Context, key: object, scope: Scope, about: tuple[t.Node, ...], of: Type, read: Callable[[Context], Expr]
) -> int:
    """The query that reads this; the same is asked by the same code. `about`: nodes whose names it depends on."""
    whole = (key, scope.params, _variables(c, scope, about))

    def body(c2: Context, p: Procedure) -> None:
        c2.where.update(zip(scope.params, p.params, strict=True))
        c2.set(p.result, read(c2))

    if whole not in c.parts.known:
        span = about[0].span if about else c.linked.game.span
        own = ("reason", len(c.parts.queries))
        procedure = c.procedure(own, len(scope.params), body, (*scope.rule, span), gives=of)
        procedure.aside = True
        c.parts.known[whole] = c.parts.query(procedure, c.sized(of))
    return c.parts.known[whole]


def _variables(c: Context, scope: Scope, about: tuple[t.Node, ...]) -> tuple[Expr, ...]:
    """Where the names stand that are not handed over."""
    locals_ = dict.fromkeys(m for _, m in c.names(*about) if isinstance(m, Local) and m not in scope.params)
    return tuple(c.where[local] for local in locals_ if local in c.where)


# --- checks ----------------------------------------------------------------------------------------


def check(c: Context, expr: t.Expr, scope: Scope) -> int:
    """A condition, taken apart where its parts can be asked one by one."""
    cause, text = cause_of(c, scope, expr.span), spelled(c, expr, scope)
    words = condition_about(c.resolved, expr, scope.names)
    if isinstance(expr, t.Binary) and expr.op in ("and", "or"):
        parts = tuple(check(c, part, scope) for part in row(expr, expr.op))
        return c.parts.check(Check("all" if expr.op == "and" else "any", text, cause, parts=parts, words=words))
    if isinstance(expr, t.Quantified) and not hushed(c, expr.members):
        return _over_members(c, expr, scope, text, words, cause)
    if isinstance(expr, t.CanPay) and not hushed(c, expr):
        ways = tuple(_payable(c, bundle, scope, text, cause) for bundle in expr.options)
        return ways[0] if len(ways) == 1 else c.parts.check(Check("any", text, cause, parts=ways, words=words))
    asked = query(c, ("holds", expr), scope, (expr,), TRUTH, lambda c2: core.Truth(condition(c2, expr)))
    found, secret = values(c, expr, scope), hushed(c, expr)
    return c.parts.check(Check("is", text, cause, asked, values=found, secret=secret, words=words))


def row(expr: t.Expr, op: str) -> list[t.Expr]:
    """The parts of a row of `and`, or of `or`."""
    if isinstance(expr, t.Binary) and expr.op == op:
        return [*row(expr.left, op), *row(expr.right, op)]
    return [expr]


def _over_members(c: Context, expr: t.Quantified, scope: Scope, text: str, words: str, cause: int) -> int:
    of = members_type(c, expr.members)
    members = query(c, ("members", expr), scope, (expr.members,), of, lambda c2: members_of(c2, expr.members))
    part = check(c, expr.condition, scope.about(c.resolved.binds[expr]))
    return c.parts.check(Check(expr.op, text, cause, members, of.kind, (part,), words=words))


# --- prices ----------------------------------------------------------------------------------------


def _payable(c: Context, bundle: t.Bundle, scope: Scope, text: str, cause: int) -> int:
    """Whether one has enough of each resource: what it comes to, and what one has."""
    parts = tuple(_enough(c, bundle, part, scope, text, cause) for part in parts_of(c.resolved, bundle))
    return c.parts.check(Check("all", text, cause, parts=parts, words=_can_pay(c, bundle)))


def _can_pay(c: Context, bundle: t.Bundle) -> str:
    return f"you can pay {price_text(c.resolved, bundle)}"


def _enough(c: Context, bundle: t.Bundle, part: t.Part | t.PartFrom, scope: Scope, text: str, cause: int) -> int:
    """Nothing is said of what a price does not ask for."""

    def test(c2: Context) -> Condition:
        return core.All(tuple(costs.part_payable(c2, part, bundle)))

    amounts = (*_asked_for(c, part, scope), *(owned(c, scope, resource) for resource in drawn_on(c, part)))
    asked = query(c, ("enough", part), scope, (part,), TRUTH, lambda c2: core.Truth(test(c2)))
    enough = c.parts.check(Check("is", text, cause, asked, values=amounts, words=_can_pay(c, bundle)))
    if isinstance(part, t.PartFrom) or part.price is None:
        return enough
    none = query(
        c,
        ("free", part),
        scope,
        (part,),
        TRUTH,
        lambda c2: core.Truth(core.Compare("=", costs.amount(c2, part), Const(0))),
    )
    return c.parts.check(Check("any", text, cause, parts=(c.parts.check(Check("is", "", cause, none)), enough)))


def _asked_for(c: Context, part: t.Part | t.PartFrom, scope: Scope) -> tuple[Value, ...]:
    """How much it comes to, if that has to be worked out."""
    if isinstance(part, t.PartFrom) or part.price is None:
        return value_of(c, part.amount, scope)
    number = query(c, ("value", part.amount), scope, (part.amount,), NUMBER, lambda c2: value(c2, part.amount))
    if isinstance(part.price, t.Apply):
        words = condition_text(c.resolved, part.price)
        return (Value(f"{spelled(c, part.price, scope)} in {part.what.word}", number, words=words),)
    return (Value("what is missing", number),)  # and paid for with jokers


def drawn_on(c: Context, part: t.Part | t.PartFrom) -> tuple[int, ...]:
    """The resources by their names of which one must have enough."""
    members = costs.resources_of(c, part) or () if isinstance(part, t.Part) else ()
    return tuple(resource for resource in members if costs.has_floor(c, resource))


def owned(c: Context, scope: Scope, resource: int) -> Value:
    """How much of a resource one has."""
    definition = c.linked.resources[resource]
    title = title_forms(Symbol("resource", definition.name.word, definition))
    number = query(c, ("has", resource), scope, (), NUMBER, lambda c2: resource_place(c2, resource).value)
    return Value(title, number, have=True)


@dataclass(frozen=True)
class Implied:
    """A condition that stands in the rules only between the lines: a price, a total, what can be completed.

    key: the same for what is asked by the same code. about: the nodes whose names it depends on.
    """

    key: object
    scope: Scope
    span: Span
    test: Test
    text: Callable[[Context], str] = lambda c: ""
    about: tuple[t.Node, ...] = ()
    values: Callable[[Context], tuple[Value, ...]] = lambda c: ()
    words: Callable[[Context], str] = lambda c: ""

    def need(self, sort: str, span: Span | None = None) -> Need:
        """As what an option must meet; `span`: where it is wanted, if not where it stands."""
        return Need(sort, self.scope, span or self.span, self.test, self.add)

    def add(self, c: Context) -> int:
        """The number of its check."""
        text, values = self.text(c), self.values(c)
        asked = query(c, self.key, self.scope, self.about, TRUTH, lambda c2: core.Truth(self.test(c2)))
        cause, secret = cause_of(c, self.scope, self.span), hushed(c, *self.about)
        return c.parts.check(Check("is", text, cause, asked, values=values, secret=secret, words=self.words(c)))


def hushed(c: Context, *about: t.Node) -> bool:
    """Whether something is named that was drawn or chosen in secret; keeps are watched when they are read."""
    told = secrets_of_locals(c.resolved)
    return bool(told) and any(meaning in told for _, meaning in c.names(*about))


def price(scope: Scope, text: str, bundles: tuple[t.Bundle, ...], resource: int | None = None) -> Implied:
    """One of the bundles can be paid, or the one resource."""

    def test(c: Context) -> Condition:
        if resource is not None:
            enough = core.Compare(">=", resource_place(c, resource).value, Const(1))
            return enough if costs.has_floor(c, resource) else ALWAYS
        return costs.one_payable(c, bundles)

    def values(c: Context) -> tuple[Value, ...]:
        parts = (part for bundle in bundles for part in parts_of(c.resolved, bundle))
        used = {r for part in parts for r in drawn_on(c, part)} if resource is None else {resource}
        return tuple(owned(c, scope, r) for r in sorted(used) if costs.has_floor(c, r))

    return Implied(("price", bundles, resource), scope, bundles[0].span, test, lambda c: text, bundles, values)


# --- what a condition speaks of --------------------------------------------------------------------


def values(c: Context, expr: t.Expr, scope: Scope) -> tuple[Value, ...]:
    """The values on both sides of a condition, beside what can be read off its text."""
    if isinstance(expr, t.Unary) and expr.op in ("not", "empty", "not-empty"):
        inner = expr.arg
        return values(c, inner, scope) if expr.op == "not" else value_of(c, inner, scope)
    if isinstance(expr, t.Binary) and c.type(expr).shape == "truth":
        return (*value_of(c, expr.left, scope), *value_of(c, expr.right, scope))
    return value_of(c, expr, scope) if c.type(expr).shape == "number" else ()


def value_of(c: Context, expr: t.Expr, scope: Scope) -> tuple[Value, ...]:
    """A value under its own text, if it is one that has to be worked out."""
    if not _is_worked_out(c, expr, scope) or c.type(expr).shape in ("truth", "nothing"):
        return ()
    return (made(c, expr, scope),)


def made(c: Context, expr: t.Expr, scope: Scope) -> Value:
    of = c.type(expr)
    number = query(c, ("value", expr), scope, (expr,), of, lambda c2: uncoerced(c2, expr))
    held = _held(c, expr, scope)
    return Value(held or spelled(c, expr, scope), number, bool(held), "" if held else condition_text(c.resolved, expr))


def _is_worked_out(c: Context, expr: t.Expr, scope: Scope) -> bool:
    if isinstance(expr, t.Name):
        meaning = c.resolved.of(expr)
        if isinstance(meaning, Local):
            return meaning not in scope.params and meaning not in scope.names
        return meaning.sort in READ
    if isinstance(expr, t.Unary) and expr.op == "minus":
        return _is_worked_out(c, expr.arg, scope)
    return not isinstance(expr, t.Number)


def _held(c: Context, expr: t.Expr, scope: Scope) -> str:
    """Of `gold of you` the title of the resource; nothing for every other value."""
    if not isinstance(expr, t.Apply) or [getattr(arg, "word", "") for arg in expr.args] != ["you"]:
        return ""
    meaning = c.resolved.of(expr.head)
    if isinstance(meaning, Local):
        return f"{{{scope.params.index(meaning)}}}" if meaning in scope.params else ""
    return title_forms(meaning) if meaning.sort in COUNTED else ""


def title_forms(symbol: Symbol) -> str:
    definition = symbol.definition
    return (definition.title if definition else "") or symbol.name


def spelled(c: Context, expr: t.Node, scope: Scope) -> str:
    """The text of a condition as it is written, with places for the names it is asked about."""
    source, span = c.parts.sources.get(expr.span.file), expr.span
    if source is None:
        return ""
    lines = source.lines[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    replaced = {name.span: _placeholder(meaning, scope) for name, meaning in c.names(expr)}  # some are there twice
    for at in sorted((at for at in replaced if replaced[at] and span.line <= at.line <= span.end_line), reverse=True):
        line = lines[at.line - span.line]
        lines[at.line - span.line] = line[: at.column - 1] + replaced[at] + line[at.end_column - 1 :]
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(" ".join(lines).split())


def _placeholder(meaning: Meaning, scope: Scope) -> str:
    """What stands in the text for a name, if it does not stand for itself."""
    if not isinstance(meaning, Local):
        return ""
    return f"{{{scope.params.index(meaning)}}}" if meaning in scope.params else scope.names.get(meaning, "")


# --- abilities -------------------------------------------------------------------------------------


def guarded(c: Context, held: AttachedAbility, about: tuple[Local, ...] = (), more: tuple[int, ...] = ()) -> int:
    """When an ability holds: its thing works, its own condition is met, and `more`; -1 is always."""
    scope, parts = Scope((held.name, held.title), about), list(more)
    condition = getattr(held.ability, "condition", None)
    if condition is not None:
        parts.insert(0, check(c, condition, scope))
    if held.thing is not None:
        kind: t.Kind = c.resolved.get(held.thing.kind.word)
        if kind.works_if is not None:
            thing = c.resolved.binds[kind]
            c.where[thing] = Const(c.linked.index(held.thing.name.word, kind.name.word))
            parts.insert(0, check(c, kind.works_if, replace(scope, names={thing: held.title})))
    if len(parts) < 2:
        return parts[0] if parts else -1
    return c.parts.check(Check("all", "", cause_of(c, scope, held.ability.span), parts=tuple(parts)))


def still_unused(ability: t.When | t.Shift, scope: Scope, before: str = "") -> Implied:
    """What works once in a while can still be used."""

    def text(c: Context) -> str:
        return before + once_text(c.resolved, ability.once_per)

    return Implied(("once", ability), scope, ability.span, lambda c: unused(c, ability), text)


# --- needs -----------------------------------------------------------------------------------------


def written(c: Context, sort: str, expr: t.Expr, scope: Scope, span: Span | None = None) -> Need:
    """A condition that stands in the rules."""
    return Need(sort, scope, span or expr.span, lambda c2: condition(c2, expr), lambda c2: check(c2, expr, scope))


def where_filters(c: Context, where: t.Expr | None) -> tuple[Filter, ...]:
    """Every part of a `where`, which binds its own name for the members."""
    if where is None:
        return ()
    scope = here(c).about(c.resolved.asked[where])
    return (Filter(scope.params[0], tuple(written(c, "where", part, scope) for part in row(where, "and"))),)


def from_source(c: Context, node: t.Node, source: t.Expr, scope: Scope) -> Need:
    """It must be in a set that is written down."""
    it = scope.params[0]

    return Implied(
        ("from", source),
        scope,
        source.span,
        lambda c2: core.Compare("in", c2.where[it], value(c2, source)),
        lambda c2: spelled(c2, source, scope),
        (source,),
        lambda c2: value_of(c2, source, scope),
        lambda c2: condition_text(c2.resolved, source),
    ).need("from", node.span)


def from_group(group: t.Name, members: Const, scope: Scope, span: Span) -> Need:
    """A resource must be one of its group."""
    it = scope.params[0]

    return Implied(
        ("group", members.value),
        scope,
        span,
        lambda c: core.Compare("in", c.where[it], members),
        lambda c: group_text(c.resolved, group),
    ).need("from")


def something(c: Context, step: t.Stmt, scope: Scope, test: Callable[[Context], Condition]) -> Need:
    """There must be something to choose from."""

    return Implied(
        ("possible", step), scope, step.span, test, lambda c2: sentence_of(c2.resolved, step).rstrip("."), (step,)
    ).need("next")
