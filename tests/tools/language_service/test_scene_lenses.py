"""Scenes that mention a thing, and scenes played for an editor with unsaved texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.tools.language_service import scene_lenses
from edict.tools.language_service.answer_types import ModuleSceneResults
from edict.tools.language_service.workspace import Workspace
from workshop import MODULE, SCENES


def test_lens_lists_the_scenes_that_mention_a_thing(space: Workspace, forge: Path) -> None:
    (lens,) = scene_lenses.list_lenses(space, forge)
    assert lens.thing == "smithy"
    assert [name for name, _ in lens.scenes] == ["The smithy is a stall of coin"]


def test_only_scene_files_list_scenes(space: Workspace, forge: Path, subtests: pytest.Subtests) -> None:
    first, second = forge.parent / "scenes" / "forge.yaml", forge.parent / "scenes" / "more.yaml"
    again = SCENES.partition("\n")[2].replace("is a stall", "was a stall")
    second.write_text(SCENES + again, encoding="utf-8")
    space.invalidate()
    scenes = {
        path: [location.span.line for location in scene_lenses.list_scenes(space, path)]
        for path in (first, second, forge)
    }
    assert scenes == {first: [2], second: [2, 2 + again.count("\n")], forge: []}
    assert {location.path for location in scene_lenses.list_scenes(space, second)} == {second.resolve()}
    for nowhere in (forge.parent / "forge.yaml", forge.parents[1] / "elsewhere" / "scenes" / "forge.yaml"):
        with subtests.test(nowhere=nowhere):
            assert scene_lenses.list_scenes(space, nowhere) == ()


UNUSED = 'stall mill "Mill"\n  price 1\n  cost 1 coin\n  gift\n    gain 1 coin\n'


def run_scenes(space: Workspace, path: Path, *only: str) -> ModuleSceneResults:
    run = scene_lenses.prepare_scene_run(space, path, only)
    assert run is not None
    return run()


def test_scenes_are_played_with_unsaved_texts_and_differences_reported(space: Workspace, forge: Path) -> None:
    (good,) = run_scenes(space, forge).scenes
    assert good.ok and good.name == "The smithy is a stall of coin"
    scene = forge.parent / "scenes" / "forge.yaml"
    space.set_text(scene, SCENES + "    then: {Ann: {coin: 3}}\n")
    (bad,) = run_scenes(space, forge).scenes
    assert bad.wrong and bad.wrong[0].startswith("Ann, coin: expected 3, found ")
    assert bad.where.path == scene.resolve()


def test_unplayed_places_are_found_only_in_the_module(space: Workspace, forge: Path) -> None:
    space.set_text(forge, MODULE + UNUSED)
    results = run_scenes(space, forge)
    lines = (MODULE + UNUSED).splitlines()
    unplayed = {(where.path, lines[where.span.line - 1][where.span.column - 1 :]) for where, _ in results.unplayed}
    assert unplayed == {(forge.resolve(), "gain 1 coin")}
    first = MODULE.count("\n") + 1
    there = scene_lenses.list_unplayed_places(results, forge, first, first + 4)
    assert there and all(words.startswith("not covered by any scene") for _, words in there)
    assert scene_lenses.list_unplayed_places(results, forge, 1, first - 1) == ()
    assert (
        run_scenes(space, forge, "The smithy is a stall of coin").unplayed == ()
    )  # a selection of scenes says nothing about coverage


def test_lens_title_shows_the_last_results(space: Workspace, forge: Path) -> None:
    (lens,) = scene_lenses.list_lenses(space, forge)
    assert scene_lenses.lens_title(lens, None) == "1 scene"
    assert scene_lenses.lens_title(lens, run_scenes(space, forge)) == "1 scene: passed"
    space.set_text(forge.parent / "scenes" / "forge.yaml", SCENES.replace("Ann: Smithy", "Ann: Bakery"))
    assert scene_lenses.lens_title(lens, run_scenes(space, forge)) == "1 scene: 1 failed"


def test_rules_with_errors_report_the_reason(space: Workspace, forge: Path) -> None:
    space.set_text(forge, MODULE.replace("gain 1 cloth", "gain 1 clot"))
    results = run_scenes(space, forge)
    assert results.scenes == () and results.wrong == ("unknown name `clot`; did you mean `cloth`?",)
    assert scene_lenses.prepare_scene_run(space, Path("/nowhere/x.edict")) is None


def test_scene_can_name_game_and_modules_by_sibling_folders(space: Workspace, forge: Path) -> None:
    scene = forge.parent / "scenes" / "forge.yaml"
    space.set_text(scene, "game: fair\nmodules: [guild]\n" + SCENES)
    assert [outcome.ok for outcome in run_scenes(space, forge).scenes] == [True]
