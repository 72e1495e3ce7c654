"""Examples of learning programs: each runs and learns. `make learners` installs what they need."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from edict.runtime.simulation import native

EXAMPLES = [
    ("ppo.py", "torch", ("--answers", "40000")),
    ("stable_baselines.py", "sb3_contrib", ("--answers", "3000")),
    ("torchrl_rollouts.py", "torchrl", ()),
]


@pytest.mark.parametrize(("file", "needed", "options"), EXAMPLES, ids=[file for file, *_ in EXAMPLES])
def test_example_of_a_learning_program_improves(root: Path, file: str, needed: str, options: tuple[str, ...]) -> None:
    for module in (needed, "gymnasium"):
        if find_spec(module) is None:
            pytest.skip(f"{module} is not installed here: `make learners` runs this")
    if not native.is_available():
        pytest.skip("llvmlite is an extra (gym), and not installed here")
    ran = subprocess.run(
        [sys.executable, str(root / "examples" / "learners" / file), *options],
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=800,
    )
    assert ran.returncode == 0, ran.stderr
    first, last = map(float, re.findall(r"([+-]\d+\.\d+)", ran.stdout))
    assert last > first + 0.05, ran.stdout
