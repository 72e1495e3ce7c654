"""Executor in processes of this machine, run by Pebble, for servers and the command line."""

from __future__ import annotations

import os
from collections.abc import Callable
from multiprocessing import forkserver
from typing import Any

from edict.support.processes.job import ProcessJob
from edict.support.processes.pool import ProcessWorkerPool, fork_server_context
from edict.support.processes.tasks import TaskLimits


class LocalExecutor:
    """An `Executor` whose workers are processes of this machine."""

    def create_pool(self, count: int, limits: TaskLimits) -> ProcessWorkerPool:
        """Create a pool of processes, see `Executor`."""
        return ProcessWorkerPool(count, limits)

    def start_job(
        self,
        work: Callable[..., None],
        *about: object,
        at_hand: tuple[str, ...],
        nice: int,
        reason: Callable[[Exception], str],
    ) -> ProcessJob[Any]:
        """Start a job in a process of its own, see `Executor`."""
        return ProcessJob(work, *about, context=fork_server_context(*at_hand), nice=nice, reason=reason)

    def preload_modules(self, *modules: str) -> None:
        """Import modules in the fork server, see `Executor`."""
        fork_server_context(*modules)
        if os.name == "posix":
            forkserver.ensure_running()
