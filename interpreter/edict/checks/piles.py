"""Piles that are shuffled and taken from, and whose order everybody sees."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language import tree as t
from edict.language.walking import walk
from edict.meaning.calls import owners
from edict.meaning.symbols import keep_of
from edict.meaning.types import Typed
from edict.report import Diagnostic, Edit, Label
from edict.text import Span


def open_piles(typed: Typed) -> Iterator[Diagnostic]:
    nodes = [node for owner in owners(typed.resolved) for node in walk(owner)]
    shuffled = {keep_of(typed.resolved, node.place): node for node in nodes if isinstance(node, t.Shuffle)}
    taken = {keep_of(typed.resolved, node.place) for node in nodes if isinstance(node, t.Remove)}
    for keep, shuffle in shuffled.items():
        if keep is not None and keep in taken and not keep.secret and keep.type.shape == "order":
            end = keep.type.span if keep.start is None else keep.start.span
            place = Span(end.file, end.end_line, end.end_column, end.end_line, end.end_column)
            yield Diagnostic(
                "E0556", f"everybody can see the order of `{keep.name.word}`, and knows what comes next",
                keep.name.span, severity="warning", labels=(Label(shuffle.span, "it is shuffled here"),),
                help="add `, secret` to the keep", edits=(Edit(place, ", secret"),), chosen=True,
            )  # fmt: skip
