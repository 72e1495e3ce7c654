"""Unsaved texts laid over files, the modules of a workspace, and what is wrong in them."""

from __future__ import annotations

from pathlib import Path

from edict.compiler.pipeline.compile import check_rules
from edict.support.rendering import sort_diagnostics
from edict.support.report import apply_edits
from edict.tools.language_service import diagnostics, renaming
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, MODULE, fair, marked, titles

# --- unsaved texts and problems -------------------------------------------------------------------


def test_an_unsaved_text_counts_and_the_file_counts_again_when_it_is_lifted(space: Workspace, forge: Path) -> None:
    assert titles(space, forge) == []
    space.lay(forge, MODULE.replace("gain 1 cloth", "gain 1 clot"))
    assert titles(space, forge) == ["nothing is named `clot`"]
    (problem,) = diagnostics.problems(space, forge)
    assert problem.message.splitlines()[1:] == [
        "A resource, group or die is expected here.",
        "help: did you mean `cloth`?",
    ]
    space.lift(forge)
    assert titles(space, forge) == []
    assert forge.read_text(encoding="utf-8") == MODULE


def test_an_unsaved_text_of_the_game_counts_for_what_lies_over_it(space: Workspace, forge: Path, game: Path) -> None:
    assert titles(space, forge) == []
    space.lay(game, GAME.replace("stall tavern", "stall inn"))
    assert titles(space, forge) == ["there is no `tavern` to amend"]


def test_a_file_that_was_never_saved_is_part_of_its_module(space: Workspace, forge: Path) -> None:
    new = forge.parent / "new.edict"
    space.lay(new, "adjust incom by 1\n")
    found = diagnostics.problems(space, new)
    assert [one.where.path for one in found] == [new.resolve()]


def test_the_manifest_counts_as_it_is_typed(space: Workspace, forge: Path) -> None:
    manifest = forge.parent / "module.yaml"
    space.lay(manifest, manifest.read_text(encoding="utf-8").replace("requires: [fair]", "requires: [fairy]"))
    assert titles(space, manifest) == ["`forge` requires `fairy`, which is not here"]


def test_what_counts_beside_another_module_is_checked_with_it(space: Workspace, forge: Path) -> None:
    beside = forge.parent / "with" / "guild" / "more.edict"
    space.lay(beside, "amend stall smithy\n  prise 6\n")
    assert [one.where.path for one in diagnostics.problems(space, beside)] == [beside.resolve()]


def test_a_fix_carried_out_leaves_nothing_to_fix(space: Workspace, forge: Path) -> None:
    for wrong in ("gain 1 clot", "gain 1 clothh", "gian 1 cloth", "gain one cloth"):
        text = MODULE.replace("gain 1 cloth", wrong)
        space.lay(forge, text)
        (found,) = diagnostics.problems(space, forge)
        assert found.fix is not None, wrong
        (change,) = found.fix.changes
        space.lay(change.path, apply_edits(text, change.edits))
        assert titles(space, forge) == [], wrong


def test_what_only_the_compiler_finds_out_comes_with_the_whole(space: Workspace, forge: Path) -> None:
    space.lay(forge, MODULE + "routine a\n  do b\nroutine b\n  do a\n")
    quick, whole = diagnostics.problems(space, forge, whole=False), diagnostics.problems(space, forge)
    assert {one.code for one in whole} - {one.code for one in quick} == {"E0601"}
    forge.write_text(space.text(forge), encoding="utf-8")
    assert [one.code for one in whole] == [d.code for d in sort_diagnostics(check_rules(str(forge.parent)).diagnostics)]


# --- which modules there are ----------------------------------------------------------------------


def test_where_a_workspace_lies_does_not_matter(tmp_path: Path) -> None:
    """Only what is hidden within a workspace is none of its modules, not what it is hidden in."""
    for parent in (".local/share/games", "template", "template/.hidden", "__pycache__"):
        folder = fair(tmp_path / parent / "workshop")
        space = Workspace([folder])
        assert {rules.folder for rules in space.everything()} == {folder / name for name in ("fair", "forge", "guild")}
    changes = renaming.rename(space, folder / "fair" / "fair.edict", marked(GAME, "stall bak"), "baker")
    assert {folder / "fair" / "fair.edict", folder / "forge" / "forge.edict"} <= {change.path for change in changes}


def test_what_is_hidden_in_a_workspace_and_what_is_copied_from_is_none_of_its_modules(folder: Path) -> None:
    for within in (".git/x", ".venv/lib", "template", "old/template"):
        fair(folder / within)
    folders = {rules.folder for rules in Workspace([folder]).everything()}
    assert folders == {folder / name for name in ("fair", "forge", "guild")}


def test_a_module_may_itself_be_opened_by_any_name(tmp_path: Path) -> None:
    for name in (".mine", "template"):
        at = fair(tmp_path).joinpath("fair").rename(tmp_path / name)
        assert {rules.folder for rules in Workspace([at]).everything()} == {at}
