"""Numbers beyond what a keep, or a cell, has room for: settings and dice, loops that add each time, and sums."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from edict.checks.check_registry import Checks, Rules
from edict.checks.ranges import grown
from edict.language import tree as t
from edict.language.roles import Ends, FromTo, Role, having
from edict.language.walking import walk
from edict.meaning.call_graph import within
from edict.meaning.effects import all_changes, changes
from edict.meaning.possible_values import MIRRORED, Possible, keep_range, possible
from edict.meaning.precedence import exceptions_to
from edict.meaning.symbols import Local, definition_of, keep_of, place_of
from edict.meaning.types import Typed
from edict.program.opcodes import LEAST, MOST
from edict.report import Diagnostic, Label
from edict.text import Span


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a number comes from: what it is called, where that is declared, and what it may be."""

    said: str
    span: Span
    possible: Possible


checks = Checks()


# --- repeat until KEEP >= SETTING ---------------------------------------------------------------


@checks.at(t.Loop)
def beyond_what_is_awaited(rules: Rules, loop: t.Loop) -> Iterator[Diagnostic]:
    for until in having(loop, Role.AWAITED):
        yield from _waited_for(rules.typed, loop, until)


def _waited_for(typed: Typed, loop: t.Loop, until: t.Expr) -> Iterator[Diagnostic]:
    """A keep that changes in the loop until it is as large as a setting must be able to become so."""
    if isinstance(until, t.Binary) and until.op in ("and", "or"):
        yield from _waited_for(typed, loop, until.left)
        yield from _waited_for(typed, loop, until.right)
    if isinstance(until, t.Binary) and until.op in MIRRORED:
        for place, op, other in (
            (until.left, until.op, until.right), (until.right, MIRRORED[until.op], until.left),
        ):  # fmt: skip
            keep, setting = keep_of(typed.resolved, place), _setting(typed, other)
            if keep is not None and setting is not None and _cannot_be(keep_range(keep), op, setting.possible):
                meaning = place_of(typed.resolved, place)
                if meaning in all_changes(typed.resolved, *loop.block):
                    yield _beyond(keep, setting, Label(until.span, "the loop waits for it"))


def _cannot_be(keep: Possible, op: str, wanted: Possible) -> bool:
    """Whether no number of the keep is so, for some number that is wanted."""
    if op in (">", ">="):
        return wanted.high > keep.high or (op == ">" and wanted.high == keep.high)
    if op in ("<", "<="):
        return wanted.low < keep.low or (op == "<" and wanted.low == keep.low)
    return not wanted.within(keep)


# --- set KEEP to SETTING, or to a total ---------------------------------------------------------


@checks.at(t.Set)
def beyond_keeps(rules: Rules, one: t.Set) -> Iterator[Diagnostic]:
    """Only what can surely come to pass: nothing is said of what a condition may prevent."""
    keep, source = keep_of(rules.resolved, one.place), _source(rules.typed, rules.owner, one.value)
    if keep is not None and source is not None:
        if not source.possible.within(keep_range(keep)):
            yield _beyond(keep, source, Label(one.value.span, "it is put there"))


def _source(typed: Typed, owner: t.Node, value: t.Expr) -> _Source | None:
    """A setting that is not compared with anything here, or the total of dice just rolled."""
    if isinstance(value, t.Unary) and value.op == "total" and isinstance(value.arg, t.Name):
        return _total(typed, owner, value.arg)
    if isinstance(value, t.Name) and isinstance(typed.resolved.meaning.get(value), Local):
        return _picked(typed, owner, value)
    setting, meaning = _setting(typed, value), place_of(typed.resolved, value)
    if setting is None:
        return None
    conditions = (node for node in walk(owner) if isinstance(node, t.Binary) and node.op in MIRRORED)
    compared = any(place_of(typed.resolved, x) == meaning for node in conditions for x in (node.left, node.right))
    return None if compared else setting


def _total(typed: Typed, owner: t.Node, dice: t.Name) -> _Source | None:
    roll = _bound(typed, owner, dice)
    if not isinstance(roll, t.Roll):
        return None
    die = typed.resolved.book.definitions.get(roll.die.word)
    low, high = possible(typed, roll.count).range
    if not isinstance(die, t.Die) or high == inf:
        return None
    return _Source(f"`total of {dice.word}`", die.span, Possible(max(low, 0), high * die.sides))


def _picked(typed: Typed, owner: t.Node, name: t.Name) -> _Source | None:
    """A number that was just drawn or chosen."""
    step = _bound(typed, owner, name)
    if not isinstance(step, t.Stmt) or not isinstance(step, FromTo) or step.low is None or step.high is None:
        return None
    if any(having(step, Role.PER_MEMBER)):
        return None
    low, high = possible(typed, step.low).low, possible(typed, step.high).high
    return None if inf in (-low, high) else _Source(f"`{name.word}`", step.span, Possible(low, high))


