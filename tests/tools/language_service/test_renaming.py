"""A name changed everywhere: in rules, scenes, looks and manifests, and in what bots have learned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from edict.support.report import apply_edits
from edict.tools.language_service import renaming
from edict.tools.language_service.answer_types import Refused
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, MODULE, marked, titles

# --- rules and scenes -----------------------------------------------------------------------------


def test_a_thing_is_renamed_in_all_modules_and_all_is_in_order(space: Workspace, game: Path, forge: Path) -> None:
    changes = renaming.rename(space, game, marked(GAME, "stall bak"), "baker")
    assert {change.path.name for change in changes} == {"fair.edict", "forge.edict"}
    for change in changes:
        space.lay(change.path, apply_edits(space.text(change.path), change.edits))
    assert titles(space, forge) == [] and "bakery" not in space.text(forge) + space.text(game)


def test_renaming_reaches_files_beside_other_modules_and_scenes(space: Workspace, game: Path, forge: Path) -> None:
    beside = renaming.rename(space, forge, marked(MODULE, "stall smi"), "anvil")
    assert {change.path.name for change in beside} == {"forge.edict", "more.edict"}
    scene = renaming.rename(space, game, marked(GAME, "keep own"), "stands")
    assert "forge.yaml" in {change.path.name for change in scene}


def test_plurals_of_a_renamed_kind_follow_it(space: Workspace, game: Path) -> None:
    text = GAME.replace("is count of owned of player,", "is count of stalls,")
    space.lay(game, text)
    changes = renaming.rename(space, game, marked(text, "kind sta"), "booth")
    new = apply_edits(text, next(one.edits for one in changes if one.path == game.resolve()))
    assert "is count of booths," in new and "choose a booth as goal" in new


def test_a_rename_that_cannot_be_is_refused_with_the_reason(space: Workspace, game: Path, folder: Path) -> None:
    for part, new, reason in (
        ("stall bak", "tavern", "already"),
        ("stall bak", "nothing", "word of the language"),
        ("stall bak", "two words", "not a name"),
        ("adjust income by 1 i", "x", "word of the language"),
        ("choose a stall as go", "everyone", "error"),
        ("choose a stall as go", "owned", "already means something"),
        ("choose a stall as go", "visit", "already means something in line 28"),  # where its definition begins
        ("number called fe", "buyer", "already means something in line 26"),
        ("player called sel", "stall", "already means something in line 23"),  # the only one
        ("choose a stall as go", "gift", "already means something in line 35"),  # the last one
    ):
        with pytest.raises(Refused, match=reason):
            renaming.rename(space, game, marked(GAME, part), new)


def test_what_lies_outside_the_workspace_is_not_renamed(folder: Path, forge: Path) -> None:
    space = Workspace([folder / "forge"])
    with pytest.raises(Refused, match="outside this workspace"):
        renaming.rename(space, forge, marked(MODULE, "stall = bak"), "baker")


def test_while_there_are_mistakes_a_name_is_no_word_of_the_language_and_such_a_word_is_called_so(folder: Path) -> None:
    file = folder / "forge" / "forge.edict"
    text = MODULE.replace("  price 4\n", "  prise 4 4\n")
    text += "amend stall smithy\n  cost 1 coin\nadjust income by 1 if coin of you > 1\n"
    file.write_text(text, encoding="utf-8")
    space = Workspace([folder])
    mistaken = r"`smithy` means .* the mistake in line 2 of forge/forge\.edict"
    for at in ("stall smi", "amend stall smi"):
        with pytest.raises(Refused, match=mistaken):
            renaming.rename(space, file, marked(text, at), "anvil")
    for at in ("amen", "adjust income by 1 i", "of yo"):
        with pytest.raises(Refused, match="is a word of the language"):
            renaming.rename(space, file, marked(text, at), "anvil")


# --- files beside the rules -----------------------------------------------------------------------


LOOK = "icons:\n  bakery:\n    path: M1 1h2v2z\n  coin:\n    path: M1 1h2v2z\n"
LEARNED = {
    "game": "fair",
    "clock": "bakery",
    "measured": {"wins against bakery": 1},
    "careful": {"features": {"owned: bakery": [1, 2, 3, 4], "coin": [1, 2, 3, 4], "owned: bakery-tent": [0, 0, 0, 0]}},
}


def renamed(space: Workspace, folder: Path, new: str) -> dict[str, str]:
    """The files that change, as they are when the bakery has another name."""
    path = folder / "fair" / "fair.edict"
    changes = renaming.rename(space, path, marked(GAME, "stall bak"), new)
    return {f"{one.path.parent.name}/{one.path.name}": apply_edits(space.text(one.path), one.edits) for one in changes}


def test_looks_and_learned_weights_follow(space: Workspace, folder: Path) -> None:
    (folder / "fair" / "look.yaml").write_text(LOOK, encoding="utf-8")
    for name in ("weights.json", "network.json"):
        (folder / "fair" / name).write_text(json.dumps(LEARNED, indent=1), encoding="utf-8")
    files = renamed(space, folder, "baker")
    assert files["fair/look.yaml"] == LOOK.replace("bakery", "baker")
    for name in ("weights.json", "network.json"):
        data = json.loads(files[f"fair/{name}"])
        assert list(data["careful"]["features"]) == ["owned: baker", "coin", "owned: bakery-tent"]
        assert data["clock"] == "baker" and data["measured"] == LEARNED["measured"] and data["game"] == "fair"
    assert files["forge/forge.edict"] == MODULE.replace("bakery", "baker")


def test_a_manifest_that_keeps_former_names_keeps_this_one_too(space: Workspace, folder: Path) -> None:
    manifest = folder / "fair" / "module.yaml"
    text = manifest.read_text(encoding="utf-8")
    for before, after in (
        ("renamed: {oven: bakery}\n", "renamed: {bakery: baker, oven: baker}\n"),
        ("renamed:\n  baker: bakery\n", "renamed:\n  bakery: baker\n"),
        ("", ""),
        ("renamed:\n  inn: tavern\n", "renamed:\n  bakery: baker\n  inn: tavern\n"),
    ):
        manifest.write_text(text + before, encoding="utf-8")
        space.forget()
        assert renamed(space, folder, "baker").get("fair/module.yaml", text) == text + after
    with pytest.raises(Refused, match="saved games call `tavern` `inn`"):
        renamed(space, folder, "inn")


def test_learned_weights_that_cannot_be_read_stay_as_they_are(space: Workspace, folder: Path) -> None:
    for text in ("~", "5", "[]", "[" * 100_000):
        (folder / "fair" / "weights.json").write_text(text, encoding="utf-8")
        assert "fair/weights.json" not in renamed(space, folder, "baker")
