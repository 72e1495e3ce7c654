"""The reasons of a program, which compile every condition that decides an offer as separately callable code.

None of it runs in play. While a question waits, the locals around it are still in their cells, so a condition
evaluated then sees the same values as the rules did; only the option itself is passed as an argument.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeGuard

from edict.compiler.codegen import core
from edict.compiler.codegen.core import Condition, Const, CoreExpr, Procedure
from edict.compiler.codegen.core_builder import ALWAYS
from edict.compiler.english import describe
from edict.compiler.lowering import costs
from edict.compiler.lowering.asks import (
    ConditionBuilder,
    MemberFilter,
    ReasonScope,
    Requirement,
    current_scope,
    reason_cause,
)
from edict.compiler.lowering.containers import VISITED_LOWERINGS, iterable_members, iterable_type
from edict.compiler.lowering.context import Context
from edict.compiler.lowering.program_wording import (
    condition_text_with,
    group_text,
    once_text,
    price_text,
    step_sentence,
)
from edict.compiler.lowering.quantity_lowering import build_unused_condition
from edict.compiler.lowering.value_lowering import lower_condition, lower_value, lower_without_coercion, resource_place
from edict.compiler.semantics.announcements import find_kinds_with_article
from edict.compiler.semantics.link import AttachedAbility
from edict.compiler.semantics.secret_sources import find_local_secrets
from edict.compiler.semantics.symbols import NUMBER, TRUTH, Local, Meaning, Symbol, split_parts
from edict.compiler.syntax import tree as t
from edict.runtime.program import ValueType
from edict.runtime.program.reasons import ConditionCheck, ReasonValue
from edict.support.morphology import add_definite_article
from edict.support.records import dataclass
from edict.support.text import Span

OWNED_SORTS = ("resource", "group", "die")
STATE_SORTS = ("keep", "quantity", "value", "setting")


# --- queries ---------------------------------------------------------------------------------------


def request_query(
    c: Context,
    key: object,
    scope: ReasonScope,
    nodes: tuple[t.Node, ...],
    value_type: ValueType,
    read: Callable[[Context], CoreExpr],
) -> int:
    """Return the number of the query that reads a value; equal queries share their code.

    Args:
        c: The context.
        key: What identifies the value.
        scope: The rule and the parameters.
        nodes: The nodes on whose names it depends.
        value_type: The type of the value.
        read: Builds the value.
    """
    full_key = (key, scope.params, _collect_captured_values(c, scope, nodes))

    def body(ctx: Context, p: Procedure) -> None:
        """Lower the query's procedure: bind the scope's parameters and store the value read."""
        ctx.bindings.update(zip(scope.params, p.params, strict=True))
        ctx.set(p.result, read(ctx))

    if full_key not in c.parts.numbers:
        span = nodes[0].span if nodes else c.linked.game.span
        procedure_key = ("reason", len(c.parts.queries))
        procedure = c.request_procedure(
            procedure_key, len(scope.params), body, (*scope.rule, span), result_type=value_type
        )
        procedure.aside = True
        c.parts.numbers[full_key] = c.parts.add_query(procedure, c.with_cell_count(value_type))
    return c.parts.numbers[full_key]


def _collect_captured_values(c: Context, scope: ReasonScope, nodes: tuple[t.Node, ...]) -> tuple[CoreExpr, ...]:
    """Return the current values of the locals that the nodes name and that are no parameters of the scope.

    A query is shared only by reasons for which these are equal.
    """
    locals_ = dict.fromkeys(m for _, m in c.iter_names(*nodes) if isinstance(m, Local) and m not in scope.params)
    return tuple(c.bindings[local] for local in locals_ if local in c.bindings)


# --- checks ----------------------------------------------------------------------------------------


def add_check(c: Context, expr: t.Expr, scope: ReasonScope) -> int:
    """Add the check of a condition, split into parts that can be tested separately, and return its number."""
    cause, text = reason_cause(c, scope, expr.span), source_text(c, expr, scope)
    words = condition_text_with(c.resolved, expr, scope.names)
    if isinstance(expr, t.Binary) and expr.op in ("and", "or"):
        parts = tuple(add_check(c, part, scope) for part in flatten_junction(expr, expr.op))
        return c.parts.add_check(
            ConditionCheck("all" if expr.op == "and" else "any", text, cause, parts=parts, words=words)
        )
    if _has_testable_members(expr, c):
        return _add_quantified_check(c, expr, scope, text, words, cause)
    if isinstance(expr, t.CanPay) and not mentions_secret_local(c, expr):
        alternatives = tuple(_add_price_check(c, bundle, scope, text, cause) for bundle in expr.options)
        if len(alternatives) == 1:
            return alternatives[0]
        return c.parts.add_check(ConditionCheck("any", text, cause, parts=alternatives, words=words))
    test_query = request_query(
        c, ("holds", expr), scope, (expr,), TRUTH, lambda ctx: core.TruthValue(lower_condition(ctx, expr))
    )
    operands, secret = operand_values(c, expr, scope), mentions_secret_local(c, expr)
    return c.parts.add_check(ConditionCheck("is", text, cause, test_query, values=operands, secret=secret, words=words))


def flatten_junction(expr: t.Expr, op: str) -> list[t.Expr]:
    """Return the parts of a chain of `and` or of `or`."""
    if isinstance(expr, t.Binary) and expr.op == op:
        return [*flatten_junction(expr.left, op), *flatten_junction(expr.right, op)]
    return [expr]


def _has_testable_members(expr: t.Expr, c: Context) -> TypeGuard[t.Quantified]:
    """Return True for `every` and `some` over a stored set that is open to all."""
    return (
        isinstance(expr, t.Quantified)
        and expr.op != "no"
        and type(expr.members) not in VISITED_LOWERINGS
        and not mentions_secret_local(c, expr.members)
    )


def _add_quantified_check(c: Context, expr: t.Quantified, scope: ReasonScope, text: str, words: str, cause: int) -> int:
    """Add the check of `every` or `some`: a query of the members, and a check of one member; return its number."""
    member_type = iterable_type(c, expr.members)
    members = request_query(
        c, ("members", expr), scope, (expr.members,), member_type, lambda ctx: iterable_members(ctx, expr.members)
    )
    part = add_check(c, expr.condition, scope.with_params(c.resolved.binds[expr]))
    return c.parts.add_check(ConditionCheck(expr.op, text, cause, members, member_type.kind, (part,), words=words))


# --- prices ----------------------------------------------------------------------------------------


def _add_price_check(c: Context, bundle: t.Bundle, scope: ReasonScope, text: str, cause: int) -> int:
    """Add the check whether a bundle can be paid, with the amounts asked for and owned."""
    parts = tuple(_add_part_check(c, bundle, part, scope, text, cause) for part in split_parts(c.resolved, bundle))
    return c.parts.add_check(ConditionCheck("all", text, cause, parts=parts, words=_describe_price(c, bundle)))


def _describe_price(c: Context, bundle: t.Bundle) -> str:
    return f"you can pay {price_text(c.resolved, bundle)}"


def _add_part_check(
    c: Context, bundle: t.Bundle, part: t.Part | t.PartFrom, scope: ReasonScope, text: str, cause: int
) -> int:
    """Add the check of one part of a price; a price of 0 needs nothing."""

    def test(ctx: Context) -> Condition:
        """Build the condition that this part of the bundle can be paid."""
        return core.All(tuple(costs.part_payable(ctx, part, bundle)))

    amounts = (
        *_price_values(c, part, scope),
        *(build_owned_amount(c, scope, resource) for resource in list_resources_with_floor(c, part)),
    )
    test_query = request_query(c, ("enough", part), scope, (part,), TRUTH, lambda ctx: core.TruthValue(test(ctx)))
    enough = c.parts.add_check(
        ConditionCheck("is", text, cause, test_query, values=amounts, words=_describe_price(c, bundle))
    )
    if isinstance(part, t.PartFrom) or part.price is None:
        return enough
    zero_query = request_query(
        c,
        ("free", part),
        scope,
        (part,),
        TRUTH,
        lambda ctx: core.TruthValue(core.Compare("=", costs.part_amount(ctx, part), Const(0))),
    )
    return c.parts.add_check(
        ConditionCheck(
            "any", text, cause, parts=(c.parts.add_check(ConditionCheck("is", "", cause, zero_query)), enough)
        )
    )


def _price_values(c: Context, part: t.Part | t.PartFrom, scope: ReasonScope) -> tuple[ReasonValue, ...]:
    """Return the amount of a part of a price, if it must be computed."""
    if isinstance(part, t.PartFrom) or part.price is None:
        return build_value_if_computed(c, part.amount, scope)
    number = request_query(
        c, ("value", part.amount), scope, (part.amount,), NUMBER, lambda ctx: lower_value(ctx, part.amount)
    )
    if isinstance(part.price, t.Apply):
        words = describe(c.resolved, part.price)
        return (ReasonValue(f"{source_text(c, part.price, scope)} in {part.what.word}", number, words=words),)
    return (ReasonValue("what is missing", number),)  # the rest is paid with jokers


def list_resources_with_floor(c: Context, part: t.Part | t.PartFrom) -> tuple[int, ...]:
    """Return the named resources of a part that cannot go below zero."""
    members = costs.resources_of(c, part) or () if isinstance(part, t.Part) else ()
    return tuple(resource for resource in members if costs.has_floor(c, resource))


def build_owned_amount(c: Context, scope: ReasonScope, resource: int) -> ReasonValue:
    """Return what the seat owns of a resource, as a value for explanations, with its title and query."""
    definition = c.linked.resources[resource]
    title = title_forms(Symbol("resource", definition.name.word, definition))
    number = request_query(c, ("has", resource), scope, (), NUMBER, lambda ctx: resource_place(ctx, resource).value)
    return ReasonValue(title, number, have=True)


@dataclass(frozen=True)
class ImpliedCondition:
    """A condition that the rules only imply, such as a price, a total or that a choice can be completed."""

    key: object  # equal for conditions with the same code
    scope: ReasonScope
    span: Span
    test: ConditionBuilder
    text: Callable[[Context], str] = lambda c: ""
    about: tuple[t.Node, ...] = ()  # nodes on whose names it depends
    values: Callable[[Context], tuple[ReasonValue, ...]] = lambda c: ()
    words: Callable[[Context], str] = lambda c: ""

    def to_requirement(self, sort: str, span: Span | None = None) -> Requirement:
        """Return it as a requirement; `span` is where it is required, if not where it is written."""
        return Requirement(sort, self.scope, span or self.span, self.test, self.add_check)

    def add_check(self, c: Context) -> int:
        """Add its check, and return the number."""
        text, values = self.text(c), self.values(c)
        test_query = request_query(
            c, self.key, self.scope, self.about, TRUTH, lambda ctx: core.TruthValue(self.test(ctx))
        )
        cause, secret = reason_cause(c, self.scope, self.span), mentions_secret_local(c, *self.about)
        return c.parts.add_check(
            ConditionCheck("is", text, cause, test_query, values=values, secret=secret, words=self.words(c))
        )


def mentions_secret_local(c: Context, *nodes: t.Node) -> bool:
    """Return True if nodes refer to a local that was drawn or chosen in secret.

    Reads of secret keeps are watched at run time instead.
    """
    secret_locals = find_local_secrets(c.resolved)
    return bool(secret_locals) and any(meaning in secret_locals for _, meaning in c.iter_names(*nodes))


def build_implied_price(
    scope: ReasonScope, text: str, bundles: tuple[t.Bundle, ...], resource: int | None = None
) -> ImpliedCondition:
    """Return the condition that one of the bundles, or one piece of the resource, can be paid."""

    def test(c: Context) -> Condition:
        """Build the condition that you have one piece of the resource, or can pay one of the bundles."""
        if resource is not None:
            enough = core.Compare(">=", resource_place(c, resource).value, Const(1))
            return enough if costs.has_floor(c, resource) else ALWAYS
        return costs.any_payable(c, bundles)

    def values(c: Context) -> tuple[ReasonValue, ...]:
        """Return what the seat owns of each resource the price may take, in order of their numbers."""
        parts = (part for bundle in bundles for part in split_parts(c.resolved, bundle))
        if resource is None:
            used = {r for part in parts for r in list_resources_with_floor(c, part)}
        else:
            used = {resource}
        return tuple(build_owned_amount(c, scope, r) for r in sorted(used) if costs.has_floor(c, r))

    return ImpliedCondition(("price", bundles, resource), scope, bundles[0].span, test, lambda c: text, bundles, values)


# --- values in a condition -------------------------------------------------------------------------


def operand_values(c: Context, expr: t.Expr, scope: ReasonScope) -> tuple[ReasonValue, ...]:
    """Return the computed values on both sides of a condition."""
    if isinstance(expr, t.Unary) and expr.op in ("not", "empty", "not-empty"):
        operand = expr.arg
        if expr.op == "not":
            return operand_values(c, operand, scope)
        return build_value_if_computed(c, operand, scope)
    if isinstance(expr, t.Binary) and c.type_of(expr).shape == "truth":
        return (*build_value_if_computed(c, expr.left, scope), *build_value_if_computed(c, expr.right, scope))
    if c.type_of(expr).shape == "number":
        return build_value_if_computed(c, expr, scope)
    return ()


def build_value_if_computed(c: Context, expr: t.Expr, scope: ReasonScope) -> tuple[ReasonValue, ...]:
    """Return the value of an expression with its text, as a tuple of one; empty if the text shows the value already."""
    if not _must_be_computed(c, expr, scope) or c.type_of(expr).shape in ("truth", "nothing"):
        return ()
    return (build_value(c, expr, scope),)


def build_value(c: Context, expr: t.Expr, scope: ReasonScope) -> ReasonValue:
    """Return the value of an expression with its text and query."""
    value_type = c.type_of(expr)
    number = request_query(
        c, ("value", expr), scope, (expr,), value_type, lambda ctx: lower_without_coercion(ctx, expr)
    )
    resource_title = _own_resource_title(c, expr, scope)
    return ReasonValue(
        resource_title or source_text(c, expr, scope),
        number,
        bool(resource_title),
        "" if resource_title else describe(c.resolved, expr),
    )


def _must_be_computed(c: Context, expr: t.Expr, scope: ReasonScope) -> bool:
    """Return False for plain numbers, parameters and names of things; True for values that depend on the state."""
    if isinstance(expr, t.Name):
        meaning = c.resolved.meaning_of(expr)
        if isinstance(meaning, Local):
            return meaning not in scope.params and meaning not in scope.names
        return meaning.sort in STATE_SORTS
    if isinstance(expr, t.Unary) and expr.op == "minus":
        return _must_be_computed(c, expr.arg, scope)
    return not isinstance(expr, t.Number)


def _own_resource_title(c: Context, expr: t.Expr, scope: ReasonScope) -> str:
    """Return the resource's title for `gold of you`, and nothing for any other value."""
    if not isinstance(expr, t.Apply) or [getattr(arg, "word", "") for arg in expr.args] != ["you"]:
        return ""
    meaning = c.resolved.meaning_of(expr.head)
    if isinstance(meaning, Local):
        return f"{{{scope.params.index(meaning)}}}" if meaning in scope.params else ""
    return title_forms(meaning) if meaning.sort in OWNED_SORTS else ""


