"""What the machine cannot count that far."""

from __future__ import annotations

from collections.abc import Iterator

from edict.front import tree as t
from edict.front.types import Typed
from edict.report import Diagnostic

MOST_PLAYERS = 8
MOST_SIDES = 24


def beyond_limits(typed: Typed) -> Iterator[Diagnostic]:
    for definition in typed.resolved.book.definitions.values():
        if isinstance(definition, t.Action) and definition.payment and definition.payment.least > 2:
            yield Diagnostic(
                "E0504", "at most 2 dice of one kind can be asked for in a payment", definition.payment.span,
                help="write `including 1` or `including 2`",
            )  # fmt: skip
        if isinstance(definition, t.Game) and not 1 <= definition.low <= definition.high <= MOST_PLAYERS:
            yield Diagnostic(
                "E0505", f"a game cannot be for {definition.low} to {definition.high} players", definition.span,
                help=f"write two numbers from 1 to {MOST_PLAYERS}, the smaller one first",
            )  # fmt: skip
    sides = [d for d in typed.resolved.book.definitions.values() if isinstance(d, t.Die)]
    if sum(d.sides for d in sides) > MOST_SIDES or any(d.sides < 1 for d in sides):
        yield Diagnostic(
            "E0506", f"all kinds of dice together have more than {MOST_SIDES} sides, or one has none", sides[-1].span,
            help="use fewer kinds of dice, or smaller ones",
        )  # fmt: skip
