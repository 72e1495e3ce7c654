"""What everybody who looks at a table is sent when something happens there: made once for all who see the same.

Whoever wants to know how a table stands at about the same time is told together: their links are looked up once, the
table is asked once, and each gets it with the key of their own link.
"""

from __future__ import annotations

import asyncio
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from edict.apps.web import table_actions
from edict.apps.web.live_tables import Link, people_of
from edict.apps.web.open_tables import Tables
from edict.apps.web.table_actions import Look
from edict.support.translations import current_language


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """What a browser shows when it has taken this in: a mark, and HTML, of which nothing is sent that is there."""

    mark: str
    text: str


class SeatGone(Exception):
    """The link opens this seat no longer."""


@dataclass
class _Gathering:
    """Those who wait for the same table, by their keys and marks.

    versions: what it has at least, as each of them knows; 0 for who does not.
    """

    versions: set[int] = field(default_factory=set)
    waiting: dict[tuple[str, str], list[asyncio.Future[PageUpdate]]] = field(default_factory=dict)


class Audience:
    """Everybody who looks at tables through this server. links: gives those of a table."""

    def __init__(self, tables: Tables, links: Callable[[str], Sequence[Link]]) -> None:
        self._tables = tables
        self._links = links
        self._gathering: dict[tuple[str, str], _Gathering] = {}
        self._telling: set[asyncio.Task[None]] = set()

    def sight(self, link: Link, since: str, version: int = 0) -> Awaitable[PageUpdate]:
        """What a browser with this link is sent that shows what has the mark `since`; no text if that is all.

        version: what the table has at least, 0 if that is not known. Raises `SeatGone`, and as `Tables.ask` does.
        """
        known = link.table, current_language()
        together = self._gathering.get(known)
        if together is None:
            self._gathering[known] = together = _Gathering()
            task = asyncio.get_running_loop().create_task(self._tell(known))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)
        together.versions.add(version)
        found = asyncio.get_running_loop().create_future()
        together.waiting.setdefault((link.key, since), []).append(found)
        return found

    async def _tell(self, known: tuple[str, str]) -> None:
        together = self._gathering[known]
        try:
            await self._told(known, together)
        except BaseException as problem:
            self._begun(known, together)
            _fail([one for waiting in together.waiting.values() for one in waiting], problem)
            if not isinstance(problem, Exception):
                raise

    async def _told(self, known: tuple[str, str], together: _Gathering) -> None:
        table, _ = known
        links = {link.key: link for link in await to_thread(self._links, table)}
        self._begun(known, together)
        wanted = {about: links[about[0]] for about in together.waiting if about[0] in links}
        looks: list[Look] = list(dict.fromkeys((link.looks_as, since) for (_, since), link in wanted.items()))
        told = await self._tables.ask(
            table,
            table_actions.looks,
            looks,
            people_of(links.values()),
            version=max(together.versions) if all(together.versions) else 0,
        )
        found = dict(zip(looks, told, strict=True))
        for (key, since), waiting in together.waiting.items():
            if (key, since) not in wanted:
                _fail(waiting, SeatGone())
                continue
            mark, pieces = found[wanted[key, since].looks_as, since]
            sight = PageUpdate(mark, key.join(pieces))
            for one in waiting:
                if not one.done():
                    one.set_result(sight)

    def _begun(self, known: tuple[str, str], together: _Gathering) -> None:
        """Whoever comes from now on may know of more."""
        if self._gathering.get(known) is together:
            del self._gathering[known]


def _fail(waiting: Sequence[asyncio.Future[PageUpdate]], problem: BaseException) -> None:
    for one in waiting:
        if not one.done():
            if isinstance(problem, Exception):
                one.set_exception(problem)
            else:
                one.cancel()