def title_forms(symbol: Symbol) -> str:
    """Return a symbol's title, with its plural if it has one, or its name."""
    definition = symbol.definition
    return (definition.title if definition else "") or symbol.name


def source_text(c: Context, expr: t.Node, scope: ReasonScope) -> str:
    """Return the source text of a node with placeholders for the scope's parameters and names."""
    source, span = c.parts.sources.get(expr.span.file), expr.span
    if source is None:
        return ""
    lines = source.lines[span.line - 1 : span.end_line]
    lines[-1] = lines[-1][: span.end_column - 1]
    # some names occur twice
    placeholders = {name.span: _placeholder(meaning, scope) for name, meaning in c.iter_names(expr)}
    for name_span in sorted(
        (
            name_span
            for name_span in placeholders
            if placeholders[name_span] and span.line <= name_span.line <= span.end_line
        ),
        reverse=True,
    ):
        line = lines[name_span.line - span.line]
        lines[name_span.line - span.line] = (
            line[: name_span.column - 1] + placeholders[name_span] + line[name_span.end_column - 1 :]
        )
    lines[0] = lines[0][span.column - 1 :]
    return " ".join(" ".join(lines).split())


def _placeholder(meaning: Meaning, scope: ReasonScope) -> str:
    """Return what replaces a name in the text; empty if it stays."""
    if not isinstance(meaning, Local):
        return ""
    if meaning in scope.params:
        return f"{{{scope.params.index(meaning)}}}"
    return scope.names.get(meaning, "")


