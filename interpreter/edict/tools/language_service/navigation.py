"""What a word stands for, where that is declared and written, and what is found by words; also in broken files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import declared_in
from edict.support.text import Source, Span
from edict.tools.language_service.analysis import MOST_FOUND, Analysis, Rules, find
from edict.tools.language_service.answer_types import At, Location, SearchEntry
from edict.tools.language_service.changed_lines import lines_between
from edict.tools.language_service.document_structure import word_at
from edict.tools.language_service.occurrences import DECLARED, WORD, Key, Occurrence
from edict.tools.language_service.scene_lenses import scene_mentions
from edict.tools.language_service.workspace import Workspace


@dataclass(frozen=True)
class SymbolAt:
    """A word somebody points at, where it stands now, and what it stands for as far as that is known."""

    rules: Rules
    known: Analysis
    source: Source
    span: Span
    word: str
    mention: Occurrence | None

    @property
    def key(self) -> Key:
        return self.mention.key if self.mention is not None else (WORD, self.word)

    @property
    def definition(self) -> t.Definition | None:
        """What it is the name of."""
        sort, name = self.key
        return self.known.definitions.get(name) if sort == DECLARED else None


def symbol_at(space: Workspace, path: Path, at: At) -> SymbolAt | None:
    """What somebody points at; None where no word stands, and while nothing of the rules can be understood."""
    rules = space.rules(path)
    source = rules.source(path) if rules is not None else None
    known = rules.analysis() if rules is not None and source is not None else None
    word = word_at(source, at) if source is not None else None
    if rules is None or source is None or known is None or word is None:
        return None
    return SymbolAt(rules, known, source, word[1], word[0], _mention(known, source, *word))


def _mention(known: Analysis, source: Source, word: str, span: Span) -> Occurrence | None:
    """The mention at a place; in a line that was changed since, what is called so anywhere."""
    old = known.sources.get(source.name)
    line = lines_between(source.text, old.text).there.get(span.line) if old is not None else None
    there = known.occurrences.get(source.name, ())
    found = next((one for one in there if line == one.span.line and one.span.column == span.column), None)
    return replace(found, span=span) if found is not None and found.word == word else _called(known, word, span)


def _called(known: Analysis, word: str, span: Span) -> Occurrence | None:
    pages = [t.Page("", tuple(known.definitions.values()))]
    declared = declared_in(pages)
    name = declared.meant(word)
    if name:
        return Occurrence(span, word, (DECLARED, name), declared.sort(name))
    written = (occurrence for all_ in known.occurrences.values() for occurrence in all_)
    return next((replace(occurrence, span=span) for occurrence in written if occurrence.word == word), None)


def occurrences_of(symbol: SymbolAt) -> Iterator[tuple[Location, Occurrence]]:
    """Everywhere it is written in these rules, as the texts are now."""
    for file, all_ in symbol.known.occurrences.items():
        for one in all_:
            if one.key == symbol.key:
                where = current_location(symbol.rules, symbol.known, replace(one.span, file=file))
                if where is not None:
                    yield where, one


def current_location(rules: Rules, known: Analysis, span: Span) -> Location | None:
    """Where a place of the understood texts lies now; None for one in a line that was changed since."""
    path = rules.path(span)
    then = known.sources.get(span.file)
    source = rules.source(path) if path is not None else None
    if path is None or then is None or source is None:
        return None
    lines = lines_between(then.text, source.text)
    first, last = lines.there.get(span.line), lines.there.get(span.end_line)
    if first is None:
        return None
    return Location(path, replace(span, line=first, end_line=last or first))


# --- declarations and references ------------------------------------------------------------------


def definitions(space: Workspace, path: Path, at: At) -> tuple[Location, ...]:
    """Where what somebody points at is declared: first the declaration, then what modules change of it."""
    found = symbol_at(space, path, at)
    if found is None or found.key[0] == WORD:
        return ()
    places = [where for where, one in occurrences_of(found) if one.declares]
    definition = found.definition
    if not places and definition is not None:  # in a line that is being changed
        where = current_location(found.rules, found.known, definition.name.span)
        places = [where] if where is not None else []
    return tuple(dict.fromkeys(places))


def references(space: Workspace, path: Path, at: At, declaration: bool = True) -> tuple[Location, ...]:
    """Everywhere it is written, in rules and scenes of all modules of the workspace that mean the same by it."""
    return tuple(dict.fromkeys(_everywhere(space, path, at, declaration)))


def _everywhere(space: Workspace, path: Path, at: At, declaration: bool) -> Iterator[Location]:
    found = symbol_at(space, path, at)
    if found is None or found.key[0] == WORD:
        return
    for one in same_elsewhere(space, path, at):
        yield from (where for where, mention in occurrences_of(one) if declaration or not mention.declares)
        yield from in_scenes(space, one)


def in_scenes(space: Workspace, symbol: SymbolAt) -> Iterator[Location]:
    """Where the scenes beside these rules write it."""
    if symbol.definition is not None:
        yield from scene_mentions(space, symbol.rules.folder, symbol.definition)


def same_elsewhere(space: Workspace, path: Path, at: At) -> Iterator[SymbolAt]:
    """What somebody points at, as the rules of this file know it, and as other modules of the workspace do."""
    found = symbol_at(space, path, at)
    if found is None:
        return
    yield found
    declared = {(w.path, w.span.line) for w, one in occurrences_of(found) if one.declares}
    for rules in space.everything():
        known = rules.analysis(anew=False) if rules is not found.rules else None
        if known is None:
            continue
        other = SymbolAt(rules, known, found.source, found.span, found.word, found.mention)
        if any((where.path, where.span.line) in declared for where, one in occurrences_of(other) if one.declares):
            yield other


# --- search ---------------------------------------------------------------------------------------


def symbols(space: Workspace, words: str) -> tuple[SearchEntry, ...]:
    """What is found in all rules of the workspace, each with the place where it is declared."""
    found: dict[tuple[str, str], SearchEntry] = {}
    for rules in space.everything():
        known = rules.analysis(anew=False)
        for entry in find(known.findable, words) if known is not None else ():
            placed = _where_declared(rules, entry)
            if placed.where is not None:
                found.setdefault((placed.line, str(placed.where)), placed)
    return tuple(found.values())[:MOST_FOUND]


def _where_declared(rules: Rules, entry: SearchEntry) -> SearchEntry:
    known = rules.analysis(anew=False)
    name = entry.line.removeprefix("when ").removeprefix("start of ").removeprefix("end of ").split()[0]
    definition = known.definitions.get(name) if known is not None else None
    if known is None or definition is None:
        return entry
    return replace(entry, where=current_location(rules, known, definition.name.span))
