"""Page updates for everybody who looks at a table, rendered once for all who see the same.

Requests for one table that arrive at about the same time are answered together: their links are looked up once and
the table is asked once. Each request gets the result with the key of its own link.
"""

from __future__ import annotations

import asyncio
from asyncio import to_thread
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field

from edict.apps.web import table_actions
from edict.apps.web.live_tables import Link, list_human_seats
from edict.apps.web.open_tables import Tables
from edict.apps.web.table_actions import BrowserState
from edict.support.records import dataclass
from edict.support.translations import current_language


@dataclass(frozen=True, slots=True)
class PageUpdate:
    """An update of a browser's page: its new mark, and the HTML of those parts that the browser lacks."""

    mark: str
    text: str


class SeatGone(Exception):
    """The link opens this seat no longer."""


@dataclass
class _PendingRequests:
    """The requests that wait for an update of one table in one language."""

    # versions that the table has at least, as the requests know them; 0 if unknown
    versions: set[int] = field(default_factory=set)
    links: Sequence[Link] = ()  # the table's links, if a request has just read them
    # by the link's key and the mark that the browser shows
    waiting: dict[tuple[str, str], list[asyncio.Future[PageUpdate]]] = field(default_factory=dict)


class Audience:
    """Everybody who looks at tables through this server.

    Args:
        links: Returns the links of a table.
    """

    def __init__(self, tables: Tables, links: Callable[[str], Sequence[Link]]) -> None:
        self._tables = tables
        self._links = links
        self._gathering: dict[tuple[str, str], _PendingRequests] = {}
        self._telling: set[asyncio.Task[None]] = set()

    def request_update(
        self, link: Link, since: str, version: int = 0, links: Sequence[Link] = ()
    ) -> Awaitable[PageUpdate]:
        """Join the next batch of renderings, and return an awaitable of the page's parts changed since `since`.

        The update's text is empty if nothing changed.

        Args:
            link: The browser's link.
            since: The mark of the state that it shows.
            version: The version that the table has at least; 0 if unknown.
            links: The table's links, if they were read just now.

        Raises:
            SeatGone: The link no longer opens the seat.
            Exception: As `Tables.ask` does.
        """
        group = link.table, current_language()
        pending = self._gathering.get(group)
        if pending is None:
            self._gathering[group] = pending = _PendingRequests()
            task = asyncio.get_running_loop().create_task(self._answer_pending(group))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)
        pending.versions.add(version)
        pending.links = links or pending.links
        future = asyncio.get_running_loop().create_future()
        pending.waiting.setdefault((link.key, since), []).append(future)
        return future

    async def _answer_pending(self, group: tuple[str, str]) -> None:
        """Answer the gathered requests of a group; if that fails, fail all of them with the same exception."""
        pending = self._gathering[group]
        try:
            await self._send_updates(group, pending)
        except BaseException as problem:
            self._close_group(group, pending)
            _fail_requests([future for waiting in pending.waiting.values() for future in waiting], problem)
            if not isinstance(problem, Exception):
                raise

    async def _send_updates(self, group: tuple[str, str], pending: _PendingRequests) -> None:
        """Render each distinct look at the table once and send it to all who wait; `SeatGone` for invalid links."""
        table, _ = group
        links = {link.key: link for link in pending.links or await to_thread(self._links, table)}
        self._close_group(group, pending)
        wanted = {request: links[request[0]] for request in pending.waiting if request[0] in links}
        looks: list[BrowserState] = list(
            dict.fromkeys((link.viewing_seat, since) for (_, since), link in wanted.items())
        )
        results = await self._tables.ask(
            table,
            table_actions.render_updates,
            looks,
            list_human_seats(links.values()),
            version=max(pending.versions) if all(pending.versions) else 0,
        )
        results_by_look = dict(zip(looks, results, strict=True))
        for (key, since), waiting in pending.waiting.items():
            if (key, since) not in wanted:
                _fail_requests(waiting, SeatGone())
                continue
            mark, pieces = results_by_look[wanted[key, since].viewing_seat, since]
            update = PageUpdate(mark, key.join(pieces))
            for future in waiting:
                if not future.done():
                    future.set_result(update)

    def _close_group(self, group: tuple[str, str], pending: _PendingRequests) -> None:
        """Stop adding requests to a group of pending ones, if it is still the current one of its table."""
        if self._gathering.get(group) is pending:
            del self._gathering[group]


def _fail_requests(waiting: Sequence[asyncio.Future[PageUpdate]], problem: BaseException) -> None:
    """Fail waiting requests with an exception; cancel them for a `BaseException` such as a cancellation."""
    for future in waiting:
        if not future.done():
            if isinstance(problem, Exception):
                future.set_exception(problem)
            else:
                future.cancel()
