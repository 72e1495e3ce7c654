"""`you` where it is nobody's turn: at the top level, in a phase of the whole table."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.meaning.calls import owners
from edict.meaning.whose import nobodys
from edict.language.walking import walk
from edict.meaning.types import Typed
from edict.report import Diagnostic, Edit, Label
from edict.text import Span

REMEDY = "write `each player` above it if everyone is meant, and `each player in ...` if only some are"


def nobodys_turn(typed: Typed) -> Iterator[Diagnostic]:
    """Some seat would be taken for `you`, always the same one."""
    found = nobodys(typed.resolved)
    for owner in owners(typed.resolved) if found else ():
        mine = [node for node in walk(owner) if node in found]
        if mine:
            yield _said(mine[0], found[mine[0]], owner)


def _said(node: t.Node, caller: t.Node | None, owner: t.Node) -> Diagnostic:
    title = "it is nobody's turn here, so nobody is `you`"
    if isinstance(node, t.Stmt):
        title = "it is nobody's turn here, so this happens to nobody"
    if isinstance(owner, t.Routine) and caller is not None:
        title = f"it is nobody's turn here, and `{owner.name.word}` is for the player whose turn it is"
        return Diagnostic(
            "E0530", title, caller.span, labels=(Label(node.span, "it is about `you` here"),), help=REMEDY,
        )  # fmt: skip
    return Diagnostic(
        "E0530", title, node.span, labels=(Label(caller.span, "reached from here"),) if caller else (),
        help=REMEDY,
        edits=_for_each(node, owner), chosen=True,
    )  # fmt: skip


def _for_each(node: t.Node, owner: t.Node) -> tuple[Edit, ...]:
    """A step of a rule at the left edge, put under `each player`."""
    when = owner.ability if isinstance(owner, t.Standalone) else None
    step = next((step for step in when.block if node in walk(step)), None) if isinstance(when, t.When) else None
    if step is None:
        return ()
    first, *more = sorted({part.span.line for part in walk(step)})
    lead = " " * (step.span.column - 1)
    starts = {first: f"{lead}each player\n  ", **dict.fromkeys(more, "  ")}
    return tuple(Edit(Span(step.span.file, line, 1, line, 1), text) for line, text in starts.items())
