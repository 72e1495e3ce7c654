"""`you` where it is nobody's turn: at the left edge, in a phase of the whole table."""

from __future__ import annotations

from collections.abc import Iterator

from edict.front import tree as t
from edict.front.meaning.calls import owners
from edict.front.meaning.whose import nobodys
from edict.front.walking import walk
from edict.front.types import Typed
from edict.report import Diagnostic, Label


def nobodys_turn(typed: Typed) -> Iterator[Diagnostic]:
    """Some seat would be taken for `you`, always the same one."""
    found = nobodys(typed.resolved)
    for owner in owners(typed.resolved) if found else ():
        mine = [node for node in walk(owner) if node in found]
        if mine:
            yield _said(mine[0], found[mine[0]])


def _said(node: t.Node, caller: t.Node | None) -> Diagnostic:
    title = "it is nobody's turn here, so nobody is `you`"
    if isinstance(node, t.Stmt):
        title = "it is nobody's turn here, so this happens to nobody"
    return Diagnostic(
        "E0530", title, node.span, labels=(Label(caller.span, "reached from here"),) if caller else (),
        help="write `each player` above it if everyone is meant, and `each player in ...` if only some are",
    )  # fmt: skip
