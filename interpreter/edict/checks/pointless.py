"""Steps that are well formed and cannot do what was surely meant."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from edict.language import tree as t
from edict.checks.intervals import range_of
from edict.meaning.calls import owners
from edict.language.roles import Role, having
from edict.meaning.symbols import Symbol
from edict.language.walking import holding, is_block, parts, walk
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


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
            if range_of(typed, part.amount)[1] < 0:
                instead = "lose" if isinstance(node, t.Gain) else "gain"
                yield Diagnostic(
                    "E0531", "an amount below 0 counts as 0, so this does nothing", part.amount.span,
                    help=f"write `{instead}` and the amount without the minus",
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
        for step, following in pairwise(block):
            price = _only_step(step) or step
            if isinstance(price, t.Spend) and not (price.then or price.otherwise) and isinstance(following, t.Gain):
                yield Diagnostic(
                    "E0533", "this happens whether the price before it is paid or not", following.span,
                    labels=(Label(price.span, "the price"),), severity="warning",
                    help="indent it under the price, so that it comes only if that is paid",
                )  # fmt: skip


def _only_step(step: t.Stmt) -> t.Stmt | None:
    """The step that another one is all about: `may STEP`."""
    inner = [value for _, value in parts(step) if value]
    return inner[0] if len(inner) == 1 and isinstance(inner[0], t.Stmt) else None
