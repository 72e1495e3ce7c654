"""Prices and amounts without a purpose.

They are paid for nothing, come back at once, are below 0, or are paid before it is known whether they bring anything.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, takewhile, zip_longest
from typing import Any

from edict.compiler.checks.check_registry import (
    CheckContext,
    Checks,
    has_blocks,
    is_declinable,
    iter_blocks,
    moves_resources,
)
from edict.compiler.semantics.ability_targets import LOSING
from edict.compiler.semantics.call_graph import collect_handlers
from edict.compiler.semantics.effects import collect_reads, iter_moved_resources
from edict.compiler.semantics.possible_values import ConditionReader, evaluate_abstractly
from edict.compiler.semantics.resource_names import resources_of_name
from edict.compiler.semantics.symbols import Local, Meaning, ResolvedBook, Symbol, expand_steps, split_parts
from edict.compiler.semantics.types import TypedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.printing.expression_printer import print_expression
from edict.compiler.syntax.roles import Role, carries_role, iter_role_values
from edict.compiler.syntax.traversal import iter_fields, walk
from edict.support.report import Diagnostic, Edit, Label

checks = Checks()


@checks.check_nodes(is_declinable)
def find_free_rewards(rules: CheckContext, may: t.Stmt) -> Iterator[Diagnostic]:
    """Find `may lose 2 wood` with a reward below it: players without wood get it, too, as they lose what they have."""
    resolved, loss = rules.resolved, getattr(may, "head", None)
    below: t.Block = getattr(may, "then", ())
    if not isinstance(loss, t.Lose) or not any(map(_is_reward, expand_steps(resolved, below))):
        return
    literal_parts = [part for part in loss.bundle.parts if isinstance(part.amount, t.Number)]
    exhaustible = {
        resource
        for resource in iter_moved_resources(resolved, replace(loss.bundle, parts=tuple(literal_parts)))
        if _is_exhaustible(resource)
    }
    reads = collect_reads(
        resolved, *(node for node in walk(_find_enclosing_rule(rules.owner, may)) if isinstance(node, t.Expr))
    )
    if (
        exhaustible
        and not exhaustible & reads
        and not any(_is_loss_awaited(resolved, resource) for resource in exhaustible)
    ):
        keyword = replace(loss.span, end_line=loss.span.line, end_column=loss.span.column + len("lose"))
        yield Diagnostic(
            "E0571",
            "players who have none of this can take the offer too, for free",
            loss.span,
            severity="warning",
            labels=(Label(below[0].span, "the gain"),),
            note="`lose` takes only what the player has, and the next steps happen anyway.",
            help="write `spend` instead of `lose`, so that only players who can pay in full get the offer",
            edits=(Edit(keyword, "spend"),),
        )


def _is_reward(step: t.Stmt) -> bool:
    """Return True for a gain, a `take`, and any step that neither moves resources nor announces something."""
    kind: type = type(step)
    return isinstance(step, t.Gain | t.Take) or not (
        carries_role(kind, Role.MOVED) or carries_role(kind, Role.ANNOUNCED)
    )


def _is_exhaustible(resource: Meaning) -> bool:
    """Return True if a player may have none of a resource to lose; not if it may go below 0."""
    definition = resource.definition if isinstance(resource, Symbol) else None
    return not (isinstance(definition, t.Resource) and definition.below_zero)


def _find_enclosing_rule(owner: t.Definition, node: t.Node) -> t.Node:
    """Return the field or ability of the thing `owner` that contains a node; `owner` itself otherwise."""
    thing_rules = (*owner.fields, *owner.abilities) if isinstance(owner, t.Thing) else ()
    return next((rule for rule in thing_rules if node in walk(rule)), owner)


def _is_loss_awaited(resolved: ResolvedBook, resource: Meaning) -> bool:
    """Return True if abilities wait for losses of a resource; paying is none, so `lose` may be deliberate."""
    handlers = (
        collect_handlers(resolved).by_definition.get(resource.definition, ())
        if isinstance(resource, Symbol) and resource.definition
        else ()
    )
    return any(getattr(ability, "edge", "") == LOSING for ability in handlers)


# --- refunds -------------------------------------------------------------------------------------

Amounts = dict[Meaning, list[t.Expr]]


@checks.check_nodes(is_declinable, t.Spend)
def find_refunded_costs(rules: CheckContext, node: Any) -> Iterator[Diagnostic]:
    """Find prices that are gained again right below."""
    typed, reader = rules.typed, rules.reader
    spend = getattr(node, "head", node)  # the head of an offer
    if isinstance(spend, t.Spend):
        gains = list(takewhile(lambda step: isinstance(step, t.Gain | t.Announce), node.then))
        paid, returned = (
            _certain_payment(typed.resolved, spend),
            _collect_amounts(typed.resolved, *_iter_single_bundles(*gains)),
        )
        if paid and returned and _covers(typed, reader, returned, paid):
            is_everything = (
                len(gains) == len(node.then) and not node.otherwise and _covers(typed, reader, paid, returned)
            )
            if is_everything or typed.resolved.binds.get(spend) not in paid:  # paying may serve to choose one
                yield _diagnose_refund(spend, next(step for step in gains if isinstance(step, t.Gain)), is_everything)


@checks.check_nodes(has_blocks)
def find_reversed_gains(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Find gains that the next step takes away."""
    typed, reader = rules.typed, rules.reader
    for block in iter_blocks(node):
        for step, following in pairwise(block):
            if isinstance(step, t.Gain) and (isinstance(following, t.Lose) or is_idle_price(following)):
                given, taken = (
                    _collect_amounts(typed.resolved, *_iter_single_bundles(move)) for move in (step, following)
                )
                if given and taken and _covers(typed, reader, given, taken) and _covers(typed, reader, taken, given):
                    yield Diagnostic(
                        "E0581",
                        "this gain is lost again at once, so nothing happens",
                        following.span,
                        severity="warning",
                        labels=(Label(step.span, "gained"),),
                        help="take something else, or delete both lines",
                    )


