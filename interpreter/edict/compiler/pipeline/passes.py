"""Passes of the compiler, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from edict.compiler.sources.folders import Module
from edict.compiler.sources.work_budget import WorkExceeded
from edict.compiler.syntax import tree as t
from edict.support.report import Outcome

Pages = tuple[tuple[Module, tuple[t.Page, ...]], ...]
Passes = Sequence[Callable[[Any], Outcome[Any]]]


def run_passes(passes: Passes, value: Any) -> tuple[Outcome[Any], int]:
    """Run passes in turn until one finds an error.

    Returns:
        The outcome, and the number of passes without errors.
    """
    outcome: Outcome[Any] = Outcome(value)
    for number, run_pass in enumerate(passes):
        if not outcome.ok:
            return Outcome(None, outcome.diagnostics), number - 1
        try:
            outcome = outcome.and_then(run_pass)
        except WorkExceeded as exceeded:
            outcome = Outcome(None, (*outcome.diagnostics, *exceeded.diagnostics))
    return outcome, len(passes) - (not outcome.ok)
