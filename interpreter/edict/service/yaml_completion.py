"""What can be written at a place of a manifest, a look or a file of scenes: what its schema knows, and the game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edict.service.completing_scenes import scene_items
from edict.service.answer_types import At, Item
from edict.service.workspace import Workspace
from edict.service.yaml_places import Place, places
from edict.sources.file_schemas import fixed_schema
from edict.sources.module_lookup import catalogue
from edict.sources.folders import MANIFEST, read_manifest
from edict.text import Source

SCENES = "scenes"
SCHEMAS = {MANIFEST: "module", "look.yaml": "look"}
MODULES = ("requires", "over", "conflicts", "modules", "game")
"""Keys of manifests and scenes whose values are names of modules."""

_PLAIN = re.compile(r"[A-Za-z0-9](?:[^:#\[\]{},\"'&*!|>%@`]|[:,](?=\S))*\Z")


def file_completions(space: Workspace, path: Path, at: At) -> tuple[Item, ...]:
    """All that can be written at a place of a YAML file of a module; nothing in files of other kinds."""
    schema = SCENES if path.parent.name == SCENES else SCHEMAS.get(path.name)
    if schema is None:
        return ()
    found: dict[str, Item] = {}
    for place in places(Source(path.name, space.text(path)), at):
        for item in (*_of_schema(schema, place), *_modules(space, place), *_of_scene(space, path, schema, place)):
            found.setdefault(item.label, _written(item, place))
    return tuple(sorted(found.values(), key=lambda item: (item.rank, item.label)))


def _written(item: Item, place: Place) -> Item:
    """An item as it is written in YAML: in quotes if need be, a key with its colon."""
    plain = _PLAIN.match(item.label) is not None and ": " not in item.label
    word = item.label if plain else '"' + item.label.replace('"', '\\"') + '"'
    return Item(item.label, item.sort, item.detail, item.words, word + (": " if place.is_key else ""), item.rank)


# --- what the schema says --------------------------------------------------------------------------


def _of_schema(name: str, place: Place) -> Iterator[Item]:
    whole = fixed_schema(name)
    there = place.data(place.path)
    written = there if isinstance(there, dict) else {}
    for node in _nodes(whole, whole, place.path):
        for key, below in node.get("properties", {}).items() if place.is_key else ():
            if key not in written:
                needed = key in node.get("required", ())
                yield Item(key, "field", _resolved(whole, below).get("description", ""), rank=2 if needed else 3)
        for value in node.get("enum", ()) if not place.is_key else ():
            yield Item(str(value), "builtin", node.get("description", ""), rank=1)


def _nodes(whole: dict[str, Any], node: dict[str, Any], path: tuple[str | int, ...]) -> Iterator[dict[str, Any]]:
    """The parts of a schema that speak of what a path leads to."""
    node = _resolved(whole, node)
    for one in (node, *node.get("anyOf", ()), *node.get("oneOf", ())):
        one = _resolved(whole, one)
        if not path:
            yield one
            continue
        listed = isinstance(path[0], int)
        below = one.get("items") if listed else one.get("properties", {}).get(path[0], one.get("additionalProperties"))
        if isinstance(below, dict):
            yield from _nodes(whole, below, path[1:])


def _resolved(whole: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """A part of a schema, looked up where it only refers to another; what stands beside the reference counts too."""
    reference = node.get("$ref", "")
    found = whole.get("$defs", {}).get(reference.removeprefix("#/$defs/"), {}) if reference else {}
    return {**found, **{key: value for key, value in node.items() if key != "$ref"}}


# --- what the workspace and the game know ----------------------------------------------------------


def _modules(space: Workspace, place: Place) -> Iterator[Item]:
    named = [part for part in place.path if isinstance(part, str)]
    if place.is_key or not named or named[-1] not in MODULES:
        return
    own = (read_manifest(rules.folder).value for rules in space.everything())
    there = {manifest.name: manifest for manifest in own if manifest is not None}
    ships = {name: manifest for name, (_, manifest) in catalogue().items()}
    for name, manifest in {**ships, **there}.items():
        if named[-1] != "game" or manifest.kind == "game":
            yield Item(name, "module", manifest.title, manifest.summary, rank=1 if name in there else 2)


def _of_scene(space: Workspace, path: Path, schema: str, place: Place) -> Iterator[Item]:
    if schema == SCENES and place.path[:1] == ("scenes",) and len(place.path) > 1:
        yield from scene_items(space, path, place)
