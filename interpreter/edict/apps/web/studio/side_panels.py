"""Routes of the panels beside the rules: test games, scenes, studies and the tutorial."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edict.agents.study.html_report import render_chart
from edict.apps.web.live_tables import HOST, PlayableGame
from edict.apps.web.request_values import parse_number, read_form, read_json, require_number, require_text
from edict.apps.web.studio import variant_games
from edict.apps.web.studio.editor_api import collect_lenses
from edict.apps.web.studio.open_variants import StudioServer, VariantAccess
from edict.apps.web.studio.page_data import to_response
from edict.apps.web.studio.tutorial import (
    Tutorial,
    TutorialProgress,
    collect_own_things,
    find_tutorial,
    is_done,
    is_person,
)
from edict.apps.web.table_server import SERVER_FULL
from edict.game.table.journal import Journal, parse_journal
from edict.support.morphology import to_sentence
from edict.tools.language_service.answer_types import EditRefused
from edict.tools.studio.evaluation import Evaluation, describe_worth
from edict.tools.studio.played_scenes import NewScene
from edict.tools.studio.playtests import truncate
from edict.tools.studio.scene_runs import SceneRun

# --- games at tables -------------------------------------------------------------------------------


DEFAULT_BOT = "greedy"
TABLE_GONE = "that table no longer exists; start a new game"
RequestBody = Mapping[str, Any]
Data = dict[str, Any]


class TablePanel:
    """Routes of the test games of a variant.

    The page knows a table by the key of its host's link, which opens everything at the table anyway.
    """

    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        """Return the routes of test games at a table."""
        base = "/studio/{key}/table"
        routes: dict[str, Callable[[VariantAccess, RequestBody], Awaitable[Data]]] = {
            "begin": self.begin_game,
            "moment": self.branch_game,
            "renew": self.apply_new_rules,
            "stands": self.find_table,
        }
        action_routes = [
            Route(f"{base}/{name}", self._make_route(action), methods=["POST"]) for name, action in routes.items()
        ]
        friends = Route("/studio/{key}/friends", self.open_friends_table, methods=["POST"])
        return [*action_routes, Route(base, self.choose), friends]

    async def choose(self, request: Request) -> Response:
        """Return the form for a new game."""
        opened = await self.at.require_access(request)
        player_counts: range | None = None
        with suppress(EditRefused):
            player_counts = await self.at.run_in_sandbox(opened, variant_games.get_player_counts)

        def render() -> Response:
            """Return the form with player counts, scenes to begin at and bots; without counts, rules have errors."""
            openings, bots = (
                opened.project.list_scenes() if player_counts is not None else (),
                self.at.serving.offer.bots,
            )
            return self.at.render_page("table.html", opened, players=player_counts, openings=openings, bots=bots)

        return await to_thread(render)

    def _make_route(self, action: Callable[[VariantAccess, RequestBody], Awaitable[Data]]) -> Callable[[Request], Any]:
        """Return a handler that limits the rate of an action and sends its result as JSON."""

        async def handle(request: Request) -> Response:
            """Check the rate of new tables or of continuations, then run the action on the request's variant."""
            opened, body = await self.at.require_access(request), await read_json(request)
            limits = self.at.serving.limits
            is_new_game = action == self.begin_game
            if is_new_game:
                rate, what = (limits.new_tables, "new tables")
            else:
                rate, what = (limits.continuations, "continuations")
            self.at.serving.gate.check_rate(rate, what, request)
            return await to_response(action(opened, body))

        return handle

    # --- routes ------------------------------------------------------------------------------

    async def begin_game(self, opened: VariantAccess, body: RequestBody) -> Data:
        """Open a table for a game from the start or from a scene, with bots in all other seats."""
        bot = require_text(body, "bot", "") or DEFAULT_BOT
        if bot not in self.at.serving.offer.bots:
            raise EditRefused("there is no such bot")
        scene, count = require_text(body, "scene", ""), parse_number(body.get("players", ""))
        return await self._open_table(await self.at.run_in_sandbox(opened, variant_games.begin_game, scene, count, bot))

    async def open_friends_table(self, request: Request) -> Response:
        """Open a table for people with the variant as it is now; redirect to its host's page."""
        opened, serving = await self.at.require_access(request), self.at.serving
        await serving.check_new_table(request)
        async with read_form(request, 5) as form:
            count = parse_number(form.get("players", "")) or 0
        try:
            playable = await self.at.run_in_sandbox(opened, variant_games.begin_friends_game, count)
        except EditRefused as problem:
            raise HTTPException(422, to_sentence(str(problem))) from None
        links = await serving.tables.open(playable, sealed=True)
        return RedirectResponse(f"/host/{next(link.key for link in links if link.seat == HOST)}", 303)

    async def branch_game(self, opened: VariantAccess, body: RequestBody) -> Data:
        """Open a new table for the game of another one as it was after a number of answers."""
        answers = require_number(body, "answers")
        continued = await self.at.run_in_sandbox(
            opened, variant_games.branch_game, await self._read_in_thread(body), answers
        )
        return await self._open_continuation(continued, body)

    async def apply_new_rules(self, opened: VariantAccess, body: RequestBody) -> Data:
        """Open a new table that continues the game of another one under the current rules.

        If the rules have not changed, return the other table.
        """
        return await self._open_continuation(
            await self.at.run_in_sandbox(opened, variant_games.apply_new_rules, await self._read_in_thread(body)), body
        )

    async def find_table(self, opened: VariantAccess, body: RequestBody) -> Data:
        """Return the keys of a table's host and of its person. Raises `EditRefused` if there is no such table."""
        return await to_thread(self._describe_table, body)

    def _describe_table(self, body: RequestBody) -> Data:
        """Return the keys of a table's host and of its first person as JSON data."""
        links = self.at.serving.store.list_links(self._require_table_id(body))
        person_link = next((link for link in links if link.seat >= 0 and not link.bot), None)
        return {"host": body.get("host"), "seat": person_link.key if person_link is not None else "", "said": ""}

    # --- tables ------------------------------------------------------------------------------

    async def _open_continuation(self, continued: variant_games.VariantContinuation, body: RequestBody) -> Data:
        """Open a table for a continued game; if it did not change, return the table it is at."""
        if continued.game is None:
            return await to_thread(self._describe_table, body)
        return await self._open_table(continued.game, continued.message)

    async def _open_table(self, playable: PlayableGame, message: str = "") -> Data:
        """Open a table for a game, and return its keys with a message. Raises `HTTPException` 503 if full."""
        serving = self.at.serving
        if await to_thread(serving.store.count_tables) >= serving.limits.tables:
            raise HTTPException(503, SERVER_FULL)
        links = await serving.tables.open(playable)
        host_link = next(link for link in links if link.seat == HOST)
        person_link = next((link for link in links if link.seat >= 0 and not link.bot), None)
        return {
            "host": host_link.key,
            "seat": person_link.key if person_link is not None else "",
            "said": message,
            "table": host_link.table,
        }

    def _require_table_id(self, body: RequestBody) -> str:
        """Return the ID of the table whose host key a request names. Raises `EditRefused` if it is gone."""
        link = self.at.serving.store.get_link(require_text(body, "host"))
        if link is None or link.seat != HOST:
            raise EditRefused(TABLE_GONE)
        return link.table

    async def _read_in_thread(self, body: RequestBody) -> bytes:
        return await to_thread(self.read_journal_bytes, body)

    def read_journal_bytes(self, body: RequestBody) -> bytes:
        """Return the journal file of the game at a host's table. Raises `EditRefused` if there is no such table."""
        lines = self.at.serving.store.lines(self._require_table_id(body))
        if not lines:
            raise EditRefused(TABLE_GONE)
        return b"".join(lines)

    def read_journal(self, body: RequestBody) -> Journal:
        """Return the journal of the game at a host's table. Raises `EditRefused` if there is no such table."""
        return parse_journal(self.read_journal_bytes(body))


