"""Scenes beside a small game: each in a file of its own, and all of them played in one run."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from calling import manifest, write
from edict.game.scenes.scene_reports import ModuleReport
from edict.game.scenes.scene_runner import run_module


def game_of(folder: Path, rules: str) -> Path:
    """The folder, with a game of these rules that is called as it is."""
    write(folder, {"module.yaml": manifest(folder.name, "game", language="1"), "rules.edict": rules})
    return folder


def scene(text: str, name: str = "A scene") -> str:
    """The lines of one scene, indented as an entry of the list."""
    lines = [f"name: {name}", *text.strip("\n").split("\n")]
    return "\n".join(("  - " if i == 0 else "    ") + line for i, line in enumerate(lines)) + "\n"


def put(folder: Path, *pages: str) -> None:
    """These pages of scenes beside the rules, and no others."""
    shutil.rmtree(folder / "scenes", ignore_errors=True)
    write(folder / "scenes", {f"page-{number}.yaml": page for number, page in enumerate(pages)})


def played_each(folder: Path, scenes: Iterable[str]) -> dict[str, ModuleReport]:
    """How each of these scenes goes, by its text; what is wrong with the rules is told of all."""
    texts = list(scenes)
    put(folder, *(f"scenes:\n{scene(text)}" for text in texts))
    report = run_module(folder)
    return {text: _of_file(report, f"/scenes/page-{number}.yaml") for number, text in enumerate(texts)}


def _of_file(report: ModuleReport, file: str) -> ModuleReport:
    mine = [one for one in report.diagnostics if one.span.file.endswith(file) or "/scenes/" not in one.span.file]
    scenes = [one for one in report.scenes if one.scene.span.file.endswith(file)]
    return replace(report, scenes=tuple(scenes), diagnostics=tuple(mine), left_out=0)
