"""The page of the room `native` does what it shows."""

from __future__ import annotations

import re
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("llvmlite", reason="llvmlite is an extra, and not installed here")


def test_the_example_runs(root: Path, tmp_path: Path) -> None:
    """As a file, since functions are compiled by their source."""
    page = (root / "interpreter" / "edict" / "native" / "README.md").read_text(encoding="utf-8")
    (example,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    path = tmp_path / "example.py"
    path.write_text(example, encoding="utf-8")
    names: dict[str, Any] = {"__name__": "example"}
    exec(compile(example, str(path), "exec"), names)
    assert {"product", "fast"} <= names.keys()


def test_a_function_takes_and_gives_real_numbers() -> None:
    from edict.native.assembling import object_code
    from edict.native.functions import Module
    from edict.native.library import Library

    module = Module({})
    module.add(hypotenuse, outside=True)
    fast = Library(module, object_code(module.text())).function(hypotenuse)
    assert fast(3.0, 4.0, 2) == hypotenuse(3.0, 4.0, 2) == 10.0


def hypotenuse(one: float, other: float, times: int) -> float:
    return times * sqrt(one * one + other * other)
