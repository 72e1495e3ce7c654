"""What the machine cannot count that far, or cannot hold at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from edict.compiler.checks.check_registry import Checks, Rules
from edict.compiler.semantics.call_graph import abilities
from edict.compiler.semantics.dice_layout import bits_of_count
from edict.compiler.semantics.possible_values import possible
from edict.compiler.semantics.symbols import Meaning, Resolved
from edict.compiler.sources.input_limits import (
    LONGEST_ORDER,
    MEMBERS,
    MOST_CHOICES,
    MOST_COMBINATIONS,
    MOST_PLAYERS,
    MOST_SIDES,
    MOST_SPENDING,
)
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import awaited
from edict.support.report import Diagnostic, Label

checks = Checks()


@checks.at(t.Roll)
def too_many_dice(rules: Rules, roll: t.Roll) -> Iterator[Diagnostic]:
    """More dice of one kind at once than can lie there, whatever they show."""
    dice = [d for d in rules.resolved.book.definitions.values() if isinstance(d, t.Die)]
    sides = next((d.sides for d in dice if d.name.word == roll.die.word), 0)
    most = (2 ** bits_of_count(dice) - 1) * sides
    if most and possible(rules.typed, roll.count).low > most:
        yield Diagnostic(
            "E0514",
            f"up to {most} of these dice can be rolled at once",
            roll.count.span,
            help="roll fewer dice, and others later",
        )


@checks.of_all
def too_many_shifts(rules: Rules) -> Iterator[Diagnostic]:
    spending: dict[str, list[t.Shift]] = {}
    for ability in abilities(rules.resolved):
        if isinstance(ability, t.Shift) and ability.spending is not None:
            spending.setdefault(ability.action.word, []).append(ability)
    for action, shifts in spending.items():
        for shift in shifts[MOST_SPENDING:]:
            yield Diagnostic(
                "E0525",
                f"more than {MOST_SPENDING} shifts of `{action}` spend something",
                shift.span,
                labels=(Label(shifts[0].span, "the first one"),),
                help="make one of several, as in `by +1 or +2`, or let some of them cost nothing",
            )


@checks.of_all
def too_many_combinations(rules: Rules) -> Iterator[Diagnostic]:
    """Every shift is used or not, by each of its numbers; all ways to combine them stand in a table."""
    ways: dict[str, int] = {}
    for shift in (a for a in abilities(rules.resolved) if isinstance(a, t.Shift)):
        action = shift.action.word
        before = ways.get(action, 1)
        ways[action] = before * (1 + len(shift.by))
        if before <= MOST_COMBINATIONS < ways[action]:
            yield Diagnostic(
                "E0705",
                f"the shifts of `{action}` can be combined in too many ways",
                shift.span,
                note=f"There may be {MOST_COMBINATIONS:,} combinations, and with this shift there are more. Each shift "
                "is used or not, by one of its numbers.",
                help="make one shift of several, as in `by +1 or +2`, or leave some out",
            )


@checks.at(t.Action)
def too_many_choices(rules: Rules, action: t.Action) -> Iterator[Diagnostic]:
    if len(action.params) > MOST_CHOICES:
        yield Diagnostic(
            "E0709",
            f"`{action.name.word}` has more than {MOST_CHOICES} choices",
            action.params[MOST_CHOICES].span,
            note="What may be chosen first depends on all that can be chosen after it.",
            help="do the first choices in an action of their own",
        )


@checks.of_all
def too_many_resources(rules: Rules) -> Iterator[Diagnostic]:
    """A set of resources has a bit for each, and dice that are not rolled yet count among them."""
    held = [d for d in rules.resolved.book.definitions.values() if isinstance(d, t.Resource | t.Die)]
    if len(held) > MEMBERS:
        yield Diagnostic(
            "E0708",
            f"there are {len(held)} resources and dice, and {MEMBERS} are possible",
            held[MEMBERS].span,
            help="keep some of them as numbers: `keep favour of player as number from 0 to 9`",
        )


@checks.of_all
def too_many_at_once(rules: Rules) -> Iterator[Diagnostic]:
    """Which abilities a player has used is kept as a set: of those at one moment, and of those once per phase."""
    counted: dict[str, int] = {}
    for said, place in _occasions(rules.resolved):
        counted[said] = counted.get(said, 0) + 1
        if counted[said] == MEMBERS + 1:
            yield Diagnostic(
                "E0706",
                f"more than {MEMBERS} abilities {said}",
                place.span,
                note="Which of them a player has used is kept as a set.",
                help="make one ability of several, with `if` in its block",
            )


def _occasions(resolved: Resolved) -> Iterator[tuple[str, t.Name]]:
    """The occasions that abilities share with others, as one says them."""
    book = resolved.book
    kinds = {name: kind for name, kind in book.definitions.items() if isinstance(kind, t.Kind)}
    for thing in (d for d in book.definitions.values() if isinstance(d, t.Thing)):
        owned = kinds[thing.kind.word].works_if is not None
        for when in (a for a in thing.abilities if isinstance(a, t.When) and owned):
            yield f"wait for `{awaited(when.moment.word, when.edge)}`", when.moment
    for ability in abilities(resolved):
        once: t.Name | None = getattr(ability, "once_per", None)
        if once is not None:
            yield f"work once per `{once.word}`", once


@checks.at(t.Action)
def payments(rules: Rules, action: t.Action) -> Iterator[Diagnostic]:
    if action.payment and action.payment.least > 2:
        yield Diagnostic(
            "E0504",
            "at most 2 dice of one kind can be asked for in a payment",
            action.payment.span,
            help="write `including 1` or `including 2`",
        )
    for second in action.payments[1:]:
        yield Diagnostic(
            "E0508",
            "an action is paid for once",
            second.span,
            labels=(Label(action.payment.span, "the first payment"),) if action.payment else (),
            help="keep one payment, or make two actions of it",
        )


@checks.at(t.Game)
def players(rules: Rules, game: t.Game) -> Iterator[Diagnostic]:
    if not 1 <= game.low <= game.high <= MOST_PLAYERS:
        yield Diagnostic(
            "E0505",
            f"a game cannot be for {game.low} to {game.high} players",
            (game.players or game).span,
            help=f"write two numbers from 1 to {MOST_PLAYERS}, the smaller one first",
        )


@checks.of_all
def long_orders(rules: Rules) -> Iterator[Diagnostic]:
    definitions = rules.resolved.book.definitions.values()
    members = Counter(one.kind.word for one in definitions if isinstance(one, t.Thing))
    groups = sum(isinstance(one, t.Resource | t.Die) for one in definitions)
    for keep in (one for one in definitions if isinstance(one, t.Keep) and one.type.shape == "order"):
        meaning = rules.resolved.of(keep.type.name) if keep.type.name else None
        if meaning is not None and meaning.sort != "player":
            yield from _order(keep, meaning, groups if meaning.sort == "group" else members[meaning.name])


def _order(keep: t.Keep, meaning: Meaning, count: int) -> Iterator[Diagnostic]:
    """An order is one integer, four bits a member."""
    if meaning.sort == "number" or count > LONGEST_ORDER:
        title = (
            "numbers cannot be kept in an order"
            if meaning.sort == "number"
            else (f"an order has room for {LONGEST_ORDER}, and there are {count} of `{meaning.name}`")
        )
        yield Diagnostic("E0509", title, keep.type.span, help=f"keep a set and `draw` from it: `set of {meaning.name}`")


@checks.of_all
def too_many_sides(rules: Rules) -> Iterator[Diagnostic]:
    dice = [d for d in rules.resolved.book.definitions.values() if isinstance(d, t.Die)]
    for die in dice:
        if not 1 <= die.sides <= MOST_SIDES:
            yield Diagnostic(
                "E0506", f"a die has 1 to {MOST_SIDES} sides", die.span, help="use more dice, or smaller ones"
            )


@checks.at(t.Payment)
def too_many_sides_to_pay_with(rules: Rules, payment: t.Payment) -> Iterator[Diagnostic]:
    """Ways to pay are options, each of them one number."""
    dice = [d for d in rules.resolved.book.definitions.values() if isinstance(d, t.Die)]
    if sum(d.sides for d in dice) > MOST_SIDES:
        yield Diagnostic(
            "E0506",
            f"to be paid with, all kinds of dice together may have {MOST_SIDES} sides",
            payment.span,
            labels=(Label(dice[-1].span, "with this, they have more"),),
            help="use fewer kinds of dice, or smaller ones",
        )


# --- bags ----------------------------------------------------------------------------------------


@checks.at(t.Kind)
def bags_in_fields(rules: Rules, kind: t.Kind) -> Iterator[Diagnostic]:
    for field in kind.fields:
        if field.type is not None and field.type.shape == "bag":
            yield Diagnostic(
                "E0539",
                f"`{field.name.word}` cannot be a bag: what is written of a thing never changes",
                field.type.span,
                help=f"declare a keep: `keep {field.name.word} of {kind.name.word} as bag of ...`",
            )


@checks.at(t.Keep)
def bags_of_no_things(rules: Rules, keep: t.Keep) -> Iterator[Diagnostic]:
    name = keep.type.name
    if keep.type.shape == "bag" and name is not None and rules.resolved.of(name).sort != "kind":
        yield Diagnostic(
            "E0539",
            f"there is no bag of `{name.word}`",
            name.span,
            note="A bag holds things of a kind.",
            help="name a kind, or write `set of`",
        )
