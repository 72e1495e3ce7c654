"""Navigation: the symbol at a position, its declarations and references, and search; also in broken files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import collect_declared_names
from edict.support.text import Source, Span
from edict.tools.language_service.analysis import MAX_RESULTS, Analysis, FolderRules, search
from edict.tools.language_service.answer_types import Location, SearchEntry, TextPosition
from edict.tools.language_service.changed_lines import map_lines
from edict.tools.language_service.document_structure import find_word
from edict.tools.language_service.occurrences import DECLARED, WORD, Occurrence, SymbolKey
from edict.tools.language_service.scene_lenses import find_scene_mentions
from edict.tools.language_service.workspace import Workspace


@dataclass(frozen=True)
class SymbolAt:
    """A word at a position, and the symbol it refers to as far as that is known."""

    rules: FolderRules
    analysis: Analysis
    source: Source
    span: Span
    word: str
    occurrence: Occurrence | None

    @property
    def key(self) -> SymbolKey:
        """The key that all occurrences of the symbol share."""
        return self.occurrence.key if self.occurrence is not None else (WORD, self.word)

    @property
    def definition(self) -> t.Definition | None:
        """The definition that declares the symbol, if a definition does."""
        sort, name = self.key
        return self.analysis.definitions.get(name) if sort == DECLARED else None


def find_symbol(space: Workspace, path: Path, position: TextPosition) -> SymbolAt | None:
    """Return the symbol at a position; None if there is no word or the rules could never be analyzed."""
    rules = space.get_rules(path)
    source = rules.get_source(path) if rules is not None else None
    analysis = rules.get_analysis() if rules is not None and source is not None else None
    word = find_word(source, position) if source is not None else None
    if rules is None or source is None or analysis is None or word is None:
        return None
    return SymbolAt(rules, analysis, source, word[1], word[0], _find_occurrence(analysis, source, *word))


def _find_occurrence(analysis: Analysis, source: Source, word: str, span: Span) -> Occurrence | None:
    """Return the occurrence at a span; in a line that changed since the analysis, one of the same word."""
    analyzed_source = analysis.sources.get(source.name)
    if analyzed_source is not None:
        line = map_lines(source.text, analyzed_source.text).forward.get(span.line)
    else:
        line = None
    candidates = analysis.occurrences.get(source.name, ())
    match = next(
        (
            occurrence
            for occurrence in candidates
            if line == occurrence.span.line and occurrence.span.column == span.column
        ),
        None,
    )
    if match is not None and match.word == word:
        return replace(match, span=span)
    return _find_by_word(analysis, word, span)


def _find_by_word(analysis: Analysis, word: str, span: Span) -> Occurrence | None:
    """Return an occurrence at `span` with the meaning of a declared or written word; None if it is unknown."""
    pages = [t.Page("", tuple(analysis.definitions.values()))]
    declared = collect_declared_names(pages)
    name = declared.resolve_word(word)
    if name:
        return Occurrence(span, word, (DECLARED, name), declared.sort_of(name))
    all_occurrences = (occurrence for in_file in analysis.occurrences.values() for occurrence in in_file)
    return next((replace(occurrence, span=span) for occurrence in all_occurrences if occurrence.word == word), None)


def iter_occurrences(symbol: SymbolAt) -> Iterator[tuple[Location, Occurrence]]:
    """Yield every occurrence of a symbol in its rules, with its current location."""
    for file, in_file in symbol.analysis.occurrences.items():
        for occurrence in in_file:
            if occurrence.key == symbol.key:
                location = current_location(symbol.rules, symbol.analysis, replace(occurrence.span, file=file))
                if location is not None:
                    yield location, occurrence


def current_location(rules: FolderRules, analysis: Analysis, span: Span) -> Location | None:
    """Return the current location of a span of the analyzed texts; None if its line has changed since."""
    path = rules.find_path(span)
    analyzed_source = analysis.sources.get(span.file)
    source = rules.get_source(path) if path is not None else None
    if path is None or analyzed_source is None or source is None:
        return None
    lines = map_lines(analyzed_source.text, source.text)
    first, last = lines.forward.get(span.line), lines.forward.get(span.end_line)
    if first is None:
        return None
    return Location(path, replace(span, line=first, end_line=last or first))


# --- declarations and references ------------------------------------------------------------------


def find_declarations(space: Workspace, path: Path, position: TextPosition) -> tuple[Location, ...]:
    """Return where the symbol at a position is declared: first the declaration, then amendments."""
    symbol = find_symbol(space, path, position)
    if symbol is None or symbol.key[0] == WORD:
        return ()
    places = [location for location, occurrence in iter_occurrences(symbol) if occurrence.declares]
    definition = symbol.definition
    if not places and definition is not None:  # the declaration's line is being edited
        location = current_location(symbol.rules, symbol.analysis, definition.name.span)
        places = [location] if location is not None else []
    return tuple(dict.fromkeys(places))


def find_references(
    space: Workspace, path: Path, position: TextPosition, declaration: bool = True
) -> tuple[Location, ...]:
    """Return every place where the symbol at a position is written, in rules and scenes of all modules."""
    return tuple(dict.fromkeys(_iter_references(space, path, position, declaration)))


def _iter_references(space: Workspace, path: Path, position: TextPosition, declaration: bool) -> Iterator[Location]:
    """Yield where the symbol at a position is written, in rules and scenes of all modules of the workspace."""
    symbol = find_symbol(space, path, position)
    if symbol is None or symbol.key[0] == WORD:
        return
    for module_symbol in iter_same_symbol(space, path, position):
        yield from (
            location
            for location, occurrence in iter_occurrences(module_symbol)
            if declaration or not occurrence.declares
        )
        yield from iter_scene_references(space, module_symbol)


def iter_scene_references(space: Workspace, symbol: SymbolAt) -> Iterator[Location]:
    """Yield where the scenes of these rules write a symbol."""
    if symbol.definition is not None:
        yield from find_scene_mentions(space, symbol.rules.folder, symbol.definition)


def iter_same_symbol(space: Workspace, path: Path, position: TextPosition) -> Iterator[SymbolAt]:
    """Yield the symbol at a position as its own rules know it, then as other modules of the workspace do."""
    symbol = find_symbol(space, path, position)
    if symbol is None:
        return
    yield symbol
    declared = {
        (location.path, location.span.line) for location, occurrence in iter_occurrences(symbol) if occurrence.declares
    }
    for rules in space.iter_rules():
        analysis = rules.get_analysis(fresh=False) if rules is not symbol.rules else None
        if analysis is None:
            continue
        other = SymbolAt(rules, analysis, symbol.source, symbol.span, symbol.word, symbol.occurrence)
        if any(
            (other_location.path, other_location.span.line) in declared
            for other_location, occurrence in iter_occurrences(other)
            if occurrence.declares
        ):
            yield other


# --- search ---------------------------------------------------------------------------------------


def search_symbols(space: Workspace, words: str) -> tuple[SearchEntry, ...]:
    """Return the search entries of all rules of the workspace that match the words and are declared somewhere."""
    entries: dict[tuple[str, str], SearchEntry] = {}
    for rules in space.iter_rules():
        analysis = rules.get_analysis(fresh=False)
        for entry in search(analysis.search_index, words) if analysis is not None else ():
            located = _locate_entry(rules, entry)
            if located.where is not None:
                entries.setdefault((located.line, str(located.where)), located)
    return tuple(entries.values())[:MAX_RESULTS]


def _locate_entry(rules: FolderRules, entry: SearchEntry) -> SearchEntry:
    """Return a search entry with the location of its definition; unchanged if its definition is not found."""
    analysis = rules.get_analysis(fresh=False)
    name = entry.line.removeprefix("when ").removeprefix("start of ").removeprefix("end of ").split()[0]
    definition = analysis.definitions.get(name) if analysis is not None else None
    if analysis is None or definition is None:
        return entry
    return replace(entry, where=current_location(rules, analysis, definition.name.span))
