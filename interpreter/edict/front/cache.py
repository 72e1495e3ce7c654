"""Compiled programs, kept by content: the same rules under the same compiler are compiled once."""

from __future__ import annotations

from collections.abc import Callable

from edict import kept_files
from edict.sources.compiler import compiler
from edict.program import Program
from edict.program.reading import from_json
from edict.report import Outcome


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
