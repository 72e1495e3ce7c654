"""An executor in web workers, a browser's replacement of processes; without web workers, tasks run in the calling one.

Each worker is a Python of its own, which takes seconds to start and tens of megabytes. So all short tasks share one
worker, and each job has its own. Tasks and results are sent as pickled bytes. Workers do not share files, so a task
is sent with the files that have changed.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from edict.support.processes.tasks import WORKER_DIED, TaskFailed, TaskLimits

START_TIMEOUT = 60.0  # seconds that a worker may take to start


class WebWorker(Protocol):
    """A worker of the browser; JavaScript objects have these methods."""

    def ask(self, work: bytes) -> Any:
        """Return a promise of the answer's bytes, which fails with the reason if the worker dies."""
        ...

    def stop(self) -> None:
        """Terminate the worker."""


# starts a worker; called with a function that takes the bytes of its reports
WorkerFactory = Callable[[Any], WebWorker]


class WebWorkerExecutor:
    """An `Executor` whose workers are web workers.

    Args:
        start: Starts a worker.
        shared: The folder whose files workers are sent.
    """

    def __init__(self, start: WorkerFactory, shared: Path | None = None) -> None:
        self._start = lambda heard: _SyncedWorker(start(heard), shared)
        self._worker = _TaskWorker(self._start)

    def create_pool(self, count: int, limits: TaskLimits) -> _TaskPool:
        """Create a pool, which shares its one worker with all other pools."""
        return _TaskPool(self._worker, limits)

    def start_job(
        self,
        work: Callable[..., None],
        *about: object,
        at_hand: tuple[str, ...],
        nice: int,
        reason: Callable[[Exception], str],
    ) -> _WebWorkerJob:
        """Start a job in a worker of its own, see `Executor`."""
        return _WebWorkerJob(self._start, work, about, reason)

    def preload_modules(self, *modules: str) -> None:
        """Do nothing: a worker that may never be needed would cost more than it saves."""

    def start_task_worker(self) -> None:
        """Start the worker for short tasks now."""
        self._worker.ensure_worker()


class _SyncedWorker:
    """A worker that is sent the changed files of a folder with each task."""

    def __init__(self, worker: WebWorker, folder: Path | None) -> None:
        self._worker, self._folder = worker, folder
        self._known: dict[Path, tuple[int, int]] = {}
        self.stop = worker.stop

    def ask(self, work: bytes) -> Any:
        """Send work to the worker together with the files that changed since the last call; return its promise."""
        return self._worker.ask(pickle.dumps((self._collect_changes(), work)))

    def _collect_changes(self) -> dict[Path, bytes | None]:
        """Return by path the bytes of each file changed since the last call, None for deleted files."""
        files = (file for file in self._folder.rglob("*") if file.is_file()) if self._folder is not None else ()
        stamps = {file: (file.stat().st_mtime_ns, file.stat().st_size) for file in files}
        deleted, changed = (
            self._known.keys() - stamps,
            [file for file in stamps if self._known.get(file) != stamps[file]],
        )
        self._known = stamps
        return {**dict.fromkeys(deleted), **{file: file.read_bytes() for file in changed}}


class _TaskWorker:
    """The worker for short tasks, which runs one at a time."""

    def __init__(self, start: Callable[[Any], _SyncedWorker]) -> None:
        self._start = start
        self._worker: _SyncedWorker | None = None
        self._lock = asyncio.Lock()

    def ensure_worker(self) -> _SyncedWorker:
        """Return the worker for short tasks, started if it does not run."""
        if self._worker is None:
            self._worker = self._start(_ignore_report)
        return self._worker

    async def run(self, task: bytes, limits: TaskLimits) -> bytes:
        """Run one task after the others; end the worker and raise `TaskFailed` if it fails or takes too long."""
        async with self._lock:
            try:
                limit = limits.busy or limits.seconds
                return bytes(
                    await asyncio.wait_for(self.ensure_worker().ask(task), limit + START_TIMEOUT if limit else None)
                )
            except TimeoutError:
                self._end()
                raise TaskFailed(f"it took longer than {limit:g} seconds") from None
            except Exception as problem:
                self._end()
                raise TaskFailed(f"{WORKER_DIED} ({problem})") from None

    def _end(self) -> None:
        """Terminate the worker; the next task starts a new one."""
        if self._worker is not None:
            self._worker.stop()
            self._worker = None


