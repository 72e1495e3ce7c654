"""Routes for browsers that are to be notified of turns while no page of the table is open."""

from __future__ import annotations

from asyncio import to_thread

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from edict.apps.web.page_templates import STATIC
from edict.apps.web.request_values import read_form
from edict.apps.web.table_server import TableServer
from edict.apps.web.web_push import PushSubscription
from edict.support.translations import current_language, gettext

WORKER_FILE = "notice_worker.js"
MOST_FIELDS = 5  # of a form


class NoticeRoutes:
    """The routes of the service worker, of this server's public key, and of subscriptions to a seat's turns."""

    def __init__(self, server: TableServer) -> None:
        self.server = server

    def routes(self) -> list[Route]:
        """Return the routes."""
        return [
            Route("/notices/worker.js", self.get_worker),
            Route("/notices/key", self.get_public_key),
            Route("/seat/{key}/notices", self.subscribe, methods=["POST"]),
        ]

    async def get_worker(self, request: Request) -> Response:
        """Return the service worker.

        Its address is the same in all releases: a browser has one worker for a server, and checks it for changes.
        """
        return FileResponse(STATIC / WORKER_FILE, media_type="text/javascript")

    async def get_public_key(self, request: Request) -> Response:
        """Return the server's public key; empty if it sends no messages."""
        return PlainTextResponse(await to_thread(self.server.notices.public_key))

    async def subscribe(self, request: Request) -> Response:
        """Subscribe a browser to the turns of a seat."""
        link = await self.server.require_link(request)
        if link.seat < 0:
            raise HTTPException(403, gettext("Only those who have a seat have a turn."))
        async with read_form(request, MOST_FIELDS) as form:
            endpoint, public, secret = (str(form.get(name, "")) for name in ("endpoint", "p256dh", "auth"))
        name = request.url.hostname or ""
        site = f"https://{name if '.' in name else 'localhost'}"  # TLS, or the browser's own machine
        receiver = PushSubscription(endpoint, public, secret, site)
        if not receiver.is_well_formed:
            raise HTTPException(400, gettext("A browser has to say where it can be reached."))
        await to_thread(self.server.notices.store.add_subscriber, link.table, link.key, current_language(), receiver)
        return Response(status_code=204)
