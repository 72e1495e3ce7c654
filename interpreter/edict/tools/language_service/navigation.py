"""Navigation: the symbol at a position, its declarations, references and calls, and search; also in broken files."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from edict.compiler.semantics.ability_targets import target_name
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import collect_declared_names
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.annotated_rules import sort_title
from edict.support.records import dataclass
from edict.support.text import Source, Span
from edict.tools.language_service.analysis import MAX_RESULTS, Analysis, FolderRules, search
from edict.tools.language_service.answer_types import CallHierarchyEntry, Location, SearchEntry, TextPosition
from edict.tools.language_service.changed_lines import map_lines
from edict.tools.language_service.document_structure import find_word
from edict.tools.language_service.occurrences import DECLARED, WORD, Occurrence, SymbolKey, node_sort, unwrap_amendment
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


CALLABLE = (t.Moment, t.Phase, t.Routine, t.Action)
KeysByPlace = dict[tuple[str, int, int], SymbolKey]  # symbol keys by file, line and column


def find_callable(space: Workspace, path: Path, position: TextPosition) -> CallHierarchyEntry | None:
    """Return the moment, phase, routine or action at a position, else the definition around it."""
    symbol = find_symbol(space, path, position)
    if symbol is None:
        return None
    if isinstance(symbol.definition, CALLABLE):
        return _to_entry(symbol, symbol.definition, ())
    enclosing = (definition for definition in _iter_definitions(symbol) if _contains(symbol, definition, position))
    return next((_to_entry(symbol, definition, ()) for definition in enclosing), None)


def find_callers(space: Workspace, path: Path, position: TextPosition) -> tuple[CallHierarchyEntry, ...]:
    """Return the definitions that call the symbol at a position, with the places of the calls.

    An amendment by a module is an entry of its own.
    """
    symbol = find_symbol(space, path, position)
    if symbol is None or symbol.key[0] != DECLARED:
        return ()
    keys = _map_keys(symbol)
    calls_by_definition = (
        (definition, _find_calls(symbol, keys, definition, symbol.key)) for definition in _iter_definitions(symbol)
    )
    calls = (_to_entry(symbol, definition, places) for definition, places in calls_by_definition if places)
    return tuple(call for call in calls if call is not None)


def find_callees(space: Workspace, path: Path, position: TextPosition) -> tuple[CallHierarchyEntry, ...]:
    """Return what the symbol at a position calls, and the abilities it triggers, with their places."""
    symbol = find_symbol(space, path, position)
    if symbol is None or symbol.key[0] != DECLARED:
        return ()
    return tuple(_iter_callees(symbol, _map_keys(symbol), symbol.key))


def _iter_callees(symbol: SymbolAt, keys: KeysByPlace, key: SymbolKey) -> Iterator[CallHierarchyEntry]:
    """Yield the definitions that a symbol calls, then those with an ability that it triggers, with the places."""
    own_definitions = [
        definition
        for definition in _iter_definitions(symbol)
        if (DECLARED, unwrap_amendment(definition).name.word) == key
    ]
    names_by_callee: dict[str, list[t.Name]] = {}
    for name in (name for definition in own_definitions for name in _iter_calls(definition)):
        callee = keys.get(_place_key(name))
        if callee is not None and callee[0] == DECLARED:
            names_by_callee.setdefault(callee[1], []).append(name)
    for callee_name, names in names_by_callee.items():
        callee_definition = symbol.analysis.definitions.get(callee_name)
        if callee_definition is not None:
            call = _to_entry(symbol, callee_definition, _locate(symbol, names))
        else:
            call = None
        yield from [call] if call is not None else []
    for definition in _iter_definitions(symbol):
        triggers = [
            trigger
            for ability in _iter_abilities(definition)
            if keys.get(_place_key(trigger := target_name(ability))) == key
        ]
        call = _to_entry(symbol, definition, _locate(symbol, triggers)) if triggers else None
        yield from [call] if call is not None else []


# --- definitions and places ------------------------------------------------------------------------


def _iter_definitions(symbol: SymbolAt) -> Iterator[t.Definition]:
    """Yield the definitions of all pages, amendments included, as they are written."""
    return (definition for page in symbol.analysis.pages for definition in page.definitions)


def _contains(symbol: SymbolAt, definition: t.Definition, position: TextPosition) -> bool:
    """Return True if a position lies in a line of a definition, at its current place in the symbol's file."""
    if definition.span.file != symbol.source.name:
        return False
    location = current_location(symbol.rules, symbol.analysis, definition.span)
    return location is not None and location.span.line <= position.line < max(
        location.span.end_line, location.span.line + 1
    )


def _iter_calls(definition: t.Definition) -> Iterator[t.Name]:
    """Yield the names of what a definition calls."""
    for node in walk(definition):
        yield from (name for name in iter_role_values(node, Role.RUNS) if isinstance(name, t.Name))


def _iter_abilities(definition: t.Definition) -> Iterator[t.Ability]:
    """Yield the abilities of a thing, or the one of a rule at the top level; none for other definitions."""
    inner = unwrap_amendment(definition)
    if isinstance(inner, t.Thing):
        yield from inner.abilities
    elif isinstance(inner, t.Standalone):
        yield inner.ability


def _map_keys(symbol: SymbolAt) -> KeysByPlace:
    """Return the key of each written name by its place."""
    occurrences = ((file, name) for file, names in symbol.analysis.occurrences.items() for name in names)
    return {(file, name.span.line, name.span.column): name.key for file, name in occurrences}


def _place_key(name: t.Name) -> tuple[str, int, int]:
    """Return the file, line and column at which a name is written."""
    return name.span.file, name.span.line, name.span.column


def _find_calls(symbol: SymbolAt, keys: KeysByPlace, definition: t.Definition, key: SymbolKey) -> tuple[Location, ...]:
    """Return where a definition calls the symbol with this key."""
    return _locate(symbol, [name for name in _iter_calls(definition) if keys.get(_place_key(name)) == key])


def _locate(symbol: SymbolAt, names: list[t.Name]) -> tuple[Location, ...]:
    """Return the current locations of names, without those in lines that changed since the analysis."""
    locations = (current_location(symbol.rules, symbol.analysis, name.span) for name in names)
    return tuple(location for location in locations if location is not None)


def _to_entry(symbol: SymbolAt, definition: t.Definition, places: tuple[Location, ...]) -> CallHierarchyEntry | None:
    """Return the entry of a definition with the places of its calls; None if its own line has changed."""
    inner = unwrap_amendment(definition)
    location = current_location(symbol.rules, symbol.analysis, inner.name.span if inner.name.word else definition.span)
    if location is None:
        return None
    name = inner.name.word or sort_title(inner)
    return CallHierarchyEntry(name, inner.title, node_sort(inner), location, places)
