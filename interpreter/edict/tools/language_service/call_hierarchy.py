"""Call hierarchy of moments, phases, routines and actions: callers, callees and abilities that react."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from edict.compiler.semantics.ability_targets import target_name
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.prose.rulebook.history import sort_title
from edict.tools.language_service.answer_types import CallHierarchyEntry, Location, TextPosition
from edict.tools.language_service.navigation import SymbolAt, current_location, find_symbol
from edict.tools.language_service.occurrences import DECLARED, SymbolKey, node_sort, unwrap_amendment
from edict.tools.language_service.workspace import Workspace

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
