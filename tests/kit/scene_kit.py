"""Scenes beside a small game, each in its own file and all played in one run."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from calling import make_manifest, write_files
from edict.game.scenes.scene_reports import ModuleReport
from edict.game.scenes.scene_runner import run_module


def write_game(folder: Path, rules: str) -> Path:
    """Write a game with these rules into a folder of its name and return the folder."""
    write_files(folder, {"module.yaml": make_manifest(folder.name, "game", language="1"), "rules.edict": rules})
    return folder


def format_scene(text: str, name: str = "A scene") -> str:
    """Return the lines of a scene as an entry of a list."""
    lines = [f"name: {name}", *text.strip("\n").split("\n")]
    return "\n".join(("  - " if index == 0 else "    ") + line for index, line in enumerate(lines)) + "\n"


def write_scene_pages(folder: Path, *pages: str) -> None:
    """Write these scene files beside the rules, in place of all others."""
    shutil.rmtree(folder / "scenes", ignore_errors=True)
    write_files(folder / "scenes", {f"page-{number}.yaml": page for number, page in enumerate(pages)})


def play_each_scene(folder: Path, scenes: Iterable[str]) -> dict[str, ModuleReport]:
    """Return the report of each scene by its text; errors of the rules are in every report."""
    texts = list(scenes)
    write_scene_pages(folder, *(f"scenes:\n{format_scene(text)}" for text in texts))
    report = run_module(folder)
    return {text: _select_file(report, f"/scenes/page-{number}.yaml") for number, text in enumerate(texts)}


def _select_file(report: ModuleReport, file: str) -> ModuleReport:
    diagnostics = [
        item for item in report.diagnostics if item.span.file.endswith(file) or "/scenes/" not in item.span.file
    ]
    scenes = [item for item in report.scenes if item.scene.span.file.endswith(file)]
    return replace(report, scenes=tuple(scenes), diagnostics=tuple(diagnostics), left_out=0)
