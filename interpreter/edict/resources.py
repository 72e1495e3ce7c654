"""Finds what ships with the package: grammar, rules, modules and examples, from a checkout or a wheel."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path


@cache
def home() -> Path:
    """The folder that holds `grammar/`, `rules/`, `modules/` and `examples/`."""
    here = Path(__file__).resolve().parent
    installed = here / "shipped"
    return installed if installed.is_dir() else here.parent.parent


def cache_folder() -> Path:
    """Where caches belong on this system; `EDICT_CACHE` or `XDG_CACHE_HOME` may say otherwise."""
    named = os.environ.get("EDICT_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "edict"


def state_folder() -> Path:
    """Where a program keeps what is neither the user's work nor a cache; `XDG_STATE_HOME` may say otherwise."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "edict"


def grammar() -> Path:
    return home() / "grammar"
