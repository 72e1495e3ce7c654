"""The arrows between the rooms, the doors of third-party libraries, and that rules cannot reach Python."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from edict.compiler.sources.compiler_fingerprint import compiler_files


def _lint(checkout: Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run import-linter with the contracts of pyproject.toml on the package in a checkout."""
    return subprocess.run(
        [
            sys.executable,
            "-c",
            "from importlinter.cli import lint_imports_command; lint_imports_command()",
            "--config",
            str(checkout / "pyproject.toml"),
            "--no-cache",
        ],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(checkout / "interpreter"), "PYTHONIOENCODING": "utf-8"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


STRAYS = [
    ("machine", "from edict.compiler.syntax import tree", "rooms use only the rooms below"),
    ("language", "from edict.runtime.machine import loop", "what plays them never meet"),
    ("backend", "from edict.compiler.syntax import tree", "back end knows only"),
    ("lowering", "from edict.compiler.english import sentence", "Lowering needs no check"),
    ("program", "from edict.game.table import absent", "use only the rooms below"),
    ("machine", "import lark.exceptions", "Lark has one door"),
    ("front", "import yaml", "YAML has one door"),
    ("table", "from jsonschema import validate", "JSON Schema has one door"),
    ("machine", "import llvmlite", "llvmlite has one door"),
    ("cli", "import watchfiles", "Watchfiles has one door"),
    ("table", "from rich.table import Table", "Typer and rich have one door"),
]


def test_a_broken_arrow_is_found(root: Path, tmp_path: Path) -> None:
    """In a copy of the package in which all these arrows are broken, contract by contract."""
    shutil.copy(root / "pyproject.toml", tmp_path)
    shutil.copytree(root / "interpreter", tmp_path / "interpreter", ignore=shutil.ignore_patterns("__pycache__"))
    for number, (room, line, _) in enumerate(STRAYS):
        (tmp_path / "interpreter" / "edict" / room / f"stray_{number}.py").write_text(line + "\n", encoding="utf-8")
    done = _lint(tmp_path, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    told = re.split(r"\n(?=[^\n]+\n-{5,}\n)", done.stdout.partition("Broken contracts")[2])
    for number, (room, _, contract) in enumerate(STRAYS):
        (said,) = (part for part in told if contract in part.partition("\n")[0])
        assert f"edict.{room}.stray_{number} -> " in said, said


def test_every_room_is_under_the_contracts(root: Path) -> None:
    """Import-linter sees only folders that are packages."""
    package = root / "interpreter" / "edict"
    assert not [file for file in package.rglob("*.py") if not (file.parent / "__init__.py").is_file()]


PLAYS = ("machine", "simulation", "table")


def test_rules_cannot_reach_python() -> None:
    """Nothing that runs rules may build Python from text: no eval, no exec, no import by name."""
    package = Path(sys.modules["edict"].__file__ or "").parent
    forbidden = {"eval", "exec", "__import__", "import_module"}
    found = [
        f"{file.relative_to(package)}:{node.lineno}"
        for file in sorted({*compiler_files(), *(f for room in PLAYS for f in (package / room).rglob("*.py"))})
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in forbidden
    ]
    assert not found, found
