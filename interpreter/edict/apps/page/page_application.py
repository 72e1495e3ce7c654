"""The application inside a browser's worker: requests arrive as plain values, and responses leave piece by piece.

It is the application of a server. `PageApplication.answer`, which JavaScript calls, takes the place of the socket; a
folder that the browser persists takes the place of the disk.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from edict.apps.page.requesters import Cookies, Headers, PageGuest, Requester
from edict.apps.web.application import create_application
from edict.apps.web.connection_bounds import Limits
from edict.apps.web.middleware import BelowPath
from edict.apps.web.new_tables import Choices, TableOffer
from edict.apps.web.page_templates import get_pages
from edict.apps.web.store import Store
from edict.apps.web.table_server import GUEST, TableServer
from edict.support.processes.executor import Executor, set_executor
from edict.support.translations import language_codes, use_language

TABLES = "tables.sqlite"
VARIANTS = "variants"
COOKIES = "cookies.json"
WRITE_METHODS = ("POST", "PUT", "PATCH", "DELETE")
Send = Callable[..., Any]
Keep = Callable[[], Awaitable[object]]


class PageApplication:
    """The in-page application.

    Args:
        folder: The folder that the browser persists.
        keep: Persists the folder now.
        executor: Runs tasks and jobs outside of this worker.
        origin: The page's origin, as `https://host`.
        path: The path of the page on that host, without a `/` at its end.
        game: The game that a new table has by default.
        modules: Its rules modules.
        studio: Whether rules can be written.
    """

    def __init__(
        self,
        folder: Path,
        keep: Keep,
        executor: Executor,
        *,
        origin: str = "http://localhost",
        path: str = "",
        game: str = "",
        modules: Sequence[str] = (),
        studio: bool = True,
    ) -> None:
        set_executor(executor)
        self._scheme, _, self._host = origin.partition("://")
        self._owner = Requester(path, Cookies(folder / COOKIES))
        self._guests: dict[str, PageGuest] = {}
        self._saver = _FolderSaver(keep)
        store = Store(f"sqlite:///{folder / TABLES}", is_exclusive=True)
        store.add_commit_listener(self._saver.mark_changed)
        self.serving = TableServer(
            store, TableOffer((), game, modules), limits=Limits.create_without_rates(), forget_after=0
        )
        self._app = create_application(self.serving, self._studio(folder) if studio else None)
        self._disconnects: dict[int, asyncio.Event] = {}
        self._ending = asyncio.Event()

    def _studio(self, folder: Path) -> Any:
        """Return a studio whose variants lie in the browser's folder; its modules are imported only now."""
        from edict.apps.web.studio.open_variants import StudioServer
        from edict.tools.studio.collection import Collection

        return StudioServer(self.serving, Collection(folder / VARIANTS))

    async def begin(self) -> None:
        """Start the application's background tasks."""
        self._saver.start()
        started: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def receive() -> dict[str, str]:
            """Return the startup message first; return the shutdown message when the application ends."""
            if not started.done():
                return {"type": "lifespan.startup"}
            await self._ending.wait()
            return {"type": "lifespan.shutdown"}

        async def send(message: Any) -> None:
            """Note that startup is complete, or that it failed with a message."""
            if message["type"] == "lifespan.startup.complete":
                started.set_result(None)
            elif not started.done():
                started.set_exception(RuntimeError(message.get("message", "the application could not begin")))

        self._running = asyncio.ensure_future(self._app({"type": "lifespan"}, receive, send))
        await started

    async def end(self) -> None:
        """Shut the application down. Browsers never call it: the page is just closed."""
        self._ending.set()
        await self._running
        self.serving.store.close()

    async def answer(
        self,
        number: int,
        method: str,
        address: str,
        headers: Headers,
        body: bytes,
        send: Send,
        requester: Requester | None = None,
    ) -> None:
        """Answer one request.

        Args:
            number: The request's number, for `leave`.
            method: The HTTP method.
            address: The path below the page's own, with its query.
            headers: Pairs of name and value.
            body: The whole body.
            send: Called with the status and the headers, then with each piece of the body (bytes), then with None.
            requester: The guest who asks; None for the browser's owner.
        """
        path, _, query = address.partition("?")
        requester = requester or self._owner
        app = BelowPath(requester.refusal(method, path) or self._app)
        disconnected = self._disconnects[number] = asyncio.Event()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": self._scheme,
            "path": path,
            "raw_path": path.encode("utf-8", "replace"),
            "query_string": query.encode("utf-8", "replace"),
            "root_path": requester.below,
            "headers": [
                *(
                    (header.lower().encode(), text.encode("latin-1", "replace"))
                    for header, text in requester.filter_headers(headers)
                ),
                (b"host", self._host.encode()),
                *requester.cookies.header(),
            ],
            "client": (requester.address, 0),
            "server": None,
            GUEST: requester is not self._owner,
        }
        received = False

        async def receive() -> dict[str, Any]:
            """Return the whole body as one message; from the second call on, wait until the browser disconnects."""
            nonlocal received
            if received:
                await disconnected.wait()
                return {"type": "http.disconnect"}
            received = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def respond(message: Any) -> None:
            """Send status, headers and pieces of the body, then None; first wait until a write is saved."""
            if message["type"] == "http.response.start":
                response_headers = [(name.decode(), value.decode("latin-1")) for name, value in message["headers"]]
                if method in WRITE_METHODS:
                    self._saver.mark_changed()  # also for a variant's files, which the store does not report
                    await self._saver.wait_until_saved()
                send(message["status"], requester.cookies.extract_from(response_headers))
            elif message["type"] == "http.response.body":
                if message.get("body"):
                    send(message["body"])
                if not message.get("more_body"):
                    send(None)

        try:
            await app(scope, receive, respond)
        finally:
            del self._disconnects[number]

    def guest(self, name: str, below: str, home: str) -> PageGuest:
        """Return the guest of this name, created the first time, with `below` and `home` as given now.

        Args:
            name: The guest's name.
            below: See `Requester`.
            home: See `PageGuest`.
        """
        guest = self._guests.setdefault(name, PageGuest(below, address=f"guest {name}"))
        guest.below, guest.home = below, home
        return guest

    def leave(self, number: int) -> None:
        """Cancel the rest of a response: nobody waits for it any more."""
        if number in self._disconnects:
            self._disconnects[number].set()


