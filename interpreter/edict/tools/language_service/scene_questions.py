"""What the game of a scene would ask at a place of it: the scene is played up to there, by the texts as they stand."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from edict.compiler.pipeline.compile import compile_modules
from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.module_set import Modules, gather, rules_hash
from edict.compiler.sources.yaml_reader import WrittenData
from edict.game.scenes.scene_files import Scene, ScenePage
from edict.game.scenes.scene_player import SceneHalt
from edict.game.scenes.scene_runner import rule_names
from edict.game.scenes.scene_setup import prepare_scene
from edict.game.scenes.scene_steps import DICE, DRAWN
from edict.game.scenes.scene_vocabulary import SceneVocabulary
from edict.game.table.game_errors import GameError
from edict.game.table.options import is_roll
from edict.game.table.rules import Rules
from edict.game.table.setup import check_players
from edict.runtime.program.opcodes import ASKING, CHANCE, QUESTION
from edict.support.text import Source
from edict.tools.language_service.workspace import Workspace, folder_of

MOST_KEPT = 4
Way = tuple[str | int, ...]
"""What leads to a place in a file of YAML: keys, and numbers in lists."""


@dataclass(frozen=True, eq=False)
class OpenScene:
    """A scene as far as it is written, with the rules it is played by."""

    scene: Scene
    rules: Rules
    words: SceneVocabulary


@dataclass(frozen=True, slots=True)
class SceneQuestion:
    """A question: who is asked, and each answer with its words. If chance is, `key` says whether by dice or a draw."""

    player: str
    prompt: str
    options: tuple[tuple[str, str], ...]
    key: str = ""


_rules: OrderedDict[str, Rules] = OrderedDict()


def scene_around(space: Workspace, path: Path, way: Way, written: WrittenData) -> OpenScene | None:
    """The scene a way leads into, as written so far; None while its rules cannot be played, or nobody can sit there."""
    folder, number = folder_of(path), way[1] if len(way) > 1 else None
    if folder is None or not isinstance(number, int):
        return None
    page = ScenePage(folder, Source(path.name, ""), written)
    rules = _played_by(space, Scene(page, number), folder)
    if rules is None:
        return None
    try:
        scene = Scene(page, number)
        return OpenScene(scene, rules, SceneVocabulary(rules.program, check_players(rules.program, scene.players)))
    except (GameError, KeyError, TypeError):
        return None  # missing players are reported when the scene is played


def _played_by(space: Workspace, scene: Scene, folder: Path) -> Rules | None:
    with space.laid():
        manifest = read_manifest(folder).value
        named = rule_names(scene, str(folder.resolve()), manifest is None or manifest.kind == "game")
        modules = gather(named[0], named[1:])
    return _compiled(named, modules.value) if modules.value is not None else None


def _compiled(named: tuple[str, ...], modules: Modules) -> Rules | None:
    """The rules ready to be played; those asked for last are kept."""
    key = rules_hash(modules)
    if key not in _rules:
        made = compile_modules(modules)
        if made.value is None:
            return None
        _rules[key] = Rules(made.value, named[0], named[1:], made.diagnostics, modules)
    _rules.move_to_end(key)
    while len(_rules) > MOST_KEPT:
        _rules.popitem(last=False)
    return _rules[key]


def asked(open_: OpenScene, way: Way) -> SceneQuestion | None:
    """The question that a step of the scene's `play` would answer; None where none comes, or the scene goes wrong."""
    data = {key: value for key, value in open_.scene.data.items() if key != "then"}
    data |= {"play": _before(data.get("play"), way[3:]), "stop": "here"}
    whole = {**open_.scene.page.data, "scenes": [*open_.scene.page.data["scenes"]]}
    whole["scenes"][open_.scene.number] = data
    page = replace(open_.scene.page, written=replace(open_.scene.page.written, data=whole))
    stage, _ = prepare_scene(Scene(page, open_.scene.number), open_.rules.program, open_.rules.layout)
    try:
        if stage is None or stage.run_to_end() != ASKING or stage.current_step() is not None:
            return None
    except SceneHalt:
        return None
    ask = stage.current_question()
    options = tuple((option.text, option.words) for option in ask.options)
    if ask.seat != CHANCE:
        return SceneQuestion(ask.player, ask.prompt, options)
    rolled = is_roll(open_.rules.program.questions[stage.state[QUESTION]])
    return SceneQuestion("", ask.prompt, options, DICE if rolled else DRAWN)


def _before(play: Any, way: Way) -> list[dict[str, Any]]:
    """The steps before the one a way leads to, and the answers given before it in the same line."""
    number = way[0] if way and isinstance(way[0], int) else 0
    steps = play if isinstance(play, list) else []
    done = [step for step in steps[:number] if isinstance(step, dict)]
    key, answer = (way[1], way[2]) if len(way) > 2 else ("", 0)
    given = steps[number].get(key) if number < len(steps) and isinstance(steps[number], dict) else None
    if isinstance(given, list) and isinstance(answer, int) and answer:
        done.append({str(key): given[:answer]})
    return done
