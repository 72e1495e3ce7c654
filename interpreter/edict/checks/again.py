"""Numbers that grow each time a loop of fixed length comes round, beyond what their keep has room for."""

from __future__ import annotations

from collections.abc import Iterator

from edict.checks.intervals import keep_range, range_of
from edict.checks.ranges import grown
from edict.language import tree as t
from edict.language.roles import Ends, Role, having
from edict.language.walking import walk
from edict.meaning.calls import calls, owners, within
from edict.meaning.symbols import definition_of, keep_of, place_of
from edict.meaning.types import Typed
from edict.report import Diagnostic, Label


def again(typed: Typed) -> Iterator[Diagnostic]:
    for owner in owners(typed.resolved):
        for node in walk(owner):
            if isinstance(node, t.Repeat) and node.count is not None:
                yield from _too_often(typed, node, range_of(typed, node.count)[0])


def _too_often(typed: Typed, loop: t.Repeat, times: float) -> Iterator[Diagnostic]:
    """Certain: each pass adds, nothing else in the loop changes the keep, and nothing ends it early."""
    adding = [(step, place, value) for step in _always(typed, loop.block, set()) for place, value in grown(step)]
    reached = within(typed.resolved, loop.block) if adding else set()
    if any(isinstance(one, Ends) or isinstance(getattr(one, "short", None), t.Leave) for one in reached):
        return
    changed = [place_of(typed.resolved, one) for node in reached for one in having(node, Role.CHANGED)]
    for step, place, value in adding:
        keep = keep_of(typed.resolved, place)
        if keep is not None and not keep.params and keep.type.shape == "number":
            (least, most), each = keep_range(keep), range_of(typed, value)[0]
            if changed.count(place_of(typed.resolved, place)) == 1 and each > 0 and times * each > most - least:
                yield Diagnostic(
                    "E0536",
                    f"after {int(times)} times this has come to more than `{keep.name.word}` has room for, "
                    f"a number from {keep.type.low} to {keep.type.high}",
                    step.span, severity="warning",
                    labels=(Label(loop.span, "it is repeated here"), Label(keep.type.span, "it is declared so")),
                    help=f"widen the range of `{keep.name.word}`, or repeat it less often",
                )  # fmt: skip


def _always(typed: Typed, block: t.Block, seen: set[t.Definition]) -> Iterator[t.Stmt]:
    """The steps that are done in each pass, whatever happens: those of the block, and of the phases it plays."""
    for step in block:
        yield step
        phase = definition_of(typed.resolved, step.phase) if isinstance(step, t.Play) else None
        if isinstance(phase, t.Phase) and phase not in seen and not _replaced(typed, phase):
            yield from _always(typed, phase.block, seen | {phase})


def _replaced(typed: Typed, phase: t.Phase) -> bool:
    return any(isinstance(one, t.Exception_) for one in calls(typed.resolved).held.get(phase, ()))
