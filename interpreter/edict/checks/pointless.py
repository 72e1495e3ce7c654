"""Steps that are well formed and cannot do what was surely meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import zip_longest

from edict.language import tree as t
from edict.checks.intervals import range_of
from edict.meaning.calls import calls, owners
from edict.meaning.edges import LOSING
from edict.meaning.effects import effects, moved
from edict.meaning.steps import steps
from edict.language.printing.expressions import expression
from edict.language.roles import Role, has, having
from edict.meaning.symbols import Meaning, Resolved, Symbol
from edict.language.walking import holding, is_block, parts, walk
from edict.meaning.types import Typed
from edict.report import Diagnostic, Edit, Label

_FROM_TO = re.compile(r"(\d+) - (\d+)")


def pointless(typed: Typed) -> Iterator[Diagnostic]:
    for owner in owners(typed.resolved):
        for node in walk(owner):
            if not isinstance(node, t.Expr):
                yield from _amounts_below_nothing(typed, node)
                yield from _choices_from_nothing(typed, node)
                yield from _prices_for_nothing(node)
                yield from _rewards_for_nothing(typed.resolved, owner, node)


def _amounts_below_nothing(typed: Typed, node: t.Node) -> Iterator[Diagnostic]:
    """Amounts below nothing count as nothing; written out, that is a mistake."""
    for bundle in having(node, Role.MOVED):
        for part in bundle.parts:
            if range_of(typed, part.amount)[1] >= 0:
                continue
            written = _FROM_TO.fullmatch(expression(part.amount))
            if written:
                yield _from_to(written[1], written[2], part.amount)
            else:
                instead = "lose" if isinstance(node, t.Gain) else "gain"
                yield Diagnostic(
                    "E0531", "an amount below 0 counts as 0, so this does nothing", part.amount.span,
                    help=f"write `{instead}` and the amount without the minus",
                )  # fmt: skip


def _from_to(low: str, high: str, amount: t.Expr) -> Diagnostic:
    """A difference below nothing, written as people write from one number to another."""
    return Diagnostic(
        "E0531", f"`{low}-{high}` is {low} minus {high}, and an amount below 0 counts as 0", amount.span,
        help=f"to let the player choose, write `choose a number from {low} to {high} as chosen` in a line above, "
        "and `chosen` as the amount",
    )  # fmt: skip


def _choices_from_nothing(typed: Typed, node: t.Node) -> Iterator[Diagnostic]:
    looped = getattr(node, "source", None) if isinstance(node, t.Loop) else None
    verb = "choose from" if looped is None else "go through"
    for source in (*having(node, Role.CHOSEN_FROM), *filter(None, [looped])):
        meaning = typed.resolved.meaning.get(source) if isinstance(source, t.Name) else None
        if isinstance(meaning, Symbol) and meaning.sort == "builtin" and meaning.name in ("nobody", "no-dice"):
            yield Diagnostic(
                "E0532", f"`{meaning.name}` is empty, so there is nothing to {verb}", source.span,
                help=f"name the set to {verb}",
            )  # fmt: skip


def _prices_for_nothing(node: t.Node) -> Iterator[Diagnostic]:
    """A price with nothing below it, and something beside it that was meant to hang on it."""
    kind: type = type(node)
    for block in filter(is_block, (getattr(node, name) for name in holding(kind))):
        for step, following in zip_longest(block, block[1:]):
            price = only_step(step) or step
            if _for_nothing(price) and isinstance(following, t.Gain):
                yield Diagnostic(
                    "E0533", "this happens whether the price before it is paid or not", following.span,
                    labels=(Label(price.span, "the price"),), severity="warning",
                    help="indent it under the price, so that it comes only if that is paid",
                )  # fmt: skip
            elif _for_nothing(price) and price is not step:
                yield Diagnostic(
                    "E0533", "whoever takes this offer pays for nothing", step.span, severity="warning",
                    help="indent under it what is paid for; if it is good to be rid of, write `may lose`",
                )  # fmt: skip


def _for_nothing(step: t.Stmt) -> bool:
    return isinstance(step, t.Spend) and not (step.then or step.otherwise)


def only_step(step: t.Stmt) -> t.Stmt | None:
    """The step that another one is all about: `may STEP`."""
    inner = [value for _, value in parts(step) if value and not isinstance(value, str)]  # texts are only words
    return inner[0] if len(inner) == 1 and isinstance(inner[0], t.Stmt) else None


def _rewards_for_nothing(resolved: Resolved, owner: t.Definition, may: t.Node) -> Iterator[Diagnostic]:
    """`may lose 2 wood` with more below it: that comes for whoever has no wood, too, as a loss takes what there is."""
    lose: t.Stmt | None = getattr(may, "head", None)
    below: t.Block = getattr(may, "then", ())
    if not isinstance(lose, t.Lose) or not any(map(_brings, steps(below))):
        return
    written = [part for part in lose.bundle.parts if isinstance(part.amount, t.Number)]
    lacking = {what for what in moved(resolved, replace(lose.bundle, parts=tuple(written))) if _runs_out(what)}
    asked = effects(resolved, *(one for one in walk(_rule_with(owner, may)) if isinstance(one, t.Expr))).reads
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
    return isinstance(step, t.Gain) or not (has(kind, Role.MOVED) or has(kind, Role.SAID))


def _runs_out(what: Meaning) -> bool:
    """Whether somebody may have none of it to lose; what may go below 0 is always lost in full."""
    one = what.definition if isinstance(what, Symbol) else None
    return not (isinstance(one, t.Resource) and one.floor is None)


def _rule_with(owner: t.Definition, node: t.Node) -> t.Node:
    """The field or ability of a thing in which it stands; else all that is defined there."""
    apart = (*owner.fields, *owner.abilities) if isinstance(owner, t.Thing) else ()
    return next((one for one in apart if node in walk(one)), owner)


def _loss_awaited(resolved: Resolved, what: Meaning) -> bool:
    """Whether rules wait for a loss of it: to pay is not to lose, so it may well be meant."""
    held = calls(resolved).held.get(what.definition, ()) if isinstance(what, Symbol) and what.definition else ()
    return any(getattr(one, "edge", "") == LOSING for one in held)
