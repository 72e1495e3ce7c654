"""Work of the studio in the background, in processes that begin with all it needs at hand."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import forkserver
from typing import Any

from edict.processes.job import Job, Report
from edict.processes.pool import forked
from edict.report import RulesError
from edict.studio.errors import StudioError
from edict.study.errors import StudyError
from edict.table.errors import GameError

NICE = 5  # what somebody waits for at the page goes first
AT_HAND = ("edict.studio.scene_runs", "edict.studio.evaluation")  # read once, and not by every process again


class Run(Job[Report]):
    """A job that says in a sentence why something cannot be done."""

    def __init__(self, work: Callable[..., None], *about: object) -> None:
        super().__init__(work, *about, context=_context(), nice=NICE, reason=_reason)


def warm() -> None:
    """Have what processes begin with read now, so that the first need not wait for it."""
    _context()
    if os.name == "posix":
        forkserver.ensure_running()


def _context() -> Any:
    return forked(*AT_HAND)


def _reason(problem: Exception) -> str:
    if isinstance(problem, RulesError):
        return str(problem.first)
    return problem.reason if isinstance(problem, StudioError | StudyError | GameError) else ""
