"""What the machine cannot count that far."""

from __future__ import annotations

from collections.abc import Iterator

from edict.front import tree as t
from edict.front.checks.known import range_of
from edict.front.meaning.calls import abilities
from edict.front.symbols import walk
from edict.front.types import Typed
from edict.report import Diagnostic, Label

MOST_PLAYERS = 8
MOST_SPENDING = 5  # shifts of an action that spend something: every set of them is looked at
MOST_SIDES = 24
LONGEST_ORDER = 14


def beyond_limits(typed: Typed) -> Iterator[Diagnostic]:
    for definition in typed.resolved.book.definitions.values():
        if isinstance(definition, t.Action):
            yield from _payments(definition)
        elif isinstance(definition, t.Game):
            yield from _players(definition)
        elif isinstance(definition, t.Keep) and definition.type.shape == "order":
            yield from _order(typed, definition)
    yield from _sides(typed)
    yield from _rolls(typed)
    yield from _shifts(typed)


def _rolls(typed: Typed) -> Iterator[Diagnostic]:
    """More dice of one kind at once than can lie there, whatever they show."""
    book = typed.resolved.book
    dice = {d.name.word: d.sides for d in book.definitions.values() if isinstance(d, t.Die)}
    each = 2 ** min(8, 50 // max(1, sum(dice.values()))) - 1  # as `lower` lays them out
    for owner in (*book.definitions.values(), *book.standalone):
        for roll in (n for n in walk(owner) if isinstance(n, t.Roll) and n.die.word in dice):
            most = each * dice[roll.die.word]
            if range_of(typed, roll.count)[0] > most:
                yield Diagnostic(
                    "E0514", f"up to {most} of these dice can be rolled at once", roll.count.span,
                    help="roll fewer dice, and others later",
                )  # fmt: skip


def _shifts(typed: Typed) -> Iterator[Diagnostic]:
    spending: dict[str, list[t.Shift]] = {}
    for ability in abilities(typed.resolved):
        if isinstance(ability, t.Shift) and ability.spending is not None:
            spending.setdefault(ability.action.word, []).append(ability)
    for action, shifts in spending.items():
        for shift in shifts[MOST_SPENDING:]:
            yield Diagnostic(
                "E0525", f"more than {MOST_SPENDING} shifts of `{action}` spend something", shift.span,
                labels=(Label(shifts[0].span, "the first one"),),
                help="make one of several, as in `by +1 or +2`, or let some of them cost nothing",
            )  # fmt: skip


def _payments(action: t.Action) -> Iterator[Diagnostic]:
    if action.payment and action.payment.least > 2:
        yield Diagnostic(
            "E0504", "at most 2 dice of one kind can be asked for in a payment", action.payment.span,
            help="write `including 1` or `including 2`",
        )  # fmt: skip
    for second in action.spare:
        yield Diagnostic(
            "E0508", "an action is paid for once", second.span,
            labels=(Label(action.payment.span, "the first payment"),) if action.payment else (),
            help="keep one payment, or make two actions of it",
        )  # fmt: skip


def _players(game: t.Game) -> Iterator[Diagnostic]:
    if not 1 <= game.low <= game.high <= MOST_PLAYERS:
        yield Diagnostic(
            "E0505", f"a game cannot be for {game.low} to {game.high} players", game.span,
            help=f"write two numbers from 1 to {MOST_PLAYERS}, the smaller one first",
        )  # fmt: skip


def _order(typed: Typed, keep: t.Keep) -> Iterator[Diagnostic]:
    """An order is one integer, four bits a member."""
    name = keep.type.name
    meaning = typed.resolved.of(name) if name else None
    if name is None or meaning is None or meaning.sort == "player":
        return
    count = _members(typed, meaning.name, meaning.sort)
    if meaning.sort == "number" or count > LONGEST_ORDER:
        title = "numbers cannot be kept in an order" if meaning.sort == "number" else (
            f"an order has room for {LONGEST_ORDER}, and there are {count} of `{meaning.name}`"
        )  # fmt: skip
        yield Diagnostic(
            "E0509", title, keep.type.span, help=f"keep a set and `draw` from it: `set of {meaning.name}`"
        )


def _members(typed: Typed, name: str, sort: str) -> int:
    definitions = typed.resolved.book.definitions.values()
    if sort == "group":
        return sum(isinstance(d, t.Resource | t.Die) for d in definitions)
    return sum(isinstance(d, t.Thing) and d.kind.word == name for d in definitions)


def _sides(typed: Typed) -> Iterator[Diagnostic]:
    dice = [d for d in typed.resolved.book.definitions.values() if isinstance(d, t.Die)]
    if sum(d.sides for d in dice) > MOST_SIDES or any(d.sides < 1 for d in dice):
        yield Diagnostic(
            "E0506", f"all kinds of dice together have more than {MOST_SIDES} sides, or one has none", dice[-1].span,
            help="use fewer kinds of dice, or smaller ones",
        )  # fmt: skip
