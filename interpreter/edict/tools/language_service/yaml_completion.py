"""What can be written at a place of a manifest, a look or a file of scenes: what its schema knows, and the game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from edict.compiler.sources.file_schemas import fixed_schema
from edict.compiler.sources.folders import MANIFEST, read_manifest
from edict.compiler.sources.module_lookup import catalogue
from edict.compiler.sources.yaml_reader import WrittenData, read_yaml
from edict.compiler.syntax.expecting import PLACEHOLDER
from edict.game.scenes.scene_facts import EVERYONE, KNOWS, KNOWS_NOT, READS, READS_NOT, SPECIAL
from edict.game.scenes.scene_setup import WHOLE_GAME, find_entry, list_limited_abilities
from edict.game.scenes.scene_steps import DICE, DRAWN, ENDINGS, NOW
from edict.game.scenes.scene_vocabulary import SceneVocabulary, all_measures
from edict.game.table.addresses import PLAYER
from edict.runtime.program import StateVariable, ValueType
from edict.runtime.program.reasons import ComputedQuantity
from edict.support.morphology import split_title
from edict.support.text import Source
from edict.tools.language_service.answer_types import At, Item
from edict.tools.language_service.scene_questions import OpenScene, SceneQuestion, Way, asked, scene_around
from edict.tools.language_service.workspace import Workspace

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


def _written(item: Item, place: YamlPlace) -> Item:
    """An item as it is written in YAML: in quotes if need be, a key with its colon."""
    plain = _PLAIN.match(item.label) is not None and ": " not in item.label
    word = item.label if plain else '"' + item.label.replace('"', '\\"') + '"'
    return Item(item.label, item.sort, item.detail, item.words, word + (": " if place.is_key else ""), item.rank)


# --- what the schema says --------------------------------------------------------------------------


def _of_schema(name: str, place: YamlPlace) -> Iterator[Item]:
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


def _modules(space: Workspace, place: YamlPlace) -> Iterator[Item]:
    named = [part for part in place.path if isinstance(part, str)]
    if place.is_key or not named or named[-1] not in MODULES:
        return
    own = (read_manifest(rules.folder).value for rules in space.everything())
    there = {manifest.name: manifest for manifest in own if manifest is not None}
    ships = {name: manifest for name, (_, manifest) in catalogue().items()}
    for name, manifest in {**ships, **there}.items():
        if named[-1] != "game" or manifest.kind == "game":
            yield Item(name, "module", manifest.title, manifest.summary, rank=1 if name in there else 2)


def _of_scene(space: Workspace, path: Path, schema: str, place: YamlPlace) -> Iterator[Item]:
    if schema == SCENES and place.path[:1] == ("scenes",) and len(place.path) > 1:
        yield from scene_items(space, path, place)


# --- scenes: players, keeps and things of their game, and what that would really ask there --------


FACTS = ("given", "then")


def scene_items(space: Workspace, path: Path, place: YamlPlace) -> Iterator[Item]:
    """What the scene's game has for a place within a scene; nothing while its rules cannot be played."""
    there = scene_around(space, path, place.path, place.written)
    if there is None:
        return
    work, way = _Scene(there, place), place.path[2:]
    if way[:1] == ("play",) and len(way) > 1:
        yield from work.step(way[1:])
    elif way and way[0] in FACTS:
        yield from work.facts(way[1:], way[0] == "then")
    elif way:
        yield from work.part(str(way[0]), way[1:])


