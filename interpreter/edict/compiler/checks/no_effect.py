"""Steps without an effect: amounts of 0 or less, assignments of the value that is there, unreachable steps."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from typing import Any

from edict.compiler.checks.check_registry import (
    CheckContext,
    Checks,
    has_blocks,
    has_role,
    iter_blocks,
    moves_resources,
)
from edict.compiler.semantics.call_graph import is_you
from edict.compiler.semantics.possible_values import evaluate_abstractly
from edict.compiler.semantics.symbols import NUMBER, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import (
    GameEndingStep,
    OverwritingStep,
    Requires,
    Role,
    get_field_note,
    iter_role_values,
)
from edict.compiler.syntax.traversal import node_fields, walk
from edict.support.report import Diagnostic, Label
from edict.support.text import Span

# the places in which a number is a number of times, an amount or a change
_COUNT_PHRASES = ("`repeat`", "`roll`", "`draw`", "`choose`", "`times`", "`adjust`", "`limited to`")

# abilities may wait for members that join and leave; dice are turned in place
_NOT_OVERWRITABLE = (
    "set",
    "bag",
    "dice",
)


checks = Checks()


@checks.check_nodes(t.Binary)
def find_self_differences(rules: CheckContext, node: t.Binary) -> Iterator[Diagnostic]:
    """Find differences of a value and itself, as `gold - gold`."""
    if node.op == "-" and not isinstance(node.left, t.Number):
        if node.span and rules.reader.value_key(node.left) == rules.reader.value_key(node.right):
            yield _diagnose_no_effect("this subtraction leaves nothing", node.span, "subtract something else")


@checks.check_nodes(moves_resources)
def find_zero_amounts(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Find amounts that are 0 in any case."""
    for bundle in iter_role_values(node, Role.MOVED):
        for part in bundle.parts:
            if evaluate_abstractly(rules.typed, part.amount).constant == 0:
                yield _diagnose_no_effect("an amount of 0 changes nothing", part.amount.span, "write another amount")


@cache
def _count_fields(kind: Any) -> tuple[str, ...]:
    """Return the fields of a class that hold a count, an amount or a change by a number."""
    fields = node_fields(kind) if not issubclass(kind, t.Expr) else ()
    return tuple(
        field
        for field in fields
        if (takes := get_field_note(kind, field, Requires)) is not None and takes.where in _COUNT_PHRASES
    )