# --- abilities -------------------------------------------------------------------------------------


def title_in_sentence(c: Context, attached: AttachedAbility) -> str:
    """Return the title of an ability within a sentence: `the Market`, but `Court Intrigue`."""
    if attached.thing is not None and attached.thing.kind.word in find_kinds_with_article(c.resolved):
        return add_definite_article(attached.title)
    return attached.title


def add_ability_check(
    c: Context, attached: AttachedAbility, locals_: tuple[Local, ...] = (), extra_checks: tuple[int, ...] = ()
) -> int:
    """Add the check that an ability applies, together with `extra_checks`; -1 if it always does."""
    scope, parts = ReasonScope((attached.name, attached.title), locals_), list(extra_checks)
    condition = getattr(attached.ability, "condition", None)
    if condition is not None:
        parts.insert(0, add_check(c, condition, scope))
    if attached.thing is not None:
        kind: t.Kind = c.resolved.require_definition(attached.thing.kind.word)
        if kind.works_if is not None:
            thing = c.resolved.binds[kind]
            c.bindings[thing] = Const(c.linked.thing_index(attached.thing.name.word, kind.name.word))
            parts.insert(0, add_check(c, kind.works_if, replace(scope, names={thing: attached.title})))
    if len(parts) < 2:
        return parts[0] if parts else -1
    return c.parts.add_check(
        ConditionCheck("all", "", reason_cause(c, scope, attached.ability.span), parts=tuple(parts))
    )