@dataclass(frozen=True)
class _Scene:
    """A scene whose game is known; `place` is what is being written in it."""

    open: OpenScene
    place: YamlPlace

    @property
    def words(self) -> SceneVocabulary:
        return self.open.words

    # --- parts of a scene

    def part(self, key: str, way: Way) -> Iterator[Item]:
        """`start`, `for`, `with`, `during`, `used`, `settings`."""
        program, is_key = self.words.program, self.place.is_key
        if key == "start" and not is_key:
            yield from (Item(name, "phase", rank=1) for name in (WHOLE_GAME, *(name for name, _ in program.entries)))
        elif key == "for" or key == "used" and is_key:
            yield from self.players()
        elif key == "with":
            yield from self.brought(way)
        elif key == "during":
            yield from (Item(title, "phase", name, rank=1) for name, title in program.phases if title)
        elif key == "used":
            yield from (Item(one.label, "thing", rank=1) for one in list_limited_abilities(program))
        elif key == "settings" and is_key:
            yield from (Item(setting.name, "setting", setting.title, rank=1) for setting in program.settings)
        elif key == "settings":
            yield from (Item(word, "builtin", rank=1) for word in ("on", "off"))

    def brought(self, way: Way) -> Iterator[Item]:
        """The names of what comes along where the scene starts, or the values of one of them."""
        program = self.words.program
        entry = find_entry(program, str(self.open.scene.data.get("start", "")))
        found = {one.name: one for one in program.brought if one.entry == entry}
        if self.place.is_key:
            yield from (Item(name, "value", one.type.kind or "number", rank=1) for name, one in found.items())
        elif way and str(way[0]) in found:
            yield from self.values(found[str(way[0])].type)

    def players(self) -> Iterator[Item]:
        yield from (Item(name, "player", rank=1) for name in self.words.players)

    # --- facts

    def facts(self, way: Way, expected: bool) -> Iterator[Item]:
        """What is so, before or after: of the table, of a player, of a thing."""
        if self.place.is_key and not way:
            yield from self.players()
            yield Item(EVERYONE, "player", rank=1)
            yield from (_variable_item(one) for one in self.known(expected) if PLAYER not in one.kinds[:1])
            yield from (Item(word, "keyword", rank=3) for word in (SPECIAL if expected else ()))
            endings = (KNOWS, KNOWS_NOT, *((READS, READS_NOT) if expected else ()))
            yield from (Item(f"{name}{end}", "keyword", rank=5) for name in self.words.players for end in endings)
            return
        names = [str(part) for part in way if not isinstance(part, int)]
        of_player = bool(names) and (names[0] == EVERYONE or self.words.is_player(names[0]))
        if of_player and len(names) == 1:
            if self.place.is_key:
                yield from (_variable_item(one) for one in self.known(expected) if PLAYER in one.kinds)
            return
        yield from self.of_variable(names[1:] if of_player else names, of_player)

    def known(self, expected: bool) -> Iterator[StateVariable | ComputedQuantity]:
        """What can be given, and what can be expected besides."""
        yield from self.words.program.variables
        yield from all_measures(self.words.program) if expected else ()

    def of_variable(self, names: list[str], of_player: bool) -> Iterator[Item]:
        """The things a variable is kept for, then its values."""
        found: list[StateVariable | ComputedQuantity] = [*self.words.matching_variables(names[0])] if names else []
        measure = self.words.find_measure(names[0]) if names else None
        found += [measure] if measure is not None else []
        if len(found) != 1:
            return
        kinds = list(found[0].kinds)
        if of_player and PLAYER in kinds:
            kinds.remove(PLAYER)
        given = len(names) - 1
        if given < len(kinds):
            yield from self.things(kinds[given]) if self.place.is_key else ()
        elif not self.place.is_key:
            yield from self.values(self.words.type_of(found[0]))

    def values(self, of: ValueType) -> Iterator[Item]:
        if of.shape == "truth":
            yield from (Item(word, "builtin", rank=1) for word in ("yes", "no"))
        elif of.shape in ("thing", "set", "order"):
            yield from self.things(of.kind)
            yield from [Item("none", "builtin", rank=2)] if of.optional else []

    def things(self, kind: str) -> Iterator[Item]:
        if kind == PLAYER:
            yield from self.players()
            return
        for number, one in enumerate(self.words.wording.things(kind)):
            yield Item(self.words.thing_label(kind, number), "thing", one.name, rank=1)

    # --- steps

    def step(self, way: Way) -> Iterator[Item]:
        """A line of `play`: who does something, or what the question they are asked can be answered with."""
        if len(way) > 1 and way[1] == NOW:
            yield from self.facts(way[2:], True)
            return
        now = asked(self.open, self.place.path)
        if len(way) == 1:
            yield from self.keys(now) if self.place.is_key else ()
        elif not self.place.is_key and now is not None:
            yield from _answers(now, str(way[1]))

    def keys(self, now: SceneQuestion | None) -> Iterator[Item]:
        """Who can be named; whoever is asked comes first, with the question."""
        for name in self.words.players:
            mine = now is not None and now.player == name
            yield Item(name, "player", now.prompt if mine and now else "", rank=1 if mine else 3)
            for ending in ENDINGS:
                yield Item(f"{name} {ending}", "keyword", rank=2 if mine else 5)
        chance = now.key if now is not None and not now.player else ""
        for word in (EVERYONE, DICE, DRAWN, NOW):
            yield Item(word, "keyword", now.prompt if now and word == chance else "", rank=1 if word == chance else 4)


