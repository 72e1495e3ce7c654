"""Numbers that can never be where they are put, that nothing can be divided by, or more than there are."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.checks.check_registry import Checks, Rules
from edict.compiler.semantics.call_graph import calls
from edict.compiler.semantics.possible_values import Possible, how_many, keep_range, possible
from edict.compiler.semantics.symbols import definition_of, keep_of
from edict.compiler.semantics.types import Coercion, Typed
from edict.compiler.sources.input_limits import GREATEST_CHOICE, MEMBERS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Asks, FromTo
from edict.support.report import Diagnostic, Label
from edict.support.text import Span

checks = Checks()


@checks.of_all
def members(rules: Rules) -> Iterator[Diagnostic]:
    """Numbers that a set has no room for."""
    for number, coercion in rules.typed.coerced.items():
        low, high = possible(rules.typed, number).range if coercion is Coercion.NUMBER_TO_SET else (0, 0)
        if low >= MEMBERS or high < 0:
            yield Diagnostic(
                "E0514",
                f"a set holds numbers from 0 to {MEMBERS - 1}",
                number.span,
                help="choose or draw a number `from` one `to` another, with `where` if only some will do",
            )


def _is_turned(one: t.TypeName | t.Setting) -> bool:
    return one.low is not None and one.high is not None and one.low > one.high


@checks.at(t.TypeName, t.Setting)
def turned(rules: Rules, one: t.TypeName | t.Setting) -> Iterator[Diagnostic]:
    """A range that nothing can be in."""
    if not _is_turned(one):
        return
    by = (one.highest, one.lowest) if isinstance(one, t.TypeName) else (None, None)
    first, last = (name.word if name else number for name, number in zip(by, (one.high, one.low), strict=True))
    yield Diagnostic(
        "E0514",
        f"no number is from {one.low} to {one.high}",
        one.span,
        help=f"write `from {first} to {last}`: the smaller number comes first",
    )


@checks.at(t.Keep)
def start(rules: Rules, keep: t.Keep) -> Iterator[Diagnostic]:
    value = possible(rules.typed, keep.start) if keep.start is not None else Possible(0, 0)
    if _outside(value, keep) and not _is_turned(keep.type):
        place = keep.start.span if keep.start is not None else keep.name.span
        begins = f"`{keep.name.word}`" + (" begins at 0, and" if keep.start is None else "")
        yield _never(keep, place, begins, f"write `starting at {keep.type.low}`")


@checks.at(t.Setting)
def default(rules: Rules, setting: t.Setting) -> Iterator[Diagnostic]:
    """What a setting is unless somebody sets it."""
    low, high = setting.low, setting.high
    if low is None or high is None or _is_turned(setting):
        return
    if setting.truth:
        yield Diagnostic(
            "E0514",
            f"`{setting.name.word}` is on or off, and has no range",
            setting.span,
            help="leave out `from ... to ...`",
        )
    elif not low <= setting.value <= high:
        yield Diagnostic(
            "E0514",
            f"`{setting.name.word}` is a number from {low} to {high}, not {setting.value}",
            setting.span,
            help="begin with another number, or widen the range",
        )


@checks.at(t.Set)
def put(rules: Rules, one: t.Set) -> Iterator[Diagnostic]:
    keep = keep_of(rules.resolved, one.place)
    if keep is not None and _outside(possible(rules.typed, one.value), keep):
        yield _never(keep, one.value.span, f"`{keep.name.word}`", "set it to another number, or widen its range")


@checks.at(t.Add, t.Remove)
def changed(rules: Rules, one: t.Add | t.Remove) -> Iterator[Diagnostic]:
    """A step wider than the whole range leads out of it from wherever."""
    keep = keep_of(rules.resolved, one.place)
    if keep is None or keep.type.low is None or keep.type.high is None:
        return
    (low, high), (least, most) = possible(rules.typed, one.value).range, keep_range(keep).range
    if max(low, -high) > most - least:
        yield _never(keep, one.value.span, f"`{keep.name.word}`", "change it by less, or widen its range")


def grown(step: t.Stmt) -> Iterator[tuple[t.Expr, t.Expr]]:
    """The place that a step adds to, and what."""
    if isinstance(step, t.Add):
        yield step.place, step.value


def _outside(value: Possible, keep: t.Keep) -> bool:
    low, high = keep.type.low, keep.type.high
    return low is not None and high is not None and value.both(Possible(low, high)).nothing


def _never(keep: t.Keep, place: Span, what: str, remedy: str) -> Diagnostic:
    return Diagnostic(
        "E0514",
        f"{what} is a number from {keep.type.low} to {keep.type.high}",
        place,
        labels=(Label(keep.type.span, "it is declared so"),),
        help=remedy,
    )


def _choosing(kind: type) -> bool:
    return issubclass(kind, Asks) and issubclass(kind, FromTo)


@checks.at(_choosing)
def chosen(rules: Rules, choice: FromTo) -> Iterator[Diagnostic]:
    for bound in (choice.low, choice.high):
        low, high = possible(rules.typed, bound).range if bound is not None else (0, 0)
        if bound is not None and low == high and not 0 <= low <= GREATEST_CHOICE:
            yield Diagnostic(
                "E0514",
                f"a number from 0 to {GREATEST_CHOICE:,} can be chosen, and this is {int(low):,}",
                bound.span,
                help=f"write a number from 0 to {GREATEST_CHOICE:,}, and calculate with what is chosen",
            )


@checks.at(t.Showing, t.Among)
def faces(rules: Rules, dice: t.Showing | t.Among) -> Iterator[Diagnostic]:
    """A number that no such die has."""
    die = definition_of(rules.resolved, dice.die)
    if dice.face is not None and isinstance(die, t.Die):
        low, high = possible(rules.typed, dice.face).range
        if low > die.sides or high < 1:
            yield Diagnostic(
                "E0514",
                f"`{die.name.word}` shows a number from 1 to {die.sides}",
                dice.face.span,
                severity="warning",
                labels=(Label(die.span, "it is declared so"),),
                help="ask for another number, or give the die more sides",
            )


# --- adjustments beyond a bound ----------------------------------------------------------------


@checks.at(t.Quantity)
def at_a_bound(rules: Rules, quantity: t.Quantity) -> Iterator[Diagnostic]:
    """By adjustments without a condition; one with a condition may well mean `none at all` then."""
    if quantity.at_least is None and quantity.at_most is None:
        return
    adjusts = [one for one in calls(rules.resolved).held.get(quantity, ()) if isinstance(one, t.Adjust)]
    if any(one.by is None for one in adjusts):
        return
    by = {one: possible(rules.typed, one.number) for one in adjusts}
    for one in adjusts:
        if one.condition is None or possible(rules.typed, one.condition).truth:
            yield from _bounded(rules.typed, quantity, one, [by[other] for other in adjusts if other is not one])


def _bounded(typed: Typed, quantity: t.Quantity, one: t.Adjust, others: list[Possible]) -> Iterator[Diagnostic]:
    """Others add all they can, or nothing, as their conditions and owners will have it."""
    (low, high), (least, most) = possible(typed, quantity.value).range, possible(typed, one.number).range
    low, high = low + sum(min(0, by.low) for by in others), high + sum(max(0, by.high) for by in others)
    if quantity.at_least is not None:
        bound = possible(typed, quantity.at_least).low
        if high + most < bound < high:
            yield _kept(quantity, one, quantity.at_least, (bound, high), "more")
    if quantity.at_most is not None:
        bound = possible(typed, quantity.at_most).high
        if low < bound < low + least:
            yield _kept(quantity, one, quantity.at_most, (bound, low), "less")


def _kept(quantity: t.Quantity, one: t.Adjust, bound: t.Expr, numbers: tuple[float, float], way: str) -> Diagnostic:
    """numbers: the bound, and what else could be farthest from it."""
    there, farthest = (int(number) for number in numbers)
    return Diagnostic(
        "E0579",
        f"with this `{quantity.name.word}` is never {way} than its bound, {there}",
        one.number.span,
        severity="warning",
        labels=(Label(bound.span, "its bound"),),
        note=f"Before its bounds are kept and without this, it is no {way} than {farthest}.",
        help=f"adjust it by less (by {there - farthest} it just comes to the bound), or change the bound",
    )


# --- division by 0 -------------------------------------------------------------------------------


@checks.at(t.Binary, t.Adjust)
def divided_by_nothing(rules: Rules, node: t.Binary | t.Adjust) -> Iterator[Diagnostic]:
    """One that may be 0 is for the rule to ask about, with `if`.

    Derived fields of kinds are worked out while compiling, and tell it themselves.
    """
    if isinstance(node, t.Adjust):
        divisor = node.divided
    else:
        divisor = node.right if node.op in ("/", "mod") and not isinstance(rules.owner, t.Kind) else None
    if divisor is not None and possible(rules.typed, divisor).number == 0:
        yield Diagnostic(
            "E0519",
            "this divides by 0",
            divisor.span,
            note="Nothing can be divided by 0: the game would stop here.",
            help="divide by another number, or leave the division out",
        )


# --- more asked for at once than there are -------------------------------------------------------


@checks.at(t.DrawSome, t.ChooseSome)
def overdrawn(rules: Rules, step: t.DrawSome | t.ChooseSome) -> Iterator[Diagnostic]:
    """Such a step takes as many as there are; of what may be there several times, nobody knows how many that is."""
    kind = definition_of(rules.resolved, step.kind)
    if not isinstance(step.count, t.Number) or not isinstance(kind, t.Kind):
        return
    asked, there = step.count.value, how_many(rules.typed, kind)
    in_a_bag = step.source is not None and rules.typed.of(step.source).shape == "bag"
    if asked > there and not in_a_bag:
        yield Diagnostic(
            "E0541",
            f"{asked} are asked for, and there are only {there}",
            step.count.span,
            severity="warning",
            labels=(Label(kind.name.span, f"`{kind.name.word}` is declared"),),
            help=f"ask for {there} at most, or declare more",
        )
