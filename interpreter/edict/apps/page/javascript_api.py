"""Between JavaScript's values and Python's: what `in_browser/worker.js` calls. Only a browser's Python has it."""

from __future__ import annotations

import json
import logging
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pyodide.ffi import create_proxy, to_js

from edict.apps.page import answering, web_workers
from edict.apps.page.answering import VARIANTS, Answering
from edict.apps.page.web_workers import InWorkers, SameWorker
from edict.runtime.simulation import execution_backend
from edict.runtime.simulation.page_backend import PageBackend, Shape

_log = logging.getLogger(__name__)


class Application:
    """The application. settings: the keywords of `Answering`, as JSON. keep, helper: see `Keep` and `Begin` there."""

    def __init__(self, folder: str, origin: str, path: str, settings: str, keep: Any, helper: Any) -> None:
        def begin(heard: Callable[[Any], None]) -> Any:
            return _Helper(helper(create_proxy(heard)))

        self._place = InWorkers(begin, Path(folder, VARIANTS))
        self._answering = Answering(Path(folder), keep, self._place, origin=origin, path=path, **json.loads(settings))

    async def begin(self) -> None:
        await self._answering.begin()
        self._place.ready()

    async def answer(
        self, number: int, method: str, address: str, headers: Any, body: Any, post: Any, guest: Any = None
    ) -> None:
        """See `Answering.answer`; `post` is given `{status, headers}`, then bytes, then undefined.

        guest: `[name, below, home]`, see `Answering.guest`; undefined for the browser's owner.
        """

        def send(first: Any, given: Any = None) -> None:
            if given is not None:
                post(to_js({"status": first, "headers": given}, dict_converter=_object()))
            else:
                post(None if first is None else to_js(first))

        said = [(str(name), str(value)) for name, value in headers.to_py()]
        raw = body.to_bytes() if body else b""
        asker = self._answering.guest(*map(str, guest.to_py())) if guest else None
        try:
            await self._answering.answer(number, method, address, said, raw, send, asker)
        except Exception:
            _log.exception("A request failed")
            send(None)

    def leave(self, number: int) -> None:
        self._answering.leave(number)


class _Helper:
    """A worker, as `web_workers` wants one."""

    def __init__(self, worker: Any) -> None:
        self._worker = worker

    async def ask(self, work: bytes) -> bytes:
        return bytes((await self._worker.ask(to_js(work))).to_bytes())

    def end(self) -> None:
        self._worker.end()


class _PageMachine:
    """The machine, as `in_page` wants one."""

    def __init__(self, machine: Any) -> None:
        self._machine = machine

    def allocate(self, numbers: int) -> int:
        return int(self._machine.allocate(numbers))

    def discard(self, address: int, numbers: int) -> None:
        self._machine.discard(address, numbers)

    def read(self, address: int, numbers: int) -> bytes:
        return bytes(self._machine.read(address, numbers).to_bytes())

    def write(self, address: int, numbers: bytes) -> None:
        self._machine.write(address, to_js(numbers))

    def work(self, name: str, given: Sequence[int | float | Shape]) -> int | None:
        found = self._machine.work(name, to_js(given))
        return None if found is None else int(found)


async def visit(settings: str) -> None:
    """See `answering.visit`, of which the memory is kept for later. settings: as JSON."""
    await answering.visit(workers=InWorkers(SameWorker), **json.loads(settings))


def woken() -> None:
    """This Python began with the memory of another, whose luck is not to be had again."""
    random.seed()


def think_with(machine: Any, key: str) -> None:
    """Bots in this worker think with a `Machine` of `machine.js` from now on. key: of the program it has translated."""
    execution_backend.set_page(PageBackend(_PageMachine(machine), {key: machine.code.address}))


def carried_out(work: Any, tell: Callable[[Any], object]) -> Any:
    """What comes of work in this worker, as JavaScript's bytes."""
    return to_js(web_workers.carried_out(work.to_bytes(), lambda report: tell(to_js(report))))


def _object() -> Any:
    import js

    return js.Object.fromEntries
