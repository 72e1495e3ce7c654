"""Conversion of a file of an older edition to the current one, and of places back to the author's text.

Names that are keywords of the current edition get others.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator
from dataclasses import replace
from itertools import count

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.editions import edition_1
from edict.compiler.syntax.editions.word_changes import WordChange
from edict.compiler.syntax.grammar_tables import load_grammar_table
from edict.compiler.syntax.reserved_words import find_reserved_sorts, iter_declared_names
from edict.compiler.syntax.traversal import walk
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Edit, Label, apply_edits
from edict.support.text import EDITION, Source, Span

PageParser = Callable[[Source], t.Page | None]
_WORD_CHANGES = {1: edition_1.WORD_CHANGES}
_TREE_CHANGES = {1: edition_1.TREE_CHANGES}


@dataclass(frozen=True)
class UpgradedSource:
    """A file in the current edition."""

    source: Source
    steps: tuple[tuple[Edit, ...], ...] = ()  # the edits that led there, one set after the other

    def original_span(self, span: Span) -> Span:
        """Return the place in the author's text of a span; changed text maps to the text that it replaced."""
        for edits in reversed(self.steps):
            start = _column_before_edits(edits, span.line, span.column, False)
            end = _column_before_edits(edits, span.end_line, span.end_column, True)
            span = Span(span.file, span.line, start, span.end_line, end)
        return span

    def to_original(self, diagnostic: Diagnostic) -> Diagnostic:
        """Return a diagnostic for the author's text, with its edits only if their lines were not changed."""
        changed = {edit.span.line for edits in self.steps for edit in edits}
        is_unchanged = all(
            edit.span.line not in changed and edit.span.end_line not in changed for edit in diagnostic.edits
        )
        labels = tuple(Label(self.original_span(label.span), label.text) for label in diagnostic.labels)
        return replace(
            diagnostic,
            span=self.original_span(diagnostic.span),
            labels=labels,
            edits=diagnostic.edits if is_unchanged else (),
        )


def upgrade_source(source: Source, parse_page: PageParser) -> UpgradedSource:
    """Return a file of an older edition in the current one.

    Args:
        source: The file.
        parse_page: Parses a file as far as possible.
    """
    current = upgrade_wording(source, parse_page)
    page = parse_page(current.source)
    if page is None:
        return current
    return _apply_edits(current, rename_clashing_names(page, source.renames))


def upgrade_wording(source: Source, parse_page: PageParser) -> UpgradedSource:
    """Return a file of an older edition in the current one, with all names as they are written."""
    current = UpgradedSource(replace(source, edition=EDITION))
    for edition in range(source.edition + 1, EDITION + 1):
        for change in _WORD_CHANGES[edition]:
            current = _apply_edits(current, change(current.source))
        for entry in load_grammar_table("words", f"editions/{edition}.yaml"):
            current = _apply_edits(current, WordChange.from_entry(entry).iter_edits(current.source))
        for change_tree in _TREE_CHANGES[edition]:
            page = parse_page(current.source)
            if page is not None:
                current = _apply_edits(current, change_tree(page))
    return current


def _apply_edits(current: UpgradedSource, edits: Iterable[Edit]) -> UpgradedSource:
    """Return the source after some edits, recorded as one more step; the same object if there are no edits."""
    step = tuple(sorted(set(edits)))
    if not step:
        return current
    return UpgradedSource(replace(current.source, text=apply_edits(current.source.text, step)), (*current.steps, step))


def _column_before_edits(edits: tuple[Edit, ...], line: int, column: int, ends: bool) -> int:
    """Return the column before some edits of a position after them, where a span begins or (`ends`) ends."""
    offset = 0
    for edit in edits:
        span = edit.span
        if span.line != line or span.column + offset > column - ends:
            continue
        if column < span.column + offset + len(edit.text) + ends:
            return span.end_column if ends else span.column
        offset += len(edit.text) - (span.end_column - span.column)
    return column - offset


def rename_clashing_names(page: t.Page, renames: Iterable[tuple[str, str]]) -> Iterator[Edit]:
    """Yield the edits that rename the names which clash with a keyword.

    A local is renamed in its definition, any other name in the whole file. A local is also renamed where it would
    capture a new name.

    Args:
        page: A file in which nothing was renamed yet.
        renames: The new names that hold in every file of the module, as pairs of old and new name.
    """
    page_renames = dict(renames)
    taken = collect_names(page) | set(page_renames.values())
    for word in find_clashing_names(page):
        page_renames.setdefault(word, choose_free_name(word, taken))
    for definition in page.definitions:
        names = [node for node in walk(definition) if isinstance(node, t.Name)]
        captured = {page_renames[node.word] for node in names if node.word in page_renames}
        local_names = [
            name.word for name, sort in iter_declared_names(definition) if sort == "local" and name.word in captured
        ]
        local_names += [name.word for name, _ in _iter_clashes(definition)]
        new_names = {word: choose_free_name(word, taken) for word in local_names} | page_renames
        for node in names:
            if node.word in new_names:
                yield Edit(node.span, new_names[node.word])


def find_clashing_names(page: t.Page) -> list[str]:
    """Return the clashing names that can be used outside the definition that declares them."""
    clashes = (clash for definition in page.definitions for clash in _iter_clashes(definition))
    return [name.word for name, sort in clashes if sort != "local"]


def _iter_clashes(definition: t.Definition) -> Iterator[tuple[t.Name, str]]:
    """Yield the names that a definition declares and that are keywords today, each with its sort."""
    return ((name, sort) for name, sort in iter_declared_names(definition) if sort in find_reserved_sorts(name.word))


def collect_names(page: t.Page) -> set[str]:
    """Return every name that occurs in a page."""
    return {node.word for definition in page.definitions for node in walk(definition) if isinstance(node, t.Name)}


def choose_free_name(word: str, taken: Container[str]) -> str:
    """Return the first of `my-WORD`, `my-WORD-2`, `my-WORD-3` ... that is not taken."""
    names = (f"my-{word}" + (f"-{number}" if number > 1 else "") for number in count(1))
    return next(name for name in names if name not in taken)
