"""The import contracts of packages and libraries, and the separation of rules from Python."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from edict.compiler.sources.compiler_fingerprint import read_compiler_files


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


STRAYS = [  # a package, an import it must not have, and the contract that says so
    ("runtime/machine", "from edict.compiler.syntax import tree", "Packages import only"),
    ("compiler/syntax", "from edict.runtime.machine import loop", "The compiler plays nothing"),
    ("compiler/codegen", "from edict.compiler.syntax import tree", "passes import only"),
    ("compiler/lowering", "from edict.compiler.pipeline import uniqueness", "passes import only"),
    ("runtime/program", "from edict.game.table import game", "Packages import only"),
    ("runtime/machine", "import lark.exceptions", "imports lark"),
    ("compiler/pipeline", "import yaml", "imports yaml"),
    ("game/table", "from jsonschema import validate", "imports jsonschema"),
    ("runtime/machine", "import llvmlite", "imports llvmlite"),
    ("apps/cli", "import watchfiles", "imports watchfiles"),
    ("game/table", "from rich.table import Table", "imports typer"),
    ("game/table", "import click", "comes with another library"),
]


def test_forbidden_imports_break_their_contracts(root: Path, tmp_path: Path, subtests: pytest.Subtests) -> None:
    """Check a copy of the engine that has all these imports at once."""
    shutil.copy(root / "pyproject.toml", tmp_path)
    shutil.copytree(root / "interpreter", tmp_path / "interpreter", ignore=shutil.ignore_patterns("__pycache__"))
    for number, (room, line, _) in enumerate(STRAYS):
        (tmp_path / "interpreter" / "edict" / room / f"stray_{number}.py").write_text(line + "\n", encoding="utf-8")
    done = _lint(tmp_path, tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    told = re.split(r"\n(?=[^\n]+\n-{5,}\n)", done.stdout.partition("Broken contracts")[2])
    for number, (room, _, contract) in enumerate(STRAYS):
        with subtests.test(room=room):
            (said,) = (part for part in told if contract in part.partition("\n")[0])
            assert f"edict.{room.replace('/', '.')}.stray_{number}" in said, said


def test_every_folder_of_the_engine_is_a_package(root: Path) -> None:
    """Import-linter sees only folders that are packages."""
    package = root / "interpreter" / "edict"
    assert not [file for file in package.rglob("*.py") if not (file.parent / "__init__.py").is_file()]


PLAYS = ("runtime/machine", "runtime/simulation", "game/table")


def test_rules_cannot_reach_python() -> None:
    """No code that runs rules builds Python from text: no eval, no exec, no import by name."""
    package = Path(sys.modules["edict"].__file__ or "").parent
    forbidden = {"eval", "exec", "__import__", "import_module"}
    found = [
        f"{file.relative_to(package)}:{node.lineno}"
        for file in sorted({*read_compiler_files(), *(f for room in PLAYS for f in (package / room).rglob("*.py"))})
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in forbidden
    ]
    assert not found, found
