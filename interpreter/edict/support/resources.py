"""Locations of files that ship with the package (grammar, rules, modules, examples) and of the user's own folders."""

from __future__ import annotations

import os
import shlex
import sys
from functools import cache
from pathlib import Path

PACKAGE = "kingsburg"
COMMANDS = ("kingsburg", "edict")  # both names start the same program


def command_name() -> str:
    """Return the name under which the program was started."""
    name = Path(sys.argv[0]).stem
    return name if name in COMMANDS else COMMANDS[0]


@cache
def get_shipped_folder() -> Path:
    """Return the folder of `grammar/`, `rules/`, `modules/` and `examples/`, in a checkout or an installed wheel.

    It also holds the part of `docs/` that assistants read.
    """
    package = Path(__file__).resolve().parents[1]
    installed = package / "shipped"
    return installed if installed.is_dir() else package.parents[1]


def data_folder() -> Path:
    """Return the folder for the user's work; `XDG_DATA_HOME` overrides the default."""
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "edict"


def user_rules_folder() -> Path:
    """Return the folder for the user's own games and variants; `EDICT_RULES` overrides the default."""
    override = os.environ.get("EDICT_RULES")
    return Path(override) if override else data_folder() / "rules"


def cache_folder() -> Path:
    """Return the folder for caches; `EDICT_CACHE` and `XDG_CACHE_HOME` override the default."""
    override = os.environ.get("EDICT_CACHE")
    if override:
        return Path(override)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "edict"


def state_folder() -> Path:
    """Return the folder for files that are neither the user's work nor a cache; `XDG_STATE_HOME` overrides it."""
    return Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state") / "edict"


def grammar_folder() -> Path:
    """Return the folder of the grammar."""
    return get_shipped_folder() / "grammar"


def parser_tables_path() -> Path:
    """Return the path of the parser's tables.

    They are generated from the grammar when the package is built or installed, and are not part of the checkout.
    """
    return grammar_folder() / "tables.json"


def install_command(extra: str) -> str:
    """Return the `pip` command that installs the requirements of an extra; it works from a checkout too."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        declared = requires(PACKAGE) or []
    except PackageNotFoundError:
        declared = []
    requirements = [
        requirement.partition(";")[0].strip()
        for requirement in declared
        if requirement.endswith((f"'{extra}'", f'"{extra}"'))
    ]
    return f"pip install {shlex.join(requirements or [f'{PACKAGE}[{extra}]'])}"
