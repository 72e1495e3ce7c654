"""Scenes: worked examples of rules that are played and compared, so that rules are tested in their own words.

    report = run_module("./my-variant")
    print(report.text())

A scene stands in `scenes/*.yaml` beside the rules; docs/scenes.md tells how to write one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from time import perf_counter

from edict.front.folders import read_manifest
from edict.front.modules import find
from edict.program import Program
from edict.rendering import by_name
from edict.report import Diagnostic, RulesError
from edict.table.layout import Layout
from edict.table.log import Entry
from edict.table.rules import load_rules
from edict.table.scenes_reading import Scene, ScenePage, read_page, scene_files
from edict.table.scenes_stage import Difference, prepare
from edict.table.scenes_trace import Trace
from edict.text import Source


@dataclass(frozen=True, slots=True)
class Outcome:
    """How one scene went. `diagnostics` say why it could not be played, `differences` what was not as it says."""

    scene: Scene
    seconds: float
    differences: tuple[Difference, ...] = ()
    diagnostics: tuple[Diagnostic, ...] = ()
    log: tuple[Entry, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.differences and not self.diagnostics


@dataclass(frozen=True)
class Report:
    """All scenes of a module. `diagnostics` are of files and rules that cannot be read at all."""

    name: str
    outcomes: tuple[Outcome, ...]
    diagnostics: tuple[Diagnostic, ...]
    seconds: float
    sources: dict[str, Source] = field(default_factory=dict, repr=False)
    left_out: int = 0  # not wanted, or after the first failure

    @property
    def ok(self) -> bool:
        return not self.diagnostics and not self.failures

    @property
    def failures(self) -> tuple[Outcome, ...]:
        return tuple(outcome for outcome in self.outcomes if not outcome.ok)

    @property
    def passed(self) -> int:
        return len(self.outcomes) - len(self.failures)

    def text(self, logs: bool = True) -> str:
        """The report in plain words; `logs`: with what happened in the scenes that failed."""
        from edict.table.scenes_report import told

        return told(self, logs)


def run_module(
    name_or_path: str | PathLike[str],
    modules: Sequence[str] = (),
    only: str | Callable[[Scene], bool] | None = None,
    fail_fast: bool = False,
    trace: Trace | None = None,
) -> Report:
    """Play the scenes that stand beside the rules of a game or module.

    modules: laid over these rules too. only: a part of the names or files of the scenes wanted, or a test of them.
    fail_fast: stop at the first that fails. trace: notes which rules were played. Nothing is raised for scenes or
    rules that are wrong: the report tells.
    """
    start = perf_counter()
    found = find(fspath(name_or_path))
    if found.value is None:
        return Report(fspath(name_or_path), (), found.diagnostics, perf_counter() - start)
    pages, wrong = _pages(found.value)
    run = _Run(found.value, tuple(modules), trace)
    outcomes: list[Outcome] = []
    wanted = [scene for page in pages for scene in page.scenes() if _wanted(scene, only)]
    for scene in wanted:
        outcomes.append(run.scene(scene))
        if fail_fast and not outcomes[-1].ok:
            break
    total = sum(len(page.data["scenes"]) for page in pages)
    sources = by_name(page.source for page in pages)
    spent = perf_counter() - start
    return Report(fspath(name_or_path), tuple(outcomes), tuple(wrong), spent, sources, total - len(outcomes))


def scenes_of(name_or_path: str | PathLike[str]) -> Iterator[Scene]:
    """The scenes beside the rules of a game or module; raises `RulesError` for a file that cannot be read."""
    pages, wrong = _pages(find(fspath(name_or_path)).unwrap())
    if wrong:
        raise RulesError(wrong)
    return (scene for page in pages for scene in page.scenes())


def _pages(folder: Path) -> tuple[list[ScenePage], list[Diagnostic]]:
    read = [read_page(folder, file) for file in scene_files(folder)]
    return [p.value for p in read if p.value is not None], [d for p in read for d in p.diagnostics]


def _wanted(scene: Scene, only: str | Callable[[Scene], bool] | None) -> bool:
    if only is None or callable(only):
        return only is None or only(scene)
    return only.casefold() in f"{scene.span.file} {scene.name}".casefold()


class _Run:
    """Plays scenes, and keeps the rules compiled for them."""

    def __init__(self, folder: Path, modules: tuple[str, ...], trace: Trace | None) -> None:
        manifest = read_manifest(folder).value
        self.folder = str(folder.resolve())
        self.is_game = manifest is None or manifest.kind == "game"
        self.modules = modules
        self.trace = trace
        self.rules: dict[tuple[str, ...], tuple[Program, Layout] | tuple[Diagnostic, ...]] = {}

    def scene(self, scene: Scene) -> Outcome:
        start = perf_counter()
        loaded = self.load(scene)
        if not isinstance(loaded[0], Program):
            return Outcome(scene, perf_counter() - start, diagnostics=tuple(d for d in loaded if _is_diagnostic(d)))
        program, layout = loaded  # type: ignore[misc]
        assert isinstance(program, Program) and isinstance(layout, Layout)
        stage, wrong = prepare(scene, program, layout, self.trace.code(program) if self.trace else ())
        if stage is None:
            return Outcome(scene, perf_counter() - start, diagnostics=tuple(wrong))
        stage.play()
        log = tuple(stage.log()) if stage.differences else ()
        return Outcome(scene, perf_counter() - start, tuple(stage.differences), log=log)
