"""Where something is declared, and everywhere it is written."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from edict.service.occurrences import WORD
from edict.service.navigation import Pointed, mentioned, now, pointed
from edict.service.scene_lenses import scene_mentions
from edict.service.answer_types import At, Location
from edict.service.workspace import Workspace


def definitions(space: Workspace, path: Path, at: At) -> tuple[Location, ...]:
    """Where what somebody points at is declared: first the declaration, then what modules change of it."""
    found = pointed(space, path, at)
    if found is None or found.key[0] == WORD:
        return ()
    places = [where for where, one in mentioned(found) if one.declares]
    definition = found.definition
    if not places and definition is not None:  # in a line that is being changed
        where = now(found.rules, found.known, definition.name.span)
        places = [where] if where is not None else []
    return tuple(dict.fromkeys(places))


def references(space: Workspace, path: Path, at: At, declaration: bool = True) -> tuple[Location, ...]:
    """Everywhere it is written, in rules and scenes of all modules of the workspace that mean the same by it."""
    return tuple(dict.fromkeys(_everywhere(space, path, at, declaration)))


def _everywhere(space: Workspace, path: Path, at: At, declaration: bool) -> Iterator[Location]:
    found = pointed(space, path, at)
    if found is None or found.key[0] == WORD:
        return
    for one in same_elsewhere(space, path, at):
        yield from (where for where, mention in mentioned(one) if declaration or not mention.declares)
        yield from in_scenes(space, one)


def in_scenes(space: Workspace, pointed: Pointed) -> Iterator[Location]:
    """Where the scenes beside these rules write it."""
    if pointed.definition is not None:
        yield from scene_mentions(space, pointed.rules.folder, pointed.definition)


def same_elsewhere(space: Workspace, path: Path, at: At) -> Iterator[Pointed]:
    """What somebody points at, as the rules of this file know it, and as other modules of the workspace do."""
    found = pointed(space, path, at)
    if found is None:
        return
    yield found
    declared = {(w.path, w.span.line) for w, one in mentioned(found) if one.declares}
    for rules in space.everything():
        known = rules.understood(anew=False) if rules is not found.rules else None
        if known is None:
            continue
        other = Pointed(rules, known, found.source, found.span, found.word, found.mention)
        if any((where.path, where.span.line) in declared for where, one in mentioned(other) if one.declares):
            yield other
