"""Finds what ships with the package: grammar, rules, modules and examples, from a checkout or a wheel."""

from __future__ import annotations

from functools import cache
from pathlib import Path


@cache
def home() -> Path:
    """The folder that holds `grammar/`, `rules/`, `modules/` and `examples/`."""
    here = Path(__file__).resolve().parent
    installed = here / "shipped"
    return installed if installed.is_dir() else here.parent.parent


def grammar() -> Path:
    return home() / "grammar"
