"""The application within a browser's worker: what is asked comes as plain values, and goes back piece by piece.

The same application as on a server. Instead of a socket there is `Answering.answer`, which JavaScript calls; instead
of a disk a folder that the browser keeps, told by `keep` when something was written to it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from edict.apps.page.asking import Asker, Cookies, Headers, PageGuest
from edict.apps.web.application import application
from edict.apps.web.below_path import BelowPath
from edict.apps.web.new_tables import TableOffer
from edict.apps.web.quotas import Limits
from edict.apps.web.store import Store
from edict.apps.web.table_server import GUEST, TableServer
from edict.support.processes.executor import Executor, set_executor

TABLES = "tables.sqlite"
VARIANTS = "variants"
COOKIES = "cookies.json"
CHANGING = ("POST", "PUT", "PATCH", "DELETE")
Send = Callable[..., Any]
Keep = Callable[[], Awaitable[object]]


class Answering:
    """folder: what the browser keeps. keep: has it kept now. origin: where the page lies, as `https://host`.

    path: below which it lies there, without a `/` at its end.
    game, modules: what a new table begins with. studio: whether rules can be written.
    """

    def __init__(
        self,
        folder: Path,
        keep: Keep,
        place: Executor,
        *,
        origin: str = "http://localhost",
        path: str = "",
        game: str = "",
        modules: Sequence[str] = (),
        studio: bool = True,
    ) -> None:
        set_executor(place)
        self._scheme, _, self._host = origin.partition("://")
        self._owner = Asker(path, Cookies(folder / COOKIES))
        self._guests: dict[str, PageGuest] = {}
        self._keeping = _Keeping(keep)
        store = Store(f"sqlite:///{folder / TABLES}", alone=True)
        store.tell(self._keeping.changed)
        self.serving = TableServer(store, TableOffer((), game, modules), limits=Limits.alone(), forget_after=0)
        self._app = application(self.serving, self._studio(folder) if studio else None)
        self._gone: dict[int, asyncio.Event] = {}
        self._ending = asyncio.Event()

    def _studio(self, folder: Path) -> Any:
        from edict.apps.web.studio.open_variants import StudioServer
        from edict.tools.studio.collection import Collection

        return StudioServer(self.serving, Collection(folder / VARIANTS))

    async def begin(self) -> None:
        """Have what runs beside the application begin."""
        self._keeping.begin()
        begun: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        async def receive() -> dict[str, str]:
            if not begun.done():
                return {"type": "lifespan.startup"}
            await self._ending.wait()
            return {"type": "lifespan.shutdown"}

        async def send(message: Any) -> None:
            if message["type"] == "lifespan.startup.complete":
                begun.set_result(None)
            elif not begun.done():
                begun.set_exception(RuntimeError(message.get("message", "the application could not begin")))

        self._running = asyncio.ensure_future(self._app({"type": "lifespan"}, receive, send))
        await begun

    async def end(self) -> None:
        """Have it end, where something goes on afterwards: in a browser the page is closed, and that is all."""
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
        asker: Asker | None = None,
    ) -> None:
        """Answer one request. address: with what follows `?`, without the path below which the page lies.

        `send` is called with a status and the headers, then with each piece of the body (bytes), then with None.
        number: by which `leave` names it. asker: the browser's owner, unless it is a `guest`.
        """
        path, _, query = address.partition("?")
        asker = asker or self._owner
        app = BelowPath(asker.refusal(method, path) or self._app)
        gone = self._gone[number] = asyncio.Event()
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": self._scheme,
            "path": path,
            "raw_path": path.encode("utf-8", "replace"),
            "query_string": query.encode("utf-8", "replace"),
            "root_path": asker.below,
            "headers": [
                *((one.lower().encode(), said.encode("latin-1", "replace")) for one, said in asker.passed(headers)),
                (b"host", self._host.encode()),
                *asker.cookies.header(),
            ],
            "client": (asker.address, 0),
            "server": None,
            GUEST: asker is not self._owner,
        }
        received = False

        async def receive() -> dict[str, Any]:
            nonlocal received
            if received:
                await gone.wait()
                return {"type": "http.disconnect"}
            received = True
            return {"type": "http.request", "body": body, "more_body": False}

        async def respond(message: Any) -> None:
            if message["type"] == "http.response.start":
                given = [(name.decode(), value.decode("latin-1")) for name, value in message["headers"]]
                if method in CHANGING:
                    self._keeping.changed()  # also what is no table: a variant's files
                    await self._keeping.kept()
                send(message["status"], asker.cookies.taken(given))
            elif message["type"] == "http.response.body":
                if message.get("body"):
                    send(message["body"])
                if not message.get("more_body"):
                    send(None)

        try:
            await app(scope, receive, respond)
        finally:
            del self._gone[number]

    def guest(self, name: str, below: str, home: str) -> PageGuest:
        """A guest, as an asker. name: what no other guest is called. below, home: see `Asker` and `PageGuest`."""
        found = self._guests.setdefault(name, PageGuest(below, address=f"guest {name}"))
        found.below, found.home = below, home
        return found

    def leave(self, number: int) -> None:
        """Nobody waits any more for the rest of an answer."""
        if number in self._gone:
            self._gone[number].set()


class _Keeping:
    """Has the browser keep what was written, soon after it was, and not more often than it can."""

    def __init__(self, keep: Keep) -> None:
        self._keep = keep
        self._changed = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[None] | None = None

    def begin(self) -> None:
        """From now on it is kept by itself."""
        self._loop = asyncio.get_running_loop()
        self._look()

    def changed(self) -> None:
        """Something was written, in whatever thread."""
        self._changed = True
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._look)

    async def kept(self) -> None:
        """Until all that was written so far is kept."""
        self._look()
        while self._task is not None and not self._task.done():
            await asyncio.shield(self._task)

    def _look(self) -> None:
        if self._changed and (self._task is None or self._task.done()):
            self._task = asyncio.get_running_loop().create_task(self._kept())

    async def _kept(self) -> None:
        while self._changed:
            self._changed = False
            await self._keep()


# --- a visit that nobody sees -------------------------------------------------------------------------

FORM = "application/x-www-form-urlencoded"


async def visit(*, workers: Executor, **settings: Any) -> None:
    """Be a first visitor who begins a table, and forget it: what is read, found and compiled meanwhile, Python knows
    from then on. settings: as for `Answering`. Raises `RuntimeError` if something is not answered."""
    with TemporaryDirectory() as folder:
        app = Answering(Path(folder), _nowhere, workers, **settings)
        await app.begin()
        asked = [("GET", "/"), ("POST", "/play"), ("GET", "/studio")][: 3 if settings.get("studio", True) else 2]
        for method, address in asked:
            location = await _visited(app, method, address)
            if location:
                await _visited(app, "GET", location)
        await app.end()


async def _visited(app: Answering, method: str, address: str) -> str:
    """Where the answer leads; nothing if it is a page."""
    begun: list[tuple[int, Headers]] = []

    def send(first: Any, given: Headers | None = None) -> None:
        if given is not None:
            begun.append((first, given))

    await app.answer(0, method, address, [("content-type", FORM), ("content-length", "0")], b"", send)
    if not begun or begun[0][0] >= 400:
        raise RuntimeError(f"the application did not answer {method} {address}")
    return dict(begun[0][1]).get("location", "")


async def _nowhere() -> None:
    """Nothing is kept."""
