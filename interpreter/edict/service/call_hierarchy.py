"""Who calls what: who triggers a moment, plays a phase, does a routine or an action, and what follows from each."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from edict.handbook.history import sort_title
from edict.language import tree as t
from edict.language.roles import Role, having
from edict.language.walking import walk
from edict.meaning.ability_targets import target
from edict.service.occurrences import DECLARED, Key
from edict.service.navigation import Pointed, now, pointed
from edict.service.answer_types import At, Call, Location
from edict.service.workspace import Workspace

CALLABLE = (t.Moment, t.Phase, t.Routine, t.Action)
Keys = dict[tuple[str, int, int], Key]


def callable_at(space: Workspace, path: Path, at: At) -> Call | None:
    """What can be called and is named at a place; within a definition that calls something, that."""
    found = pointed(space, path, at)
    if found is None:
        return None
    if isinstance(found.definition, CALLABLE):
        return _call(found, found.definition, ())
    around = (one for one in _definitions(found) if _file(one) == found.source.name and _holds(found, one, at))
    return next((_call(found, one, ()) for one in around), None)


def callers(space: Workspace, path: Path, at: At) -> tuple[Call, ...]:
    """The definitions that call what is named at a place, each with where it does; of modules, each change apart."""
    found = pointed(space, path, at)
    if found is None or found.key[0] != DECLARED:
        return ()
    keys = _keys(found)
    calls = ((one, _named(found, keys, one, found.key)) for one in _definitions(found))
    return tuple(call for one, places in calls if places and (call := _call(found, one, places)) is not None)


def called(space: Workspace, path: Path, at: At) -> tuple[Call, ...]:
    """What the definition of the name at a place calls, and the abilities that answer to it, each with the places."""
    found = pointed(space, path, at)
    if found is None or found.key[0] != DECLARED:
        return ()
    return tuple(_called(found, _keys(found), found.key))


def _called(found: Pointed, keys: Keys, key: Key) -> Iterator[Call]:
    own = [one for one in _definitions(found) if (DECLARED, _inner(one).name.word) == key]
    run: dict[str, list[t.Name]] = {}
    for name in (name for one in own for name in _runs(one)):
        meant = keys.get(_place(name))
        if meant is not None and meant[0] == DECLARED:
            run.setdefault(meant[1], []).append(name)
    for word, names in run.items():
        definition = found.known.definitions.get(word)
        call = _call(found, definition, _placed(found, names)) if definition is not None else None
        yield from [call] if call is not None else []
    for one in _definitions(found):
        answers = [about for ability in _abilities(one) if keys.get(_place(about := target(ability))) == key]
        call = _call(found, one, _placed(found, answers)) if answers else None
        yield from [call] if call is not None else []


# --- definitions and places ------------------------------------------------------------------------


def _definitions(found: Pointed) -> Iterator[t.Definition]:
    return (one for page in found.known.pages for one in page.definitions)


def _inner(definition: t.Definition) -> t.Definition:
    return definition.definition if isinstance(definition, t.Amend) else definition


def _file(definition: t.Definition) -> str:
    return definition.span.file


def _holds(found: Pointed, definition: t.Definition, at: At) -> bool:
    where = now(found.rules, found.known, definition.span)
    return where is not None and where.span.line <= at.line < max(where.span.end_line, where.span.line + 1)


def _runs(definition: t.Definition) -> Iterator[t.Name]:
    """The names of what a definition carries out."""
    for node in walk(definition):
        yield from (name for name in having(node, Role.RUNS) if isinstance(name, t.Name))


def _abilities(definition: t.Definition) -> Iterator[t.Ability]:
    inner = _inner(definition)
    if isinstance(inner, t.Thing):
        yield from inner.abilities
    elif isinstance(inner, t.Standalone):
        yield inner.ability


def _keys(found: Pointed) -> Keys:
    """What each written name means, by its place."""
    written = ((file, one) for file, all_ in found.known.mentions.items() for one in all_)
    return {(file, one.span.line, one.span.column): one.key for file, one in written}


def _place(name: t.Name) -> tuple[str, int, int]:
    return name.span.file, name.span.line, name.span.column


def _named(found: Pointed, keys: Keys, definition: t.Definition, key: Key) -> tuple[Location, ...]:
    """Where a definition carries out what has this key."""
    return _placed(found, [name for name in _runs(definition) if keys.get(_place(name)) == key])


def _placed(found: Pointed, names: list[t.Name]) -> tuple[Location, ...]:
    places = (now(found.rules, found.known, name.span) for name in names)
    return tuple(place for place in places if place is not None)


def _call(found: Pointed, definition: t.Definition, places: tuple[Location, ...]) -> Call | None:
    inner = _inner(definition)
    where = now(found.rules, found.known, inner.name.span if inner.name.word else definition.span)
    if where is None:
        return None
    name = inner.name.word or sort_title(inner)
    return Call(name, inner.title, type(inner).__name__.lower().rstrip("_"), where, places)