class _TaskPool:
    """A pool without workers of its own: its tasks run in the common worker."""

    def __init__(self, worker: _TaskWorker, limits: TaskLimits) -> None:
        self._worker = worker
        self._limits = limits

    async def run(self, work: Callable[..., Any], *about: object) -> Any:
        """Run a function of a module in the worker, see `WorkerPool`."""
        return _unpack_result(await self._worker.run(pickle.dumps((work, about)), self._limits))

    def shutdown(self) -> None:
        """Do nothing: the worker serves other pools, and ends when the page is closed."""


class _WebWorkerJob:
    """A `BackgroundJob`. Nothing can block here, so waiting returns the latest report at once."""

    def __init__(
        self,
        start: Callable[[Any], _SyncedWorker],
        work: Callable[..., None],
        about: tuple[object, ...],
        reason: Callable[[Exception], str],
    ) -> None:
        self._last: Any = None
        self.running = True
        self.problem = ""
        self._reason = reason
        self._worker = start(self._store_report)
        self._task = asyncio.ensure_future(self._run(pickle.dumps((run_job, (work, about)))))

    def latest_report(self) -> Any:
        return self._last

    def wait_for_report(self, seconds: float | None = None) -> Any:
        return self._last

    def wait_until_done(self, seconds: float | None = None) -> Any:
        return self._last

    def stop(self) -> None:
        self._task.cancel()
        self._stop_worker()

    def _store_report(self, raw: Any) -> None:
        """Unpickle a report and keep it as the latest; ignore it once the job has ended."""
        if self.running:
            self._last = pickle.loads(bytes(raw))

    async def _run(self, task: bytes) -> None:
        """Wait for the job's end, store the reason if it failed, and stop its worker."""
        try:
            _unpack_result(bytes(await self._worker.ask(task)))
        except Exception as problem:
            self.problem = self._reason(problem) or WORKER_DIED
        self._stop_worker()

    def _stop_worker(self) -> None:
        if self.running:
            self.running = False
            self._worker.stop()


def _unpack_result(raw: bytes) -> Any:
    """Return the result of a task; raise the exception if it failed."""
    succeeded, result = pickle.loads(raw)
    if not succeeded:
        raise result
    return result


# --- in the other worker ---------------------------------------------------------------------------


def _ignore_report(raw: bytes) -> None:
    """Ignore a report."""


_send_report: Callable[[bytes], object] = _ignore_report  # of the job that runs in this worker


def run_task(raw: bytes, send_report: Callable[[bytes], object]) -> bytes:
    """Run a task in this worker, after writing the files that were sent with it.

    Args:
        raw: The pickled files and task.
        send_report: Called with the bytes of each report.

    Returns:
        A pickled pair: True and the result, or False and the exception. An exception that cannot be pickled becomes
        `TaskFailed`.
    """
    global _send_report
    _send_report = send_report
    try:
        files, task = pickle.loads(raw)
        _update_files(files)
        work, about = pickle.loads(task)
        return pickle.dumps((True, work(*about)))
    except Exception as problem:
        try:
            return pickle.dumps((False, problem))
        except Exception:
            return pickle.dumps((False, TaskFailed(f"{type(problem).__name__}: {problem}")))


def _update_files(files: Mapping[Path, bytes | None]) -> None:
    """Write files; delete those without content."""
    for file, content in files.items():
        if content is None:
            file.unlink(missing_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def run_job(work: Callable[..., None], about: tuple[object, ...]) -> None:
    """Call `work` with its arguments and a function that sends pickled reports out of this worker."""
    work(*about, lambda report: _send_report(pickle.dumps(report)))


# --- without other workers ---------------------------------------------------------------------------


class InlineWorker:
    """A worker that runs tasks in the calling one: while a page is built, and where workers cannot be started."""

    def __init__(self, on_report: Callable[[bytes], object]) -> None:
        self._on_report = on_report

    async def ask(self, work: bytes) -> bytes:
        """Run a task at once and return its result, see `run_task`."""
        return run_task(work, self._on_report)

    def stop(self) -> None:
        """Do nothing: the worker is the caller's own."""
