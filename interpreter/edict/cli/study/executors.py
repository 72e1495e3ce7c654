"""Who does the work: this process, several on this machine, or a cluster."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from edict.cli.errors import STOPPED, USAGE
from edict.cli.study.progress import progress
from edict.cli.warming import warned
from edict.cli.study.study_options import StudyOptions
from edict.cli.telling import tell
from edict.report import RulesError
from edict.study.errors import StudyError
from edict.processes.spreading import Start, WorkersError, alone, processes


class Work(Protocol):
    """What is carried out piece by piece; how far it has come stays in it."""

    def run(self, start: Start, told: Callable[[int], None]) -> None: ...


def hired(options: StudyOptions) -> Start:
    """Where the pieces are carried out."""
    if options.cluster:
        from edict.processes.cluster import on_cluster

        return on_cluster(options.cluster)
    return processes(options.crew_size) if options.crew_size > 1 else alone


def carried_out(
    work: Work, options: StudyOptions, what: str, whole: int, done: int = 0, compiled: bool = True
) -> int:
    """Do the work, with a bar that shows how far it is; returns the exit code. What was done is kept in any case."""
    if compiled:
        warned()
    try:
        with progress(what, whole, done) as told:
            work.run(hired(options), told)
    except KeyboardInterrupt:
        return STOPPED
    except (StudyError, WorkersError, OSError, RulesError) as problem:
        return tell(problem) or USAGE
    return 0
