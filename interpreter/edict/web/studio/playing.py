"""Doors of the table beside the rules: games of the variant from any moment, which continue when the rules change."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from anyio.to_thread import run_sync
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edict.bots import BOTS
from edict.report import RulesError
from edict.service.values import Refused
from edict.studio import playing
from edict.table.journal import Journal, parse_journal
from edict.web.hosting import FULL
from edict.web.setup import whole
from edict.web.store import HOST
from edict.web.studio.room import Opened, Room
from edict.web.studio.sending import number, sent, text, answered

YOU = "You"
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
        doors: dict[str, Callable[[Opened, Sent], Data]] = {
            "begin": self.begin, "moment": self.moment, "renew": self.renew, "stands": self.stands,
        }  # fmt: skip
        made = [Route(f"{table}/{name}", self._door(deed), methods=["POST"]) for name, deed in doors.items()]
        return [*made, Route(table, self.choices)]

    async def choices(self, request: Request) -> Response:
        """What can be chosen for a new game."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            program, bots = None, self.at.serving.offer.bots
            with suppress(RulesError):
                program = opened.work.rules().program
            openings = opened.desk.scenes() if program is not None else ()
            return self.at.page("table.html", opened, program=program, openings=openings, bots=bots)

        return await run_sync(drawn)

    def _door(self, deed: Callable[[Opened, Sent], Data]) -> Callable[[Request], Any]:
        async def door(request: Request) -> Response:
            opened, body = await self.at.opened(request), await sent(request)
            limits = self.at.serving.limits
            new = deed == self.begin
            rate, what = (limits.new_tables, "new tables") if new else (limits.continuations, "continuations")
            self.at.serving.gate.check(rate, what, request)
            return await answered(partial(deed, opened, body))

        return door

    # --- doors -------------------------------------------------------------------------------

    def begin(self, opened: Opened, body: Sent) -> Data:
        """A game from the start, or from a scene; bots have the other seats."""
        rules, bot = opened.work.rules(), str(body.get("bot") or BOT)
        if bot not in self.at.serving.offer.bots:
            raise Refused("there is no such bot")
        if body.get("scene"):
            file, _, name = str(body["scene"]).partition("\n")
            bots = ("", *[bot] * rules.program.most_players)
            journal = playing.begin_at(opened.variant.snapshot(), rules, file, name, bots)
            return self._opened(opened, journal)
        count = whole(body.get("players", "")) or rules.program.least_players
        if not rules.program.least_players <= count <= rules.program.most_players:
            raise Refused(f"{count} players cannot play this")
        names = (YOU, *(f"{BOTS.title(bot)} {seat}" for seat in range(1, count)))
        return self._opened(opened, playing.begin(rules, names, ("", *[bot] * (count - 1))))

    def moment(self, opened: Opened, body: Sent) -> Data:
        """The game at a table as it was after this many answers, at a new table."""
        journal = playing.moment(self.journal(body), number(body, "answers"))
        gone_on = playing.go_on(journal, opened.work.rules(), opened.variant.snapshot())
        return self._opened(opened, gone_on.journal, gone_on.said)

    def renew(self, opened: Opened, body: Sent) -> Data:
        """The game at a table under the rules as they are now; the same table, if they are still the same."""
        gone_on = playing.go_on(self.journal(body), opened.work.rules(), opened.variant.snapshot())
        return self._opened(opened, gone_on.journal, gone_on.said) if gone_on.changed else self.stands(opened, body)

    def stands(self, opened: Opened, body: Sent) -> Data:
        """The table behind a host's key."""
        links = self.at.serving.store.links(self._table(body))
        person = next((one for one in links if one.seat >= 0 and not one.bot), None)
        return {"host": body.get("host"), "seat": person.key if person is not None else "", "said": ""}

    # --- tables ------------------------------------------------------------------------------

    def _opened(self, opened: Opened, journal: Journal, said: str = "") -> Data:
        serving = self.at.serving
        if serving.store.count() >= serving.limits.tables:
            raise HTTPException(503, FULL)
        links = serving.tables.open(journal, opened.work.rules(), tuple(journal.header.bots))
        host = next(one for one in links if one.seat == HOST)
        person = next((one for one in links if one.seat >= 0 and not one.bot), None)
        return {"host": host.key, "seat": person.key if person is not None else "", "said": said, "table": host.table}

    def _table(self, body: Sent) -> str:
        link = self.at.serving.store.link(text(body, "host"))
        if link is None or link.seat != HOST:
            raise Refused(GONE)
        return link.table

    def journal(self, body: Sent) -> Journal:
        """The game at the table behind a host's key. Raises `Refused`."""
        lines = self.at.serving.store.lines(self._table(body))
        if not lines:
            raise Refused(GONE)
        return parse_journal(b"".join(lines))
