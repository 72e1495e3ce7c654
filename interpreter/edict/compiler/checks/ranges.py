"""Numbers that are out of range where they stand, divisions by 0, and requests for more than there are."""

from __future__ import annotations

from collections.abc import Iterator

from edict.compiler.checks.check_registry import CheckContext, Checks, has_role
from edict.compiler.semantics.call_graph import collect_handlers
from edict.compiler.semantics.possible_values import AbstractValue, count_things, evaluate_abstractly, keep_range
from edict.compiler.semantics.symbols import definition_of, keep_of
from edict.compiler.semantics.types import Coercion, TypedBook
from edict.compiler.sources.input_limits import GREATEST_CHOICE, SET_BITS
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import AskingStep, RangeStep, Role, iter_role_values
from edict.support.report import Diagnostic, Label
from edict.support.text import Span

checks = Checks()


@checks.check_rules
def find_numbers_beyond_sets(rules: CheckContext) -> Iterator[Diagnostic]:
    """Find numbers that a set has no room for."""
    for number, coercion in rules.typed.coerced.items():
        if coercion is Coercion.NUMBER_TO_SET:
            low, high = evaluate_abstractly(rules.typed, number).bounds
        else:
            low, high = (0, 0)
        if low >= SET_BITS or high < 0:
            yield Diagnostic(
                "E0514",
                f"a set holds numbers from 0 to {SET_BITS - 1}",
                number.span,
                help="choose or draw a number `from` one `to` another, with `where` to allow only some",
            )
    yield from _find_ranges_beyond_sets(rules)


def _find_ranges_beyond_sets(rules: CheckContext) -> Iterator[Diagnostic]:
    """Yield an error for a range that a set has no room for; where its numbers are only gone through, any will do."""
    loops = (
        node for _, node in rules.nodes_of(has_role(Role.MEMBERS)) if getattr(node, "gives", "members") != "members"
    )
    visited = {members for loop in loops for members in iter_role_values(loop, Role.MEMBERS)}
    visited |= {binary.right for _, binary in rules.nodes_of(t.Binary) if binary.op in ("in", "not-in")}
    for _, numbers in rules.nodes_of(t.NumbersFrom):
        first, last = (evaluate_abstractly(rules.typed, end) for end in (numbers.low, numbers.high))
        if numbers not in visited and (last.low >= SET_BITS or first.high < 0):
            yield Diagnostic(
                "E0514",
                f"a set holds numbers from 0 to {SET_BITS - 1}",
                numbers.span,
                help="go through the numbers with `some`, `every`, `no`, `sum of ... over` or `each number`, "
                "which take any range",
            )


def _is_reversed(range_: t.TypeName | t.Setting) -> bool:
    """Return True for a range whose literal lower bound exceeds its upper bound, as `from 5 to 1`."""
    return range_.low is not None and range_.high is not None and range_.low > range_.high


@checks.check_nodes(t.TypeName, t.Setting)
def find_reversed_ranges(rules: CheckContext, range_: t.TypeName | t.Setting) -> Iterator[Diagnostic]:
    """Find ranges from a larger number to a smaller one."""
    if not _is_reversed(range_):
        return
    if isinstance(range_, t.TypeName):
        setting_names = (range_.highest, range_.lowest)
    else:
        setting_names = (None, None)
    first, last = (
        name.word if name else number for name, number in zip(setting_names, (range_.high, range_.low), strict=True)
    )
    yield Diagnostic(
        "E0514",
        f"there are no numbers from {range_.low} to {range_.high}",
        range_.span,
        help=f"write `from {first} to {last}`: the smaller number comes first",
    )


@checks.check_nodes(t.Keep)
def find_initial_values_out_of_range(rules: CheckContext, keep: t.Keep) -> Iterator[Diagnostic]:
    """Find keeps whose initial value, 0 if none is given, is out of range."""
    if keep.start is not None:
        value = evaluate_abstractly(rules.typed, keep.start)
    else:
        value = AbstractValue(0, 0)
    if _is_out_of_range(value, keep) and not _is_reversed(keep.type):
        place = keep.start.span if keep.start is not None else keep.name.span
        title = f"`{keep.name.word}`" + (" begins at 0, and" if keep.start is None else "")
        yield _diagnose_out_of_range(keep, place, title, f"write `starting at {keep.type.low}`")


