"""Completion in manifests, looks and scene files, from their schemas and from the game."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from edict.compiler.sources.file_schemas import load_schema
from edict.compiler.sources.folders import MANIFEST, read_manifest
from edict.compiler.sources.module_lookup import load_catalogue
from edict.compiler.sources.written_data import WrittenData
from edict.compiler.sources.yaml_reader import read_yaml
from edict.compiler.syntax.completion import PLACEHOLDER
from edict.game.scenes.scene_facts import EVERYONE, KNOWS, KNOWS_NOT, READS, READS_NOT, SPECIAL
from edict.game.scenes.scene_setup import WHOLE_GAME, find_entry, list_limited_abilities
from edict.game.scenes.scene_steps import DICE, DRAWN, ENDINGS, NOW
from edict.game.scenes.scene_vocabulary import SceneVocabulary, all_measures
from edict.game.table.addresses import PLAYER
from edict.runtime.program import StateVariable, ValueType
from edict.runtime.program.reasons import ComputedQuantity
from edict.support.morphology import split_title
from edict.support.records import dataclass
from edict.support.text import Source
from edict.tools.language_service.answer_types import Completion, TextPosition
from edict.tools.language_service.scene_questions import DataPath, OpenScene, SceneQuestion, find_question, find_scene
from edict.tools.language_service.workspace import Workspace

SCENES = "scenes"
SCHEMAS = {MANIFEST: "module", "look.yaml": "look"}
# keys of manifests and scenes whose values are names of modules
MODULE_KEYS = ("requires", "over", "conflicts", "modules", "game")

_PLAIN = re.compile(r"[A-Za-z0-9](?:[^:#\[\]{},\"'&*!|>%@`]|[:,](?=\S))*\Z")


def complete_yaml(space: Workspace, path: Path, position: TextPosition) -> tuple[Completion, ...]:
    """Return the completions at a position in a YAML file of a module; none in other files."""
    schema = SCENES if path.parent.name == SCENES else SCHEMAS.get(path.name)
    if schema is None:
        return ()
    completions: dict[str, Completion] = {}
    for place in find_places(Source(path.name, space.get_text(path)), position):
        for item in (
            *_iter_schema_completions(schema, place),
            *_iter_module_completions(space, place),
            *_iter_scene_completions(space, path, schema, place),
        ):
            completions.setdefault(item.label, _quote_for_yaml(item, place))
    return tuple(sorted(completions.values(), key=lambda item: (item.rank, item.label)))


def _quote_for_yaml(item: Completion, place: YamlPlace) -> Completion:
    """Return a completion as YAML needs it: quoted if necessary, a key with its colon."""
    plain = _PLAIN.match(item.label) is not None and ": " not in item.label
    text = item.label if plain else '"' + item.label.replace('"', '\\"') + '"'
    return Completion(item.label, item.sort, item.detail, item.words, text + (": " if place.is_key else ""), item.rank)


# --- what the schema says --------------------------------------------------------------------------


def _iter_schema_completions(name: str, place: YamlPlace) -> Iterator[Completion]:
    """Yield the keys that are still missing at a place, required ones first, or the values of an enum."""
    schema = load_schema(name)
    current = place.get_data(place.path)
    current_map = current if isinstance(current, dict) else {}
    for node in _iter_subschemas(schema, schema, place.path):
        for key, property_schema in node.get("properties", {}).items() if place.is_key else ():
            if key not in current_map:
                is_required = key in node.get("required", ())
                yield Completion(
                    key,
                    "field",
                    _resolve_reference(schema, property_schema).get("description", ""),
                    rank=2 if is_required else 3,
                )
        for value in node.get("enum", ()) if not place.is_key else ():
            yield Completion(str(value), "builtin", node.get("description", ""), rank=1)


def _iter_subschemas(
    root: dict[str, Any], node: dict[str, Any], path: tuple[str | int, ...]
) -> Iterator[dict[str, Any]]:
    """Yield the parts of a schema that describe the value at a path."""
    node = _resolve_reference(root, node)
    for variant in (node, *node.get("anyOf", ()), *node.get("oneOf", ())):
        variant = _resolve_reference(root, variant)
        if not path:
            yield variant
            continue
        is_index = isinstance(path[0], int)
        if is_index:
            child = variant.get("items")
        else:
            child = variant.get("properties", {}).get(path[0], variant.get("additionalProperties"))
        if isinstance(child, dict):
            yield from _iter_subschemas(root, child, path[1:])


def _resolve_reference(root: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    """Return a part of a schema with its reference resolved; its own keys take precedence."""
    reference = node.get("$ref", "")
    target = root.get("$defs", {}).get(reference.removeprefix("#/$defs/"), {}) if reference else {}
    return {**target, **{key: value for key, value in node.items() if key != "$ref"}}


# --- what the workspace and the game know ----------------------------------------------------------


def _iter_module_completions(space: Workspace, place: YamlPlace) -> Iterator[Completion]:
    """Yield module names where a manifest or scene file names modules; only games under the key `game`."""
    keys = [part for part in place.path if isinstance(part, str)]
    if place.is_key or not keys or keys[-1] not in MODULE_KEYS:
        return
    manifests = (read_manifest(rules.folder).value for rules in space.iter_rules())
    own_modules = {manifest.name: manifest for manifest in manifests if manifest is not None}
    shipped_modules = {name: manifest for name, (_, manifest) in load_catalogue().items()}
    for name, manifest in {**shipped_modules, **own_modules}.items():
        if keys[-1] != "game" or manifest.kind == "game":
            yield Completion(name, "module", manifest.title, manifest.summary, rank=1 if name in own_modules else 2)


def _iter_scene_completions(space: Workspace, path: Path, schema: str, place: YamlPlace) -> Iterator[Completion]:
    """Yield completions from a scene's game for places within `scenes`; none in other files."""
    if schema == SCENES and place.path[:1] == ("scenes",) and len(place.path) > 1:
        yield from complete_scene(space, path, place)


