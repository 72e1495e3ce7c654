"""More asked for at once than there are: `draw 40 building` of 20."""

from __future__ import annotations

from collections.abc import Iterator

from edict.checks.intervals import how_many
from edict.language import tree as t
from edict.language.walking import walk
from edict.meaning.calls import owners
from edict.meaning.symbols import definition_of
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


def overdrawn(typed: Typed) -> Iterator[Diagnostic]:
    """Such a step takes as many as there are; of what may be there several times, nobody knows how many that is."""
    for owner in owners(typed.resolved):
        for node in walk(owner):
            short = getattr(node, "short", None)
            if not isinstance(short, t.DrawSome | t.ChooseSome) or not isinstance(short.count, t.Number):
                continue
            kind, asked = definition_of(typed.resolved, short.kind), short.count.value
            there = how_many(typed, kind) if isinstance(kind, t.Kind) else asked
            if isinstance(kind, t.Kind) and asked > there and not _in_a_bag(typed, short):
                yield Diagnostic(
                    "E0541", f"{asked} are asked for, and there are only {there}", short.count.span,
                    severity="warning", labels=(Label(kind.name.span, f"`{kind.name.word}` is declared"),),
                    help=f"ask for {there} at most, or declare more",
                )  # fmt: skip


def _in_a_bag(typed: Typed, short: t.DrawSome | t.ChooseSome) -> bool:
    return short.source is not None and typed.of(short.source).shape == "bag"
