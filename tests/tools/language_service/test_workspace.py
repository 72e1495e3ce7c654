"""Workspaces: unsaved texts laid over files, their modules, and problems in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from edict.compiler.pipeline.compile import check_rules
from edict.support.rendering import sort_diagnostics
from edict.support.report import apply_edits
from edict.tools.language_service import diagnostics, renaming
from edict.tools.language_service.workspace import Workspace
from workshop import GAME, MODULE, position_after, problem_titles, write_fair

# --- unsaved texts and problems -------------------------------------------------------------------


def test_unsaved_text_replaces_the_file_until_it_is_dropped(space: Workspace, forge: Path) -> None:
    assert problem_titles(space, forge) == []
    space.set_text(forge, MODULE.replace("gain 1 cloth", "gain 1 clot"))
    assert problem_titles(space, forge) == ["unknown name `clot`"]
    (problem,) = diagnostics.list_problems(space, forge)
    assert problem.message.splitlines()[1:] == [
        "Expected a resource, group or die here.",
        "help: did you mean `cloth`?",
    ]
    space.drop_text(forge)
    assert problem_titles(space, forge) == []
    assert forge.read_text(encoding="utf-8") == MODULE


def test_unsaved_game_affects_modules_over_it(space: Workspace, forge: Path, game: Path) -> None:
    assert problem_titles(space, forge) == []
    space.set_text(game, GAME.replace("stall tavern", "stall inn"))
    assert problem_titles(space, forge) == ["there is no `tavern` to amend"]


def test_new_unsaved_file_belongs_to_its_module(space: Workspace, forge: Path) -> None:
    new_file = forge.parent / "new.edict"
    space.set_text(new_file, "adjust incom by 1\n")
    problems = diagnostics.list_problems(space, new_file)
    assert [problem.where.path for problem in problems] == [new_file.resolve()]


def test_unsaved_manifest_is_used(space: Workspace, forge: Path) -> None:
    manifest = forge.parent / "module.yaml"
    space.set_text(manifest, manifest.read_text(encoding="utf-8").replace("requires: [fair]", "requires: [fairy]"))
    assert problem_titles(space, manifest) == ["`forge` requires `fairy`, which was not found"]


def test_side_file_is_checked_together_with_its_module(space: Workspace, forge: Path) -> None:
    side_file = forge.parent / "with" / "guild" / "more.edict"
    space.set_text(side_file, "amend stall smithy\n  prise 6\n")
    assert [problem.where.path for problem in diagnostics.list_problems(space, side_file)] == [side_file.resolve()]


def test_applied_fix_leaves_no_problem(space: Workspace, forge: Path, subtests: pytest.Subtests) -> None:
    for wrong in ("gain 1 clot", "gain 1 clothh", "gian 1 cloth", "gain one cloth"):
        with subtests.test(wrong=wrong):
            text = MODULE.replace("gain 1 cloth", wrong)
            space.set_text(forge, text)
            (problem,) = diagnostics.list_problems(space, forge)
            assert problem.fix is not None
            (change,) = problem.fix.changes
            space.set_text(change.path, apply_edits(text, change.edits))
            assert problem_titles(space, forge) == []


def test_code_generation_errors_come_only_with_the_full_check(space: Workspace, forge: Path) -> None:
    space.set_text(forge, MODULE + "routine a\n  do b\nroutine b\n  do a\n")
    quick, whole = diagnostics.list_problems(space, forge, full=False), diagnostics.list_problems(space, forge)
    assert {problem.code for problem in whole} - {problem.code for problem in quick} == {"E0601"}
    forge.write_text(space.get_text(forge), encoding="utf-8")
    assert [problem.code for problem in whole] == [
        diagnostic.code for diagnostic in sort_diagnostics(check_rules(str(forge.parent)).diagnostics)
    ]


# --- modules --------------------------------------------------------------------------------------


def test_workspace_may_be_inside_a_hidden_folder(tmp_path: Path) -> None:
    """Hidden folders are skipped only inside a workspace, not above it."""
    for parent in (".local/share/games", "template", "template/.hidden", "__pycache__"):
        folder = write_fair(tmp_path / parent / "workshop")
        space = Workspace([folder])
        assert {rules.folder for rules in space.iter_rules()} == {folder / name for name in ("fair", "forge", "guild")}
    changes = renaming.rename(space, folder / "fair" / "fair.edict", position_after(GAME, "stall bak"), "baker")
    assert {folder / "fair" / "fair.edict", folder / "forge" / "forge.edict"} <= {change.path for change in changes}


def test_hidden_folders_and_templates_are_no_modules(folder: Path) -> None:
    for within in (".git/x", ".venv/lib", "template", "old/template"):
        write_fair(folder / within)
    folders = {rules.folder for rules in Workspace([folder]).iter_rules()}
    assert folders == {folder / name for name in ("fair", "forge", "guild")}


def test_opened_folder_is_a_module_whatever_its_name(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for name in (".mine", "template"):
        with subtests.test(name=name):
            at = write_fair(tmp_path).joinpath("fair").rename(tmp_path / name)
            assert {rules.folder for rules in Workspace([at]).iter_rules()} == {at}