# --- scenes: players, keeps and things of their game, and what that would really ask there --------


FACT_KEYS = ("given", "then")


def complete_scene(space: Workspace, path: Path, place: YamlPlace) -> Iterator[Completion]:
    """Yield the completions that a scene's game has for a place; none while its rules do not compile."""
    scene = find_scene(space, path, place.path, place.written)
    if scene is None:
        return
    completer, inner_path = _SceneCompleter(scene, place), place.path[2:]
    if inner_path[:1] == ("play",) and len(inner_path) > 1:
        yield from completer.complete_step(inner_path[1:])
    elif inner_path and inner_path[0] in FACT_KEYS:
        yield from completer.complete_facts(inner_path[1:], inner_path[0] == "then")
    elif inner_path:
        yield from completer.complete_part(str(inner_path[0]), inner_path[1:])


@dataclass(frozen=True)
class _SceneCompleter:
    """Completions within a scene whose game is known."""

    scene: OpenScene
    place: YamlPlace

    @property
    def vocabulary(self) -> SceneVocabulary:
        return self.scene.words

    # --- parts of a scene

    def complete_part(self, key: str, inner_path: DataPath) -> Iterator[Completion]:
        """Yield completions for `start`, `for`, `with`, `during`, `used` and `settings`."""
        program, is_key = self.vocabulary.program, self.place.is_key
        if key == "start" and not is_key:
            yield from (
                Completion(name, "phase", rank=1) for name in (WHOLE_GAME, *(name for name, _ in program.entries))
            )
        elif key == "for" or key == "used" and is_key:
            yield from self.iter_players()
        elif key == "with":
            yield from self.complete_entry_values(inner_path)
        elif key == "during":
            yield from (Completion(title, "phase", name, rank=1) for name, title in program.phases if title)
        elif key == "used":
            yield from (Completion(limit.label, "thing", rank=1) for limit in list_limited_abilities(program))
        elif key == "settings" and is_key:
            yield from (Completion(setting.name, "setting", setting.title, rank=1) for setting in program.settings)
        elif key == "settings":
            yield from (Completion(choice, "builtin", rank=1) for choice in ("on", "off"))

    def complete_entry_values(self, inner_path: DataPath) -> Iterator[Completion]:
        """Yield the names of values that the scene's entry point takes, or the values of one of them."""
        program = self.vocabulary.program
        entry = find_entry(program, str(self.scene.scene.data.get("start", "")))
        entry_values = {value.name: value for value in program.brought if value.entry == entry}
        if self.place.is_key:
            yield from (
                Completion(name, "value", value.type.kind or "number", rank=1) for name, value in entry_values.items()
            )
        elif inner_path and str(inner_path[0]) in entry_values:
            yield from self.iter_values(entry_values[str(inner_path[0])].type)

    def iter_players(self) -> Iterator[Completion]:
        """Yield the names of the players in this scene."""
        yield from (Completion(name, "player", rank=1) for name in self.vocabulary.players)

    # --- facts

    def complete_facts(self, inner_path: DataPath, expected: bool) -> Iterator[Completion]:
        """Yield completions for given or expected facts about the table, a player or a thing."""
        if self.place.is_key and not inner_path:
            yield from self.iter_players()
            yield Completion(EVERYONE, "player", rank=1)
            yield from (
                _complete_variable_name(variable)
                for variable in self.iter_variables(expected)
                if PLAYER not in variable.kinds[:1]
            )
            yield from (Completion(word, "keyword", rank=3) for word in (SPECIAL if expected else ()))
            endings = (KNOWS, KNOWS_NOT, *((READS, READS_NOT) if expected else ()))
            yield from (
                Completion(f"{name}{end}", "keyword", rank=5) for name in self.vocabulary.players for end in endings
            )
            return
        names = [str(part) for part in inner_path if not isinstance(part, int)]
        is_about_player = bool(names) and (names[0] == EVERYONE or self.vocabulary.is_player(names[0]))
        if is_about_player and len(names) == 1:
            if self.place.is_key:
                yield from (
                    _complete_variable_name(variable)
                    for variable in self.iter_variables(expected)
                    if PLAYER in variable.kinds
                )
            return
        yield from self.complete_variable(names[1:] if is_about_player else names, is_about_player)

    def iter_variables(self, expected: bool) -> Iterator[StateVariable | ComputedQuantity]:
        """Yield the variables of the game, and its measures if facts are `expected`."""
        yield from self.vocabulary.program.variables
        yield from all_measures(self.vocabulary.program) if expected else ()

    def complete_variable(self, names: list[str], is_about_player: bool) -> Iterator[Completion]:
        """Yield the things of the variable's next key, or its possible values once all keys are given."""
        candidates: list[StateVariable | ComputedQuantity] = (
            [*self.vocabulary.matching_variables(names[0])] if names else []
        )
        measure = self.vocabulary.find_measure(names[0]) if names else None
        candidates += [measure] if measure is not None else []
        if len(candidates) != 1:
            return
        kinds = list(candidates[0].kinds)
        if is_about_player and PLAYER in kinds:
            kinds.remove(PLAYER)
        given_count = len(names) - 1
        if given_count < len(kinds):
            yield from self.iter_things(kinds[given_count]) if self.place.is_key else ()
        elif not self.place.is_key:
            yield from self.iter_values(self.vocabulary.type_of(candidates[0]))

    def iter_values(self, value_type: ValueType) -> Iterator[Completion]:
        """Yield `yes` and `no` for a truth value, or the things of a kind; none for numbers and other types."""
        if value_type.shape == "truth":
            yield from (Completion(word, "builtin", rank=1) for word in ("yes", "no"))
        elif value_type.shape in ("thing", "set", "order"):
            yield from self.iter_things(value_type.kind)
            yield from [Completion("none", "builtin", rank=2)] if value_type.optional else []

    def iter_things(self, kind: str) -> Iterator[Completion]:
        """Yield the titles by which scenes name the things of a kind; players' names for the kind `player`."""
        if kind == PLAYER:
            yield from self.iter_players()
            return
        for number, thing in enumerate(self.vocabulary.wording.things(kind)):
            yield Completion(self.vocabulary.thing_label(kind, number), "thing", thing.name, rank=1)

    # --- steps

    def complete_step(self, inner_path: DataPath) -> Iterator[Completion]:
        """Yield completions for a line of `play`: who acts, or the options of the question asked there."""
        if len(inner_path) > 1 and inner_path[1] == NOW:
            yield from self.complete_facts(inner_path[2:], True)
            return
        question = find_question(self.scene, self.place.path)
        if len(inner_path) == 1:
            yield from self.iter_step_keys(question) if self.place.is_key else ()
        elif not self.place.is_key and question is not None:
            yield from _iter_answers(question, str(inner_path[1]))

    def iter_step_keys(self, question: SceneQuestion | None) -> Iterator[Completion]:
        """Yield the keys of a step, the player who is asked first."""
        for name in self.vocabulary.players:
            is_asked = question is not None and question.player == name
            yield Completion(
                name, "player", question.prompt if is_asked and question else "", rank=1 if is_asked else 3
            )
            for ending in ENDINGS:
                yield Completion(f"{name} {ending}", "keyword", rank=2 if is_asked else 5)
        chance_key = question.key if question is not None and not question.player else ""
        for word in (EVERYONE, DICE, DRAWN, NOW):
            yield Completion(
                word,
                "keyword",
                question.prompt if question and word == chance_key else "",
                rank=1 if word == chance_key else 4,
            )


