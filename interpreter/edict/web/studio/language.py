"""Doors of the page for the editor: the texts, what is typed, and questions about them."""

from __future__ import annotations

from functools import partial

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edict.web.studio.questions import QUESTIONS
from edict.web.studio.room import Room
from edict.web.studio.sending import WRONG, sent, text, answered


class Language:
    """Texts and questions, as JSON."""

    def __init__(self, room: Room) -> None:
        self.at = room

    def routes(self) -> list[Route]:
        variant = "/studio/{key}"
        return [
            Route(variant + "/texts", self.texts, methods=["POST"]),
            Route(variant + "/typed", self.typed, methods=["POST"]),
            Route(variant + "/save", self.save, methods=["POST"]),
            Route(variant + "/give-way", self.give_way, methods=["POST"]),
            Route(variant + "/file", self.file, methods=["POST"]),
            Route(variant + "/file/rename", self.rename_file, methods=["POST"]),
            Route(variant + "/file/delete", self.delete_file, methods=["POST"]),
            Route(variant + "/ask/{question}", self.ask, methods=["POST"]),
        ]

    async def texts(self, request: Request) -> Response:
        """Every file of the variant as it was typed last."""
        opened = await self.at.opened(request)
        return await answered(run_sync(opened.work.texts))

    async def typed(self, request: Request) -> Response:
        """What a file holds from now on; kept before this is answered."""
        opened, body = await self.at.opened(request, writing=True), await sent(request)
        over = str(body.get("over", ""))
        return await answered(run_sync(partial(opened.work.typed, text(body, "file"), text(body, "text"), over)))

    async def save(self, request: Request) -> Response:
        """What was typed, written into the variant's files."""
        opened, body = await self.at.opened(request, writing=True), await sent(request)
        return await answered(run_sync(partial(opened.work.save, bool(body.get("over")))))

    async def give_way(self, request: Request) -> Response:
        """The files as they are, where they have changed since something was typed."""
        opened = await self.at.opened(request, writing=True)
        return await answered(run_sync(opened.work.give_way))

    async def file(self, request: Request) -> Response:
        """A new file with nothing in it."""
        opened, body = await self.at.opened(request, writing=True), await sent(request)
        return await answered(run_sync(partial(opened.work.begin_file, text(body, "name"))))

    async def rename_file(self, request: Request) -> Response:
        """Another name for a file."""
        opened, body = await self.at.opened(request, writing=True), await sent(request)
        return await answered(run_sync(partial(opened.work.rename_file, text(body, "file"), text(body, "name"))))

    async def delete_file(self, request: Request) -> Response:
        """A file taken out of the variant."""
        opened, body = await self.at.opened(request, writing=True), await sent(request)
        return await answered(run_sync(partial(opened.work.delete_file, text(body, "file"))))

    async def ask(self, request: Request) -> Response:
        """What the language service answers."""
        opened, body = await self.at.opened(request), await sent(request)
        question = QUESTIONS.get(request.path_params["question"])
        if question is None:
            raise HTTPException(404, WRONG)
        return await answered(run_sync(partial(question, opened.desk, body)))