def build_implied_use_limit(ability: t.LimitedAbility, scope: ReasonScope, prefix: str = "") -> ImpliedCondition:
    """Return the condition that an ability with a limit such as `once per` is not used up."""

    def text(c: Context) -> str:
        return prefix + once_text(c.resolved, ability.once_per)

    return ImpliedCondition(("once", ability), scope, ability.span, lambda c: build_unused_condition(c, ability), text)


# --- requirements ----------------------------------------------------------------------------------


def requirement_in_rules(
    c: Context, sort: str, expr: t.Expr, scope: ReasonScope, span: Span | None = None
) -> Requirement:
    """Return a requirement that is written in the rules."""
    return Requirement(
        sort, scope, span or expr.span, lambda ctx: lower_condition(ctx, expr), lambda ctx: add_check(ctx, expr, scope)
    )


def filters_of_where(c: Context, where: t.Expr | None) -> tuple[MemberFilter, ...]:
    """Return a filter with all parts of a `where`."""
    if where is None:
        return ()
    scope = current_scope(c).with_params(c.resolved.member_locals[where])
    return (
        MemberFilter(
            scope.params[0],
            tuple(requirement_in_rules(c, "where", part, scope) for part in flatten_junction(where, "and")),
        ),
    )


def source_requirement(c: Context, node: t.Node, source: t.Expr, scope: ReasonScope) -> Requirement:
    """Return the requirement that an option is in a set written in the rules."""
    option = scope.params[0]

    return ImpliedCondition(
        ("from", source),
        scope,
        source.span,
        lambda ctx: core.Compare("in", ctx.bindings[option], lower_value(ctx, source)),
        lambda ctx: source_text(ctx, source, scope),
        (source,),
        lambda ctx: build_value_if_computed(ctx, source, scope),
        lambda ctx: describe(ctx.resolved, source),
    ).to_requirement("from", node.span)


def group_requirement(group: t.Name, members: Const, scope: ReasonScope, span: Span) -> Requirement:
    """Return the requirement that an option is a resource of a group."""
    option = scope.params[0]

    return ImpliedCondition(
        ("group", members.value),
        scope,
        span,
        lambda c: core.Compare("in", c.bindings[option], members),
        lambda c: group_text(c.resolved, group),
    ).to_requirement("from")


def option_exists_requirement(
    c: Context, step: t.Stmt, scope: ReasonScope, test: Callable[[Context], Condition]
) -> Requirement:
    """Return the requirement that a step has at least one option."""
    return ImpliedCondition(
        ("possible", step), scope, step.span, test, lambda ctx: step_sentence(ctx.resolved, step).rstrip("."), (step,)
    ).to_requirement("next")
