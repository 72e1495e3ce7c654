"""Who calls what: who triggers a moment, plays a phase, does a routine or an action, and what follows from each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from edict.compiler.semantics.ability_targets import target_name
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.compiler.syntax.walking import walk
from edict.prose.rulebook.history import sort_title
from edict.tools.language_service.answer_types import At, CallPlaces, Location
from edict.tools.language_service.navigation import SymbolAt, current_location, symbol_at
from edict.tools.language_service.occurrences import DECLARED, Key, amended, sort_of
from edict.tools.language_service.workspace import Workspace

CALLABLE = (t.Moment, t.Phase, t.Routine, t.Action)
Keys = dict[tuple[str, int, int], Key]


def callable_at(space: Workspace, path: Path, at: At) -> CallPlaces | None:
    """What can be called and is named at a place; within a definition that calls something, that."""
    symbol = symbol_at(space, path, at)
    if symbol is None:
        return None
    if isinstance(symbol.definition, CALLABLE):
        return _call(symbol, symbol.definition, ())
    around = (definition for definition in _definitions(symbol) if _holds(symbol, definition, at))
    return next((_call(symbol, definition, ()) for definition in around), None)


def callers(space: Workspace, path: Path, at: At) -> tuple[CallPlaces, ...]:
    """The definitions that call what is named at a place, each with where it does; of modules, each change apart."""
    symbol = symbol_at(space, path, at)
    if symbol is None or symbol.key[0] != DECLARED:
        return ()
    keys = _keys(symbol)
    named = ((definition, _named(symbol, keys, definition, symbol.key)) for definition in _definitions(symbol))
    calls = (_call(symbol, definition, places) for definition, places in named if places)
    return tuple(call for call in calls if call is not None)


def called(space: Workspace, path: Path, at: At) -> tuple[CallPlaces, ...]:
    """What the definition of the name at a place calls, and the abilities that answer to it, each with the places."""
    symbol = symbol_at(space, path, at)
    if symbol is None or symbol.key[0] != DECLARED:
        return ()
    return tuple(_called(symbol, _keys(symbol), symbol.key))


def _called(symbol: SymbolAt, keys: Keys, key: Key) -> Iterator[CallPlaces]:
    own = [definition for definition in _definitions(symbol) if (DECLARED, amended(definition).name.word) == key]
    run: dict[str, list[t.Name]] = {}
    for name in (name for definition in own for name in _runs(definition)):
        meant = keys.get(_place(name))
        if meant is not None and meant[0] == DECLARED:
            run.setdefault(meant[1], []).append(name)
    for word, names in run.items():
        there = symbol.known.definitions.get(word)
        call = _call(symbol, there, _placed(symbol, names)) if there is not None else None
        yield from [call] if call is not None else []
    for definition in _definitions(symbol):
        answers = [
            about for ability in _abilities(definition) if keys.get(_place(about := target_name(ability))) == key
        ]
        call = _call(symbol, definition, _placed(symbol, answers)) if answers else None
        yield from [call] if call is not None else []


# --- definitions and places ------------------------------------------------------------------------


def _definitions(symbol: SymbolAt) -> Iterator[t.Definition]:
    return (definition for page in symbol.known.pages for definition in page.definitions)


def _holds(symbol: SymbolAt, definition: t.Definition, at: At) -> bool:
    if definition.span.file != symbol.source.name:
        return False
    where = current_location(symbol.rules, symbol.known, definition.span)
    return where is not None and where.span.line <= at.line < max(where.span.end_line, where.span.line + 1)


def _runs(definition: t.Definition) -> Iterator[t.Name]:
    """The names of what a definition carries out."""
    for node in walk(definition):
        yield from (name for name in having(node, Role.RUNS) if isinstance(name, t.Name))


def _abilities(definition: t.Definition) -> Iterator[t.Ability]:
    inner = amended(definition)
    if isinstance(inner, t.Thing):
        yield from inner.abilities
    elif isinstance(inner, t.Standalone):
        yield inner.ability


def _keys(symbol: SymbolAt) -> Keys:
    """What each written name means, by its place."""
    written = ((file, name) for file, names in symbol.known.occurrences.items() for name in names)
    return {(file, name.span.line, name.span.column): name.key for file, name in written}


def _place(name: t.Name) -> tuple[str, int, int]:
    return name.span.file, name.span.line, name.span.column


def _named(symbol: SymbolAt, keys: Keys, definition: t.Definition, key: Key) -> tuple[Location, ...]:
    """Where a definition carries out what has this key."""
    return _placed(symbol, [name for name in _runs(definition) if keys.get(_place(name)) == key])


def _placed(symbol: SymbolAt, names: list[t.Name]) -> tuple[Location, ...]:
    places = (current_location(symbol.rules, symbol.known, name.span) for name in names)
    return tuple(place for place in places if place is not None)


def _call(symbol: SymbolAt, definition: t.Definition, places: tuple[Location, ...]) -> CallPlaces | None:
    inner = amended(definition)
    where = current_location(symbol.rules, symbol.known, inner.name.span if inner.name.word else definition.span)
    if where is None:
        return None
    name = inner.name.word or sort_title(inner)
    return CallPlaces(name, inner.title, sort_of(inner), where, places)