@checks.check_nodes(_count_fields)
def find_zero_repetitions(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Find steps that are done 0 times."""
    kind: Any = type(node)
    for value in (getattr(node, field) for field in _count_fields(kind)):
        if isinstance(value, t.Expr):
            low, high = evaluate_abstractly(rules.typed, value).bounds
            if high <= 0 and (low == 0 or not isinstance(node, t.Adjust)) and value.span != node.span:
                yield _diagnose_no_effect(
                    "this is 0, so nothing happens here", value.span, "write another number, or delete it"
                )


def _has_bounds(kind: Any) -> bool:
    """Return True for quantities, and for classes of nodes with fields `low` and `high`."""
    return issubclass(kind, t.Quantity) or not ({"low", "high"} - {*node_fields(kind)})


@checks.check_nodes(_has_bounds)
def find_empty_ranges(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Find ranges from a larger number to a smaller one, also of `at least` and `at most`."""
    is_quantity = isinstance(node, t.Quantity)
    low, high = (getattr(node, bound, None) for bound in (("at_least", "at_most") if is_quantity else ("low", "high")))
    if isinstance(low, t.Expr) and isinstance(high, t.Expr):
        if evaluate_abstractly(rules.typed, low).low > evaluate_abstractly(rules.typed, high).high:
            title, remedy = "this range contains no numbers", "write the smaller number first"
            if is_quantity:
                title, remedy = "`at least` is larger than `at most`", "swap the two, or delete one"
            yield _diagnose_no_effect(title, low.span.extend_to(high.span), remedy)


@checks.check_nodes(OverwritingStep, has_role(Role.CHANGED))
def find_no_op_assignments(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Find assignments of what a place holds already."""
    places, values = [*iter_role_values(node, Role.CHANGED)], [*iter_role_values(node, Role.INTO)]
    reader, typed = rules.reader, rules.typed
    if isinstance(node, OverwritingStep) or (places and {*places} == {*values}):  # `set`, and `swap`
        first, *others = dict.fromkeys((*places, *values))
        for other in others:
            if reader.value_key(first) == reader.value_key(other):
                yield _diagnose_no_effect(
                    "both are the same, so nothing changes", other.span, "name another place or value"
                )
    elif len(places) == len(values) == 1 and typed.type_of(places[0]) == typed.type_of(values[0]) == NUMBER:
        if evaluate_abstractly(typed, values[0]).constant == 0:
            yield _diagnose_no_effect(
                "this is 0, so nothing changes", values[0].span, "write another number, or delete it"
            )


@checks.check_nodes(t.Short)
def find_no_op_transfers(rules: CheckContext, node: t.Short) -> Iterator[Diagnostic]:
    """Find moves from a place to itself, and gifts to oneself."""
    source, place, whom = (getattr(node, field, None) for field in ("source", "place", "whom"))
    reader, typed = rules.reader, rules.typed
    ordered = place is not None and typed.type_of(place).shape == "order"
    if source is not None and place is not None and not ordered and reader.value_key(source) == reader.value_key(place):
        yield _diagnose_no_effect("both are the same, so nothing changes", place.span, "name another place")
    takes = get_field_note(type(node), "whom", Requires)
    if whom is not None and takes is not None and takes.shape == "player" and is_you(typed.resolved, whom):
        yield _diagnose_no_effect(
            "the giver and the receiver are the same player, so nothing changes", whom.span, "name another player"
        )


@checks.check_nodes(has_blocks)
def find_overwritten_assignments(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Find assignments to a place that the next step overwrites without reading it."""
    reader, typed = rules.reader, rules.typed
    for block in iter_blocks(node):
        for step, following in pairwise(block):
            if all(isinstance(assignment, OverwritingStep) for assignment in (step, following)):
                first_places, second_places = (
                    [*iter_role_values(assignment, Role.CHANGED)] for assignment in (step, following)
                )
                read_keys = {
                    reader.value_key(assignment)
                    for assignment in walk((*iter_role_values(following, Role.INTO),))
                    if isinstance(assignment, t.Expr)
                }
                is_same_place = len(first_places) == len(second_places) == 1 and reader.value_key(
                    first_places[0]
                ) == reader.value_key(second_places[0])
                if (
                    is_same_place
                    and reader.value_key(first_places[0]) not in read_keys
                    and typed.type_of(first_places[0]).shape not in _NOT_OVERWRITABLE
                ):
                    yield _diagnose_no_effect(
                        "the next step sets this again", step.span, "set another place, or delete it"
                    )


def _diagnose_no_effect(title: str, place: Span, remedy: str) -> Diagnostic:
    """Return the warning E0551, for a step or value without an effect."""
    return Diagnostic("E0551", title, place, severity="warning", help=remedy)


@checks.check_nodes(has_blocks)
def find_unreachable_steps(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Find steps after one that leaves the loop or ends the game."""
    for block in iter_blocks(node):
        for step, following in pairwise(block):
            is_leave = isinstance(step, t.Leave)
            if is_leave or isinstance(step, GameEndingStep):
                yield Diagnostic(
                    "E0552",
                    "this step is never reached",
                    following.span,
                    severity="warning",
                    labels=(Label(step.span, "the loop ends" if is_leave else "the game ends"),),
                    help="put it before that step, or delete it",
                )
                break


# --- choices from nothing ------------------------------------------------------------------------


@checks.check_nodes(t.Loop, has_role(Role.CHOSEN_FROM))
def find_empty_sources(rules: CheckContext, node: t.Node) -> Iterator[Diagnostic]:
    """Find choices and loops over a set that is empty by name, as `nobody`."""
    loop_source = getattr(node, "source", None) if isinstance(node, t.Loop) else None
    verb = "choose from" if loop_source is None else "go through"
    for source in (*iter_role_values(node, Role.CHOSEN_FROM), *filter(None, [loop_source])):
        meaning = rules.resolved.meaning.get(source) if isinstance(source, t.Name) else None
        if isinstance(meaning, Symbol) and meaning.sort == "builtin" and meaning.name in ("nobody", "no-dice"):
            yield Diagnostic(
                "E0532",
                f"`{meaning.name}` is empty, so there is nothing to {verb}",
                source.span,
                help=f"name the set to {verb}",
            )
