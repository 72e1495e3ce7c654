"""Workers of a Dask cluster, found by the address of its scheduler. The only importer of Dask."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from edict.support.processes.distribution import ExecutorStarter, ManagedExecutor, WorkersError
from edict.support.processes.tasks import wrap_future
from edict.support.resources import install_command

CONNECT_TIMEOUT = 5  # seconds to wait for the scheduler
NO_WORKER_TIMEOUT = 15  # seconds to wait for a worker when there is none


def cluster_starter(address: str) -> ExecutorStarter:
    """Return a starter that connects to a Dask scheduler, like tcp://host:8786.

    A lost worker costs time and nothing else.
    """

    @contextmanager
    def connect() -> Iterator[ManagedExecutor]:
        """Connect to the Dask scheduler, yield its workers as an executor, and disconnect on exit."""
        client = _connect_client(address)
        from distributed.scheduler import KilledWorker

        try:
            size = sum(client.ncores().values()) or 1
            yield ManagedExecutor(_ClusterExecutor(client), size, (KilledWorker,), _health_check(client, address))
        finally:
            client.close(timeout=2)

    return connect


class _ClusterExecutor(Executor):
    """An executor on a Dask cluster.

    Dask's own executor asks for a task's status after taking its result. If the worker is gone by then and the task
    runs again, it mistakes the result for an exception.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Run a call on the cluster, always anew even for equal arguments, and return its `Future`."""
        return wrap_future(self._client.submit(fn, *args, pure=False, **kwargs))


def _connect_client(address: str) -> Any:
    """Return a Dask client with at least one worker; raise `WorkersError` without Dask, scheduler or workers."""
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise WorkersError("a cluster needs Dask", install_command("cluster")) from None
    dask.config.set({"distributed.comm.timeouts.connect": f"{CONNECT_TIMEOUT}s", "distributed.comm.retry.count": 0})
    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(  # type: ignore[no-untyped-call]
            address, timeout=CONNECT_TIMEOUT, set_as_default=False
        )
        client.wait_for_workers(1, timeout=NO_WORKER_TIMEOUT)
    except TimeoutError as problem:
        if "workers" in str(problem):
            raise WorkersError(f"the scheduler at {address} has no workers", "start one: dask worker ADDRESS") from None
        raise _unreachable_error(address) from None
    except (OSError, ValueError):
        raise _unreachable_error(address) from None
    return client


def _unreachable_error(address: str) -> WorkersError:
    return WorkersError(
        f"no scheduler answers at {address}",
        "check that it is running there: `dask scheduler` prints its address, like tcp://host:8786",
    )


def _health_check(client: Any, address: str) -> Any:
    """Return a check that raises `WorkersError` when the scheduler is gone or has had no workers for long."""
    gone = WorkersError(f"the scheduler at {address} is gone", "start it again, then continue with --resume")
    last_seen = [time.monotonic()]

    def check() -> None:
        """Raise `WorkersError` if the scheduler is gone, or has had no workers for NO_WORKER_TIMEOUT seconds."""
        try:
            workers = client.ncores() if client.status == "running" else None
        except (OSError, TimeoutError):
            workers = None
        if workers is None:
            raise gone
        if workers:
            last_seen[0] = time.monotonic()
        elif time.monotonic() - last_seen[0] > NO_WORKER_TIMEOUT:
            raise WorkersError(f"the scheduler at {address} has lost all its workers", "start some, then use --resume")

    return check
