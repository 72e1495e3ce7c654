"""Piles that are shuffled and taken from, and whose order everybody sees."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.language.roles import Overwrites, Random, Role, has, having
from edict.language.walking import walk
from edict.meaning.calls import owners
from edict.meaning.symbols import keep_of
from edict.meaning.types import Typed
from edict.report import Diagnostic, Edit, Label
from edict.text import Span


def open_piles(typed: Typed) -> Iterator[Diagnostic]:
    nodes = [node for owner in owners(typed.resolved) for node in walk(owner)]
    mixed = (node for node in nodes if isinstance(node, Random) and isinstance(node, Overwrites))
    shuffled = {keep_of(typed.resolved, place): node for node in mixed for place in having(node, Role.CHANGED)}
    steps = (node for node in nodes if isinstance(node, t.Stmt) and has(type(node), Role.INTO))
    moved = (node for node in steps if not isinstance(node, Overwrites))
    taken = {keep_of(typed.resolved, place) for node in moved for place in having(node, Role.CHANGED)}
    for keep, shuffle in shuffled.items():
        if keep is not None and keep in taken and not keep.secret and _is_pile(typed, keep):
            end = keep.type.span if keep.start is None else keep.start.span
            place = Span(end.file, end.end_line, end.end_column, end.end_line, end.end_column)
            yield Diagnostic(
                "E0556", f"everybody can see the order of `{keep.name.word}`, and knows what comes next",
                keep.name.span, severity="warning", labels=(Label(shuffle.span, "it is shuffled here"),),
                help="add `, secret` to the keep", edits=(Edit(place, ", secret"),),
            )  # fmt: skip


def _is_pile(typed: Typed, keep: t.Keep) -> bool:
    """An order of things; players know in which order they sit."""
    name = keep.type.name
    return keep.type.shape == "order" and name is not None and typed.resolved.of(name).sort == "kind"
