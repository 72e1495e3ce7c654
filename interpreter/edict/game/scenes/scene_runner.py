"""The runner of scenes, worked examples of rules that are played and compared.

    report = run_module("./my-variant")
    print(report.text())

A scene is in `scenes/*.yaml` beside the rules; docs/guides/scenes.md says how to write one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from time import perf_counter

from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.module_lookup import get_module_folder
from edict.compiler.sources.module_set import find_module, read_texts
from edict.game.scenes.coverage import SceneTrace
from edict.game.scenes.scene_files import Scene, ScenePage, find_scene_files, iter_scene_sources, read_page
from edict.game.scenes.scene_reports import ModuleReport, PlayedScene
from edict.game.scenes.scene_setup import prepare_scene
from edict.game.table.rules import Rules, load_rules
from edict.support.rendering import index_sources
from edict.support.report import Diagnostic, RulesError


def run_module(
    name_or_path: str | PathLike[str],
    modules: Sequence[str] = (),
    only: str | Callable[[Scene], bool] | None = None,
    fail_fast: bool = False,
    trace: SceneTrace | None = None,
    strict: bool = False,
) -> ModuleReport:
    """Play the scenes beside the rules of a game or module.

    Errors in scenes or rules raise nothing; the report has them.

    Args:
        name_or_path: The game or module.
        modules: Further modules over these rules. A scene that fails only with them counts as different.
        only: A part of the names or files of the scenes to play, or a predicate on scenes.
        fail_fast: Stop at the first scene that fails.
        trace: Notes which rules were played.
        strict: Count a scene that differs because of `modules` as failed.
    """
    start = perf_counter()
    folder = find_module(fspath(name_or_path))
    if folder.value is None:
        return ModuleReport(fspath(name_or_path), (), folder.diagnostics, perf_counter() - start)
    pages, diagnostics = _read_pages(folder.value)
    run = _SceneRunner(folder.value, tuple(modules), trace, strict)
    results: list[PlayedScene] = []
    selected = [scene for page in pages for scene in page.iter_scenes() if _is_wanted(scene, only)]
    for scene in selected:
        result = run.play(scene)
        results += [result] if result is not None else []
        if fail_fast and (result is None or not (result.ok or result.otherwise)):
            break
    total = sum(len(page.data["scenes"]) for page in pages)
    sources = {**read_texts([folder.value, *modules]), **index_sources(iter_scene_sources(folder.value))}
    seconds = perf_counter() - start
    diagnostics += run.rule_diagnostics()
    left_out = total - len(results)
    return ModuleReport(
        fspath(name_or_path), tuple(results), tuple(diagnostics), seconds, sources, left_out, tuple(modules)
    )


def _read_pages(folder: Path) -> tuple[list[ScenePage], list[Diagnostic]]:
    """Read all scene files of a folder; return the readable ones and the diagnostics of all."""
    files = find_scene_files(folder)
    outcomes = [read_page(folder, file) for file in files.value or ()]
    diagnostics = [*files.diagnostics, *(d for page in outcomes for d in page.diagnostics)]
    return [page.value for page in outcomes if page.value is not None], diagnostics


def _is_wanted(scene: Scene, only: str | Callable[[Scene], bool] | None) -> bool:
    """Return True if a scene passes the filter: None, a predicate, or a part of its file and name."""
    if only is None or callable(only):
        return only is None or only(scene)
    return only.casefold() in f"{scene.span.file} {scene.name}".casefold()


class _SceneRunner:
    """Plays scenes and caches the rules compiled for them."""

    def __init__(self, folder: Path, modules: tuple[str, ...], trace: SceneTrace | None, strict: bool = False) -> None:
        manifest = read_manifest(folder).value
        self.folder = str(folder.resolve())
        self.is_game = manifest is None or manifest.kind == "game"
        self.modules = modules
        self.trace = trace
        self.strict = strict
        self.loaded: dict[tuple[str, ...], Rules | RulesError] = {}

    def play(self, scene: Scene) -> PlayedScene | None:
        """Play a scene and return its result, or None if its rules cannot be compiled.

        A scene that fails is played again without the further modules.
        """
        result = self._play_with_modules(scene, self.modules, self.trace)
        if result is None or result.ok or self.strict or not self.modules:
            return result
        result_alone = self._play_with_modules(scene, (), None)
        return replace(result, otherwise=result_alone is not None and result_alone.ok)

    def _play_with_modules(
        self, scene: Scene, modules: tuple[str, ...], trace: SceneTrace | None
    ) -> PlayedScene | None:
        """Play a scene with further modules and return its result; None if the rules do not compile."""
        start = perf_counter()
        rules = self.load_rules_for(scene, modules)
        if isinstance(rules, RulesError):
            return None
        code = trace.get_counting_code(rules.program) if trace else ()
        player, diagnostics = prepare_scene(scene, rules.program, rules.layout, code)
        if player is None:
            return PlayedScene(scene, perf_counter() - start, diagnostics=tuple(diagnostics))
        player.play()
        log = tuple(player.log()) if player.differences or scene.is_example else ()
        return PlayedScene(scene, perf_counter() - start, tuple(player.differences), log=log)

    def rule_diagnostics(self) -> list[Diagnostic]:
        """Return the diagnostics of rules that could not be compiled."""
        errors = [rules for rules in self.loaded.values() if isinstance(rules, RulesError)]
        return list(dict.fromkeys(d for error in errors for d in error.diagnostics))

    def load_rules_for(self, scene: Scene, modules: tuple[str, ...]) -> Rules | RulesError:
        """Return the rules of a scene: its own module over its game, the modules it names, and the further ones."""
        names = (*rule_names(scene, self.folder, self.is_game), *modules)
        if names not in self.loaded:
            try:
                game, *upper = names
                self.loaded[names] = load_rules(game, upper)
            except RulesError as error:
                self.loaded[names] = error
        return self.loaded[names]


def rule_names(scene: Scene, folder: str, is_game: bool) -> tuple[str, ...]:
    """Return the game of a scene and the modules over it, by name or folder."""
    game = scene.page.game
    upper = [folder] if game and not is_game else []
    return (
        _resolve_name(folder, game) if upper else folder,
        *upper,
        *(_resolve_name(folder, name) for name in scene.modules),
    )


def _resolve_name(folder: str, name: str) -> str:
    """Return a name, or the neighbouring folder of that name if nothing else is called so."""
    known, beside = find_module(name), get_module_folder(Path(folder).parent, name)
    return str(beside) if known.value is None and beside is not None else name
