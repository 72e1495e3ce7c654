"""A file of an older edition as today's edition says it, and where what it says stands in the author's text."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.editions import edition_1
from edict.compiler.syntax.editions.clashing_names import rename_clashing_names
from edict.compiler.syntax.editions.word_changes import WordChange
from edict.compiler.syntax.grammar_tables import grammar_table
from edict.support.report import Diagnostic, Edit, Label, apply_edits
from edict.support.text import EDITION, Source, Span

Read = Callable[[Source], t.Page | None]
_OF_WORDS = {1: edition_1.OF_WORDS}
_OF_TREES = {1: edition_1.CHANGES}


@dataclass(frozen=True)
class Upgraded:
    """A file in today's edition; `steps` are the edits that led there, one set after the other."""

    source: Source
    steps: tuple[tuple[Edit, ...], ...] = ()

    def place(self, span: Span) -> Span:
        """Where a stretch of it stands in the author's text: what was written anew, where that was written before."""
        for edits in reversed(self.steps):
            begin = _before(edits, span.line, span.column, False)
            end = _before(edits, span.end_line, span.end_column, True)
            span = Span(span.file, span.line, begin, span.end_line, end)
        return span

    def placed(self, found: Diagnostic) -> Diagnostic:
        """What was found in it, as it is told of the author's text; a remedy only where that is the same."""
        changed = {edit.span.line for edits in self.steps for edit in edits}
        same = all(edit.span.line not in changed and edit.span.end_line not in changed for edit in found.edits)
        labels = tuple(Label(self.place(label.span), label.text) for label in found.labels)
        return replace(found, span=self.place(found.span), labels=labels, edits=found.edits if same else ())


def upgraded(source: Source, read: Read) -> Upgraded:
    """A file of an older edition in today's; `read` reads as far as it can be read."""
    today = upgrade_wording(source, read)
    page = read(today.source)
    return today if page is None else _changed(today, rename_clashing_names(page, source.renames))


def upgrade_wording(source: Source, read: Read) -> Upgraded:
    """Return a file of an older edition in today's, with all names as they are written."""
    today = Upgraded(replace(source, edition=EDITION))
    for edition in range(source.edition + 1, EDITION + 1):
        for rewritten in _OF_WORDS[edition]:
            today = _changed(today, rewritten(today.source))
        for entry in grammar_table("words", f"editions/{edition}.yaml"):
            today = _changed(today, WordChange.of(entry).edits(today.source))
        for edits_of in _OF_TREES[edition]:
            page = read(today.source)
            if page is not None:
                today = _changed(today, edits_of(page))
    return today


def _changed(today: Upgraded, edits: Iterable[Edit]) -> Upgraded:
    step = tuple(sorted(set(edits)))
    if not step:
        return today
    return Upgraded(replace(today.source, text=apply_edits(today.source.text, step)), (*today.steps, step))


def _before(edits: tuple[Edit, ...], line: int, column: int, ends: bool) -> int:
    """The column before these edits of what stands in a column after them, where something begins or `ends`."""
    moved = 0
    for edit in edits:
        span = edit.span
        if span.line != line or span.column + moved > column - ends:
            continue
        if column < span.column + moved + len(edit.text) + ends:
            return span.end_column if ends else span.column
        moved += len(edit.text) - (span.end_column - span.column)
    return column - moved