def _diagnose_refund(spend: t.Spend, gain: t.Gain, is_everything: bool) -> Diagnostic:
    """Return E0581, for a price that is gained back, in full with nothing else (`is_everything`) or in part."""
    title, remedy = "this payment comes back at once, so nothing happens", "make the gain something else"
    if not is_everything:
        title = "this payment comes back at once, so this costs nothing"
        remedy = (
            "make it cost more than comes back; or, if having that much is enough, write `if can spend ...` instead "
            "of the price, with only the surplus under it"
        )
    price = spend.options[0].span.extend_to(spend.options[-1].span)
    return Diagnostic("E0581", title, gain.span, severity="warning", labels=(Label(price, "paid"),), help=remedy)


def _iter_single_bundles(*steps: t.Node) -> Iterator[t.Bundle]:
    """Yield the bundle that each step moves; steps with several alternatives (`or`) are skipped."""
    bundles = ([*iter_role_values(step, Role.MOVED)] for step in steps)
    yield from (alternatives[0] for alternatives in bundles if len(alternatives) == 1)


def _certain_payment(resolved: ResolvedBook, spend: t.Spend) -> Amounts | None:
    """Return the amounts paid by resource, or by the step's name for one of alternatives; None if uncertain."""
    name, first = resolved.binds.get(spend), spend.options[0]
    if name is not None and isinstance(first.parts[0], t.Part):
        return {name: [first.parts[0].amount]}  # the amount is the same of each alternative
    return _collect_amounts(resolved, first) if len(spend.options) == 1 else None


def _collect_amounts(resolved: ResolvedBook, *bundles: t.Bundle) -> Amounts | None:
    """Map each resource to its amounts in the bundles; None if one is a group or `each`, or has abilities waiting."""
    amounts: Amounts = {}
    for part in (part for bundle in bundles for part in split_parts(resolved, bundle)):
        if not isinstance(part, t.Part) or part.each:
            return None
        meaning = resolved.meaning[part.what]
        if meaning.sort == "group" or _is_awaited(resolved, part.what):
            return None
        amounts.setdefault(meaning, []).append(part.amount)
    return amounts


