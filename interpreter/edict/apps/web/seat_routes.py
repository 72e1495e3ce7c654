"""Routes for the link of a seat: the table as the seat sees it, answers, live updates, reasons and notices of turns."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace

from sse_starlette import EventSourceResponse
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web import table_actions
from edict.apps.web.audience import SeatGone
from edict.apps.web.live_tables import HOST, AnsweredAlready, Link, NoSuchTable, list_human_seats
from edict.apps.web.page_templates import STATIC
from edict.apps.web.request_values import parse_number, read_form, require_path_number
from edict.apps.web.sandbox import EndedTableError
from edict.apps.web.table_server import INVALID_LINK, TableServer
from edict.apps.web.web_push import PushSubscription
from edict.game.table.game_errors import GameError
from edict.support.morphology import to_sentence
from edict.support.processes.tasks import TaskFailed
from edict.support.report import RulesError
from edict.support.translations import N_, current_language, gettext

# --- the table -------------------------------------------------------------------------------------


PING_INTERVAL = 20  # seconds between pings on a quiet connection
RETRY_DELAY = 1000  # milliseconds after which a browser reconnects a lost event stream
JOURNAL_CLOSED = N_("The file holds every secret, so it can be downloaded when the game is over.")
ANSWERED_ALREADY = N_("Somebody has answered that already. This is how the table stands now.")


class SeatRoutes:
    """Routes to see and play a table from a seat."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving

    def routes(self) -> list[Route]:
        """Return the routes of a seat's link, except those that explain."""
        seat = "/seat/{key}"
        return [
            Route(seat, self.show_seat),
            Route(seat + "/claim", self.claim_seat, methods=["POST"]),
            Route(seat + "/table", self.send_update),
            Route(seat + "/view.json", self.send_view),
            Route(seat + "/answer", self.submit_answer, methods=["POST"]),
            Route(seat + "/undo", self.undo_answer, methods=["POST"]),
            Route(seat + "/rematch", self.open_rematch, methods=["POST"]),
            Route(seat + "/look.css", self.send_stylesheet),
            Route(seat + "/news", self.stream_updates),
            Route(seat + "/at/{number}", self.show_replay),
            Route(seat + "/journal", self.download_journal),
        ]

    # --- looking

    async def show_seat(self, request: Request) -> Response:
        """Show the page of a seat, or the page on which a free seat can be claimed."""
        link, links = await self.at.require_links(request, free=True)
        if link.free:
            return HTMLResponse(await self.at.tables.ask(link.table, table_actions.render_free_seat, link))
        return await self._render_page(request, link, list_human_seats(links))

    async def claim_seat(self, request: Request) -> Response:
        """Claim a free seat, and redirect to the new link that only its claimant knows."""
        link = await self.at.require_link(request, free=True)
        key = await to_thread(self.at.store.claim_seat, link.key)
        if key is None:
            raise HTTPException(404, gettext(INVALID_LINK))
        return RedirectResponse(f"/seat/{key}", 303)

    async def send_update(self, request: Request) -> Response:
        """Send the parts of a seat's page that changed since the mark `since`; 204 if nothing did."""
        update = await self.at.audience.request_update(
            await self.at.require_link(request), request.query_params.get("since", "")
        )
        return HTMLResponse(update.text) if update.text else Response(status_code=204)

    async def _render_page(self, request: Request, link: Link, people: Sequence[int], message: str = "") -> Response:
        """Render the page of a seat, with an optional message over the board."""
        args = link, message, people, self.at.is_only_client(request)
        return HTMLResponse(await self.at.tables.ask(link.table, table_actions.render_page, *args))

    async def send_stylesheet(self, request: Request) -> Response:
        """Send the stylesheet with the colours of the table's game."""
        return Response(
            await self.at.ask_table(request, lambda link: (table_actions.render_stylesheet,)), media_type="text/css"
        )

    async def send_view(self, request: Request) -> Response:
        """Send the seat's view of the game as JSON."""
        return JSONResponse(
            await self.at.ask_table(request, lambda link: (table_actions.get_view_data, link.viewing_seat))
        )

    async def show_replay(self, request: Request) -> Response:
        """Show the table as it was after a number of answers."""
        number = require_path_number(request, "number")
        return HTMLResponse(await self.at.ask_table(request, lambda link: (table_actions.render_replay, link, number)))

    # --- answering

    async def submit_answer(self, request: Request) -> Response:
        """Answer the question that was asked at a version of the table, and send the new state of the table."""
        async with read_form(request) as form:
            version, key, since = parse_number(form.get("version", "")), form.get("answer", ""), form.get("since", "")
        return await self._change_table(request, str(since), version, table_actions.answer, str(key))

    async def undo_answer(self, request: Request) -> Response:
        """Take back the seat's last answer, and send the new state of the table."""
        async with read_form(request) as form:
            version, since = parse_number(form.get("version", "")), form.get("since", "")
        return await self._change_table(request, str(since), version, table_actions.undo)

    async def _change_table(
        self, request: Request, since: str, shown: int | None, action: Callable[..., int], *about: object
    ) -> Response:
        """Change the table, and send its new state; an error is shown as a message over the board.

        Args:
            request: The request.
            since: The mark of the state that the browser shows.
            shown: Its version, which spares a look for newer lines: the store refuses a line that comes too late.
            action: A function of `table_actions` that returns the new version; it is called with the seat, the version
                shown, `about` and the seats of people.
            about: Further arguments of the action.
        """
        link, links = await self.at.require_links(request)
        message, version, people = "", 0, list_human_seats(links)
        args = link.seat, _version_or_invalid(shown), *about, people
        try:
            version = await self.at.tables.ask(link.table, action, *args, version=max(shown or 0, 0))
            links = await to_thread(self.at.store.list_links, link.table)  # somebody may have lost a seat meanwhile
            self.at.on_table_changed(link.table, version, links)
        except AnsweredAlready:
            message = gettext(ANSWERED_ALREADY)
        except GameError as error:
            message = to_sentence(error.reason)
            self.at.bots.start_turns(link.table)  # a player's time may be up without any server having noticed
        except RulesError as rules_error:
            message = gettext("The rules cannot continue: %(reason)s") % {"reason": rules_error.first}
        if not request.headers.get("HX-Request"):
            if message:
                return await self._render_page(request, link, people, message)
            return RedirectResponse(f"/seat/{link.key}", 303)
        if not message:
            return HTMLResponse((await self.at.audience.request_update(link, since, version, links)).text)
        update = table_actions.render_update, link, message, people, since
        return HTMLResponse(await self.at.tables.ask(link.table, *update))

    async def open_rematch(self, request: Request) -> Response:
        """Redirect to the same seat at the table of the rematch; the first request opens that table."""
        link, store = await self.at.require_link(request), self.at.store
        if not await to_thread(store.get_rematch_key, link.key):
            await self.at.check_new_table(request)
            bots = tuple(
                seat_link.bot for seat_link in await to_thread(store.list_links, link.table) if seat_link.seat >= 0
            )
            try:
                playable = await self.at.tables.ask(link.table, table_actions.create_rematch, bots)
            except GameError as error:
                raise HTTPException(409, to_sentence(error.reason)) from None
            links = await self.at.tables.open(playable, link.sealed)
            await to_thread(store.link_rematch, link.table, links)
            self.at.bots.start_turns(links[0].table)
        return RedirectResponse(f"/seat/{await to_thread(store.get_rematch_key, link.key)}", 303)

    async def download_journal(self, request: Request) -> Response:
        """Send the game as a file for `resume` and `games replay`.

        Before the end of the game only a host who does not play may download it.
        """
        link = await self.at.require_link(request)
        if (link.seat != HOST or link.sealed) and not await self._is_over(link):
            raise HTTPException(403, gettext(JOURNAL_CLOSED))
        lines = await to_thread(self.at.store.lines, link.table)
        headers = {"Content-Disposition": f'attachment; filename="{link.table}.jsonl"'}
        return Response(b"".join(lines), media_type="application/jsonl", headers=headers)

    async def _is_over(self, link: Link) -> bool:
        """Return True if the game is over or the table has ended."""
        try:
            return bool(await self.at.tables.ask(link.table, table_actions.is_over))
        except EndedTableError:
            return True

    # --- news

    async def stream_updates(self, request: Request) -> Response:
        """Stream server-sent events about the table.

        An event `news` holds the changed parts of the page, with their mark as its id; `said` reports new talk, and
        `here` comes first if nothing has changed. After `again` the stream ends, because the table cannot be shown; the
        browser then requests the table and gets the reason.
        """
        link = await self.at.require_link(request)
        self.at.gate.check_room(request)
        since = request.headers.get("Last-Event-ID") or request.query_params.get("since", "")
        return EventSourceResponse(self._iter_events(request, link, since), ping=PING_INTERVAL)

    async def _iter_events(self, request: Request, link: Link, since: str) -> AsyncIterator[bytes]:
        """Yield server-sent events: an update after each change of the table, and a notice of each chat message."""
        with self.at.gate.count_connection(request):
            async with self.at.notifications.subscribe(link.table) as subscription:
                self.at.bots.start_turns(link.table)  # a server that stopped may have left a bot's turn unanswered
                has_sent = False
                while True:
                    try:
                        update = await self.at.audience.request_update(link, since, subscription.version)
                    except (SeatGone, NoSuchTable, EndedTableError, RulesError, GameError):
                        yield _format_event("again")  # the browser then requests the table and gets the reason
                        return
                    if update.mark != since:
                        since = update.mark
                        yield _format_event("news", update.text, since)
                    elif not has_sent:
                        yield _format_event("here")
                    has_sent = True
                    await subscription.wait()
                    while subscription.talked:
                        subscription.talked = False
                        yield _format_event("said", "talk")
                        if not subscription.changed:
                            await subscription.wait()
                    subscription.changed = False


