"""Work of the studio in the background, by who begins with all it needs at hand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from edict.agents.study.bot_games import StudyError
from edict.game.table.game_errors import GameError
from edict.support.processes.executor import BackgroundJob, get_executor
from edict.support.processes.tasks import Report
from edict.support.report import RulesError
from edict.tools.studio.studio_errors import StudioError

NICE = 5  # what somebody waits for at the page goes first
AT_HAND = (
    "edict.tools.studio.scene_runs",
    "edict.tools.studio.evaluation",
)  # read once, and not by every process again


class Run(Generic[Report]):
    """Long work that says in a sentence why something cannot be done. See `BackgroundJob`."""

    def __init__(self, work: Callable[..., None], *about: object) -> None:
        self._work: BackgroundJob[Report] = get_executor().start_job(
            work, *about, at_hand=AT_HAND, nice=NICE, reason=_reason
        )

    @property
    def running(self) -> bool:
        return self._work.running

    @property
    def problem(self) -> str:
        return self._work.problem

    def latest_report(self) -> Report | None:
        return self._work.latest_report()

    def wait_for_report(self, seconds: float | None = None) -> Report | None:
        return self._work.wait_for_report(seconds)

    def wait_until_done(self, seconds: float | None = None) -> Report | None:
        return self._work.wait_until_done(seconds)

    def stop(self) -> None:
        self._work.stop()


def warm() -> None:
    """Have what such work begins with read now, so that the first need not wait for it."""
    get_executor().preload_modules(*AT_HAND)


def _reason(problem: Exception) -> str:
    if isinstance(problem, RulesError):
        return str(problem.first)
    return problem.reason if isinstance(problem, StudioError | StudyError | GameError) else ""
