"""A file in its canonical layout."""

from __future__ import annotations

from pathlib import Path

from edict.language.printing.canonical import formatted
from edict.service.values import Refused
from edict.service.workspace import Workspace


def laid_out(space: Workspace, path: Path) -> str:
    """The text of a rule file as `kingsburg fmt` writes it; raises `Refused` for one that cannot be read."""
    rules = space.rules(path)
    source = rules.source(path) if rules is not None else None
    if source is None:
        raise Refused("this file is not part of any rules")
    outcome = formatted(source)
    if outcome.value is None:
        first = outcome.diagnostics[0]
        raise Refused(f"line {first.span.line} cannot be laid out: {first.title}")
    return outcome.value