def _format_event(name: str, text: str = "", mark: str = "") -> bytes:
    """Encode a server-sent event. The browser names the mark of the last event when it reconnects."""
    data = text.replace("\r", "").replace("\n", "\ndata: ")
    id_line = f"id: {mark}\n" if mark else ""
    return f"event: {name}\n{id_line}retry: {RETRY_DELAY}\ndata: {data}\n\n".encode()


def _version_or_invalid(version: int | None) -> int:
    """Return the version; -1, which no table has, if it is None."""
    return -1 if version is None else version


# --- what explains it ------------------------------------------------------------------------------


MAX_QUERY_LENGTH = 200  # characters; longer query values are cut


class ExplanationRoutes:
    """Routes for the parts of pages that explain the game. None of them changes anything."""

    def __init__(self, serving: TableServer) -> None:
        self.at = serving

    def routes(self) -> list[Route]:
        """Return the routes that explain the board, options, the log and the rules."""
        seat = "/seat/{key}"
        at_any_time = [
            Route(when + address, endpoint)
            for when in (seat, seat + "/at/{at}")
            for address, endpoint in (
                ("/ask-about", self.explain_subject),
                ("/why", self.explain_option),
                ("/why-not", self.explain_missing_options),
                ("/line/{number}", self.explain_log_line),
            )
        ]
        return [
            *at_any_time,
            Route(seat + "/hint", self.show_hint),
            Route(seat + "/missed", self.show_missed_events),
            Route(seat + "/rules", self.show_rules),
            Route(seat + "/scores.json", self.send_scores),
        ]

    async def _render_explanation(self, request: Request, action: Callable[..., str], *args: object) -> Response:
        """Send an explanation of the current position, or of the one after as many answers as the path says.

        Args:
            request: The request.
            action: A function of `table_actions`, called with a seat, the number of answers and `args`.
            *args: Its further arguments.
        """
        at = require_path_number(request, "at") if "at" in request.path_params else None
        return HTMLResponse(await self.at.ask_table(request, lambda link: (action, link.viewing_seat, at, *args)))

    async def explain_subject(self, request: Request) -> Response:
        """Explain something on the board (`about`): its meaning, and the reasons why it can or cannot be chosen now."""
        return await self._render_explanation(
            request, table_actions.render_subject, request.query_params.get("about", "")[:MAX_QUERY_LENGTH]
        )

    async def explain_option(self, request: Request) -> Response:
        """Explain why an answer (`option`, its key) is or is not offered."""
        return await self._render_explanation(
            request, table_actions.render_option_reasons, request.query_params.get("option", "")[:MAX_QUERY_LENGTH]
        )

    async def explain_missing_options(self, request: Request) -> Response:
        """List the answers that are offered at other times, with the reasons why they are not offered now."""
        return await self._render_explanation(request, table_actions.render_missing_options)

    async def explain_log_line(self, request: Request) -> Response:
        """Explain the causes of a line of the log."""
        return await self._render_explanation(
            request, table_actions.render_log_line_causes, require_path_number(request, "number")
        )

    async def show_rules(self, request: Request) -> Response:
        """Show a summary of the table's rules."""
        return HTMLResponse(await self.at.ask_table(request, lambda link: (table_actions.render_primer,)))

    async def show_missed_events(self, request: Request) -> Response:
        """Show the log since the seat's last move."""
        return HTMLResponse(
            await self.at.ask_table(request, lambda link: (table_actions.render_missed_events, link.viewing_seat))
        )

    async def send_scores(self, request: Request) -> Response:
        """Send the sources of all players' points as JSON, in the order in which they were scored."""
        return JSONResponse(
            await self.at.ask_table(request, lambda link: (table_actions.get_score_history, link.viewing_seat))
        )

    async def show_hint(self, request: Request) -> Response:
        """Show the search bot's estimates of the options, if the seat is being asked."""
        link = await self.at.require_link(request)
        self.at.gate.check_rate(self.at.limits.hints, "hints", request)
        turn: table_actions.BotTurn = await self.at.tables.ask(link.table, table_actions.require_turn, link.seat)
        try:
            advice = await self.at.bot_processes.advice(turn)
        except TaskFailed as error:
            raise HTTPException(503, gettext("No hint is available: %(reason)s.") % {"reason": error}) from None
        texts: dict[str, tuple[str, str]] = await self.at.tables.ask(
            link.table, table_actions.get_option_texts, link.seat
        )
        options = [
            replace(row, text=text, words=words)
            for row in advice
            for text, words in [texts.get(row.key, (row.text, ""))]
        ]
        return self.at.render_page("hint.html", options=options, best=max(options, key=lambda row: row.tries))


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
