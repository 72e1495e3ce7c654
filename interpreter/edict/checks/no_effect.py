"""Steps after which all is as it was: amounts of 0 or less, places that get what they have, steps never come to."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from edict.checks.excluding import Reader
from edict.checks.intervals import range_of
from edict.language import tree as t
from edict.language.printing.expressions import expression
from edict.language.roles import Ends, Overwrites, Role, Takes, having, note
from edict.language.walking import holding, is_block, walk
from edict.meaning.calls import is_you, owners
from edict.meaning.symbols import NUMBER, Symbol
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label
from edict.text import Span


# so often, by so much, or so many
_COUNTED = ("`repeat`", "`roll`", "`draw`", "`choose`", "`times`", "`adjust`", "`limited to`")

_PASSED = ("set", "bag", "dice")  # rules may wait for what joins and leaves them, and dice are turned in place


def idle(typed: Typed) -> Iterator[Diagnostic]:
    same = Reader(typed.resolved)
    for owner in owners(typed.resolved):
        for node in walk(owner):
            written = getattr(node, "short", None) or node
            if isinstance(node, t.Stmt | t.Ability | t.Branch | t.Definition):
                yield from _never_come_to(node)
                yield from _of_nothing(typed, written)
                yield from _no_numbers(typed, written)
                yield from _as_it_was(typed, same, written)
                yield from _overwritten(typed, same, node)
            elif isinstance(node, t.Binary) and node.op == "-" and not isinstance(node.left, t.Number):
                if node.span and same.key(node.left) == same.key(node.right):
                    yield _idle("nothing is left of this", node.span, "take something else away")


def _of_nothing(typed: Typed, node: t.Node) -> Iterator[Diagnostic]:
    """Amounts that are 0 in any case, and steps that are done 0 times."""
    for bundle in having(node, Role.MOVED):
        for part in bundle.parts:
            if range_of(typed, part.amount) == (0, 0):
                yield _idle("an amount of 0 changes nothing", part.amount.span, "write another amount")
    kind: type = type(node)
    for field in holding(kind):
        takes, value = note(kind, field, Takes), getattr(node, field)
        if takes is not None and takes.where in _COUNTED and isinstance(value, t.Expr):
            low, high = range_of(typed, value)
            if high <= 0 and (low == 0 or not isinstance(node, t.Adjust)) and value.span != node.span:
                yield _idle("this is 0, so nothing happens here", value.span, "write another number, or delete it")


def _no_numbers(typed: Typed, node: t.Node) -> Iterator[Diagnostic]:
    """From a larger number to a smaller one; at least a larger one, and at most a smaller."""
    bounded = isinstance(node, t.Quantity)
    low, high = (getattr(node, bound, None) for bound in (("at_least", "at_most") if bounded else ("low", "high")))
    if isinstance(low, t.Expr) and isinstance(high, t.Expr):
        if range_of(typed, low)[0] > range_of(typed, high)[1]:
            title, remedy = "no number lies between the larger and the smaller", "write the smaller number first"
            if bounded:
                title, remedy = "`at least` is larger than `at most`", "swap the two, or leave one out"
            yield _idle(title, low.span.to(high.span), remedy)


def _as_it_was(typed: Typed, same: Reader, node: t.Node) -> Iterator[Diagnostic]:
    """A place that gets what it holds already."""
    places, values = [*having(node, Role.CHANGED)], [*having(node, Role.INTO)]
    if isinstance(node, t.Short):
        yield from _in_short(typed, same, node)
    elif isinstance(node, Overwrites) or len(places) > 1:  # `set`, and `swap`, where all are both
        first, *others = dict.fromkeys((*places, *values))
        for other in others:
            if same.key(first) == same.key(other):
                yield _idle("both are the same, so nothing changes", other.span, "name another place or value")
    elif len(places) == len(values) == 1 and typed.of(places[0]) == typed.of(values[0]) == NUMBER:
        if range_of(typed, values[0]) == (0, 0):
            yield _idle("this is 0, so nothing changes", values[0].span, "write another number, or delete it")


def _in_short(typed: Typed, same: Reader, node: t.Short) -> Iterator[Diagnostic]:
    """From a place to the same, from a player to the same."""
    source, place, whom = (getattr(node, field, None) for field in ("source", "place", "whom"))
    ordered = place is not None and typed.of(place).shape == "order"
    if source is not None and place is not None and not ordered and same.key(source) == same.key(place):
        yield _idle("both are the same, so nothing changes", place.span, "name another place")
    takes = note(type(node), "whom", Takes)
    if whom is not None and takes is not None and takes.shape == "player" and is_you(typed.resolved, whom):
        yield _idle("this gives to the one who pays, so nothing changes", whom.span, "name another player")


def _overwritten(typed: Typed, same: Reader, node: t.Node) -> Iterator[Diagnostic]:
    """A place that is set, and set again by the next step, which does not ask what is there."""
    kind: type = type(node)
    for block in filter(is_block, (getattr(node, name) for name in holding(kind))):
        for step, following in pairwise(block):
            if all(isinstance(one, Overwrites) for one in (step, following)):
                before, after = ([*having(one, Role.CHANGED)] for one in (step, following))
                asked = {same.key(one) for one in walk((*having(following, Role.INTO),)) if isinstance(one, t.Expr)}
                again = len(before) == len(after) == 1 and same.key(before[0]) == same.key(after[0])
                if again and same.key(before[0]) not in asked and typed.of(before[0]).shape not in _PASSED:
                    yield _idle("the next step sets this again", step.span, "set another place, or delete it")


def _idle(title: str, place: Span, remedy: str) -> Diagnostic:
    return Diagnostic("E0551", title, place, severity="warning", help=remedy)


def _never_come_to(node: t.Node) -> Iterator[Diagnostic]:
    """What stands behind a step that leaves the loop or ends the game."""
    kind: type = type(node)
    for block in filter(is_block, (getattr(node, name) for name in holding(kind))):
        for step, following in pairwise(block):
            left = isinstance(getattr(step, "short", None), t.Leave)
            if left or isinstance(step, Ends):
                yield Diagnostic(
                    "E0552", "this is never reached, because of the step before it", following.span, severity="warning",
                    labels=(Label(step.span, "the loop is left here" if left else "the game ends here"),),
                    help="put it before that step, or delete it",
                )  # fmt: skip
                break


# --- amounts below nothing, choices from nothing -------------------------------------------------


_FROM_TO = re.compile(r"(\d+) - (\d+)")


def pointless(typed: Typed) -> Iterator[Diagnostic]:
    for owner in owners(typed.resolved):
        for node in walk(owner):
            if not isinstance(node, t.Expr):
                yield from _amounts_below_nothing(typed, node)
                yield from _choices_from_nothing(typed, node)


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
