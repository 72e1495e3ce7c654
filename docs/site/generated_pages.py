"""Pages of docs/ that are made from the engine, written or printed by the scripts beside this one."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path


def write_or_print(files: Mapping[Path, Callable[[], str]]) -> None:
    """With `--write` the files are written; without, what they would hold is printed."""
    for file, text in files.items():
        if "--write" in sys.argv:
            file.write_text(text(), encoding="utf-8")
        else:
            print(text())