class _FolderSaver:
    """Persists the browser's folder soon after each write, one save at a time."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._changed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Save automatically from now on."""
        self._loop = asyncio.get_running_loop()
        self._schedule_save()

    def mark_changed(self) -> None:
        """Note that something was written, and schedule a save; any thread may call it."""
        self._changed = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._schedule_save)

    async def wait_until_saved(self) -> None:
        """Wait until everything written so far is saved."""
        self._schedule_save()
        while self._task is not None and not self._task.done():
            await asyncio.shield(self._task)

    def _schedule_save(self) -> None:
        """Start a save if something changed and none is running."""
        if self._changed and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._save_changes())

    async def _save_changes(self) -> None:
        while self._changed:
            self._changed = False
            await self._keep()


# --- pages that are made in advance ---------------------------------------------------------------------

PREPARED_PAGES = {"start": "", "gallery": "gallery"}  # by name, their addresses in the application
COVERS = re.compile(r'<ul class="exhibits">.*?</ul>', re.DOTALL)  # the first in the gallery are games


def render_prepared_pages(*, game: str = "", modules: Sequence[str] = (), **_: Any) -> dict[str, str]:
    """Return the pages that a visitor can use before Python has started, in every language, by file name.

    They are those of the application, with addresses relative to the page's folder, and the start page has the covers
    of the games.

    Args:
        game: See `PageApplication`.
        modules: See `PageApplication`.
        **_: Other settings, which change nothing here.
    """
    offer, prepared = TableOffer((), game, modules), {}
    for code in language_codes():
        with use_language(code):
            choices = Choices.create_default(offer)
            gallery = get_pages().render("gallery.html", exhibits=offer.gallery(), offer=offer)
            covers = COVERS.findall(gallery)[0]
            start = get_pages().render("start.html", offer=offer, choices=choices, alone=True, covers=covers)
        for name, html in (("start", start), ("gallery", gallery)):
            for target, address in PREPARED_PAGES.items():
                html = html.replace(f' href="/{address}"', f' href="/{target}.{code}.html"')
            html = html.replace(' href="?', f' href="/{PREPARED_PAGES[name]}?').replace('="/', '="./')
            prepared[f"{name}.{code}.html"] = html
    return prepared


# --- a visit that nobody sees -------------------------------------------------------------------------

FORM = "application/x-www-form-urlencoded"


async def visit(*, workers: Executor, **settings: Any) -> None:
    """Start an application, request pages up to a table, and discard it, so that its modules and rules are loaded.

    Modules, rules and compiled code that this loads stay in Python's memory.

    Args:
        workers: The executor.
        **settings: As for `PageApplication`.

    Raises:
        RuntimeError: A request was not answered.
    """
    # where there are threads, one of a request that the end cancelled may still write
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        app = PageApplication(Path(folder), _keep_nothing, workers, **settings)
        await app.begin()
        requests = [("GET", "/"), ("POST", "/play"), ("GET", "/studio")][: 3 if settings.get("studio", True) else 2]
        for method, address in requests:
            location = await _request(app, method, address)
            if location:
                await _request(app, "GET", location)
        await app.end()


async def _request(app: PageApplication, method: str, address: str) -> str:
    """Send a request without body; return the `location` of its response, or an empty text."""
    started: list[tuple[int, Headers]] = []

    def send(first: Any, given: Headers | None = None) -> None:
        """Collect the status and the headers of the response; ignore its body."""
        if given is not None:
            started.append((first, given))

    await app.answer(0, method, address, [("content-type", FORM), ("content-length", "0")], b"", send)
    if not started or started[0][0] >= 400:
        raise RuntimeError(f"the application did not answer {method} {address}")
    return dict(started[0][1]).get("location", "")


async def _keep_nothing() -> None:
    """Persist nothing."""
