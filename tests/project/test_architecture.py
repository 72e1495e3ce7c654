"""The claims of `docs/explanations/architecture.md`: packages, passes and their order, and the files it names."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from edict.compiler.lowering import lower
from edict.compiler.pipeline.pipeline import PASSES

SHARED_TESTS = {"corpus", "fuzz", "hostile", "kit", "project", "rules"}  # folders of tests about more than one package


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "explanations" / "architecture.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def engine(root: Path) -> Path:
    return root / "interpreter" / "edict"


def list_subpackages(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if (path / "__init__.py").is_file()}


def test_documented_passes_are_those_of_the_pipeline(page: str, subtests: pytest.Subtests) -> None:
    names = [step.__name__ for step in PASSES] + ["lower"]
    rows = dict(re.findall(r"^\| \*\*(\w+)\*\* \|.*\| (`[^|]+`) \|[^|]+\|$", page, re.MULTILINE))
    assert list(rows) == names
    for name, step in zip(names, (*PASSES, lower), strict=True):
        with subtests.test(name=name):
            assert step.__module__.removeprefix("edict.").replace(".", "/") in re.findall(r"`([\w/]+)`", rows[name])
    drawn = next(line for line in page.splitlines() if " > " in line)
    assert re.findall(r"\w+(?= >)|(?<=> )\w+", drawn) == names


def test_documented_packages_match_engine_and_import_contract(
    page: str, root: Path, engine: Path, subtests: pytest.Subtests
) -> None:
    rows = re.findall(r"^\| `(\w+)` \| [^|]+ \| ([^|]+) \|$", page, re.MULTILINE)
    assert {name for name, _ in rows} == list_subpackages(engine)
    with (root / "pyproject.toml").open("rb") as file:
        layers = tomllib.load(file)["tool"]["importlinter"]["contracts"][0]["layers"]
    assert [name for name, _ in rows] == layers
    for name, cell in rows:
        with subtests.test(name=name):
            assert list_subpackages(engine / name) <= set(re.findall(r"`(\w+)`", cell))


def test_every_package_has_a_docstring(engine: Path) -> None:
    silent = [
        name for name in list_subpackages(engine) if not (engine / name / "__init__.py").read_text().startswith('"""')
    ]
    assert not silent


def test_documented_files_exist(page: str, engine: Path) -> None:
    named = set(re.findall(r"`((?:" + "|".join(list_subpackages(engine)) + r")/[\w/]+)`", page))
    assert len(named) > 20
    missing = [name for name in named if not (engine / name).is_dir() and not (engine / f"{name}.py").is_file()]
    assert not missing


def test_folders_of_tests_mirror_the_packages(root: Path, engine: Path) -> None:
    folders = {path.parent.relative_to(root / "tests").parts for path in (root / "tests").rglob("test_*.py")}
    mirrored = [parts for parts in folders if parts[0] not in SHARED_TESTS]
    places = [engine.joinpath(*parts[:2]) for parts in mirrored]
    stray = [place for place in places if not place.exists() and not place.with_suffix(".py").exists()]
    assert not stray
    assert not list((root / "tests").glob("test_*.py"))


def test_file_names_of_the_engine_are_unique(engine: Path) -> None:
    names = Counter(path.name for path in engine.rglob("*.py") if path.parent != engine)
    assert [name for name, count in names.items() if count > 1 and name != "__init__.py"] == []
