"""Finds what ships with the package: grammar, rules, modules and examples, from a checkout or a wheel."""

from __future__ import annotations

import os
import shlex
import sys
from functools import cache
from pathlib import Path

PACKAGE = "kingsburg"
COMMANDS = ("kingsburg", "edict")  # both names call the same program


def command() -> str:
    """The name of the program as it was typed."""
    typed = Path(sys.argv[0]).stem
    return typed if typed in COMMANDS else COMMANDS[0]


@cache
def home() -> Path:
    """The folder that holds `grammar/`, `rules/`, `modules/`, `examples/`, and of `docs/` what assistants read."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "shipped"
    return installed if installed.is_dir() else package.parents[1]


def data_folder() -> Path:
    """Where the user's work belongs on this system; `XDG_DATA_HOME` may say otherwise."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "edict"


def own_folder() -> Path:
    """Where the user's own games and variants belong; `EDICT_RULES` may say otherwise."""
    named = os.environ.get("EDICT_RULES")
    return Path(named) if named else data_folder() / "rules"


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


def tables() -> Path:
    """The parser's tables: made of the grammar when the package is built or installed, and no part of the checkout."""
    return grammar() / "tables.json"


def installing(extra: str) -> str:
    """What to type to install what one of the package's extras brings; it works from a checkout too."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        needed = requires(PACKAGE) or []
    except PackageNotFoundError:
        needed = []
    wanted = [one.partition(";")[0].strip() for one in needed if one.endswith((f"'{extra}'", f'"{extra}"'))]
    return f"pip install {shlex.join(wanted or [f'{PACKAGE}[{extra}]'])}"
