"""Compiled programs, kept by content: the same rules under the same compiler are compiled once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from weakref import WeakValueDictionary

from edict import kept_files
from edict.sources.compiler_fingerprint import fingerprint
from edict.program import Program
from edict.program.reading import from_json
from edict.report import Outcome


_IN_USE: WeakValueDictionary[int, Program] = WeakValueDictionary()


def _one(program: Program) -> Program:
    """The equal program that is in use already, if any: what is looked up by a program is found at once by the same
    one, while of two that are only equal every number is compared, each time."""
    known = _IN_USE.setdefault(hash(program), program)
    return known if known == program else program


def cached(rules: str, build: Callable[[], Outcome[Program]]) -> Outcome[Program]:
    """The program of these rules; one that has anything to report is built anew each time, to report it."""
    name = f"{rules}-{fingerprint()}.program"
    kept = kept_files.read(name)
    if kept is not None:
        return Outcome(_one(from_json(kept.decode("utf-8"))))
    outcome = build()
    if outcome.value is not None:
        outcome = replace(outcome, value=_one(outcome.value))
    if outcome.value is not None and not outcome.diagnostics:
        kept_files.keep(name, outcome.value.to_json().encode("utf-8"))
    return outcome
