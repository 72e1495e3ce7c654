"""Names changed in the files beside the rules: looks, manifests, and what bots have learned."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from workshop import GAME, MODULE, fair, marked

from edict.report import edited
from edict.service import renaming
from edict.service.answer_types import Refused
from edict.service.workspace import Workspace

LOOK = "icons:\n  bakery:\n    path: M1 1h2v2z\n  coin:\n    path: M1 1h2v2z\n"
LEARNED = {
    "game": "fair", "clock": "bakery", "measured": {"wins against bakery": 1},
    "careful": {"features": {"owned: bakery": [1, 2, 3, 4], "coin": [1, 2, 3, 4], "owned: bakery-tent": [0, 0, 0, 0]}},
}  # fmt: skip


def renamed(space: Workspace, folder: Path, new: str) -> dict[str, str]:
    """The files that change, as they are when the bakery has another name."""
    path = folder / "fair" / "fair.edict"
    changes = renaming.rename(space, path, marked(GAME, "stall bak"), new)
    return {f"{one.path.parent.name}/{one.path.name}": edited(space.text(one.path), one.edits) for one in changes}


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


@pytest.mark.parametrize(("before", "after"), [
    ("renamed:\n  inn: tavern\n", "renamed:\n  bakery: baker\n  inn: tavern\n"),
    ("renamed: {oven: bakery}\n", "renamed: {bakery: baker, oven: baker}\n"),
    ("renamed:\n  baker: bakery\n", "renamed:\n  bakery: baker\n"),
    ("", ""),
])  # fmt: skip
def test_a_manifest_that_keeps_former_names_keeps_this_one_too(
    space: Workspace, folder: Path, before: str, after: str
) -> None:
    manifest = folder / "fair" / "module.yaml"
    text = manifest.read_text(encoding="utf-8")
    manifest.write_text(text + before, encoding="utf-8")
    assert renamed(space, folder, "baker").get("fair/module.yaml", text) == text + after


def test_a_name_that_saved_games_give_to_something_else_is_refused(space: Workspace, folder: Path) -> None:
    manifest = folder / "fair" / "module.yaml"
    manifest.write_text(manifest.read_text(encoding="utf-8") + "renamed:\n  inn: tavern\n", encoding="utf-8")
    with pytest.raises(Refused, match="saved games call `tavern` `inn`"):
        renamed(space, folder, "inn")


@pytest.mark.parametrize("parent", [".local/share/games", "template", "template/.hidden", "__pycache__"])
def test_where_a_workspace_lies_does_not_matter(tmp_path: Path, parent: str) -> None:
    """Only what is hidden within a workspace is none of its modules, not what it is hidden in."""
    folder = tmp_path / parent / "workshop"
    folder.mkdir(parents=True)
    space = Workspace([fair(folder)])
    assert {rules.folder for rules in space.everything()} == {folder / name for name in ("fair", "forge", "guild")}
    assert {"fair/fair.edict", "forge/forge.edict"} <= set(renamed(space, folder, "baker"))


@pytest.mark.parametrize("within", [".git/x", ".venv/lib", "template", "old/template"])
def test_what_is_hidden_in_a_workspace_and_what_is_copied_from_is_none_of_its_modules(
    folder: Path, within: str
) -> None:
    fair(folder / within)
    folders = {rules.folder for rules in Workspace([folder]).everything()}
    assert folders == {folder / name for name in ("fair", "forge", "guild")}


def test_a_module_may_itself_be_opened_by_any_name(tmp_path: Path) -> None:
    for name in (".mine", "template"):
        at = fair(tmp_path).joinpath("fair").rename(tmp_path / name)
        assert {rules.folder for rules in Workspace([at]).everything()} == {at}


def test_learned_weights_that_cannot_be_read_stay_as_they_are(space: Workspace, folder: Path) -> None:
    for text in ("~", "5", "[]", "[" * 100_000):
        (folder / "fair" / "weights.json").write_text(text, encoding="utf-8")
        assert "fair/weights.json" not in renamed(space, folder, "baker")


@pytest.mark.parametrize("at", ["stall smi", "amend stall smi"])
def test_a_name_whose_declaration_has_a_mistake_is_no_word_of_the_language(folder: Path, at: str) -> None:
    file = folder / "forge" / "forge.edict"
    text = MODULE.replace("  price 4\n", "  prise 4 4\n") + "amend stall smithy\n  cost 1 coin\n"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(Refused, match=r"`smithy` means .* the mistake in line 2 of forge/forge\.edict"):
        renaming.rename(Workspace([folder]), file, marked(text, at), "anvil")


def test_a_word_of_the_language_is_called_so_also_while_there_are_mistakes(folder: Path) -> None:
    file = folder / "forge" / "forge.edict"
    text = MODULE.replace("  price 4\n", "  prise 4 4\n") + "adjust income by 1 if coin of you > 1\n"
    file.write_text(text, encoding="utf-8")
    for at in ("amen", "adjust income by 1 i", "of yo"):
        with pytest.raises(Refused, match="is a word of the language"):
            renaming.rename(Workspace([folder]), file, marked(text, at), "anvil")
