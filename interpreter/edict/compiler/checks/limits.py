"""Rules beyond what the machine can count or store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from edict.compiler.checks.check_registry import CheckContext, Checks
from edict.compiler.semantics.call_graph import iter_abilities
from edict.compiler.semantics.dice_layout import compute_count_bits
from edict.compiler.semantics.possible_values import evaluate_abstractly
from edict.compiler.semantics.symbols import Meaning, ResolvedBook
from edict.compiler.sources.input_limits import (
    LONGEST_ORDER,
    MOST_CHOICES,
    MOST_COMBINATIONS,
    MOST_PLAYERS,
    MOST_SIDES,
    MOST_SPENDING,
    SET_BITS,
)
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import format_event
from edict.support.report import Diagnostic, Label

checks = Checks()


@checks.check_nodes(t.Roll)
def find_too_many_dice(rules: CheckContext, roll: t.Roll) -> Iterator[Diagnostic]:
    """Find rolls of more dice of one kind than a cell can count."""
    dice = [*rules.resolved.book.select(t.Die)]
    sides = next((die.sides for die in dice if die.name.word == roll.die.word), 0)
    maximum = (2 ** compute_count_bits(dice) - 1) * sides
    if maximum and evaluate_abstractly(rules.typed, roll.count).low > maximum:
        yield Diagnostic(
            "E0514",
            f"up to {maximum} of these dice can be rolled at once",
            roll.count.span,
            help="roll fewer dice at once",
        )


@checks.check_rules
def find_too_many_shifts(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find actions with too many shifts that spend something."""
    spending: dict[str, list[t.Shift]] = {}
    for ability in iter_abilities(rules.resolved):
        if isinstance(ability, t.Shift) and ability.spending is not None:
            spending.setdefault(ability.action.word, []).append(ability)
    for action, shifts in spending.items():
        for shift in shifts[MOST_SPENDING:]:
            yield Diagnostic(
                "E0525",
                f"more than {MOST_SPENDING} shifts of `{action}` spend something",
                shift.span,
                labels=(Label(shifts[0].span, "the first one"),),
                help="combine several into one, as in `by +1 or +2`, or make some of them free",
            )


