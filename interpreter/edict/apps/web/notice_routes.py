"""Routes for browsers that want to be told of their turn when no page of the table is open."""

from __future__ import annotations

from asyncio import to_thread

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from edict.apps.web.page_templates import STATIC
from edict.apps.web.request_values import read_form
from edict.apps.web.table_server import TableServer
from edict.apps.web.web_push import Receiver
from edict.support.translations import current_language, gettext

WORKER = "notice_worker.js"
MOST_FIELDS = 5


class NoticeRoutes:
    """What runs in a browser without a page, the key by which it knows this server, and where it says who it is."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving

    def routes(self) -> list[Route]:
        return [
            Route("/notices/worker.js", self.worker),
            Route("/notices/key", self.key),
            Route("/seat/{key}/notices", self.tell, methods=["POST"]),
        ]

    async def worker(self, request: Request) -> Response:
        """Under one address for all releases: a browser has one for this server, and looks whether it has changed."""
        return FileResponse(STATIC / WORKER, media_type="text/javascript")

    async def key(self, request: Request) -> Response:
        """The server's public key; nothing, if it sends no messages."""
        return PlainTextResponse(await to_thread(self.at.notices.public_key))

    async def tell(self, request: Request) -> Response:
        """A browser is told of the turns of this seat."""
        link = await self.at.link(request)
        if link.seat < 0:
            raise HTTPException(403, gettext("Only those who have a seat have a turn."))
        async with read_form(request, MOST_FIELDS) as form:
            endpoint, public, secret = (str(form.get(name, "")) for name in ("endpoint", "p256dh", "auth"))
        name = request.url.hostname or ""
        site = f"https://{name if '.' in name else 'localhost'}"  # TLS, or the browser's own machine
        receiver = Receiver(endpoint, public, secret, site)
        if not receiver.well_formed:
            raise HTTPException(400, gettext("A browser has to say where it can be reached."))
        await to_thread(self.at.notices.store.add, link.table, link.key, current_language(), receiver)
        return Response(status_code=204)