@checks.check_nodes(t.Setting)
def find_defaults_out_of_range(rules: CheckContext, setting: t.Setting) -> Iterator[Diagnostic]:
    """Find settings whose default is out of range, and settings on or off that have a range."""
    low, high = setting.low, setting.high
    if low is None or high is None or _is_reversed(setting):
        return
    if setting.truth:
        yield Diagnostic(
            "E0514",
            f"`{setting.name.word}` is on or off, so it has no range",
            setting.span,
            help="delete `from ... to ...`",
        )
    elif not low <= setting.value <= high:
        yield Diagnostic(
            "E0514",
            f"`{setting.name.word}` is a number from {low} to {high}, not {setting.value}",
            setting.span,
            help="start with another number, or widen the range",
        )


@checks.check_nodes(t.Set)
def find_assignments_out_of_range(rules: CheckContext, assignment: t.Set) -> Iterator[Diagnostic]:
    """Find assignments of a number that is out of the keep's range."""
    keep = keep_of(rules.resolved, assignment.place)
    if keep is not None and _is_out_of_range(evaluate_abstractly(rules.typed, assignment.value), keep):
        yield _diagnose_out_of_range(
            keep, assignment.value.span, f"`{keep.name.word}`", "set it to another number, or widen its range"
        )


@checks.check_nodes(t.Add, t.Remove)
def find_changes_out_of_range(rules: CheckContext, change: t.Add | t.Remove) -> Iterator[Diagnostic]:
    """Find changes by more than the width of the keep's range, which leave it from anywhere."""
    keep = keep_of(rules.resolved, change.place)
    if keep is None or keep.type.low is None or keep.type.high is None:
        return
    (low, high), (least, most) = evaluate_abstractly(rules.typed, change.value).bounds, keep_range(keep).bounds
    if max(low, -high) > most - least:
        yield _diagnose_out_of_range(
            keep, change.value.span, f"`{keep.name.word}`", "change it by less, or widen its range"
        )


def iter_additions(step: t.Stmt) -> Iterator[tuple[t.Expr, t.Expr]]:
    """Yield the place that a step adds to, with what it adds."""
    if isinstance(step, t.Add):
        yield step.place, step.value


def _is_out_of_range(value: AbstractValue, keep: t.Keep) -> bool:
    """Return True if no possible value lies within the range of a keep; False for a keep without a range."""
    low, high = keep.type.low, keep.type.high
    return low is not None and high is not None and value.intersect(AbstractValue(low, high)).is_empty


def _diagnose_out_of_range(keep: t.Keep, place: Span, subject: str, remedy: str) -> Diagnostic:
    """Return E0514, for a number outside of the range of a keep."""
    return Diagnostic(
        "E0514",
        f"{subject} is a number from {keep.type.low} to {keep.type.high}",
        place,
        labels=(Label(keep.type.span, "declared"),),
        help=remedy,
    )


def _is_number_choice(kind: type) -> bool:
    """Return True for classes of steps that ask a player for a number from a range."""
    return issubclass(kind, AskingStep) and issubclass(kind, RangeStep)


@checks.check_nodes(_is_number_choice)
def find_unanswerable_numbers(rules: CheckContext, choice: RangeStep) -> Iterator[Diagnostic]:
    """Yield an error for a constant bound of a number choice that is below 0 or above the greatest answer."""
    for bound in (choice.low, choice.high):
        low, high = evaluate_abstractly(rules.typed, bound).bounds if bound is not None else (0, 0)
        if bound is not None and low == high and not 0 <= low <= GREATEST_CHOICE:
            yield Diagnostic(
                "E0514",
                f"only numbers from 0 to {GREATEST_CHOICE:,} can be chosen, but this is {int(low):,}",
                bound.span,
                help=f"write a number from 0 to {GREATEST_CHOICE:,}, and calculate with the chosen number",
            )


@checks.check_nodes(t.Showing, t.Among)
def find_impossible_faces(rules: CheckContext, dice: t.Showing | t.Among) -> Iterator[Diagnostic]:
    """Find tests for a number that no such die shows."""
    die = definition_of(rules.resolved, dice.die)
    if dice.face is not None and isinstance(die, t.Die):
        low, high = evaluate_abstractly(rules.typed, dice.face).bounds
        if low > die.sides or high < 1:
            yield Diagnostic(
                "E0514",
                f"`{die.name.word}` shows a number from 1 to {die.sides}",
                dice.face.span,
                severity="warning",
                labels=(Label(die.span, "declared"),),
                help="ask for another number, or give the die more sides",
            )


# --- adjustments beyond a bound ----------------------------------------------------------------