def _is_awaited(resolved: ResolvedBook, name: t.Name) -> bool:
    """Return True if an ability waits for changes of one of the resources that a name stands for."""
    handlers = collect_handlers(resolved).by_definition
    return any(
        isinstance(meaning, Symbol) and meaning.definition in handlers for meaning in resources_of_name(resolved, name)
    )


def _covers(typed: TypedBook, reader: ConditionReader, given: Amounts, taken: Amounts) -> bool:
    """Return True if for each resource in `taken`, `given` provably has at least the amounts taken."""
    return all(meaning in given and _is_at_least(typed, reader, given[meaning], taken[meaning]) for meaning in taken)


def _is_at_least(typed: TypedBook, reader: ConditionReader, given: list[t.Expr], taken: list[t.Expr]) -> bool:
    """Return True if the sum of some amounts is surely no less than that of others, or includes the same local name."""
    if sum(evaluate_abstractly(typed, first).low for first in given) >= sum(
        evaluate_abstractly(typed, first).high for first in taken
    ):
        return True
    first, *others = taken
    is_local = isinstance(first, t.Name) and isinstance(typed.resolved.meaning.get(first), Local)
    return is_local and not others and reader.value_key(first) in map(reader.value_key, given)


# --- payments before a test ----------------------------------------------------------------------


@checks.check_nodes(t.Phase, t.When)
def find_premature_payments(rules: CheckContext, rule: t.Phase | t.When) -> Iterator[Diagnostic]:
    """Yield a warning for a price that is paid before it is known that a player for its reward exists.

    Routines and actions are left out, since their callers may have tested it.
    """
    payments, payment_nodes = [], set[t.Node]()
    for node in walk(rule):
        spend, then = getattr(node, "head", node), getattr(node, "then", ())
        if isinstance(spend, t.Spend) and then and node not in payment_nodes:
            condition = _find_player_condition(rules.resolved, node, then)
            if condition is not None:
                payments.append((spend, condition, isinstance(then[0], t.Choose)))
                payment_nodes.update(walk(node))
    other_expressions = (
        (node for node in walk(rule) if isinstance(node, t.Expr) and node not in payment_nodes) if payments else ()
    )
    tested = collect_reads(rules.resolved, *other_expressions)
    for spend, condition, is_choice in payments:
        if _may_fail_untested(collect_reads(rules.resolved, condition), tested):
            yield _diagnose_premature_payment(spend, condition, is_choice)


def _find_player_condition(resolved: ResolvedBook, payment: t.Node, then: t.Block) -> t.Expr | None:
    """Return the condition on players, without any of whom the block `then` does nothing; None if there is none."""
    first, *others = then
    if isinstance(first, t.Choose):  # with nobody to choose, the rest of the block is skipped
        return first.where if resolved.meaning_of(first.kind).sort == "player" else None
    if others or isinstance(payment, t.Spend):
        return None  # an obligatory payment may be a fine
    if not isinstance(first, t.Loop):
        return None
    kind: t.Name | None = getattr(first, "kind", None)
    loops = (loop_ for loop_ in walk(first) if isinstance(loop_, t.Where | t.EachWhere | t.EachRound))
    sources = (condition for loop_ in loops for condition in iter_role_values(loop_, Role.PER_MEMBER))
    return next(sources, None) if kind is not None and resolved.meaning_of(kind).sort == "player" else None


def _may_fail_untested(condition_reads: frozenset[Meaning], tested: frozenset[Meaning]) -> bool:
    """Return True if a condition reads game state, none of it secret, and none that is `tested` elsewhere."""
    symbols = [meaning for meaning in condition_reads if isinstance(meaning, Symbol)]
    secret = any(
        isinstance(meaning.definition, t.Keep | t.Resource) and meaning.definition.secret for meaning in symbols
    )
    return bool(symbols) and not secret and not condition_reads & tested


def _diagnose_premature_payment(spend: t.Spend, condition: t.Expr, is_choice: bool) -> Diagnostic:
    """Return E0582, for a price whose effect needs a player who may not exist."""
    remedy = "put the price under an `if some player has ...`"
    return Diagnostic(
        "E0582",
        "there may be no such player, but the price is paid anyway",
        condition.span,
        severity="warning",
        labels=(Label(spend.options[0].span.extend_to(spend.options[-1].span), "paid"),),
        help=f"make the choice first, with the price below it, or {remedy}" if is_choice else remedy,
    )


