"""No file of the engine imports in a circle, also not inside a function or for types alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from calling import write

Imports = Mapping[str, set[str]]


def files(package: Path) -> dict[str, Path]:
    """The files of a package by the names they are imported by."""
    found = {}
    for path in package.rglob("*.py"):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(package: Path) -> Imports:
    """What each file imports of the same package, wherever in the file it does."""
    known = files(package)
    return {name: set(_imported(path, known)) - {name} for name, path in known.items()}


def _imported(path: Path, known: Mapping[str, Path]) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, f"{path}: say in full what is imported"
            for alias in node.names:
                below = f"{node.module}.{alias.name}"
                yield from (name for name in ((below,) if below in known else (node.module,)) if name in known)


def circle(found: Imports) -> list[str]:
    """A circle, if there is one."""
    try:
        TopologicalSorter(found).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_file_imports_in_a_circle(root: Path) -> None:
    found = imports(root / "interpreter" / "edict")
    assert len(found) > 200 and sum(map(len, found.values())) > 800
    assert not (around := circle(found)), f"each is imported by the next: {', '.join(around)}"


HIDDEN = [
    "from game.two import x\n",
    "import game.two\n",
    "from game import two\n",
    "def f():\n    from game.two import x\n",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from game.two import x\n",
]


def test_a_circle_is_found(tmp_path: Path) -> None:
    for text in HIDDEN:
        two = "from game.one import y\n"
        write(tmp_path / "game", {"__init__.py": "", "one.py": text, "two.py": two, "three.py": text})
        assert set(circle(imports(tmp_path / "game"))) == {"game.one", "game.two"}, text
        write(tmp_path / "game", {"two.py": ""})
        assert circle(imports(tmp_path / "game")) == [], text
