"""The test suite without llvmlite: all tests are collected, and those that need it are skipped with a reason."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SITECUSTOMIZE_WITHOUT_LLVMLITE = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder

    def __getattr__(self, name):
        return getattr(self.finder, name)

    def find_spec(self, name, *more):
        return None if name.partition(".")[0] == "llvmlite" else self.finder.find_spec(name, *more)

sys.meta_path[:] = map(Without, sys.meta_path)
"""


def run_pytest(root: Path, folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a process in which llvmlite cannot be found."""
    (folder / "sitecustomize.py").write_text(SITECUSTOMIZE_WITHOUT_LLVMLITE, encoding="utf-8")
    around = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", str(folder / "base"), *words],
        cwd=root,
        env=around | {"PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )


def test_tests_run_without_llvmlite_and_skip_what_needs_it(root: Path, tmp_path: Path) -> None:
    done = run_pytest(
        root, tmp_path, "tests/support/files/test_short_texts.py", "tests/runtime/native/test_native_dice.py", "-rs"
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout and "llvmlite is an extra, and not installed here" in done.stdout


@pytest.mark.slow
def test_all_tests_are_collected_without_llvmlite(root: Path, tmp_path: Path) -> None:
    done = run_pytest(root, tmp_path, "--collect-only")
    assert done.returncode == 0, done.stdout[-3000:]