def _iter_answers(question: SceneQuestion, key: str) -> Iterator[Completion]:
    """Yield the options as values of a step's key that answers the question, or its prompt for `... is asked`."""
    if key.endswith(" is asked"):
        yield Completion(question.prompt, "text", rank=1)
    elif (key == question.key) if not question.player else (key == EVERYONE or key.startswith(question.player)):
        yield from (Completion(text, "answer", question.prompt, words, rank=1) for text, words in question.options)


def _complete_variable_name(variable: StateVariable | ComputedQuantity) -> Completion:
    """Return the name of a state variable or quantity as completion, with its title if that differs."""
    title = split_title(variable.title)[0] if variable.title else ""
    sort = "keep" if isinstance(variable, StateVariable) else "quantity"
    return Completion(variable.name, sort, title if title != variable.name else "", rank=2)


# --- places, also in unfinished lines -------------------------------------------------------------


# a word being written where a key or value can begin
_WORD_START = re.compile(r"(?:^\s*|:\s+|-\s+|[\[{,]\s*)(?P<word>[^\s\[\]{},:#\"'-][^\[\]{},:#\"']*)?$")
_TOKENS = re.compile(r"\"[^\"\n]*\"?|'[^'\n]*'?|(?:^|\s)#.*|[\[\]{}]", re.MULTILINE)
_CLOSING = {"[": "]", "{": "}"}


