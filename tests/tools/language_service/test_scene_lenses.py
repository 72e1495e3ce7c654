"""Scenes that speak of a thing, and scenes played for an editor by unsaved texts."""

from __future__ import annotations

from pathlib import Path

from edict.tools.language_service import scene_lenses
from edict.tools.language_service.answer_types import SceneResults
from edict.tools.language_service.workspace import Workspace
from workshop import MODULE, SCENES


def test_a_thing_has_the_scenes_that_speak_of_it(space: Workspace, forge: Path) -> None:
    (found,) = scene_lenses.lenses(space, forge)
    assert found.thing == "smithy"
    assert [name for name, _ in found.scenes] == ["The smithy is a stall of coin"]


def test_a_file_of_scenes_has_its_own_and_any_other_has_none(space: Workspace, forge: Path) -> None:
    first, second = forge.parent / "scenes" / "forge.yaml", forge.parent / "scenes" / "more.yaml"
    again = SCENES.partition("\n")[2].replace("is a stall", "was a stall")
    second.write_text(SCENES + again, encoding="utf-8")
    space.forget()
    scenes = {path: [one.span.line for one in scene_lenses.in_file(space, path)] for path in (first, second, forge)}
    assert scenes == {first: [2], second: [2, 2 + again.count("\n")], forge: []}
    assert {one.path for one in scene_lenses.in_file(space, second)} == {second.resolve()}
    for nowhere in (forge.parent / "forge.yaml", forge.parents[1] / "elsewhere" / "scenes" / "forge.yaml"):
        assert scene_lenses.in_file(space, nowhere) == ()


UNUSED = 'stall mill "Mill"\n  price 1\n  cost 1 coin\n  gift\n    gain 1 coin\n'


def ran(space: Workspace, path: Path, *only: str) -> SceneResults:
    work = scene_lenses.job(space, path, only)
    assert work is not None
    return work()


def test_scenes_are_played_by_unsaved_texts_and_what_differs_is_told(space: Workspace, forge: Path) -> None:
    (good,) = ran(space, forge).scenes
    assert good.ok and good.name == "The smithy is a stall of coin"
    scene = forge.parent / "scenes" / "forge.yaml"
    space.lay(scene, SCENES + "    then: {Ann: {coin: 3}}\n")
    (bad,) = ran(space, forge).scenes
    assert bad.wrong and bad.wrong[0].startswith("Ann, coin: expected 3, found ")
    assert bad.where.path == scene.resolve()


def test_places_no_scene_has_played_are_found_in_the_module_alone(space: Workspace, forge: Path) -> None:
    space.lay(forge, MODULE + UNUSED)
    results = ran(space, forge)
    lines = (MODULE + UNUSED).splitlines()
    unplayed = {(where.path, lines[where.span.line - 1][where.span.column - 1 :]) for where, _ in results.unplayed}
    assert unplayed == {(forge.resolve(), "gain 1 coin")}
    first = MODULE.count("\n") + 1
    there = scene_lenses.unplayed_in(results, forge, first, first + 4)
    assert there and all(words.startswith("no scene has played this") for _, words in there)
    assert scene_lenses.unplayed_in(results, forge, 1, first - 1) == ()
    assert ran(space, forge, "The smithy is a stall of coin").unplayed == ()  # some scenes say nothing of all


def test_a_lens_says_how_its_scenes_went_last(space: Workspace, forge: Path) -> None:
    (lens,) = scene_lenses.lenses(space, forge)
    assert scene_lenses.counted(lens, None) == "1 scene"
    assert scene_lenses.counted(lens, ran(space, forge)) == "1 scene: passed"
    space.lay(forge.parent / "scenes" / "forge.yaml", SCENES.replace("Ann: Smithy", "Ann: Bakery"))
    assert scene_lenses.counted(lens, ran(space, forge)) == "1 scene: 1 failed"


def test_rules_that_cannot_be_played_say_why(space: Workspace, forge: Path) -> None:
    space.lay(forge, MODULE.replace("gain 1 cloth", "gain 1 clot"))
    results = ran(space, forge)
    assert results.scenes == () and results.wrong == ("nothing is named `clot`; did you mean `cloth`?",)
    assert scene_lenses.job(space, Path("/nowhere/x.edict")) is None


def test_a_scene_names_its_game_or_a_module_by_the_folder_beside_its_own(space: Workspace, forge: Path) -> None:
    scene = forge.parent / "scenes" / "forge.yaml"
    space.lay(scene, "game: fair\nmodules: [guild]\n" + SCENES)
    assert [one.ok for one in ran(space, forge).scenes] == [True]