def _answers(now: SceneQuestion, key: str) -> Iterator[Item]:
    if key.endswith(" is asked"):
        yield Item(now.prompt, "text", rank=1)
    elif (key == now.key) if not now.player else (key == EVERYONE or key.startswith(now.player)):
        yield from (Item(text, "answer", now.prompt, words, rank=1) for text, words in now.options)


def _variable_item(one: StateVariable | ComputedQuantity) -> Item:
    title = split_title(one.title)[0] if one.title else ""
    sort = "keep" if isinstance(one, StateVariable) else "quantity"
    return Item(one.name, sort, title if title != one.name else "", rank=2)


# --- where something is being written, also while the line is not finished ------------------------


_BEGUN = re.compile(r"(?:^\s*|:\s+|-\s+|[\[{,]\s*)(?P<word>[^\s\[\]{},:#\"'-][^\[\]{},:#\"']*)?$")
_SIGNS = re.compile(r"\"[^\"\n]*\"?|'[^'\n]*'?|(?:^|\s)#.*|[\[\]{}]", re.MULTILINE)
_CLOSING = {"[": "]", "{": "}"}


@dataclass(frozen=True, eq=False)
class YamlPlace:
    """A place of a file: `path` leads to the value there, or, of a key, to the map it would stand in."""

    path: Way
    is_key: bool
    written: WrittenData

    def data(self, path: Way) -> object:
        """What stands at a path before the place; None where nothing does."""
        found: object = self.written.data
        for part in path:
            if isinstance(found, dict) and part in found or isinstance(found, list) and isinstance(part, int):
                found = found[part]  # type: ignore[index]
            else:
                return None
        return found


def places(source: Source, at: At) -> Iterator[YamlPlace]:
    """What a place can be: a value, a key, or either."""
    lines = source.text.split("\n")
    line = lines[at.line - 1][: at.column - 1] if at.line <= len(lines) else ""
    begun = _BEGUN.search(line)
    if begun is None:
        return
    before = "\n".join([*lines[: at.line - 1], line[: begun.start("word")] if begun["word"] else line])
    for ending, is_key in (("", False), (": x", True)):
        read = read_yaml(Source(source.name, f"{before}{PLACEHOLDER}{ending}{_closed(before)}\n")).value
        if read is None:
            continue
        found = (path for path in (read.keys if is_key else read.places) if _is_there(read, path, is_key))
        path = next(found, None)
        if path is not None:
            yield YamlPlace(path[:-1] if is_key else path, is_key, read)


def _closed(text: str) -> str:
    """What closes the brackets that are open at the end of a text."""
    waiting: list[str] = []
    for sign in _SIGNS.findall(text):
        if sign in _CLOSING:
            waiting.append(_CLOSING[sign])
        elif waiting and sign == waiting[-1]:
            waiting.pop()
    return "".join(reversed(waiting))


def _is_there(read: WrittenData, path: Way, is_key: bool) -> bool:
    if is_key:
        return bool(path) and path[-1] == PLACEHOLDER
    return YamlPlace(path, False, read).data(path) == PLACEHOLDER
