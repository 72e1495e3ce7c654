"""Compiled programs, kept by content: the same rules under the same compiler are compiled once."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path

from edict import kept_files, resources
from edict.program import Program, digest, from_json
from edict.report import Outcome


@cache
def compiler() -> str:
    """A name for this compiler: grammar, schemas and passes as they are now."""
    here = Path(__file__).resolve().parent
    passes = sorted((*here.rglob("*.py"), *(here.parent / "program").glob("*.py")))
    files = [resources.grammar() / "edict.lark", *sorted((resources.grammar() / "schema").glob("*.json")), *passes]
    return digest("\0".join(f.read_text(encoding="utf-8") for f in files))


def remembered(fact: str) -> bool:
    """Whether something was found to be in order before, by this compiler."""
    return kept_files.read(_known(fact)) is not None


def remember(fact: str) -> None:
    """Keep in mind that something is in order."""
    kept_files.keep(_known(fact), b"")


def _known(fact: str) -> str:
    return f"known/{fact}-{compiler()}"


def cached(rules: str, build: Callable[[], Outcome[Program]]) -> Outcome[Program]:
    """The program of these rules; one that has anything to report is built anew each time, to report it."""
    name = f"{rules}-{compiler()}.program"
    kept = kept_files.read(name)
    if kept is not None:
        return Outcome(from_json(kept.decode("utf-8")))
    outcome = build()
    if outcome.value is not None and not outcome.diagnostics:
        kept_files.keep(name, outcome.value.to_json().encode("utf-8"))
    return outcome
