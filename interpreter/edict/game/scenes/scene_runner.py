"""Scenes: worked examples of rules that are played and compared, so that rules are tested in their own words.

    report = run_module("./my-variant")
    print(report.text())

A scene is in `scenes/*.yaml` beside the rules; docs/scenes.md says how to write one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path
from time import perf_counter

from edict.compiler.sources.folders import read_manifest
from edict.compiler.sources.module_lookup import module_in
from edict.compiler.sources.module_set import find, texts
from edict.game.scenes.coverage import ScenesPlayed
from edict.game.scenes.scene_files import Scene, ScenePage, read_page, scene_files, sources_in
from edict.game.scenes.scene_reports import ModuleReport, Played
from edict.game.scenes.scene_setup import prepare
from edict.game.table.rules import Rules, load_rules
from edict.support.rendering import by_name
from edict.support.report import Diagnostic, RulesError


def run_module(
    name_or_path: str | PathLike[str],
    modules: Sequence[str] = (),
    only: str | Callable[[Scene], bool] | None = None,
    fail_fast: bool = False,
    trace: ScenesPlayed | None = None,
    strict: bool = False,
) -> ModuleReport:
    """Play the scenes that stand beside the rules of a game or module.

    modules: laid over these rules too; a scene that fails only with them comes out `otherwise`, unless `strict`
    makes that a failure. only: a part of the names or files of the scenes wanted, or a test of them.
    fail_fast: stop at the first that fails. trace: notes which rules were played. Nothing is raised for scenes or
    rules that are wrong: the report tells.
    """
    start = perf_counter()
    found = find(fspath(name_or_path))
    if found.value is None:
        return ModuleReport(fspath(name_or_path), (), found.diagnostics, perf_counter() - start)
    pages, wrong = _pages(found.value)
    run = _Run(found.value, tuple(modules), trace, strict)
    played: list[Played] = []
    wanted = [scene for page in pages for scene in page.scenes() if _wanted(scene, only)]
    for scene in wanted:
        one = run.scene(scene)
        played += [one] if one is not None else []
        if fail_fast and (one is None or not (one.ok or one.otherwise)):
            break
    total = sum(len(page.data["scenes"]) for page in pages)
    sources = {**texts([found.value, *modules]), **by_name(sources_in(found.value))}
    spent = perf_counter() - start
    wrong += run.refused()
    left_out = total - len(played)
    return ModuleReport(fspath(name_or_path), tuple(played), tuple(wrong), spent, sources, left_out, tuple(modules))


def _pages(folder: Path) -> tuple[list[ScenePage], list[Diagnostic]]:
    files = scene_files(folder)
    read = [read_page(folder, file) for file in files.value or ()]
    found = [*files.diagnostics, *(d for page in read for d in page.diagnostics)]
    return [page.value for page in read if page.value is not None], found


def _wanted(scene: Scene, only: str | Callable[[Scene], bool] | None) -> bool:
    if only is None or callable(only):
        return only is None or only(scene)
    return only.casefold() in f"{scene.span.file} {scene.name}".casefold()


class _Run:
    """Plays scenes, and keeps the rules compiled for them."""

    def __init__(
        self, folder: Path, modules: tuple[str, ...], trace: ScenesPlayed | None, strict: bool = False
    ) -> None:
        manifest = read_manifest(folder).value
        self.folder = str(folder.resolve())
        self.is_game = manifest is None or manifest.kind == "game"
        self.modules = modules
        self.trace = trace
        self.strict = strict
        self.loaded: dict[tuple[str, ...], Rules | RulesError] = {}

    def scene(self, scene: Scene) -> Played | None:
        """The scene as it went; None if its rules cannot be played."""
        went = self._played(scene, self.modules, self.trace)
        if went is None or went.ok or self.strict or not self.modules:
            return went
        alone = self._played(scene, (), None)
        return replace(went, otherwise=alone is not None and alone.ok)

    def _played(self, scene: Scene, modules: tuple[str, ...], trace: ScenesPlayed | None) -> Played | None:
        start = perf_counter()
        rules = self.rules(scene, modules)
        if isinstance(rules, RulesError):
            return None
        code = trace.code(rules.program) if trace else ()
        stage, wrong = prepare(scene, rules.program, rules.layout, code)
        if stage is None:
            return Played(scene, perf_counter() - start, diagnostics=tuple(wrong))
        stage.play()
        log = tuple(stage.log()) if stage.differences or scene.is_example else ()
        return Played(scene, perf_counter() - start, tuple(stage.differences), log=log)

    def refused(self) -> list[Diagnostic]:
        """What is wrong with the rules themselves."""
        wrong = [rules for rules in self.loaded.values() if isinstance(rules, RulesError)]
        return list(dict.fromkeys(d for error in wrong for d in error.diagnostics))

    def rules(self, scene: Scene, modules: tuple[str, ...]) -> Rules | RulesError:
        """The rules a scene is played by: those it stands beside, over its game, the modules it names, and these."""
        named = (*rules_named(scene, self.folder, self.is_game), *modules)
        if named not in self.loaded:
            try:
                game, *over = named
                self.loaded[named] = load_rules(game, over)
            except RulesError as error:
                self.loaded[named] = error
        return self.loaded[named]


def rules_named(scene: Scene, folder: str, is_game: bool) -> tuple[str, ...]:
    """The game a scene is played in and the modules over it, by name or folder; `folder` is what it stands beside."""
    game = scene.page.game
    over = [folder] if game and not is_game else []
    return (_there(folder, game) if over else folder, *over, *(_there(folder, name) for name in scene.modules))


def _there(folder: str, name: str) -> str:
    """A name, or the folder of that name beside these rules where nothing else is called so."""
    known, beside = find(name), module_in(Path(folder).parent, name)
    return str(beside) if known.value is None and beside is not None else name
