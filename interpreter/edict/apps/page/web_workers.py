"""Work in other workers of the browser, as on a server it is in other processes; or, where there are none, at once.

Every worker is a Python of its own, which takes seconds to begin and tens of megabytes: so all short pieces of work
have one together, and each long one its own. Work and results cross as bytes, and with the work go the files that have
changed where it is given, as no worker sees another's.
"""

from __future__ import annotations

import asyncio
import pickle
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from edict.support.processes.tasks import WORKER_DIED, TaskFailed, TaskLimits

STARTING = 60.0  # seconds in which a worker must have begun


class Worker(Protocol):
    """A worker of the browser, as JavaScript gives it."""

    def ask(self, work: bytes) -> Any:
        """A promise of the bytes that it answers; fails with what is wrong if the worker died."""
        ...

    def end(self) -> None: ...


Begin = Callable[[Any], Worker]
"""Begins a worker. It is given a function for what the worker reports (bytes) before it answers."""


class InWorkers:
    """See `Workplace`. shared: the folder whose files workers have too."""

    def __init__(self, begin: Begin, shared: Path | None = None) -> None:
        self._begin = lambda heard: _Equipped(begin(heard), shared)
        self._worker = _WebWorker(self._begin)

    def create_pool(self, count: int, bounds: TaskLimits) -> _Share:
        return _Share(self._worker, bounds)

    def start_job(
        self,
        work: Callable[..., None],
        *about: object,
        at_hand: tuple[str, ...],
        nice: int,
        reason: Callable[[Exception], str],
    ) -> _LongWork:
        return _LongWork(self._begin, work, about, reason)

    def preload_modules(self, *modules: str) -> None:
        """Nothing: a worker for what may never be asked would cost more than it saves."""

    def ready(self) -> None:
        """Have the worker for short work begin now."""
        self._worker.begun()


class _Equipped:
    """A worker that is sent what has changed in a folder before it is asked."""

    def __init__(self, worker: Worker, folder: Path | None) -> None:
        self._worker, self._folder = worker, folder
        self._known: dict[Path, tuple[int, int]] = {}
        self.end = worker.end

    def ask(self, work: bytes) -> Any:
        return self._worker.ask(pickle.dumps((self._changed(), work)))

    def _changed(self) -> dict[Path, bytes | None]:
        """Files with what they hold now; None for those that are gone."""
        there = (one for one in self._folder.rglob("*") if one.is_file()) if self._folder is not None else ()
        now = {one: (one.stat().st_mtime_ns, one.stat().st_size) for one in there}
        gone, new = self._known.keys() - now, [one for one in now if self._known.get(one) != now[one]]
        self._known = now
        return {**dict.fromkeys(gone), **{one: one.read_bytes() for one in new}}


class _WebWorker:
    """The worker for short pieces of work, one after the other."""

    def __init__(self, begin: Callable[[Any], _Equipped]) -> None:
        self._begin = begin
        self._worker: _Equipped | None = None
        self._alone = asyncio.Lock()

    def begun(self) -> _Equipped:
        if self._worker is None:
            self._worker = self._begin(_nobody)
        return self._worker

    async def done(self, raw: bytes, bounds: TaskLimits) -> bytes:
        async with self._alone:
            try:
                limit = bounds.busy or bounds.seconds
                return bytes(await asyncio.wait_for(self.begun().ask(raw), limit + STARTING if limit else None))
            except TimeoutError:
                self._end()
                raise TaskFailed(f"it took longer than {limit:g} seconds") from None
            except Exception as problem:
                self._end()
                raise TaskFailed(f"{WORKER_DIED} ({problem})") from None

    def _end(self) -> None:
        if self._worker is not None:
            self._worker.end()
            self._worker = None


class _Share:
    """What one who gives work has of the worker."""

    def __init__(self, worker: _WebWorker, bounds: TaskLimits) -> None:
        self._worker = worker
        self._bounds = bounds

    async def run(self, work: Callable[..., Any], *about: object) -> Any:
        return _taken(await self._worker.done(pickle.dumps((work, about)), self._bounds))

    def shutdown(self) -> None:
        """Nothing: the page is closed, and its workers with it."""


class _LongWork:
    """See `LongWork`. Nobody can wait here: whoever wants to know asks again."""

    def __init__(
        self,
        begin: Callable[[Any], _Equipped],
        work: Callable[..., None],
        about: tuple[object, ...],
        reason: Callable[[Exception], str],
    ) -> None:
        self._last: Any = None
        self.running = True
        self.problem = ""
        self._reason = reason
        self._worker = begin(self._heard)
        self._task = asyncio.ensure_future(self._ended(pickle.dumps((reporting, (work, about)))))

    def latest_report(self) -> Any:
        return self._last

    def wait_for_report(self, seconds: float | None = None) -> Any:
        return self._last

    def wait_until_done(self, seconds: float | None = None) -> Any:
        return self._last

    def stop(self) -> None:
        self._task.cancel()
        self._end()

    def _heard(self, raw: Any) -> None:
        if self.running:
            self._last = pickle.loads(bytes(raw))

    async def _ended(self, raw: bytes) -> None:
        try:
            _taken(bytes(await self._worker.ask(raw)))
        except Exception as problem:
            self.problem = self._reason(problem) or WORKER_DIED
        self._end()

    def _end(self) -> None:
        if self.running:
            self.running = False
            self._worker.end()


def _taken(raw: bytes) -> Any:
    """What came of some work. Raises what it raised."""
    good, found = pickle.loads(raw)
    if not good:
        raise found
    return found


# --- in the other worker ---------------------------------------------------------------------------


def _nobody(raw: bytes) -> None:
    """What is reported goes nowhere."""


_tell: Callable[[bytes], object] = _nobody


def carried_out(raw: bytes, tell: Callable[[bytes], object]) -> bytes:
    """What comes of some work, or what it raises. tell: takes what it reports meanwhile."""
    global _tell
    _tell = tell
    try:
        files, asked = pickle.loads(raw)
        _lay(files)
        work, about = pickle.loads(asked)
        return pickle.dumps((True, work(*about)))
    except Exception as problem:
        try:
            return pickle.dumps((False, problem))
        except Exception:
            return pickle.dumps((False, TaskFailed(f"{type(problem).__name__}: {problem}")))


def _lay(files: Mapping[Path, bytes | None]) -> None:
    for file, content in files.items():
        if content is None:
            file.unlink(missing_ok=True)
        else:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)


def reporting(work: Callable[..., None], about: tuple[object, ...]) -> None:
    """Long work, in whose place it reports."""
    work(*about, lambda report: _tell(pickle.dumps(report)))


# --- without any -------------------------------------------------------------------------------------


class SameWorker:
    """A worker that is this one: where nothing else can be begun, and while a page is made."""

    def __init__(self, heard: Callable[[bytes], object]) -> None:
        self._heard = heard

    async def ask(self, work: bytes) -> bytes:
        return carried_out(work, self._heard)

    def end(self) -> None:
        """There is nothing to end."""
