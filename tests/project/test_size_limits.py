"""Files, functions and lists of parameters stay of a size that can be read at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

LINES, FUNCTION, PARAMETERS = 350, 40, 6
Function = ast.FunctionDef | ast.AsyncFunctionDef

# Functions over integers and rows of integers, which become native code: the translator knows no objects.
TRANSLATED = {
    "loop", "policies", "searching", "tallying", "observing", "networks", "side_by_side", "batches", "stepped",
    "stepping", "trials",
}  # fmt: skip

# What is called by keyword, each with its default: commands are their options, as Typer wants it.
BY_KEYWORD = ("cli/commands/", "gym/", "__init__.py")


def functions(root: Path) -> Iterator[tuple[str, Function]]:
    engine = root / "interpreter" / "edict"
    for file in sorted(engine.rglob("*.py")):
        name = file.relative_to(engine).as_posix()
        for one in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(one, Function) and not (name.startswith("machine/") and file.stem in TRANSLATED):
                yield name, one


def test_no_file_is_long_but_the_loop(root: Path) -> None:
    files = (root / "interpreter").rglob("*.py")
    assert [file.name for file in files if len(file.read_text(encoding="utf-8").splitlines()) > LINES] == ["loop.py"]


def test_no_function_is_long(root: Path) -> None:
    assert not [(name, one.name) for name, one in functions(root) if (one.end_lineno or 0) - one.lineno >= FUNCTION]


def test_no_function_takes_many_parameters(root: Path) -> None:
    many = [(name, one.name) for name, one in functions(root) if parameters(one) > PARAMETERS]
    assert not [found for found in many if not found[0].startswith(BY_KEYWORD)]


def parameters(one: Function) -> int:
    given = [*one.args.posonlyargs, *one.args.args, *one.args.kwonlyargs]
    return len(given) - (bool(given) and given[0].arg in ("self", "cls"))


@pytest.mark.parametrize("name", sorted(TRANSLATED))
def test_what_is_let_off_is_there(name: str, root: Path) -> None:
    assert (root / "interpreter" / "edict" / "machine" / f"{name}.py").is_file()
