"""Settings of a folder of modules, in `edict.toml`."""

from __future__ import annotations

from pathlib import Path

import pytest

from calling import make_manifest, write_files
from edict.compiler.sources.workspace_settings import SettingsError, WorkspaceSettings, find_default_game, find_settings


def test_settings_are_found_upwards_and_default_without_a_file(tmp_path: Path) -> None:
    assert find_settings(tmp_path) == WorkspaceSettings()
    write_files(tmp_path, {"edict.toml": 'exclude = ["old"]\ngames = ["./tea", "pig"]\nstrict = true\n', "a/b/c": ""})
    settings = find_settings(tmp_path / "a/b")
    assert settings == WorkspaceSettings(tmp_path, ("old",), (str(tmp_path / "./tea"), "pig"), True)
    assert find_default_game(tmp_path / "a") == str(tmp_path / "tea")
    write_files(tmp_path, {"a/edict.toml": ""})
    assert find_settings(tmp_path / "a/b") == WorkspaceSettings(tmp_path / "a")
    write_files(tmp_path, {"a/module.yaml": make_manifest("a", "game")})
    assert find_default_game(tmp_path / "a") == str(tmp_path / "a")


def test_exclude_matches_names_at_any_depth_and_paths_from_the_file(tmp_path: Path) -> None:
    settings = WorkspaceSettings(tmp_path, ("draft*", "old/*", "/shelf/"))
    for folder, is_excluded in {
        "drafts": True,
        "a/draft-2/b": True,
        "old": False,
        "old/inn": True,
        "a/old/inn": False,
        "shelf": True,
        "inn": False,
        ".": False,
    }.items():
        assert settings.excludes(tmp_path / folder) is is_excluded, folder
    assert not settings.excludes(tmp_path.parent / "drafts")


@pytest.mark.parametrize(
    ("text", "reason", "remedy"),
    [
        ('\nexlude = ["a"]\n', "edict.toml:2: unknown key `exlude`", "did you mean `exclude`?"),
        ("strict = 1\n", "edict.toml:1: `strict` cannot be `1`", "write `true` to treat warnings as errors"),
        ("exclude = old\n", "edict.toml:1: this is not TOML: Invalid value (at line 1, column 11)", ""),
        ("a = " + "[" * 5000, "edict.toml: this is not TOML", ""),
        ("exclude = [1]\n", "edict.toml:1: `exclude` cannot be `1`", ""),
    ],
)
def test_broken_settings_are_refused_with_line_and_remedy(tmp_path: Path, text: str, reason: str, remedy: str) -> None:
    write_files(tmp_path, {"edict.toml": text})
    with pytest.raises(SettingsError) as refusal:
        find_settings(tmp_path)
    assert refusal.value.reason.startswith(reason) and refusal.value.remedy.startswith(remedy)
    assert "\n" not in refusal.value.reason


def test_settings_that_link_out_of_their_folder_are_refused(tmp_path: Path) -> None:
    write_files(tmp_path, {"other.toml": "", "here/x": ""})
    (tmp_path / "here/edict.toml").symlink_to(tmp_path / "other.toml")
    with pytest.raises(SettingsError):
        find_settings(tmp_path / "here")
