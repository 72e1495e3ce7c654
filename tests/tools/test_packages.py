"""Modules as packages: the project file, and the wheel."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from calling import run_kingsburg, write_files


@pytest.fixture
def inn(tmp_path: Path) -> Path:
    """Return a new module that is a package."""
    assert run_kingsburg(tmp_path, "new", "inn", "--package").returncode == 0
    return tmp_path / "inn"


def test_wheel_holds_only_data_and_is_found_where_it_is_installed(inn: Path) -> None:
    write_files(inn, {"inn.py": "raise SystemExit\n", "notes.txt": "", "words/de.yaml": "title: Gasthaus\ntexts: {}\n"})
    done = run_kingsburg(inn.parent, "build", "inn")
    assert done.returncode == 0 and done.stdout.endswith("Built dist/edict_inn-1.0.0-py3-none-any.whl\n")
    wheel = inn.parent / "dist/edict_inn-1.0.0-py3-none-any.whl"
    with ZipFile(wheel) as archive:
        names = {name for name in archive.namelist() if not name.startswith("edict_inn-1.0.0.dist-info")}
        metadata = archive.read("edict_inn-1.0.0.dist-info/METADATA").decode()
    files = ("README.md", "module.yaml", "rules.edict", "scenes/rules.yaml", "words/de.yaml")
    assert names == {f"edict_inn/{file}" for file in files}
    assert "Name: edict-inn\nVersion: 1.0.0\n" in metadata and "Requires-Dist: kingsburg>=1.0\n" in metadata
    site = inn.parent / "site"
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--target", str(site), str(wheel)]
    subprocess.run(pip, check=True, capture_output=True)
    shown = subprocess.run(
        [sys.executable, "-m", "edict", "modules", "inn"],
        env={"PYTHONPATH": str(site)},
        cwd=site,
        capture_output=True,
        text=True,
    )
    assert shown.stdout.startswith("Inn (inn, module, version 1.0.0)\n"), shown.stderr
    again = run_kingsburg(inn.parent, "build", "inn")
    assert again.returncode != 0 and "--force" in again.stderr
    assert run_kingsburg(inn.parent, "build", "inn", "--force").returncode == 0


def test_project_file_must_follow_from_the_manifest(inn: Path, subtests: pytest.Subtests) -> None:
    project, manifest = inn / "pyproject.toml", inn / "module.yaml"
    text, rules = project.read_text("utf-8"), manifest.read_text("utf-8")
    hook = "\n[tool.hatch.build.hooks.custom]\npath = 'run.py'\n"
    for changed, reason in (
        (text + hook, "`tool.hatch` in `"),
        (text.replace("hatchling.build", "run"), "`build-system` in `"),
        (text.replace("[tool", "[project.scripts]\ninn = 'run:main'\n[tool", 1), "delete it"),
        (text.replace('inn = "edict_inn"', 'inn = "os"'), "`project.entry-points`"),
        ("[", "pyproject.toml` is not TOML"),
        (text.replace("[project]", "[project]\nauthors = [3]"), "cannot be built: TypeError: Author #1 of field"),
    ):
        with subtests.test(reason=reason):
            project.write_text(changed, "utf-8")
            done = run_kingsburg(inn, "build")
            assert done.returncode == 2 and reason in done.stderr and not (inn / "dist").exists()
    project.write_text(text, "utf-8")
    write_files(inn.parent, {"rivers/module.yaml": rules.replace("name: inn", "name: rivers")})
    manifest.write_text(rules.replace("[kingsburg]", '[kingsburg, "rivers>=1"]'), "utf-8")
    assert "add `edict-rivers>=1` to `dependencies`" in run_kingsburg(inn.parent, "build", "inn").stderr
    own = 'dependencies = [\n    "edict-rivers >= 1",'
    project.write_text(text.replace("dependencies = [", own).replace("[project]", "[project]\nauthors = []"), "utf-8")
    assert run_kingsburg(inn.parent, "build", "inn").returncode == 0


def test_rules_with_errors_are_not_built(inn: Path) -> None:
    write_files(inn, {"rules.edict": "amend advisor merchand\n  rank 3\n"})
    done = run_kingsburg(inn.parent, "build", "inn")
    assert done.returncode == 1 and "did you mean `merchant`" in done.stdout and not (inn.parent / "dist").exists()


def test_package_is_added_to_an_existing_module_without_changing_it(tmp_path: Path) -> None:
    assert "`inn` has no `pyproject.toml`" in build_without_project(tmp_path)
    before = (tmp_path / "inn/module.yaml").read_text("utf-8")
    done = run_kingsburg(tmp_path, "new", "inn", "--package")
    assert done.stdout.startswith("Wrote `pyproject.toml` and `README.md`.")
    assert (tmp_path / "inn/module.yaml").read_text("utf-8") == before
    assert run_kingsburg(tmp_path, "new", "inn", "--package").returncode != 0  # nothing is overwritten


def build_without_project(folder: Path) -> str:
    """Make a module that is no package, and return the error of `build`."""
    run_kingsburg(folder, "new", "inn")
    done = run_kingsburg(folder, "build", "inn")
    assert done.returncode == 2
    return done.stderr
