"""`during winter` where winter is never being played: before it begins, or long after it."""

from __future__ import annotations

from collections.abc import Iterator

from edict.checks.unused import once_used
from edict.language import tree as t
from edict.language.walking import walk
from edict.meaning.calls import abilities, calls, target, within
from edict.meaning.symbols import Resolved, definition_of
from edict.meaning.types import Typed
from edict.report import Diagnostic

WAITED = (t.Phase, t.Moment, t.Routine, t.Action)


def elsewhen(typed: Typed) -> Iterator[Diagnostic]:
    """Of what abilities ask: they speak at a certain moment, and that comes only in what plays it."""
    resolved, before = typed.resolved, once_used(typed.resolved.book)
    inside: dict[t.Definition, set[t.Node]] = {}
    for ability in abilities(resolved):
        about = definition_of(resolved, target(ability))
        for node in walk(ability) if isinstance(about, WAITED) else ():
            phase = definition_of(resolved, node.phase) if isinstance(node, t.During) else None
            if phase is None or phase is about or not isinstance(node, t.During):
                continue
            if before & {phase.name.word, target(ability).word}:
                continue  # another module has laid something over what plays it
            if phase not in inside:
                inside[phase] = within(resolved, [phase, *calls(resolved).held.get(phase, ())])
            if about not in inside[phase] and _played(resolved, phase):
                yield Diagnostic(
                    "E0550", f"`{node.phase.word}` is never being played at that moment", node.span,
                    severity="warning", help="wait for a moment that comes in it, or leave the condition out",
                )  # fmt: skip


def _played(resolved: Resolved, phase: t.Definition) -> bool:
    """What nobody plays at all is told as such."""
    games = [one for one in resolved.book.definitions.values() if isinstance(one, t.Game)]
    return phase in within(resolved, games)
