"""Workers of a Dask cluster, by the address of its scheduler. The only door to Dask."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from typing import Any

from edict.support.processes.futures import relayed
from edict.support.processes.spreading import Start, WorkerPool, WorkersError
from edict.support.resources import installing

PATIENCE = 5  # seconds to wait for an answer of the scheduler
ALONE = 15  # seconds to wait for a worker when there is none


def on_cluster(address: str) -> Start:
    """The workers of this scheduler, like tcp://host:8786. A worker that is lost costs time, and nothing else."""

    @contextmanager
    def started() -> Iterator[WorkerPool]:
        client = _client(address)
        from distributed.scheduler import KilledWorker

        try:
            size = sum(client.ncores().values()) or 1
            yield WorkerPool(_Cluster(client), size, (KilledWorker,), _check(client, address))
        finally:
            client.close(timeout=2)

    return started


class _Cluster(Executor):
    """Carries pieces out on a cluster.

    Dask's own executor asks how a piece stands after it has taken the result. By then the worker that had it may be
    gone, and the piece be under way once more: it then takes the result for an exception.
    """

    def __init__(self, client: Any) -> None:
        self._client = client

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        return relayed(self._client.submit(fn, *args, pure=False, **kwargs))


def _client(address: str) -> Any:
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise WorkersError("a cluster needs Dask", installing("cluster")) from None
    dask.config.set({"distributed.comm.timeouts.connect": f"{PATIENCE}s", "distributed.comm.retry.count": 0})
    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm", "tornado"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
    try:
        client = Client(  # type: ignore[no-untyped-call]
            address, timeout=PATIENCE, set_as_default=False
        )
        client.wait_for_workers(1, timeout=ALONE)
    except TimeoutError as problem:
        if "workers" in str(problem):
            raise WorkersError(f"the scheduler at {address} has no workers", "start one: dask worker ADDRESS") from None
        raise _unreachable(address) from None
    except (OSError, ValueError):
        raise _unreachable(address) from None
    return client


def _unreachable(address: str) -> WorkersError:
    return WorkersError(
        f"no scheduler answers at {address}",
        "check that it is running there: `dask scheduler` prints its address, like tcp://host:8786",
    )


def _check(client: Any, address: str) -> Any:
    """Raises `WorkersError` when the scheduler is gone, or has had no workers for long."""
    gone = WorkersError(f"the scheduler at {address} is gone", "start it again, then continue with --resume")
    had = [time.monotonic()]

    def check() -> None:
        try:
            workers = client.ncores() if client.status == "running" else None
        except (OSError, TimeoutError):
            workers = None
        if workers is None:
            raise gone
        if workers:
            had[0] = time.monotonic()
        elif time.monotonic() - had[0] > ALONE:
            raise WorkersError(f"the scheduler at {address} has lost all its workers", "start some, then use --resume")

    return check
