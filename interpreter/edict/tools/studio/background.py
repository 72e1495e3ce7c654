"""Background work of the studio."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic

from edict.support.processes.executor import BackgroundJob, get_executor
from edict.support.processes.tasks import Report
from edict.support.report import RulesError
from edict.support.request_errors import RequestError

NICENESS = 5  # answers to pages take precedence
# imported once, not again by every process
PRELOADED_MODULES = (
    "edict.tools.studio.scene_runs",
    "edict.tools.studio.evaluation",
    "edict.tools.studio.design_questions",
)


class BackgroundRun(Generic[Report]):
    """A long-running task whose failure is reported as a sentence. See `BackgroundJob`."""

    def __init__(self, work: Callable[..., None], *about: object) -> None:
        self._work: BackgroundJob[Report] = get_executor().start_job(
            work, *about, at_hand=PRELOADED_MODULES, nice=NICENESS, reason=_explain_failure
        )

    @property
    def running(self) -> bool:
        """True until the task ends."""
        return self._work.running

    @property
    def problem(self) -> str:
        """The failure as a sentence; empty if there is none."""
        return self._work.problem

    def latest_report(self) -> Report | None:
        """Return the latest report without waiting; None if there is none."""
        return self._work.latest_report()

    def wait_for_report(self, seconds: float | None = None) -> Report | None:
        """Wait for a new report and return the latest one."""
        return self._work.wait_for_report(seconds)

    def wait_until_done(self, seconds: float | None = None) -> Report | None:
        """Wait until the task ends and return the latest report."""
        return self._work.wait_until_done(seconds)

    def stop(self) -> None:
        """Stop the task."""
        self._work.stop()


def preload_modules() -> None:
    """Import the modules that such tasks use, so that the first task starts faster."""
    get_executor().preload_modules(*PRELOADED_MODULES)


def _explain_failure(error: Exception) -> str:
    """Return the first error in rules, or the reason of an expected error; empty for an unexpected one."""
    if isinstance(error, RulesError):
        return str(error.first)
    if isinstance(error, RequestError):
        return f"{error.reason}; {error.remedy}" if error.remedy else error.reason
    return ""
