"""Prices and amounts that are none: paid for nothing, coming back, below nothing, or paid before anything is sure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise, takewhile, zip_longest
from typing import Any

from edict.checks.check_registry import Checks, Rules, blocks, offering, with_blocks
from edict.language import tree as t
from edict.language.printing.printed_expressions import expression
from edict.language.roles import Role, has, having
from edict.language.walking import parts, walk
from edict.meaning.ability_targets import LOSING
from edict.meaning.block_steps import steps
from edict.meaning.call_graph import calls
from edict.meaning.effects import all_reads, moved
from edict.meaning.possible_values import Reader, possible
from edict.meaning.resource_names import resources
from edict.meaning.symbols import Local, Meaning, Resolved, Symbol, parts_of
from edict.meaning.types import Typed
from edict.report import Diagnostic, Edit, Label

checks = Checks()


@checks.at(offering)
def rewards_for_nothing(rules: Rules, may: t.Stmt) -> Iterator[Diagnostic]:
    """`may lose 2 wood` with more below it: that comes for whoever has no wood, too, as a loss takes what there is."""
    resolved, lose = rules.resolved, getattr(may, "head", None)
    below: t.Block = getattr(may, "then", ())
    if not isinstance(lose, t.Lose) or not any(map(_brings, steps(resolved, below))):
        return
    written = [part for part in lose.bundle.parts if isinstance(part.amount, t.Number)]
    lacking = {what for what in moved(resolved, replace(lose.bundle, parts=tuple(written))) if _runs_out(what)}
    asked = all_reads(resolved, *(one for one in walk(_rule_with(rules.owner, may)) if isinstance(one, t.Expr)))
    if lacking and not lacking & asked and not any(_loss_awaited(resolved, what) for what in lacking):
        word = replace(lose.span, end_line=lose.span.line, end_column=lose.span.column + len("lose"))
        yield Diagnostic(
            "E0571", "whoever has none of this can take the offer too, and gives up nothing", lose.span,
            severity="warning", labels=(Label(below[0].span, "what it brings"),),
            note="`lose` takes what there is, and what follows happens anyway.",
            help="write `spend` in place of `lose`: it is then offered only to those who have all of it",
            edits=(Edit(word, "spend"),),
        )  # fmt: skip


def _brings(step: t.Stmt) -> bool:
    """Whether it may be what the offer is for: no words alone, and no loss (of a debt, and of its price)."""
    kind: type = type(step)
    return isinstance(step, t.Gain | t.Take) or not (has(kind, Role.MOVED) or has(kind, Role.SAID))


def _runs_out(what: Meaning) -> bool:
    """Whether somebody may have none of it to lose; what may go below 0 is always lost in full."""
    one = what.definition if isinstance(what, Symbol) else None
    return not (isinstance(one, t.Resource) and one.below_zero)


def _rule_with(owner: t.Definition, node: t.Node) -> t.Node:
    """The field or ability of a thing in which it stands; else all that is defined there."""
    apart = (*owner.fields, *owner.abilities) if isinstance(owner, t.Thing) else ()
    return next((one for one in apart if node in walk(one)), owner)


def _loss_awaited(resolved: Resolved, what: Meaning) -> bool:
    """Whether rules wait for a loss of it: to pay is not to lose, so it may well be meant."""
    held = calls(resolved).held.get(what.definition, ()) if isinstance(what, Symbol) and what.definition else ()
    return any(getattr(one, "edge", "") == LOSING for one in held)


# --- what is paid and comes back -----------------------------------------------------------------

Amounts = dict[Meaning, list[t.Expr]]


@checks.at(offering, t.Spend)
def comes_back(rules: Rules, node: Any) -> Iterator[Diagnostic]:
    """What is paid and gained again right below, so that it costs nothing."""
    typed, same = rules.typed, rules.reader
    spend = getattr(node, "head", node)  # of an offer, what is offered
    if isinstance(spend, t.Spend):
        gains = list(takewhile(lambda step: isinstance(step, t.Gain | t.Announce), node.then))
        paid, back = _paid(typed.resolved, spend), _amounts(typed.resolved, *_only_bundles(*gains))
        if paid and back and _makes_up(typed, same, back, paid):
            alone = len(gains) == len(node.then) and not node.otherwise and _makes_up(typed, same, paid, back)
            if alone or typed.resolved.binds.get(spend) not in paid:  # which of several one has is chosen by paying it
                yield _for_free(spend, next(step for step in gains if isinstance(step, t.Gain)), alone)


@checks.at(with_blocks)
def taken_at_once(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    """What is gained, and taken away by the next step."""
    typed, same = rules.typed, rules.reader
    for block in blocks(node):
        for step, following in pairwise(block):
            if isinstance(step, t.Gain) and (isinstance(following, t.Lose) or for_nothing(following)):
                given, taken = (_amounts(typed.resolved, *_only_bundles(one)) for one in (step, following))
                if given and taken and _makes_up(typed, same, given, taken) and _makes_up(typed, same, taken, given):
                    yield Diagnostic(
                        "E0581", "what is gained here is taken away at once, so nothing happens", following.span,
                        severity="warning", labels=(Label(step.span, "it is gained here"),),
                        help="take something else, or delete both lines",
                    )  # fmt: skip


def _for_free(spend: t.Spend, gain: t.Gain, alone: bool) -> Diagnostic:
    title, remedy = "what is paid comes back at once, so nothing happens", "let it bring something else"
    if not alone:
        title = "what is paid comes back at once, so this costs nothing"
        remedy = "let it cost more than comes back; or, where it is enough to have that much, " \
            "write `if can spend ...` in place of the price, with only the surplus under it"
    price = spend.options[0].span.to(spend.options[-1].span)
    return Diagnostic(
        "E0581", title, gain.span, severity="warning", labels=(Label(price, "it is paid here"),), help=remedy
    )  # fmt: skip


def _only_bundles(*steps: t.Node) -> Iterator[t.Bundle]:
    """What such steps move, those left out that give or take one thing or another."""
    bundles = ([*having(step, Role.MOVED)] for step in steps)
    yield from (one[0] for one in bundles if len(one) == 1)


def _paid(resolved: Resolved, spend: t.Spend) -> Amounts | None:
    """What is paid in any case; of several ways it is only known under the name that it is given."""
    name, first = resolved.binds.get(spend), spend.options[0]
    if name is not None and isinstance(first.parts[0], t.Part):
        return {name: [first.parts[0].amount]}  # of each way it is as much
    return _amounts(resolved, first) if len(spend.options) == 1 else None


def _amounts(resolved: Resolved, *bundles: t.Bundle) -> Amounts | None:
    """How much of what; None if a resource is not certain, or rules wait for somebody to gain or lose it."""
    found: Amounts = {}
    for part in (part for bundle in bundles for part in parts_of(resolved, bundle)):
        if not isinstance(part, t.Part) or part.each:
            return None
        meaning = resolved.meaning[part.what]
        if meaning.sort == "group" or _awaited(resolved, part.what):
            return None
        found.setdefault(meaning, []).append(part.amount)
    return found


def _awaited(resolved: Resolved, what: t.Name) -> bool:
    held = calls(resolved).held
    return any(isinstance(one, Symbol) and one.definition in held for one in resources(resolved, what))


def _makes_up(typed: Typed, same: Reader, given: Amounts, taken: Amounts) -> bool:
    """Whether of all that is taken at least as much is given."""
    return all(meaning in given and _as_much(typed, same, given[meaning], taken[meaning]) for meaning in taken)


def _as_much(typed: Typed, same: Reader, given: list[t.Expr], taken: list[t.Expr]) -> bool:
    if sum(possible(typed, one).low for one in given) >= sum(possible(typed, one).high for one in taken):
        return True
    one, *more = taken
    named = isinstance(one, t.Name) and isinstance(typed.resolved.meaning.get(one), Local)
    return named and not more and same.key(one) in map(same.key, given)


# --- what is paid before it is known whether anything comes of it --------------------------------


@checks.at(t.Phase, t.When)
def paid_too_soon(rules: Rules, rule: t.Phase | t.When) -> Iterator[Diagnostic]:
    """A price, and below it only what needs a player of some sort, of whom there may be none; nothing asks before.

    Of routines and actions nothing is said: whoever calls them may have asked.
    """
    found, inside = [], set[t.Node]()
    for node in walk(rule):
        spend, then = getattr(node, "head", node), getattr(node, "then", ())
        if isinstance(spend, t.Spend) and then and node not in inside:
            sought = _sought(rules.resolved, node, then)
            if sought is not None:
                found.append((spend, sought, isinstance(then[0], t.Choose)))
                inside.update(walk(node))
    around = (node for node in walk(rule) if isinstance(node, t.Expr) and node not in inside) if found else ()
    known = all_reads(rules.resolved, *around)
    for spend, sought, chosen in found:
        if _may_be_nobody(all_reads(rules.resolved, sought), known):
            yield _for_nobody(spend, sought, chosen)


def _sought(resolved: Resolved, paid: t.Node, then: t.Block) -> t.Expr | None:
    """What is asked of players without whom nothing comes of what is paid."""
    first, *more = then
    if isinstance(first, t.Choose):  # with nobody to choose, the rest of the block is left out
        return first.where if resolved.of(first.kind).sort == "player" else None
    if more or isinstance(paid, t.Spend):
        return None  # what must be paid may be meant as a fine
    if not isinstance(first, t.Loop):
        return None
    kind: t.Name | None = getattr(first, "kind", None)
    asking = (one for one in walk(first) if isinstance(one, t.Where | t.EachWhere | t.EachRound))
    sources = (asked for one in asking for asked in having(one, Role.PER_MEMBER))
    return next(sources, None) if kind is not None and resolved.of(kind).sort == "player" else None


def _may_be_nobody(asked: frozenset[Meaning], known: frozenset[Meaning]) -> bool:
    """Whether what is asked changes, is no secret on which one may bet, and was not looked at around the price."""
    kept = [one for one in asked if isinstance(one, Symbol)]
    secret = any(isinstance(one.definition, t.Keep | t.Resource) and one.definition.secret for one in kept)
    return bool(kept) and not secret and not asked & known


def _for_nobody(spend: t.Spend, sought: t.Expr, chosen: bool) -> Diagnostic:
    remedy = "put the price under an `if some player has ...`"
    return Diagnostic(
        "E0582", "there may be no such player, and the price is paid all the same", sought.span, severity="warning",
        labels=(Label(spend.options[0].span.to(spend.options[-1].span), "it is paid here"),),
        help=f"choose first, with the price below the choice, or {remedy}" if chosen else remedy,
    )  # fmt: skip


# --- prices with nothing below them --------------------------------------------------------------


@checks.at(with_blocks)
def prices_for_nothing(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    """A price with nothing below it, and something beside it that was meant to hang on it."""
    for block in blocks(node):
        for step, following in zip_longest(block, block[1:]):
            price = only_step(step) or step
            if for_nothing(price) and isinstance(following, t.Gain):
                yield Diagnostic(
                    "E0533", "this happens whether the price before it is paid or not", following.span,
                    labels=(Label(price.span, "the price"),), severity="warning",
                    help="indent it under the price, so that it comes only if that is paid",
                )  # fmt: skip
            elif for_nothing(price) and price is not step:
                yield Diagnostic(
                    "E0533", "whoever takes this offer pays and gets nothing", step.span, severity="warning",
                    help="indent under it what is paid for; if it is good to be rid of, write `may lose`",
                )  # fmt: skip


def for_nothing(step: t.Stmt | None) -> bool:
    return isinstance(step, t.Spend) and not (step.then or step.otherwise)


def only_step(step: t.Stmt) -> t.Stmt | None:
    """The step that another one is all about: `may STEP`."""
    inner = [value for _, value in parts(step) if value and not isinstance(value, str)]  # texts are only words
    return inner[0] if len(inner) == 1 and isinstance(inner[0], t.Stmt) else None


# --- amounts below nothing -----------------------------------------------------------------------


_FROM_TO = re.compile(r"(\d+) - (\d+)")


def _moving(kind: type) -> bool:
    return not issubclass(kind, t.Expr) and has(kind, Role.MOVED)


@checks.at(_moving)
def amounts_below_nothing(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    """Amounts below nothing count as nothing; written out, that is a mistake."""
    for bundle in having(node, Role.MOVED):
        for part in bundle.parts:
            if possible(rules.typed, part.amount).high >= 0:
                continue
            written = _FROM_TO.fullmatch(expression(part.amount))
            if written:
                yield _from_to(written[1], written[2], part.amount, isinstance(node, t.Gain))
            else:
                instead = "lose" if isinstance(node, t.Gain) else "gain"
                yield Diagnostic(
                    "E0531", "an amount below 0 counts as 0, so this does nothing", part.amount.span,
                    help=f"write `{instead}` and the amount without the minus",
                )  # fmt: skip


def _from_to(low: str, high: str, amount: t.Expr, gained: bool) -> Diagnostic:
    """A difference below nothing, written as people write from one number to another."""
    who, verb, name = ("chance decide", "draw", "drawn") if gained else ("the player choose", "choose", "chosen")
    return Diagnostic(
        "E0531", f"`{low}-{high}` is {low} minus {high}, and an amount below 0 counts as 0", amount.span,
        help=f"to let {who}, write `{verb} a number from {low} to {high} as {name}` in a line above, "
        f"and `{name}` as the amount",
    )  # fmt: skip
