"""The Python functions that `in_browser/worker.js` calls, with conversions between JavaScript's and Python's values.

Importable only in Pyodide.
"""

from __future__ import annotations

import json
import logging
import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pyodide.ffi import create_proxy, to_js

from edict.apps.page import page_application, web_workers
from edict.apps.page.page_application import VARIANTS, PageApplication
from edict.apps.page.web_workers import InlineWorker, WebWorkerExecutor
from edict.runtime.simulation import execution_backend
from edict.runtime.simulation.page_backend import PageBackend, Shape

SEAT_PATH = "/seat/"
_log = logging.getLogger(__name__)


class Application:
    """The in-page application as JavaScript uses it.

    Args:
        folder: The folder that the browser persists.
        origin: See `PageApplication`.
        path: See `PageApplication`.
        settings: Further keyword arguments of `PageApplication`, as JSON.
        keep: Persists the folder; returns a promise.
        create_worker: Starts a worker; called with a function that takes its reports (bytes).
    """

    def __init__(self, folder: str, origin: str, path: str, settings: str, keep: Any, create_worker: Any) -> None:
        def start(on_report: Callable[[Any], None]) -> Any:
            """Start a web worker that calls `on_report` with the bytes of each report."""
            return _JavaScriptWorker(create_worker(create_proxy(on_report)))

        self._place = WebWorkerExecutor(start, Path(folder, VARIANTS))
        self._answering = PageApplication(
            Path(folder), keep, self._place, origin=origin, path=path, **json.loads(settings)
        )

    async def begin(self) -> None:
        """Start the application."""
        await self._answering.begin()

    async def answer(
        self, number: int, method: str, address: str, headers: Any, body: Any, post: Any, guest: Any = None
    ) -> None:
        """Answer one request, see `PageApplication.answer`. Errors are logged and end the response.

        Args:
            number: The request's number, for `leave`.
            method: The HTTP method.
            address: The path below the page's own, with its query.
            headers: Pairs of name and value.
            body: The body's bytes, or undefined.
            post: Called with `{status, headers}`, then with pieces of the body, then with undefined.
            guest: `[name, below, home]`, see `PageApplication.guest`; undefined for the browser's owner.
        """

        def send(status_or_piece: Any, response_headers: Any = None) -> None:
            """Post status and headers, or a piece of the body, or None for its end, as JavaScript values."""
            if response_headers is not None:
                post(
                    to_js(
                        {"status": status_or_piece, "headers": response_headers}, dict_converter=_get_object_converter()
                    )
                )
            else:
                post(None if status_or_piece is None else to_js(status_or_piece))

        header_pairs = [(str(name), str(value)) for name, value in headers.to_py()]
        raw = body.to_bytes() if body else b""
        requester = self._answering.guest(*map(str, guest.to_py())) if guest else None
        try:
            await self._answering.answer(number, method, address, header_pairs, raw, send, requester)
        except Exception:
            _log.exception("A request failed")
            send(None)
        if address.startswith(SEAT_PATH):
            self._place.start_task_worker()  # bots need it soon, and nobody else does

    def leave(self, number: int) -> None:
        """Cancel the rest of a response: nobody waits for it any more."""
        self._answering.leave(number)


class _JavaScriptWorker:
    """A `WebWorker` backed by an object of `worker.js`."""

    def __init__(self, worker: Any) -> None:
        self._worker = worker

    async def ask(self, work: bytes) -> bytes:
        """Send pickled work to the web worker, and return the bytes of its answer."""
        return bytes((await self._worker.ask(to_js(work))).to_bytes())

    def stop(self) -> None:
        self._worker.end()


class _JavaScriptMachine:
    """A `PageMachine` backed by a `Machine` of `machine.js`."""

    def __init__(self, machine: Any) -> None:
        self._machine = machine

    def allocate(self, numbers: int) -> int:
        return int(self._machine.allocate(numbers))

    def discard(self, address: int, numbers: int) -> None:
        self._machine.discard(address, numbers)

    def read(self, address: int, numbers: int) -> bytes:
        """Return the bytes of `numbers` numbers from an address of the machine's memory on."""
        return bytes(self._machine.read(address, numbers).to_bytes())

    def write(self, address: int, numbers: bytes) -> None:
        self._machine.write(address, to_js(numbers))

    def work(self, name: str, given: Sequence[int | float | Shape]) -> int | None:
        """Call an exported function of the machine, and return its integer; None if it returns nothing."""
        result = self._machine.work(name, to_js(given))
        return None if result is None else int(result)


async def visit(settings: str) -> None:
    """Act as a first visitor, see `page_application.visit`. Afterwards JavaScript takes a snapshot of Python's memory.

    Args:
        settings: The application's settings, as JSON.
    """
    await page_application.visit(workers=WebWorkerExecutor(InlineWorker), **json.loads(settings))


def woken(data_folder: str) -> None:
    """Set what Python's memory has of the computer that made it: random numbers, and where data are kept.

    Args:
        data_folder: The folder for data of this page.
    """
    random.seed()
    os.environ["XDG_DATA_HOME"] = data_folder


def think_with(machine: Any, key: str) -> None:
    """Run bots and studies of this worker on a machine from now on.

    Args:
        machine: A `Machine` of `machine.js`.
        key: The key of the program that it has translated, see `program_key`.
    """
    execution_backend.set_page(PageBackend(_JavaScriptMachine(machine), {key: machine.code.address}))


def carried_out(work: Any, send_report: Callable[[Any], object]) -> Any:
    """Run a task in this worker and return its result as JavaScript's bytes, see `web_workers.run_task`.

    Args:
        work: The task's bytes.
        send_report: Called with the bytes of each report.
    """
    return to_js(web_workers.run_task(work.to_bytes(), lambda report: send_report(to_js(report))))


def _get_object_converter() -> Any:
    import js

    return js.Object.fromEntries
