"""Modules in installed Python distributions, of which nothing is imported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from calling import make_manifest, write_files
from edict.compiler.sources.installed_rules import find_distribution_names, list_installed_rules
from edict.compiler.sources.module_lookup import find_module, load_full_catalogue, load_module
from edict.compiler.sources.module_set import gather_modules
from edict.prose.rulebook.game_gallery import build_gallery


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return a folder in which Python looks for distributions."""
    folder = tmp_path / "site"
    folder.mkdir()
    monkeypatch.syspath_prepend(folder)
    find_distribution_names.cache_clear()
    yield folder
    find_distribution_names.cache_clear()


def install(site: Path, name: str, value: str, **files: str) -> None:
    """Write a distribution with one module and an entry point."""
    write_files(
        site,
        {
            f"edict_{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: edict-{name}\nVersion: 1.0\n",
            f"edict_{name}-1.0.dist-info/entry_points.txt": f"[edict.modules]\n{name} = {value}\n",
            f"edict_{name}/module.yaml": make_manifest(name, requires="[pig]"),
            f"edict_{name}/page.edict": f"resource {name}-coin\n",
            f"edict_{name}/__init__.py": "raise SystemExit('imported')\n",
            **files,
        },
    )


def test_installed_module_is_found_by_name_without_importing_its_package(site: Path, tmp_path: Path) -> None:
    install(site, "inn", "edict_inn")
    assert list_installed_rules() == [site / "edict_inn"]
    assert find_distribution_names() == {site / "edict_inn": "edict-inn"}
    assert find_module("inn").unwrap() == site / "edict_inn"
    assert load_full_catalogue()["inn"][0] == site / "edict_inn"
    assert "inn" in {entry.name for entry in build_gallery()}
    write_files(tmp_path, {"top/module.yaml": make_manifest("top", requires="[inn]")})
    assert [module.name for module in gather_modules(tmp_path / "top").unwrap()] == ["pig", "inn", "top"]


def test_folder_here_comes_before_an_installed_module(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(site, "inn", "edict_inn")
    write_files(tmp_path / "here", {"inn/module.yaml": make_manifest("inn")})
    monkeypatch.chdir(tmp_path / "here")
    assert find_module("inn").unwrap() == Path("inn")


def test_entry_points_to_other_places_are_ignored(site: Path, tmp_path: Path) -> None:
    write_files(tmp_path / "elsewhere", {"module.yaml": make_manifest("elsewhere", "game")})
    (site / "linked").symlink_to(tmp_path / "elsewhere")
    for name, value in {"a": "linked", "b": "..elsewhere", "c": "nothing", "d": "edict_d:run", "e": "json"}.items():
        install(site, name, value)
    assert list_installed_rules() == []


def test_editable_module_is_read_where_it_is_written(site: Path, tmp_path: Path) -> None:
    source = tmp_path / "inn"
    write_files(source, {"module.yaml": make_manifest("inn")})
    data = f'{{"url": "{source.as_uri()}", "dir_info": {{"editable": true}}}}'
    install(site, "inn", "edict_other", **{"edict_inn-1.0.dist-info/direct_url.json": data})
    assert find_module("inn").unwrap() == source
    assert load_module("inn").ok
