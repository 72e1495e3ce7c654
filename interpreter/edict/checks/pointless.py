"""Steps that are well formed and cannot do what was surely meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest

from edict.language import tree as t
from edict.checks.intervals import range_of
from edict.meaning.calls import owners
from edict.language.printing.expressions import expression
from edict.language.roles import Role, having
from edict.meaning.symbols import Symbol
from edict.language.walking import holding, is_block, parts, walk
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label

_FROM_TO = re.compile(r"(\d+) - (\d+)")


def pointless(typed: Typed) -> Iterator[Diagnostic]:
    for owner in owners(typed.resolved):
        for node in walk(owner):
            if not isinstance(node, t.Expr):
                yield from _amounts_below_nothing(typed, node)
                yield from _choices_from_nothing(typed, node)
                yield from _prices_for_nothing(node)


def _amounts_below_nothing(typed: Typed, node: t.Node) -> Iterator[Diagnostic]:
    """Amounts below nothing count as nothing; written out, that is a mistake."""
    for bundle in having(node, Role.MOVED):
        for part in bundle.parts:
            if range_of(typed, part.amount)[1] >= 0:
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
            if for_nothing(price) and isinstance(following, t.Gain):
                yield Diagnostic(
                    "E0533", "this happens whether the price before it is paid or not", following.span,
                    labels=(Label(price.span, "the price"),), severity="warning",
                    help="indent it under the price, so that it comes only if that is paid",
                )  # fmt: skip
            elif for_nothing(price) and price is not step:
                yield Diagnostic(
                    "E0533", "whoever takes this offer pays for nothing", step.span, severity="warning",
                    help="indent under it what is paid for; if it is good to be rid of, write `may lose`",
                )  # fmt: skip


def for_nothing(step: t.Stmt | None) -> bool:
    return isinstance(step, t.Spend) and not (step.then or step.otherwise)


def only_step(step: t.Stmt) -> t.Stmt | None:
    """The step that another one is all about: `may STEP`."""
    inner = [value for _, value in parts(step) if value and not isinstance(value, str)]  # texts are only words
    return inner[0] if len(inner) == 1 and isinstance(inner[0], t.Stmt) else None
