"""Renaming in rules, scenes, looks, manifests and bots' weights."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edict.support.report import apply_edits
from edict.tools.language_service import renaming
from edict.tools.language_service.answer_types import EditRefused
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, MODULE, position_after, problem_titles

# --- rules and scenes -----------------------------------------------------------------------------


def test_thing_is_renamed_in_all_modules_without_errors(space: Workspace, game: Path, forge: Path) -> None:
    changes = renaming.rename(space, game, position_after(GAME, "stall bak"), "baker")
    assert {change.path.name for change in changes} == {"fair.edict", "forge.edict"}
    for change in changes:
        space.set_text(change.path, apply_edits(space.get_text(change.path), change.edits))
    assert problem_titles(space, forge) == [] and "bakery" not in space.get_text(forge) + space.get_text(game)


def test_renaming_reaches_side_files_and_scenes(space: Workspace, game: Path, forge: Path) -> None:
    side_changes = renaming.rename(space, forge, position_after(MODULE, "stall smi"), "anvil")
    assert {change.path.name for change in side_changes} == {"forge.edict", "more.edict"}
    scene = renaming.rename(space, game, position_after(GAME, "keep own"), "stands")
    assert "forge.yaml" in {change.path.name for change in scene}


def test_plurals_of_a_kind_are_renamed_too(space: Workspace, game: Path) -> None:
    text = GAME.replace("is count of owned of player,", "is count of stalls,")
    space.set_text(game, text)
    changes = renaming.rename(space, game, position_after(text, "kind sta"), "booth")
    new_text = apply_edits(text, next(change.edits for change in changes if change.path == game.resolve()))
    assert "is count of booths," in new_text and "choose a booth as goal" in new_text


def test_impossible_rename_is_refused_with_the_reason(space: Workspace, game: Path, folder: Path) -> None:
    for part, new, reason in (
        ("stall bak", "tavern", "already"),
        ("stall bak", "nothing", "word of the language"),
        ("stall bak", "two words", "not a name"),
        ("adjust income by 1 i", "x", "word of the language"),
        ("choose a stall as go", "everyone", "error"),
        ("choose a stall as go", "owned", "already means something"),
        ("choose a stall as go", "visit", "already means something in line 28"),  # first line of the definition
        ("number called fe", "buyer", "already means something in line 26"),
        ("player called sel", "stall", "already means something in line 23"),  # only line of the definition
        ("choose a stall as go", "gift", "already means something in line 35"),  # last line of the definition
    ):
        with pytest.raises(EditRefused, match=reason):
            renaming.rename(space, game, position_after(GAME, part), new)


def test_rename_outside_the_workspace_is_refused(folder: Path, forge: Path) -> None:
    space = Workspace([folder / "forge"])
    with pytest.raises(EditRefused, match="outside this workspace"):
        renaming.rename(space, forge, position_after(MODULE, "stall = bak"), "baker")


def test_refusal_tells_keywords_from_names_hidden_by_errors(folder: Path) -> None:
    file = folder / "forge" / "forge.edict"
    text = MODULE.replace("  price 4\n", "  prise 4 4\n")
    text += "amend stall smithy\n  cost 1 coin\nadjust income by 1 if coin of you > 1\n"
    file.write_text(text, encoding="utf-8")
    space = Workspace([folder])
    mistaken = r"the mistake in line 2 of forge/forge\.edict first, .*`smithy` means"
    for at in ("stall smi", "amend stall smi"):
        with pytest.raises(EditRefused, match=mistaken):
            renaming.rename(space, file, position_after(text, at), "anvil")
    for at in ("amen", "adjust income by 1 i", "of yo"):
        with pytest.raises(EditRefused, match="is a word of the language"):
            renaming.rename(space, file, position_after(text, at), "anvil")


# --- files beside the rules -----------------------------------------------------------------------


LOOK = "icons:\n  bakery:\n    path: M1 1h2v2z\n  coin:\n    path: M1 1h2v2z\n"
LEARNED = {
    "game": "fair",
    "clock": "bakery",
    "measured": {"wins against bakery": 1},
    "careful": {"features": {"owned: bakery": [1, 2, 3, 4], "coin": [1, 2, 3, 4], "owned: bakery-tent": [0, 0, 0, 0]}},
}


def rename_bakery(space: Workspace, folder: Path, new: str) -> dict[str, str]:
    """Return the texts of the files that change when the bakery is renamed."""
    path = folder / "fair" / "fair.edict"
    changes = renaming.rename(space, path, position_after(GAME, "stall bak"), new)
    return {
        f"{change.path.parent.name}/{change.path.name}": apply_edits(space.get_text(change.path), change.edits)
        for change in changes
    }


def test_looks_and_learned_weights_are_renamed(space: Workspace, folder: Path, subtests: pytest.Subtests) -> None:
    (folder / "fair" / "look.yaml").write_text(LOOK, encoding="utf-8")
    for name in ("weights.json", "network.json"):
        (folder / "fair" / name).write_text(json.dumps(LEARNED, indent=1), encoding="utf-8")
    files = rename_bakery(space, folder, "baker")
    assert files["fair/look.yaml"] == LOOK.replace("bakery", "baker")
    for name in ("weights.json", "network.json"):
        with subtests.test(name=name):
            data = json.loads(files[f"fair/{name}"])
            assert list(data["careful"]["features"]) == ["owned: baker", "coin", "owned: bakery-tent"]
            assert data["clock"] == "baker" and data["measured"] == LEARNED["measured"] and data["game"] == "fair"
    assert files["forge/forge.edict"] == MODULE.replace("bakery", "baker")


def test_manifest_with_former_names_records_the_new_one(
    space: Workspace, folder: Path, subtests: pytest.Subtests
) -> None:
    manifest = folder / "fair" / "module.yaml"
    text = manifest.read_text(encoding="utf-8")
    for before, after in (
        ("renamed: {oven: bakery}\n", "renamed: {bakery: baker, oven: baker}\n"),
        ("renamed:\n  baker: bakery\n", "renamed:\n  bakery: baker\n"),
        ("", ""),
        ("renamed:\n  inn: tavern\n", "renamed:\n  bakery: baker\n  inn: tavern\n"),
    ):
        with subtests.test(before=before):
            manifest.write_text(text + before, encoding="utf-8")
            space.invalidate()
            assert rename_bakery(space, folder, "baker").get("fair/module.yaml", text) == text + after
    with pytest.raises(EditRefused, match="saved games call `tavern` `inn`"):
        rename_bakery(space, folder, "inn")


def test_unreadable_weights_are_left_alone(space: Workspace, folder: Path, subtests: pytest.Subtests) -> None:
    for text in ("~", "5", "[]", "[" * 100_000):
        with subtests.test(text=text):
            (folder / "fair" / "weights.json").write_text(text, encoding="utf-8")
            assert "fair/weights.json" not in rename_bakery(space, folder, "baker")