def _bound(typed: Typed, owner: t.Node, name: t.Name) -> t.Node | None:
    """The step that gives a name its value, if nothing changes it afterwards and nothing is decided by it."""
    local, nodes = typed.resolved.meaning.get(name), list(walk(owner))
    if not isinstance(local, Local) or any(local in changes(typed.resolved, n) for n in nodes):
        return None
    uses = [n for n in nodes if isinstance(n, t.Name) and typed.resolved.meaning.get(n) == local]
    looked_at = any(use in uses for n in nodes for asked in having(n, Role.DECIDES) for use in walk(asked))
    return None if looked_at else next((n for n in nodes if typed.resolved.binds.get(n) == local), None)


# --- telling ------------------------------------------------------------------------------------


def _setting(typed: Typed, value: t.Expr) -> _Source | None:
    found = definition_of(typed.resolved, value)
    if not isinstance(found, t.Setting) or found.truth:
        return None
    low, high = (found.value, found.value) if found.low is None or found.high is None else (found.low, found.high)
    return _Source(f"`{found.name.word}`", found.span, Possible(min(low, found.value), max(high, found.value)))


def _beyond(keep: t.Keep, source: _Source, use: Label) -> Diagnostic:
    low, high = source.possible.range
    reached = int(high if high > keep_range(keep).high else low)
    what = f"{source.said} is {reached}" if low == high else f"{source.said} can be {reached}"
    return Diagnostic(
        "E0536", f"{what}, and `{keep.name.word}` is a number from {keep.type.low} to {keep.type.high}", source.span,
        labels=(use, Label(keep.type.span, "it is declared so")), severity="warning",
        help=f"widen the range of `{keep.name.word}`, or stay within it",
    )  # fmt: skip


# --- keeps that grow in a loop -------------------------------------------------------------------


@checks.at(t.Repeat)
def again(rules: Rules, loop: t.Repeat) -> Iterator[Diagnostic]:
    if loop.count is not None:
        yield from _too_often(rules.typed, loop, possible(rules.typed, loop.count).low)


def _too_often(typed: Typed, loop: t.Repeat, times: float) -> Iterator[Diagnostic]:
    """Certain: each pass adds, nothing else in the loop changes the keep, and nothing ends it early."""
    steps = _done_each_time(typed, loop.block, set())
    adding = [(step, place, value) for step in steps for place, value in grown(step)]
    reached = within(typed.resolved, loop.block) if adding else set()
    if any(isinstance(one, Ends | t.Leave) for one in reached):
        return
    changed = [place_of(typed.resolved, one) for node in reached for one in having(node, Role.CHANGED)]
    for step, place, value in adding:
        keep = keep_of(typed.resolved, place)
        if keep is not None and not keep.params and keep.type.shape == "number":
            (least, most), each = keep_range(keep).range, possible(typed, value).low
            if changed.count(place_of(typed.resolved, place)) == 1 and each > 0 and times * each > most - least:
                yield Diagnostic(
                    "E0536",
                    f"after {int(times)} times this has come to more than `{keep.name.word}` has room for, "
                    f"a number from {keep.type.low} to {keep.type.high}",
                    step.span, severity="warning",
                    labels=(Label(loop.span, "it is repeated here"), Label(keep.type.span, "it is declared so")),
                    help=f"widen the range of `{keep.name.word}`, or repeat it less often",
                )  # fmt: skip


def _done_each_time(typed: Typed, block: t.Block, seen: set[t.Definition]) -> Iterator[t.Stmt]:
    """The steps that are done in each pass, whatever happens: those of the block, and of the phases it plays."""
    for step in block:
        yield step
        phase = definition_of(typed.resolved, step.phase) if isinstance(step, t.Play) else None
        if isinstance(phase, t.Phase) and phase not in seen and not exceptions_to(typed.resolved, phase):
            yield from _done_each_time(typed, phase.block, seen | {phase})


# --- numbers too large for a cell ----------------------------------------------------------------


@checks.at(t.Binary)
def too_large(rules: Rules, node: t.Binary) -> Iterator[Diagnostic]:
    if _is_too_large(rules.typed, node) and not any(_is_too_large(rules.typed, one) for one in (node.left, node.right)):
        yield Diagnostic(
            "E0526", "this comes to a number that is too large", node.span,
            note=f"Numbers reach to {-LEAST:,}, which is 2 to the power of 62, above and below 0.",
            help="compute with smaller numbers",
        )  # fmt: skip


def _is_too_large(typed: Typed, expr: t.Expr) -> bool:
    low, high = possible(typed, expr).range
    return low > MOST or high < LEAST