@checks.check_rules
def find_too_many_combinations(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find actions whose shifts, each used or not, by one of its numbers, have too many combinations."""
    ways: dict[str, int] = {}
    for shift in (ability for ability in iter_abilities(rules.resolved) if isinstance(ability, t.Shift)):
        action = shift.action.word
        previous = ways.get(action, 1)
        ways[action] = previous * (1 + len(shift.by))
        if previous <= MOST_COMBINATIONS < ways[action]:
            yield Diagnostic(
                "E0705",
                f"the shifts of `{action}` can be combined in too many ways",
                shift.span,
                note=f"There may be {MOST_COMBINATIONS:,} combinations, and this shift exceeds that. Each shift "
                f"is either unused or used with one of its numbers.",
                help="combine several into one shift, as in `by +1 or +2`, or delete some",
            )


@checks.check_nodes(t.Action)
def find_too_many_choices(rules: CheckContext, action: t.Action) -> Iterator[Diagnostic]:
    """Find actions with too many choices."""
    if len(action.params) > MOST_CHOICES:
        yield Diagnostic(
            "E0709",
            f"`{action.name.word}` has more than {MOST_CHOICES} choices",
            action.params[MOST_CHOICES].span,
            note="The options of the first choice depend on all choices after it.",
            help="move the first choices to their own action",
        )


@checks.check_rules
def find_too_many_resources(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find more resources and dice than bits in a set of them."""
    resources = [*rules.resolved.book.select(t.Resource, t.Die)]
    if len(resources) > SET_BITS:
        yield Diagnostic(
            "E0708",
            f"there are {len(resources)} resources and dice, but at most {SET_BITS} are allowed",
            resources[SET_BITS].span,
            help="keep some of them as numbers: `keep favour of player as number from 0 to 9`",
        )


@checks.check_rules
def find_too_many_abilities(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find moments and phases with more abilities than a set of used ones can hold."""
    counts: dict[str, int] = {}
    for occasion, name in _iter_occasions(rules.resolved):
        counts[occasion] = counts.get(occasion, 0) + 1
        if counts[occasion] == SET_BITS + 1:
            yield Diagnostic(
                "E0706",
                f"more than {SET_BITS} abilities {occasion}",
                name.span,
                note="The abilities that a player has used are stored as a set.",
                help="combine several into one ability, with `if` in its block",
            )


def _iter_occasions(resolved: ResolvedBook) -> Iterator[tuple[str, t.Name]]:
    """Yield, as words and name node, each event or `once per` period whose abilities share one set of bits."""
    book = resolved.book
    kinds = {name: kind for name, kind in book.definitions.items() if isinstance(kind, t.Kind)}
    for thing in book.things:
        works_conditionally = kinds[thing.kind.word].works_if is not None
        for when in (ability_ for ability_ in thing.abilities if isinstance(ability_, t.When) and works_conditionally):
            yield f"wait for `{format_event(when.moment.word, when.edge)}`", when.moment
    for ability in iter_abilities(resolved):
        once: t.Name | None = getattr(ability, "once_per", None)
        if once is not None:
            yield f"work once per `{once.word}`", once


@checks.check_nodes(t.Action)
def find_payment_faults(rules: CheckContext, action: t.Action) -> Iterator[Diagnostic]:
    """Yield an error for a payment that includes over 2 dice of a kind, and for any second payment of an action."""
    if action.payment and action.payment.least > 2:
        yield Diagnostic(
            "E0504",
            "a payment can require at most 2 dice of one kind",
            action.payment.span,
            help="write `including 1` or `including 2`",
        )
    for second in action.payments[1:]:
        yield Diagnostic(
            "E0508",
            "an action can have only one payment",
            second.span,
            labels=(Label(action.payment.span, "the first payment"),) if action.payment else (),
            help="keep one payment, or split the action in two",
        )


@checks.check_nodes(t.Game)
def find_player_count_faults(rules: CheckContext, game: t.Game) -> Iterator[Diagnostic]:
    """Find games for an impossible number of players."""
    if not 1 <= game.low <= game.high <= MOST_PLAYERS:
        yield Diagnostic(
            "E0505",
            f"invalid number of players: {game.low} to {game.high}",
            (game.players or game).span,
            help=f"write two numbers from 1 to {MOST_PLAYERS}, the smaller one first",
        )


@checks.check_rules
def find_long_orders(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find orders of numbers, and of more members than fit into a cell."""
    definitions = rules.resolved.book.definitions.values()
    members = Counter(definition.kind.word for definition in definitions if isinstance(definition, t.Thing))
    groups = sum(isinstance(definition, t.Resource | t.Die) for definition in definitions)
    for keep in (
        definition for definition in definitions if isinstance(definition, t.Keep) and definition.type.shape == "order"
    ):
        meaning = rules.resolved.meaning_of(keep.type.name) if keep.type.name else None
        if meaning is not None and meaning.sort != "player":
            yield from _check_order(keep, meaning, groups if meaning.sort == "group" else members[meaning.name])


def _check_order(keep: t.Keep, meaning: Meaning, count: int) -> Iterator[Diagnostic]:
    """Yield an error if a `keep` holds an order of numbers, or one of a kind with too many members (`count`)."""
    if meaning.sort == "number" or count > LONGEST_ORDER:
        if meaning.sort == "number":
            title = "numbers cannot be kept in an order"
        else:
            title = f"an order has room for {LONGEST_ORDER}, but there are {count} of `{meaning.name}`"
        yield Diagnostic("E0509", title, keep.type.span, help=f"keep a set and `draw` from it: `set of {meaning.name}`")


@checks.check_rules
def find_too_many_sides(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find dice with an impossible number of sides."""
    dice = [*rules.resolved.book.select(t.Die)]
    for die in dice:
        if not 1 <= die.sides <= MOST_SIDES:
            yield Diagnostic(
                "E0506", f"a die has 1 to {MOST_SIDES} sides", die.span, help="use more dice, or smaller ones"
            )


@checks.check_nodes(t.Payment)
def find_too_many_payment_sides(rules: CheckContext, payment: t.Payment) -> Iterator[Diagnostic]:
    """Find payments by dice that have too many sides in total, since each way to pay is an option with one number."""
    dice = [*rules.resolved.book.select(t.Die)]
    if sum(die.sides for die in dice) > MOST_SIDES:
        yield Diagnostic(
            "E0506",
            f"to be paid with, all kinds of dice together may have {MOST_SIDES} sides",
            payment.span,
            labels=(Label(dice[-1].span, "these have more"),),
            help="use fewer kinds of dice, or smaller ones",
        )


# --- bags ----------------------------------------------------------------------------------------


@checks.check_nodes(t.Kind)
def find_bags_in_fields(rules: CheckContext, kind: t.Kind) -> Iterator[Diagnostic]:
    """Find fields that are bags, which would never change."""
    for field in kind.fields:
        if field.type is not None and field.type.shape == "bag":
            yield Diagnostic(
                "E0539",
                f"`{field.name.word}` cannot be a bag: the fields of a thing never change",
                field.type.span,
                help=f"declare a keep: `keep {field.name.word} of {kind.name.word} as bag of ...`",
            )


@checks.check_nodes(t.Keep)
def find_bags_without_kind(rules: CheckContext, keep: t.Keep) -> Iterator[Diagnostic]:
    """Find bags of something else than things of a kind."""
    name = keep.type.name
    if keep.type.shape == "bag" and name is not None and rules.resolved.meaning_of(name).sort != "kind":
        yield Diagnostic(
            "E0539",
            f"a bag cannot hold `{name.word}`",
            name.span,
            note="A bag holds things of a kind.",
            help="name a kind, or write `set of`",
        )
