"""Compiled programs, kept by content: the same rules under the same compiler are compiled once."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path

from edict import resources
from edict.files import write_whole
from edict.program import Program, digest, from_json
from edict.report import Outcome


def writable(path: Path) -> bool:
    """Make the folder if need be; whether something can be kept there."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(path, os.W_OK)


@cache
def compiler() -> str:
    """A name for this compiler: grammar, schemas and passes as they are now."""
    here = Path(__file__).resolve().parent
    passes = sorted((*here.rglob("*.py"), *(here.parent / "program").glob("*.py")))
    files = [resources.grammar() / "edict.lark", *sorted((resources.grammar() / "schema").glob("*.json")), *passes]
    return digest("\0".join(f.read_text(encoding="utf-8") for f in files))


def remembered(fact: str) -> bool:
    """Whether something was found to be in order before, by this compiler."""
    return (resources.cache_folder() / "known" / f"{fact}-{compiler()}").exists()


def remember(fact: str) -> None:
    """Keep in mind that something is in order."""
    with contextlib.suppress(OSError):
        (resources.cache_folder() / "known").mkdir(parents=True, exist_ok=True)
        (resources.cache_folder() / "known" / f"{fact}-{compiler()}").touch()


def cached(rules: str, build: Callable[[], Outcome[Program]]) -> Outcome[Program]:
    """The program of these rules; one that has anything to report is built anew each time, to report it."""
    path = resources.cache_folder() / f"{rules}-{compiler()}.json"
    kept = _read(path)
    if kept is not None:
        return Outcome(kept)
    outcome = build()
    if outcome.value is not None and not outcome.diagnostics:
        _write(path, outcome.value)
    return outcome


def _read(path: Path) -> Program | None:
    """What was kept; nothing if it cannot be read, whatever the reason: it will be built again."""
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, TypeError, KeyError):
        return None


def _write(path: Path, program: Program) -> None:
    """Put in place whole or not at all; a folder that cannot be written costs only time."""
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, program.to_json(), lasting=False)
