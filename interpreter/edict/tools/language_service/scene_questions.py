"""The question that a game asks at a position in a scene, found by playing the scene up to there."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import replace
from pathlib import Path
from typing import Any

from edict.compiler.pipeline.compile import compile_modules
from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.module_set import Modules, gather_modules, hash_rules
from edict.compiler.sources.written_data import WrittenData
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
from edict.support.records import dataclass
from edict.support.text import Source
from edict.tools.language_service.workspace import Workspace, find_module_folder

MAX_CACHED_RULES = 4
DataPath = tuple[str | int, ...]  # path to a value in a YAML file: keys of maps and indices of lists


@dataclass(frozen=True, eq=False)
class OpenScene:
    """A scene as far as it is written, with the rules it is played by."""

    scene: Scene
    rules: Rules
    words: SceneVocabulary


@dataclass(frozen=True, slots=True)
class SceneQuestion:
    """A question with its options."""

    player: str  # the player who is asked; empty for chance
    prompt: str
    options: tuple[tuple[str, str], ...]  # each answer as a scene writes it, and its title
    key: str = ""  # for chance: the key of its answers, dice or a draw


_rules: OrderedDict[str, Rules] = OrderedDict()


def find_scene(space: Workspace, path: Path, data_path: DataPath, data: WrittenData) -> OpenScene | None:
    """Return the scene at a path of a scene file, with its compiled rules, as far as it is written.

    Returns None while its rules do not compile or its players are wrong.
    """
    folder, number = find_module_folder(path), data_path[1] if len(data_path) > 1 else None
    if folder is None or not isinstance(number, int):
        return None
    page = ScenePage(folder, Source(path.name, ""), data)
    rules = _load_scene_rules(space, Scene(page, number), folder)
    if rules is None:
        return None
    try:
        scene = Scene(page, number)
        return OpenScene(scene, rules, SceneVocabulary(rules.program, check_players(rules.program, scene.players)))
    except (GameError, KeyError, TypeError):
        return None  # missing players are reported when the scene is played


def _load_scene_rules(space: Workspace, scene: Scene, folder: Path) -> Rules | None:
    """Compile the rules that a scene plays, unsaved texts included; None if modules are missing or have errors."""
    with space.with_unsaved_texts():
        manifest = read_manifest(folder).value
        module_names = rule_names(scene, str(folder.resolve()), manifest is None or manifest.kind == "game")
        modules = gather_modules(module_names[0], module_names[1:])
    if modules.value is not None:
        return _compile_with_cache(module_names, modules.value)
    return None


def _compile_with_cache(module_names: tuple[str, ...], modules: Modules) -> Rules | None:
    """Compile rules, or return them from the cache of those used last."""
    key = hash_rules(modules)
    if key not in _rules:
        program = compile_modules(modules)
        if program.value is None:
            return None
        _rules[key] = Rules(program.value, module_names[0], module_names[1:], program.diagnostics, modules)
    _rules.move_to_end(key)
    while len(_rules) > MAX_CACHED_RULES:
        _rules.popitem(last=False)
    return _rules[key]


def find_question(scene: OpenScene, data_path: DataPath) -> SceneQuestion | None:
    """Return the question that a step of the scene's `play` would answer.

    Returns None if the game asks nothing there or the scene fails before.
    """
    data = {key: value for key, value in scene.scene.data.items() if key != "then"}
    data |= {"play": _list_steps_before(data.get("play"), data_path[3:]), "stop": "here"}
    page_data = {**scene.scene.page.data, "scenes": [*scene.scene.page.data["scenes"]]}
    page_data["scenes"][scene.scene.number] = data
    page = replace(scene.scene.page, written=replace(scene.scene.page.written, data=page_data))
    stage, _ = prepare_scene(Scene(page, scene.scene.number), scene.rules.program, scene.rules.layout)
    try:
        if stage is None or stage.run_to_end() != ASKING or stage.current_step() is not None:
            return None
    except SceneHalt:
        return None
    ask = stage.current_question()
    options = tuple((option.text, option.words) for option in ask.options)
    if ask.seat != CHANCE:
        return SceneQuestion(ask.player, ask.prompt, options)
    is_dice = is_roll(scene.rules.program.questions[stage.state[QUESTION]])
    return SceneQuestion("", ask.prompt, options, DICE if is_dice else DRAWN)


def _list_steps_before(play: Any, data_path: DataPath) -> list[dict[str, Any]]:
    """Return the `play` steps before a place in the data; of its own step only the earlier answers."""
    number = data_path[0] if data_path and isinstance(data_path[0], int) else 0
    steps = play if isinstance(play, list) else []
    previous = [step for step in steps[:number] if isinstance(step, dict)]
    key, answer_number = (data_path[1], data_path[2]) if len(data_path) > 2 else ("", 0)
    if number < len(steps) and isinstance(steps[number], dict):
        answers = steps[number].get(key)
    else:
        answers = None
    if isinstance(answers, list) and isinstance(answer_number, int) and answer_number:
        previous.append({str(key): answers[:answer_number]})
    return previous
