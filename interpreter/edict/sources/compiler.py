"""This compiler's name, by its own source; and what it has found to be in order before."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from edict import kept_files, resources
from edict.program import digest

# What takes part in compiling, and whose changes make everything be compiled anew.
ROOMS = (
    "backend", "checks", "front", "language", "layering", "lowering", "meaning", "ordering", "program", "sources",
    "text", "words",
)  # fmt: skip


@cache
def compiler() -> str:
    """A name for this compiler: grammar, schemas and passes as they are now."""
    here = Path(__file__).resolve().parent.parent
    passes = sorted(file for room in ROOMS for file in (*(here / room).rglob("*.py"), *here.glob(f"{room}.py")))
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
