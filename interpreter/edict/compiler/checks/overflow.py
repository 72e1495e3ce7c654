"""Numbers beyond the range of a keep, or of a cell.

They come from settings, from totals of dice, from loops that add each time, and from arithmetic.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import inf

from edict.compiler.checks.check_registry import CheckContext, Checks
from edict.compiler.checks.ranges import iter_additions
from edict.compiler.semantics.call_graph import collect_reachable
from edict.compiler.semantics.effects import collect_changes, iter_changes
from edict.compiler.semantics.possible_values import MIRRORED, AbstractValue, evaluate_abstractly, keep_range
from edict.compiler.semantics.precedence import list_exceptions
from edict.compiler.semantics.symbols import Local, definition_of, keep_of, meaning_of_place
from edict.compiler.semantics.types import TypedBook
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import GameEndingStep, RangeStep, Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.runtime.program.opcodes import LEAST, MOST
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Label
from edict.support.text import Span


@dataclass(frozen=True, slots=True)
class _Source:
    """A source of numbers."""

    title: str
    span: Span  # its declaration
    values: AbstractValue


checks = Checks()


# --- repeat until KEEP >= SETTING ---------------------------------------------------------------


@checks.check_nodes(t.Loop)
def find_unreachable_ends(rules: CheckContext, loop: t.Loop) -> Iterator[Diagnostic]:
    """Find loops until a keep has reached a setting that may be beyond the keep's range."""
    for until in iter_role_values(loop, Role.AWAITED):
        yield from _find_unreachable_ends(rules.typed, loop, until)


def _find_unreachable_ends(typed: TypedBook, loop: t.Loop, until: t.Expr) -> Iterator[Diagnostic]:
    """Yield a warning for each comparison in `until` of a keep with a setting that may be beyond its range."""
    if isinstance(until, t.Binary) and until.op in ("and", "or"):
        yield from _find_unreachable_ends(typed, loop, until.left)
        yield from _find_unreachable_ends(typed, loop, until.right)
    if isinstance(until, t.Binary) and until.op in MIRRORED:
        for place, op, other in (
            (until.left, until.op, until.right),
            (until.right, MIRRORED[until.op], until.left),
        ):
            keep, setting = keep_of(typed.resolved, place), _make_setting_source(typed, other)
            if keep is not None and setting is not None and _may_be_unreachable(keep_range(keep), op, setting.values):
                meaning = meaning_of_place(typed.resolved, place)
                if meaning in collect_changes(typed.resolved, *loop.block):
                    yield _diagnose_out_of_range(keep, setting, Label(until.span, "the loop waits for it"))


def _may_be_unreachable(keep_values: AbstractValue, op: str, wanted: AbstractValue) -> bool:
    """Return True if for some number in `wanted` no number of the keep makes `keep op wanted` true."""
    if op in (">", ">="):
        return wanted.high > keep_values.high or (op == ">" and wanted.high == keep_values.high)
    if op in ("<", "<="):
        return wanted.low < keep_values.low or (op == "<" and wanted.low == keep_values.low)
    return not wanted.is_within(keep_values)


# --- set KEEP to SETTING, or to a total ---------------------------------------------------------


@checks.check_nodes(t.Set)
def find_overflowing_assignments(rules: CheckContext, assignment: t.Set) -> Iterator[Diagnostic]:
    """Find assignments of a setting or a total that may be beyond a keep's range, with no condition against it."""
    keep, source = keep_of(rules.resolved, assignment.place), _find_source(rules.typed, rules.owner, assignment.value)
    if keep is not None and source is not None:
        if not source.values.is_within(keep_range(keep)):
            yield _diagnose_out_of_range(keep, source, Label(assignment.value.span, "set"))


def _find_source(typed: TypedBook, owner: t.Node, value: t.Expr) -> _Source | None:
    """Return name, place and range of the setting, dice total or drawn number that `value` is; None if it is tested."""
    if isinstance(value, t.Unary) and value.op == "total" and isinstance(value.arg, t.Name):
        return _make_total_source(typed, owner, value.arg)
    if isinstance(value, t.Name) and isinstance(typed.resolved.meaning.get(value), Local):
        return _make_number_source(typed, owner, value)
    setting, meaning = _make_setting_source(typed, value), meaning_of_place(typed.resolved, value)
    if setting is None:
        return None
    conditions = (node for node in walk(owner) if isinstance(node, t.Binary) and node.op in MIRRORED)
    is_compared = any(
        meaning_of_place(typed.resolved, side) == meaning for node in conditions for side in (node.left, node.right)
    )
    return None if is_compared else setting


def _make_total_source(typed: TypedBook, owner: t.Node, dice: t.Name) -> _Source | None:
    """Return the range of `total of DICE` after a `roll`; None for dice from elsewhere or without a limit."""
    roll = _find_binder(typed, owner, dice)
    if not isinstance(roll, t.Roll):
        return None
    die = typed.resolved.book.definitions.get(roll.die.word)
    low, high = evaluate_abstractly(typed, roll.count).bounds
    if not isinstance(die, t.Die) or high == inf:
        return None
    return _Source(f"`total of {dice.word}`", die.span, AbstractValue(max(low, 0), high * die.sides))


def _make_number_source(typed: TypedBook, owner: t.Node, name: t.Name) -> _Source | None:
    """Return the source for a name bound by a step with two bounds and no condition; None for any other name."""
    step = _find_binder(typed, owner, name)
    if not isinstance(step, t.Stmt) or not isinstance(step, RangeStep) or step.low is None or step.high is None:
        return None
    if any(iter_role_values(step, Role.PER_MEMBER)):
        return None
    low, high = evaluate_abstractly(typed, step.low).low, evaluate_abstractly(typed, step.high).high
    if inf in (-low, high):
        return None
    return _Source(f"`{name.word}`", step.span, AbstractValue(low, high))