# --- scenes, studies, the tutorial -----------------------------------------------------------------


class ResultPanels:
    """Routes of the panels that the server renders; the page requests them again until their results are complete."""

    def __init__(self, studio: StudioServer, playing: TablePanel) -> None:
        self.at = studio
        self.playing = playing

    def routes(self) -> list[Route]:
        """Return the routes of scenes, lenses, studies and the tutorial."""
        variant = "/studio/{key}"
        return [
            Route(variant + "/scenes", self.show_scenes),
            Route(variant + "/lenses", self.list_lenses, methods=["POST"]),
            Route(variant + "/study", self.show_study),
            Route(variant + "/tutorial", self.show_tutorial, methods=["POST"]),
            Route(variant + "/table/scene", self.make_scene, methods=["POST"]),
        ]

    async def show_scenes(self, request: Request) -> Response:
        """Return the scenes of the variant with their results, and the rules that no scene plays."""
        opened = await self.at.require_access(request)

        def render() -> Response:
            """Return the page of the latest scene report; start a run if there is none over the current texts."""
            run = self.at.run(opened.session, SceneRun, SceneRun)
            return self.at.render_page(
                "scenes.html", opened, found=run.latest_report(), more=run.running, problem=run.problem
            )

        return await to_thread(render)

    async def list_lenses(self, request: Request) -> Response:
        """Return the code lenses of a file."""
        opened, body = await self.at.require_access(request), await read_json(request)
        file = require_text(body, "file")

        def collect() -> list[Data]:
            """Return the file's lenses with the latest scene results. Raises `EditRefused` for an unknown file."""
            if file not in opened.project.texts:
                raise EditRefused("there is no such file in this variant")
            run = self.at.find_run(opened.session, SceneRun)
            return collect_lenses(opened.project, file, run.latest_report() if run is not None else None)

        return await to_response(to_thread(collect))

    async def show_study(self, request: Request) -> Response:
        """Return the results so far of a study of the variant: who wins, and the value of its new things."""
        opened = await self.at.require_access(request)

        def render() -> Response:
            if collect_own_things(opened.project)[1]:
                return self.at.render_page("study.html", opened, found=None, more=False, problem="")
            run = self.at.run(opened.session, Evaluation, Evaluation)
            return self.at.render_page(
                "study.html",
                opened,
                found=run.latest_report(),
                more=run.running,
                problem=run.problem,
                describe_worth=describe_worth,
                render_chart=render_chart,
            )

        return await to_thread(render)

    async def make_scene(self, request: Request) -> Response:
        """Write a scene of the person's last answer at a table into the variant."""
        opened, body = await self.at.require_access(request, writing=True), await read_json(request)
        return await to_response(self._make_scene(opened, body))

    async def _make_scene(self, opened: VariantAccess, body: RequestBody) -> Data:
        """Record a scene of the person's last answer into a draft, and return its file, name and line."""
        raw, name = await to_thread(self.playing.read_journal_bytes, body), require_text(body, "name").strip()
        answer_index = find_last_person_answer(
            truncate(await to_thread(parse_journal, raw), require_number(body, "answers"))
        )
        new_scene: NewScene = await self.at.run_in_sandbox(opened, variant_games.make_scene, raw, answer_index, name)
        await to_thread(opened.session.put_draft, new_scene.file, new_scene.text)
        line = next(
            (number for number, text_line in enumerate(new_scene.text.split("\n"), 1) if new_scene.name in text_line), 1
        )
        return {"file": new_scene.file, "name": new_scene.name, "line": line}

    async def show_tutorial(self, request: Request) -> Response:
        """Return the tutorial with its current step, the first that is not done."""
        opened, body = await self.at.require_access(request), await read_json(request)
        return await to_thread(partial(self._render_tutorial, opened, body))

    def _render_tutorial(self, opened: VariantAccess, body: RequestBody) -> Response:
        """Render the tutorial at the step the person looks at, by default the first that is not done."""
        tutorial = find_tutorial(opened.project)
        if tutorial is None:
            return self.at.render_page("tutorial.html", opened, tutorial=None)
        reached = self._advance_tutorial(opened, tutorial, body)
        shown = body.get("shown")
        shown = shown if isinstance(shown, int) and 0 <= shown < len(tutorial.steps) else reached
        return self.at.render_page("tutorial.html", opened, tutorial=tutorial, reached=reached, shown=shown)

    def _advance_tutorial(self, opened: VariantAccess, tutorial: Tutorial, body: RequestBody) -> int:
        """Return the current step, after advancing over the steps that are done by now.

        It never goes back: it starts at the last step that the page or the server knows of.
        """
        session, page_step = opened.session, body.get("reached")
        with session.tutorial_lock:
            if isinstance(page_step, int):
                session.tutorial_step = max(session.tutorial_step, min(page_step, len(tutorial.steps)))
            while session.tutorial_step < len(tutorial.steps) and is_done(
                tutorial.steps[session.tutorial_step], self._collect_progress(opened, body)
            ):
                session.tutorial_step += 1
                opened.project.begin_step()
            return session.tutorial_step

    def _collect_progress(self, opened: VariantAccess, body: RequestBody) -> TutorialProgress:
        """Return all that steps of a tutorial check: own things, errors, names read, game, scenes and study."""
        things, errors = collect_own_things(opened.project)
        scene_run, evaluation = self.at.find_run(opened.session, SceneRun), self.at.find_run(opened.session, Evaluation)
        journal = self.playing.read_journal(body) if body.get("host") else None
        return TutorialProgress(
            things,
            errors,
            opened.project.had_errors,
            frozenset(opened.project.read_names),
            journal,
            scene_run.latest_report() if scene_run is not None else None,
            evaluation.latest_report() if evaluation is not None else None,
        )


def find_last_person_answer(journal: Journal) -> int:
    """Return the index of the last answer that a person gave. Raises `EditRefused` if there is none."""
    numbers = (
        number for number in range(len(journal.answers) - 1, -1, -1) if is_person(journal, journal.answers[number].seat)
    )
    index = next(numbers, None)
    if index is None:
        raise EditRefused("you have not made any moves at this table yet")
    return index
