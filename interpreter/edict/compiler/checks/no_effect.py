"""Steps after which all is as it was: amounts of 0 or less, places that get what they have, steps never come to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from edict.compiler.checks.check_registry import Checks, Rules, blocks, with_blocks, with_role
from edict.compiler.semantics.call_graph import is_you
from edict.compiler.semantics.possible_values import possible
from edict.compiler.semantics.symbols import NUMBER, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Ends, Overwrites, Role, Takes, has, having, note
from edict.compiler.syntax.walking import holding, walk
from edict.support.report import Diagnostic, Label
from edict.support.text import Span

# so often, by so much, or so many
_COUNTED = ("`repeat`", "`roll`", "`draw`", "`choose`", "`times`", "`adjust`", "`limited to`")

_PASSED = ("set", "bag", "dice")  # rules may wait for what joins and leaves them, and dice are turned in place


checks = Checks()


@checks.at(t.Binary)
def nothing_left(rules: Rules, node: t.Binary) -> Iterator[Diagnostic]:
    if node.op == "-" and not isinstance(node.left, t.Number):
        if node.span and rules.reader.key(node.left) == rules.reader.key(node.right):
            yield _idle("nothing is left of this", node.span, "take something else away")


def _moving(kind: type) -> bool:
    return not issubclass(kind, t.Expr) and has(kind, Role.MOVED)


@checks.at(_moving)
def amounts_of_nothing(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    """Amounts that are 0 in any case."""
    for bundle in having(node, Role.MOVED):
        for part in bundle.parts:
            if possible(rules.typed, part.amount).number == 0:
                yield _idle("an amount of 0 changes nothing", part.amount.span, "write another amount")


@cache
def _counted(kind: Any) -> tuple[str, ...]:
    """The fields that say how often, by how much or how many."""
    fields = holding(kind) if not issubclass(kind, t.Expr) else ()
    return tuple(one for one in fields if (takes := note(kind, one, Takes)) is not None and takes.where in _COUNTED)


@checks.at(_counted)
def done_no_times(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    """Steps that are done 0 times."""
    kind: Any = type(node)
    for value in (getattr(node, field) for field in _counted(kind)):
        if isinstance(value, t.Expr):
            low, high = possible(rules.typed, value).range
            if high <= 0 and (low == 0 or not isinstance(node, t.Adjust)) and value.span != node.span:
                yield _idle("this is 0, so nothing happens here", value.span, "write another number, or delete it")


def _bounded(kind: Any) -> bool:
    return issubclass(kind, t.Quantity) or not ({"low", "high"} - {*holding(kind)})


@checks.at(_bounded)
def no_numbers(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    """From a larger number to a smaller one; at least a larger one, and at most a smaller."""
    bounded = isinstance(node, t.Quantity)
    low, high = (getattr(node, bound, None) for bound in (("at_least", "at_most") if bounded else ("low", "high")))
    if isinstance(low, t.Expr) and isinstance(high, t.Expr):
        if possible(rules.typed, low).low > possible(rules.typed, high).high:
            title, remedy = "no number lies between the larger and the smaller", "write the smaller number first"
            if bounded:
                title, remedy = "`at least` is larger than `at most`", "swap the two, or leave one out"
            yield _idle(title, low.span.to(high.span), remedy)


@checks.at(Overwrites, with_role(Role.CHANGED))
def as_it_was(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    """A place that gets what it holds already."""
    places, values = [*having(node, Role.CHANGED)], [*having(node, Role.INTO)]
    same, typed = rules.reader, rules.typed
    if isinstance(node, Overwrites) or (places and {*places} == {*values}):  # `set`, and `swap`, where all are both
        first, *others = dict.fromkeys((*places, *values))
        for other in others:
            if same.key(first) == same.key(other):
                yield _idle("both are the same, so nothing changes", other.span, "name another place or value")
    elif len(places) == len(values) == 1 and typed.of(places[0]) == typed.of(values[0]) == NUMBER:
        if possible(typed, values[0]).number == 0:
            yield _idle("this is 0, so nothing changes", values[0].span, "write another number, or delete it")


@checks.at(t.Short)
def to_the_same(rules: Rules, node: t.Short) -> Iterator[Diagnostic]:
    """From a place to the same, from a player to the same."""
    source, place, whom = (getattr(node, field, None) for field in ("source", "place", "whom"))
    same, typed = rules.reader, rules.typed
    ordered = place is not None and typed.of(place).shape == "order"
    if source is not None and place is not None and not ordered and same.key(source) == same.key(place):
        yield _idle("both are the same, so nothing changes", place.span, "name another place")
    takes = note(type(node), "whom", Takes)
    if whom is not None and takes is not None and takes.shape == "player" and is_you(typed.resolved, whom):
        yield _idle("this gives to the one who pays, so nothing changes", whom.span, "name another player")


@checks.at(with_blocks)
def overwritten(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    """A place that is set, and set again by the next step, which does not ask what is there."""
    same, typed = rules.reader, rules.typed
    for block in blocks(node):
        for step, following in pairwise(block):
            if all(isinstance(one, Overwrites) for one in (step, following)):
                before, after = ([*having(one, Role.CHANGED)] for one in (step, following))
                asked = {same.key(one) for one in walk((*having(following, Role.INTO),)) if isinstance(one, t.Expr)}
                again = len(before) == len(after) == 1 and same.key(before[0]) == same.key(after[0])
                if again and same.key(before[0]) not in asked and typed.of(before[0]).shape not in _PASSED:
                    yield _idle("the next step sets this again", step.span, "set another place, or delete it")


def _idle(title: str, place: Span, remedy: str) -> Diagnostic:
    return Diagnostic("E0551", title, place, severity="warning", help=remedy)


@checks.at(with_blocks)
def never_come_to(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    """What stands behind a step that leaves the loop or ends the game."""
    for block in blocks(node):
        for step, following in pairwise(block):
            left = isinstance(step, t.Leave)
            if left or isinstance(step, Ends):
                yield Diagnostic(
                    "E0552",
                    "this is never reached, because of the step before it",
                    following.span,
                    severity="warning",
                    labels=(Label(step.span, "the loop is left here" if left else "the game ends here"),),
                    help="put it before that step, or delete it",
                )
                break


# --- choices from nothing ------------------------------------------------------------------------


@checks.at(t.Loop, with_role(Role.CHOSEN_FROM))
def choices_from_nothing(rules: Rules, node: t.Node) -> Iterator[Diagnostic]:
    looped = getattr(node, "source", None) if isinstance(node, t.Loop) else None
    verb = "choose from" if looped is None else "go through"
    for source in (*having(node, Role.CHOSEN_FROM), *filter(None, [looped])):
        meaning = rules.resolved.meaning.get(source) if isinstance(source, t.Name) else None
        if isinstance(meaning, Symbol) and meaning.sort == "builtin" and meaning.name in ("nobody", "no-dice"):
            yield Diagnostic(
                "E0532",
                f"`{meaning.name}` is empty, so there is nothing to {verb}",
                source.span,
                help=f"name the set to {verb}",
            )
