"""`docs/architecture.md` says what is so: the passes and their order, the rooms, the doors of the libraries."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path

import pytest

from edict.compiler.lowering import lower
from edict.compiler.pipeline.pipeline import PASSES


@pytest.fixture(scope="module")
def text(root: Path) -> str:
    return (root / "docs" / "architecture.md").read_text(encoding="utf-8")


def rows(text: str, heading: str) -> dict[str, str]:
    """The rows of the table with this heading."""
    table = text.partition(f"| {heading} |")[2].partition("\n\n")[0]
    return dict(re.findall(r"^\| (?!-)([^|]+) \| ([^|]+) \|$", table, re.MULTILINE))


def test_the_passes_are_those_of_the_pipeline(text: str) -> None:
    passes = [step.__name__.removesuffix("_all") for step in PASSES] + ["lower"]
    told = dict(re.findall(r"^\| \*\*(\w+)\*\* \|.*\| (`[^|]+`) \|[^|]+\|$", text, re.MULTILINE))
    assert list(told) == passes
    for name, step in zip(passes, (*PASSES, lower), strict=True):
        assert step.__module__.removeprefix("edict.").replace(".", "/") in re.findall(r"`([\w/]+)`", told[name]), name
    drawn = next(line for line in text.splitlines() if " > " in line)
    assert re.findall(r"\w+(?= >)|(?<=> )\w+", drawn) == passes


def test_the_rooms_are_those_of_the_engine(text: str, root: Path) -> None:
    engine = root / "interpreter" / "edict"
    named = [name for cell in rows(text, "room | what it holds") for name in re.findall(r"`(\w+)`", cell)]
    there = {path.stem for path in engine.iterdir() if path.suffix in ("", ".py") and path.stem[0] != "_"}
    assert sorted(named) == sorted(there)


def test_the_doors_are_those_of_the_contracts(text: str, root: Path) -> None:
    with (root / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    kept = {line for contract in contracts for line in contract.get("ignore_imports", ()) if "-> edict." not in line}
    told = {
        f"edict.{door.replace('/', '.')} -> {library}"
        for libraries, doors in rows(text, "library | its door").items()
        for library in libraries.split(", ")
        for door in re.findall(r"`([\w/]+)`", doors)
    }
    assert {line.replace(".**", "") for line in kept} - told == set(), "doors that are not told of"
    assert {line.split(" -> ")[1] for line in kept} == {line.split(" -> ")[1] for line in told}
    for line in told:
        door = root / "interpreter" / line.split(" -> ")[0].replace(".", "/")
        assert door.is_dir() or door.with_suffix(".py").is_file(), line


def test_every_file_it_speaks_of_is_there(text: str, root: Path) -> None:
    engine = root / "interpreter" / "edict"
    rooms = "|".join(path.name for path in engine.iterdir() if path.is_dir() and path.name[0] != "_")
    spoken = {f"{room}/{file}" for room, file in re.findall(rf"`({rooms})[./](\w+)", text)}
    assert len(spoken) > 20
    missing = [name for name in spoken if not (engine / name).is_dir() and not (engine / f"{name}.py").is_file()]
    assert not missing


def test_tests_stand_in_folders_by_room(root: Path) -> None:
    """A test's folder is the room it is about, or one of the few that are about more than one."""
    rooms = {path.name for path in (root / "interpreter" / "edict").iterdir() if path.is_dir()}
    beside = {"files", "fuzz", "hostile", "project", "rules", "support"}
    folders = {path.parent.name for path in (root / "tests").glob("*/*.py")}
    assert folders - rooms == beside
    assert not list((root / "tests").glob("test_*.py"))


def test_no_two_files_of_the_engine_have_one_name(root: Path) -> None:
    names = Counter(path.name for path in (root / "interpreter" / "edict").rglob("*.py"))
    assert [name for name, so_often in names.items() if so_often > 1 and name != "__init__.py"] == []
