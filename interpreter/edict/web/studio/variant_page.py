"""Doors of the studio that are pages: a variant."""

from __future__ import annotations

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edict.web.studio.meaning import changes, whole_book
from edict.web.studio.room import Room


class Pages:
    def __init__(self, room: Room) -> None:
        self.at = room

    def routes(self) -> list[Route]:
        variant = "/studio/{key}"
        return [
            Route(variant, self.variant),
            Route(variant + "/changes", self.changes),
            Route(variant + "/rulebook", self.book),
        ]

    async def variant(self, request: Request) -> Response:
        """The page on which it is written, read and played."""
        opened = await self.at.opened(request)
        return await run_sync(lambda: self.at.page("studio.html", opened))

    async def changes(self, request: Request) -> Response:
        """What the variant changes in the rulebook."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            found = changes(opened.desk)
            return self.at.page("changes.html", opened, base=found.base, pages=found.pages, gone=found.gone, links={})

        return await run_sync(drawn)

    async def book(self, request: Request) -> Response:
        """The whole rulebook of the variant."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            book = whole_book(opened.desk)
            if book is None:
                raise HTTPException(409, "The rulebook can be read once the rules have no errors.")
            return self.at.page("rulebook.html", opened, book=book, links=book.links)

        return await run_sync(drawn)