@dataclass(frozen=True, eq=False)
class YamlPlace:
    """A place in a YAML file where something is being written."""

    path: DataPath  # path to the value; for a key, to the map that will contain it
    is_key: bool
    written: WrittenData  # the file, with a placeholder at the place

    def get_data(self, data_path: DataPath) -> object:
        """Return the value at a path; None if there is none."""
        value: object = self.written.data
        for part in data_path:
            if isinstance(value, dict) and part in value or isinstance(value, list) and isinstance(part, int):
                value = value[part]  # type: ignore[index]
            else:
                return None
        return value


def find_places(source: Source, position: TextPosition) -> Iterator[YamlPlace]:
    """Yield the place of the word at a position in the YAML data, read as a value and as a key, if each parses."""
    lines = source.text.split("\n")
    line = lines[position.line - 1][: position.column - 1] if position.line <= len(lines) else ""
    word_match = _WORD_START.search(line)
    if word_match is None:
        return
    before = "\n".join([*lines[: position.line - 1], line[: word_match.start("word")] if word_match["word"] else line])
    for ending, is_key in (("", False), (": x", True)):
        data = read_yaml(Source(source.name, f"{before}{PLACEHOLDER}{ending}{_closing_brackets(before)}\n")).value
        if data is None:
            continue
        paths = (path for path in (data.keys if is_key else data.places) if _holds_placeholder(data, path, is_key))
        path = next(paths, None)
        if path is not None:
            yield YamlPlace(path[:-1] if is_key else path, is_key, data)


def _closing_brackets(text: str) -> str:
    """Return the brackets that close those open at the end of a text."""
    expected_closings: list[str] = []
    for token in _TOKENS.findall(text):
        if token in _CLOSING:
            expected_closings.append(_CLOSING[token])
        elif expected_closings and token == expected_closings[-1]:
            expected_closings.pop()
    return "".join(reversed(expected_closings))


def _holds_placeholder(data: WrittenData, path: DataPath, is_key: bool) -> bool:
    """Return True if the placeholder for the unfinished word is the last key of a path, or the value there."""
    if is_key:
        return bool(path) and path[-1] == PLACEHOLDER
    return YamlPlace(path, False, data).get_data(path) == PLACEHOLDER