# --- prices with nothing below them --------------------------------------------------------------


@checks.check_nodes(has_blocks)
def find_idle_prices(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Yield a warning for a price with no block below it, at the gain behind it or at the offer that has none."""
    for block in iter_blocks(node):
        for step, following in zip_longest(block, block[1:]):
            price = only_step(step) or step
            if is_idle_price(price) and isinstance(following, t.Gain):
                yield Diagnostic(
                    "E0533",
                    "this happens even if the price above it is not paid",
                    following.span,
                    labels=(Label(price.span, "the price"),),
                    severity="warning",
                    help="indent it under the price, so that it happens only if the price is paid",
                )
            elif is_idle_price(price) and price is not step:
                yield Diagnostic(
                    "E0533",
                    "this offer costs something and gives nothing",
                    step.span,
                    severity="warning",
                    help="indent under it what the player gets; if players want to get rid of it, write `may lose`",
                )


def is_idle_price(step: t.Stmt | None) -> bool:
    """Return True for a price with no steps below it."""
    return isinstance(step, t.Spend) and not (step.then or step.otherwise)


def only_step(step: t.Stmt) -> t.Stmt | None:
    """Return the step that is the only content of another step, as in `may STEP`; None if it has any other."""
    fields = [value for _, value in iter_fields(step) if value and not isinstance(value, str)]  # texts are only words
    return fields[0] if len(fields) == 1 and isinstance(fields[0], t.Stmt) else None


# --- amounts below 0 -----------------------------------------------------------------------------


_FROM_TO = re.compile(r"(\d+) - (\d+)")


@checks.check_nodes(moves_resources)
def find_negative_amounts(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Find amounts below 0, which count as 0."""
    for bundle in iter_role_values(node, Role.MOVED):
        for part in bundle.parts:
            if evaluate_abstractly(rules.typed, part.amount).high >= 0:
                continue
            range_match = _FROM_TO.fullmatch(print_expression(part.amount))
            width = part.amount.span.end_column - part.amount.span.column
            if range_match and width == len(f"{range_match[1]}-{range_match[2]}"):
                yield _diagnose_range(range_match[1], range_match[2], part, isinstance(node, t.Gain))
            else:
                yield _diagnose_negative_amount(rules.typed, node, bundle, part)


def _diagnose_negative_amount(typed: TypedBook, node: t.Node, bundle: t.Bundle, part: t.Part) -> Diagnostic:
    """Return a diagnostic for an amount below 0, with the opposite step as its fix if that is a number."""
    amount, instead = evaluate_abstractly(typed, part.amount).constant, "lose" if isinstance(node, t.Gain) else "gain"
    advice, edits = f"write `{instead}` and the amount without the minus", tuple[Edit, ...]()
    if amount is not None and isinstance(node, t.Gain | t.Lose) and len(bundle.parts) == 1:
        step = f"{instead} {-amount} {part.what.word}"
        advice, edits = f"write `{step}`", (Edit(node.span, step),)
    return Diagnostic(
        "E0531",
        "an amount below 0 counts as 0, so this does nothing",
        part.amount.span,
        help=advice,
        edits=edits,
        alternatives=((f"write `{instead}` and the amount without the minus", ()),),
    )


def _diagnose_range(low: str, high: str, part: t.Part, gained: bool) -> Diagnostic:
    """Return a diagnostic for a negative difference that looks like a range of numbers."""
    amount, what, opposite = part.amount, part.what.word, "lose" if gained else "gain"
    who, verb, name = ("chance decide", "draw", "drawn") if gained else ("the player choose", "choose", "chosen")
    return Diagnostic(
        "E0531",
        f"`{low}-{high}` is {low} minus {high}, and an amount below 0 counts as 0",
        amount.span,
        help=f"write `{opposite} {int(high) - int(low)} {what}` if that is meant; to let {who}, write "
        f"`{verb} a number from {low} to {high} as {name}` in a line above, and `{name}` as the amount",
    )
