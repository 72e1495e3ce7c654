"""Import cycles in the engine, also through imports within functions or for types alone; there must be none."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from calling import write_files

Imports = Mapping[str, set[str]]


def find_modules(package: Path) -> dict[str, Path]:
    """Return the files of a package by their module names."""
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def find_imports(package: Path) -> Imports:
    """Return the modules of the same package that each module imports, anywhere in its file."""
    known = find_modules(package)
    return {name: set(_iter_imports(path, known)) - {name} for name, path in known.items()}


def _iter_imports(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path}: say in full what is imported"
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                yield from (name for name in ((below,) if below in known else (node.module,)) if name in known)


def find_cycle(found: Imports) -> list[str]:
    """Return an import cycle, if there is one."""
    try:
        TopologicalSorter(found).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_engine_has_no_import_cycle(root: Path) -> None:
    found = find_imports(root / "interpreter" / "edict")
    assert len(found) > 200 and sum(map(len, found.values())) > 800
    assert not (around := find_cycle(found)), f"each is imported by the next: {', '.join(around)}"


HIDDEN = [
    "from game.two import x\n",
    "import game.two\n",
    "from game import two\n",
    "def f():\n    from game.two import x\n",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from game.two import x\n",
]


def test_import_cycle_is_detected(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for text in HIDDEN:
        with subtests.test(text=text):
            two = "from game.one import y\n"
            write_files(tmp_path / "game", {"__init__.py": "", "one.py": text, "two.py": two, "three.py": text})
            assert set(find_cycle(find_imports(tmp_path / "game"))) == {"game.one", "game.two"}
            write_files(tmp_path / "game", {"two.py": ""})
            assert find_cycle(find_imports(tmp_path / "game")) == []