@checks.check_nodes(t.Quantity)
def find_adjustments_at_bound(rules: CheckContext, quantity: t.Quantity) -> Iterator[Diagnostic]:
    """Yield a warning for an adjustment that keeps a quantity at its `at least` or `at most`."""
    if quantity.at_least is None and quantity.at_most is None:
        return
    adjusts = [
        adjust
        for adjust in collect_handlers(rules.resolved).by_definition.get(quantity, ())
        if isinstance(adjust, t.Adjust)
    ]
    if any(adjust.by is None for adjust in adjusts):
        return
    changes = {adjust: evaluate_abstractly(rules.typed, adjust.number) for adjust in adjusts}
    for adjust in adjusts:
        yield from _check_bounds(
            rules.typed, quantity, adjust, [changes[other] for other in adjusts if other is not adjust]
        )


def _check_bounds(
    typed: TypedBook, quantity: t.Quantity, adjust: t.Adjust, others: list[AbstractValue]
) -> Iterator[Diagnostic]:
    """Yield a warning if an adjustment keeps a quantity at a bound, even if each of `others` works against it.

    With a condition it may mean `none at all`, so a bound of 0 is allowed there.
    """
    certain = adjust.condition is None or evaluate_abstractly(typed, adjust.condition).truth
    (low, high), (least, most) = (
        evaluate_abstractly(typed, quantity.value).bounds,
        evaluate_abstractly(typed, adjust.number).bounds,
    )
    low, high = low + sum(min(0, change.low) for change in others), high + sum(max(0, change.high) for change in others)
    if quantity.at_least is not None:
        bound = evaluate_abstractly(typed, quantity.at_least).low
        if high + most < bound < high and (certain or bound):
            yield _diagnose_at_bound(quantity, adjust, quantity.at_least, (bound, high), "more")
    if quantity.at_most is not None:
        bound = evaluate_abstractly(typed, quantity.at_most).high
        if low < bound < low + least and (certain or bound):
            yield _diagnose_at_bound(quantity, adjust, quantity.at_most, (bound, low), "less")


def _diagnose_at_bound(
    quantity: t.Quantity, adjust: t.Adjust, bound: t.Expr, numbers: tuple[float, float], comparative: str
) -> Diagnostic:
    """Return the warning for `adjust`; `numbers` are the bound and the unadjusted value farthest from it."""
    limit, farthest = (int(number) for number in numbers)
    return Diagnostic(
        "E0579",
        f"with this, `{quantity.name.word}` is never {comparative} than its bound, {limit}",
        adjust.number.span,
        severity="warning",
        labels=(Label(bound.span, "its bound"),),
        note=f"Without this adjustment, and before its bounds apply, it is never {comparative} than {farthest}.",
        help=f"adjust it by less (by {limit - farthest} it just reaches the bound), or change the bound",
    )


# --- division by 0 -------------------------------------------------------------------------------


@checks.check_nodes(t.Binary, t.Adjust)
def find_divisions_by_zero(rules: CheckContext, node: t.Binary | t.Adjust) -> Iterator[Diagnostic]:
    """Find divisions by a number that is always 0; one that may be 0 is for the rule to test with `if`.

    Derived fields of kinds are computed while compiling and report it themselves.
    """
    if isinstance(node, t.Adjust):
        divisor = node.divided
    else:
        if node.op in ("/", "mod") and not isinstance(rules.owner, t.Kind):
            divisor = node.right
        else:
            divisor = None
    if divisor is not None and evaluate_abstractly(rules.typed, divisor).constant == 0:
        yield Diagnostic(
            "E0519",
            "this divides by 0",
            divisor.span,
            note="Nothing can be divided by 0: the game would stop here.",
            help="divide by another number, or delete the division",
        )


# --- requests for more than there are ------------------------------------------------------------


@checks.check_nodes(t.DrawSome, t.ChooseSome)
def find_overdrawn_sets(rules: CheckContext, step: t.DrawSome | t.ChooseSome) -> Iterator[Diagnostic]:
    """Find choices and draws of more things than a kind has; a bag may hold a thing several times."""
    kind = definition_of(rules.resolved, step.kind)
    if not isinstance(step.count, t.Number) or not isinstance(kind, t.Kind):
        return
    requested, available = step.count.value, count_things(rules.typed, kind)
    in_a_bag = step.source is not None and rules.typed.type_of(step.source).shape == "bag"
    if requested > available and not in_a_bag:
        yield Diagnostic(
            "E0541",
            f"this asks for {requested}, but there are only {available}",
            step.count.span,
            severity="warning",
            labels=(Label(kind.name.span, f"`{kind.name.word}` is declared"),),
            help=f"ask for {available} at most, or declare more",
        )