def _find_binder(typed: TypedBook, owner: t.Node, name: t.Name) -> t.Node | None:
    """Return the step that binds a local name; None if a step changes the local or a condition in `owner` reads it."""
    local, nodes = typed.resolved.meaning.get(name), list(walk(owner))
    if not isinstance(local, Local) or any(local in iter_changes(typed.resolved, node) for node in nodes):
        return None
    for node in nodes:
        for condition in iter_role_values(node, Role.DECIDES):
            if any(typed.resolved.meaning.get(use) is local for use in walk(condition) if isinstance(use, t.Name)):
                return None
    return next((node for node in nodes if typed.resolved.binds.get(node) == local), None)


# --- diagnostics --------------------------------------------------------------------------------


def _make_setting_source(typed: TypedBook, value: t.Expr) -> _Source | None:
    """Return the range of numbers that a setting may have; None for other values and for on/off settings."""
    setting = definition_of(typed.resolved, value)
    if not isinstance(setting, t.Setting) or setting.truth:
        return None
    if setting.low is None or setting.high is None:
        low, high = (setting.value, setting.value)
    else:
        low, high = (setting.low, setting.high)
    return _Source(
        f"`{setting.name.word}`", setting.span, AbstractValue(min(low, setting.value), max(high, setting.value))
    )


def _diagnose_out_of_range(keep: t.Keep, source: _Source, use: Label) -> Diagnostic:
    """Return the warning E0536, for a source of numbers beyond the range of the keep that it is put in."""
    low, high = source.values.bounds
    reached = int(high if high > keep_range(keep).high else low)
    title = f"{source.title} is {reached}" if low == high else f"{source.title} can be {reached}"
    return Diagnostic(
        "E0536",
        f"{title}, but `{keep.name.word}` is a number from {keep.type.low} to {keep.type.high}",
        source.span,
        labels=(use, Label(keep.type.span, "declared")),
        severity="warning",
        help=f"widen the range of `{keep.name.word}`, or stay within it",
    )


# --- keeps that grow in a loop -------------------------------------------------------------------


@checks.check_nodes(t.Repeat)
def find_overflowing_loops(rules: CheckContext, loop: t.Repeat) -> Iterator[Diagnostic]:
    """Find loops with a count that add to a keep until it is beyond its range."""
    if loop.count is not None:
        yield from _find_overflow(rules.typed, loop, evaluate_abstractly(rules.typed, loop.count).low)


def _find_overflow(typed: TypedBook, loop: t.Repeat, times: float) -> Iterator[Diagnostic]:
    """Yield a warning for a `repeat` that surely adds more to a keep, in `times` passes, than its range is wide."""
    steps = _iter_unconditional_steps(typed, loop.block, set())
    adding = [(step, place, value) for step in steps for place, value in iter_additions(step)]
    reached = collect_reachable(typed.resolved, loop.block) if adding else set()
    if any(isinstance(node_, GameEndingStep | t.Leave) for node_ in reached):
        return
    changed_places = [
        meaning_of_place(typed.resolved, node_) for node in reached for node_ in iter_role_values(node, Role.CHANGED)
    ]
    for step, place, value in adding:
        keep = keep_of(typed.resolved, place)
        if keep is not None and not keep.params and keep.type.shape == "number":
            (least, most), increment = keep_range(keep).bounds, evaluate_abstractly(typed, value).low
            if (
                changed_places.count(meaning_of_place(typed.resolved, place)) == 1
                and increment > 0
                and times * increment > most - least
            ):
                yield Diagnostic(
                    "E0536",
                    f"after {int(times)} repetitions, this exceeds the range of `{keep.name.word}`, a number "
                    f"from {keep.type.low} to {keep.type.high}",
                    step.span,
                    severity="warning",
                    labels=(Label(loop.span, "repeated"), Label(keep.type.span, "declared")),
                    help=f"widen the range of `{keep.name.word}`, or repeat it less often",
                )


def _iter_unconditional_steps(typed: TypedBook, block: t.Block, seen: set[t.Definition]) -> Iterator[t.Stmt]:
    """Yield the steps that are done in each pass in any case: those of the block and of the phases it plays."""
    for step in block:
        yield step
        phase = definition_of(typed.resolved, step.phase) if isinstance(step, t.Play) else None
        if isinstance(phase, t.Phase) and phase not in seen and not list_exceptions(typed.resolved, phase):
            yield from _iter_unconditional_steps(typed, phase.block, seen | {phase})


# --- numbers too large for a cell ----------------------------------------------------------------


@checks.check_nodes(t.Binary)
def find_too_large_numbers(rules: CheckContext, node: t.Binary) -> Iterator[Diagnostic]:
    """Find expressions whose value does not fit into a cell, innermost only."""
    if _is_too_large(rules.typed, node) and not any(
        _is_too_large(rules.typed, operand) for operand in (node.left, node.right)
    ):
        yield Diagnostic(
            "E0526",
            "this number gets too large",
            node.span,
            note=f"Numbers go up to {-LEAST:,} (2 to the power of 62), positive or negative.",
            help="use smaller numbers",
        )


def _is_too_large(typed: TypedBook, expr: t.Expr) -> bool:
    """Return True if every possible value of an expression is outside the range of a cell."""
    low, high = evaluate_abstractly(typed, expr).bounds
    return low > MOST or high < LEAST
