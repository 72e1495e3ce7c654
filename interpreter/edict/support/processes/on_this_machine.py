"""Work in processes of this machine, which Pebble ends: what a server and the command line have."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import forkserver
from typing import Any

from edict.support.processes.job import Job
from edict.support.processes.piece_of_work import Bounds
from edict.support.processes.pool import Pool, forked


class OnThisMachine:
    """See `Workplace`."""

    def workers(self, count: int, bounds: Bounds) -> Pool:
        return Pool(count, bounds)

    def long_work(
        self,
        work: Callable[..., None],
        *about: object,
        at_hand: tuple[str, ...],
        nice: int,
        reason: Callable[[Exception], str],
    ) -> Job[Any]:
        return Job(work, *about, context=forked(*at_hand), nice=nice, reason=reason)

    def prepare(self, *modules: str) -> None:
        forked(*modules)
        if os.name == "posix":
            forkserver.ensure_running()
