"""Doors of the table beside the rules: games of the variant from any moment, which continue when the rules change."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edict.service.values import Refused
from edict.table.journal import Journal, parse_journal
from edict.web.hosting import FULL
from edict.web.playing import HOST, Begun
from edict.web.setup import whole
from edict.web.studio import games
from edict.web.studio.room import Opened, Room
from edict.web.studio.sending import answered, number, sent, text

BOT = "greedy"
GONE = "that table no longer exists; start a new game"
Sent = Mapping[str, Any]
Data = dict[str, Any]


class Playing:
    """Tables of a variant. The page knows one by its host's key: whoever has that may see everything anyway."""

    def __init__(self, room: Room) -> None:
        self.at = room

    def routes(self) -> list[Route]:
        table = "/studio/{key}/table"
        doors: dict[str, Callable[[Opened, Sent], Awaitable[Data]]] = {
            "begin": self.begin, "moment": self.moment, "renew": self.renew, "stands": self.stands,
        }  # fmt: skip
        made = [Route(f"{table}/{name}", self._door(deed), methods=["POST"]) for name, deed in doors.items()]
        return [*made, Route(table, self.choices)]

    async def choices(self, request: Request) -> Response:
        """What can be chosen for a new game."""
        opened = await self.at.opened(request)
        found: range | None = None
        with suppress(Refused):
            found = await self.at.played(opened, games.players)

        def drawn() -> Response:
            openings, bots = opened.desk.scenes() if found is not None else (), self.at.serving.offer.bots
            return self.at.page("table.html", opened, players=found, openings=openings, bots=bots)

        return await run_sync(drawn)

    def _door(self, deed: Callable[[Opened, Sent], Awaitable[Data]]) -> Callable[[Request], Any]:
        async def door(request: Request) -> Response:
            opened, body = await self.at.opened(request), await sent(request)
            limits = self.at.serving.limits
            new = deed == self.begin
            rate, what = (limits.new_tables, "new tables") if new else (limits.continuations, "continuations")
            self.at.serving.gate.check(rate, what, request)
            return await answered(deed(opened, body))

        return door

    # --- doors -------------------------------------------------------------------------------

    async def begin(self, opened: Opened, body: Sent) -> Data:
        """A game from the start, or from a scene; bots have the other seats."""
        bot = str(body.get("bot") or BOT)
        if bot not in self.at.serving.offer.bots:
            raise Refused("there is no such bot")
        scene, count = str(body.get("scene") or ""), whole(body.get("players", ""))
        return await self._opened(await self.at.played(opened, games.begin, scene, count, bot))

    async def moment(self, opened: Opened, body: Sent) -> Data:
        """The game at a table as it was after this many answers, at a new table."""
        answers = number(body, "answers")
        return await self._continued(await self.at.played(opened, games.moment, await self._raw(body), answers), body)

    async def renew(self, opened: Opened, body: Sent) -> Data:
        """The game at a table under the rules as they are now; the same table, if they are still the same."""
        return await self._continued(await self.at.played(opened, games.renew, await self._raw(body)), body)

    async def stands(self, opened: Opened, body: Sent) -> Data:
        """The table behind a host's key."""
        return await run_sync(self._stands, body)

    def _stands(self, body: Sent) -> Data:
        links = self.at.serving.store.links(self._table(body))
        person = next((one for one in links if one.seat >= 0 and not one.bot), None)
        return {"host": body.get("host"), "seat": person.key if person is not None else "", "said": ""}

    # --- tables ------------------------------------------------------------------------------

    async def _continued(self, found: games.Continued, body: Sent) -> Data:
        if found.game is None:
            return await run_sync(self._stands, body)
        return await self._opened(found.game, found.said)

    async def _opened(self, begun: Begun, said: str = "") -> Data:
        serving = self.at.serving
        if await run_sync(serving.store.count) >= serving.limits.tables:
            raise HTTPException(503, FULL)
        links = await serving.tables.open(begun)
        host = next(one for one in links if one.seat == HOST)
        person = next((one for one in links if one.seat >= 0 and not one.bot), None)
        return {"host": host.key, "seat": person.key if person is not None else "", "said": said, "table": host.table}

    def _table(self, body: Sent) -> str:
        link = self.at.serving.store.link(text(body, "host"))
        if link is None or link.seat != HOST:
            raise Refused(GONE)
        return link.table

    async def _raw(self, body: Sent) -> bytes:
        return await run_sync(self.raw, body)

    def raw(self, body: Sent) -> bytes:
        """The file of the game at the table behind a host's key. Raises `Refused`."""
        lines = self.at.serving.store.lines(self._table(body))
        if not lines:
            raise Refused(GONE)
        return b"".join(lines)

    def journal(self, body: Sent) -> Journal:
        """That game. Raises `Refused`."""
        return parse_journal(self.raw(body))
