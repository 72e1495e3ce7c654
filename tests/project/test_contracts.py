"""The arrows between the rooms, the doors of third-party libraries, and what the machine's loop may be made of."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from edict.machine.loop import run
from edict.sources.compiler_fingerprint import compiler_files
from edict.program import opcodes as o

# --- the arrows ---------------------------------------------------------------------------


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
    ("machine", "from edict.language import tree", "rooms use only the rooms below"),
    ("language", "from edict.machine import loop", "what plays them never meet"),
    ("backend", "from edict.language import tree", "back end knows only"),
    ("lowering", "from edict.words import sentence", "Lowering needs no check"),
    ("program", "from edict.table import absent", "use only the rooms below"),
    ("machine", "import lark.exceptions", "Lark has one door"),
    ("front", "import yaml", "YAML has one door"),
    ("table", "from jsonschema import validate", "JSON Schema has one door"),
    ("machine", "import llvmlite", "llvmlite has one door"),
    ("cli", "import watchfiles", "Watchfiles has one door"),
    ("table", "from rich.table import Table", "Typer and rich have one door"),
]  # fmt: skip


@pytest.fixture(scope="module")
def told(root: Path, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What is said of a copy of the package in which all these arrows are broken, contract by contract."""
    copy = tmp_path_factory.mktemp("copy")
    shutil.copy(root / "pyproject.toml", copy)
    shutil.copytree(root / "interpreter", copy / "interpreter", ignore=shutil.ignore_patterns("__pycache__"))
    for number, (room, line, _) in enumerate(STRAYS):
        (copy / "interpreter" / "edict" / room / f"stray_{number}.py").write_text(line + "\n", encoding="utf-8")
    done = _lint(copy, copy)
    assert done.returncode == 1, done.stdout + done.stderr
    return re.split(r"\n(?=[^\n]+\n-{5,}\n)", done.stdout.partition("Broken contracts")[2])


@pytest.mark.parametrize(("number", "contract"), [(n, contract) for n, (_, _, contract) in enumerate(STRAYS)])
def test_a_broken_arrow_is_found(told: list[str], number: int, contract: str) -> None:
    (said,) = (part for part in told if contract in part.partition("\n")[0])
    assert f"edict.{STRAYS[number][0]}.stray_{number} -> " in said, said


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


# --- the loop as native code ---------------------------------------------------------------

CELLS = o.HEADER + 32
A, B, C, D, SETS = range(o.HEADER, o.HEADER + 5)

# Counts B down to 0, adding it up in A; then asks seat 1 for a member of a set, and is over.
TINY = (
    o.ADD, A, A, B,
    o.SUB, B, B, C,
    o.JNZ, B, 0,
    o.SET, D, A,
    o.OFFERS, SETS,
    o.ASK, 0, C, A,
    o.OVER,
)  # fmt: skip


def _state() -> list[int]:
    state = [0] * CELLS
    state[B], state[C], state[SETS] = 10, 1, 0b1001
    state[o.SP] = state[o.STACK] = CELLS - 8
    state[o.LOGGING] = 1
    return state


def test_the_loop_runs_a_tiny_program_over_lists() -> None:
    state, log = _state(), [0] * 64
    assert run(TINY, state, log) == o.ASKING
    assert state[D] == 55
    assert state[o.FIRST_OPTION : o.FIRST_OPTION + state[o.OPTIONS]] == [0, 3]
    state[o.ANSWER] = 1
    assert run(TINY, state, log) == o.GAME_OVER
    assert state[A] == 3


def test_the_loop_is_native_code_by_the_same_source() -> None:
    pytest.importorskip("llvmlite", reason="llvmlite is not installed (pip install -e '.[fast]')")
    from edict.simulation import native

    lists: tuple[list[int], list[int]] = (_state(), [0] * 64)
    arrays = tuple(native.integers(x) for x in lists)
    code = native.integers(TINY)
    for expected in (o.ASKING, o.GAME_OVER):
        assert run(TINY, *lists) == expected
        assert native.faster(run)(code, *arrays) == expected
        assert [x.tolist() for x in arrays] == list(lists)
        lists[0][o.ANSWER] = arrays[0][o.ANSWER] = 1

