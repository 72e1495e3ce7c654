"""Routes of what stands beside the rules: games from any moment, scenes, studies, the tutorial."""

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

from edict.apps.web.live_tables import HOST, PlayableGame
from edict.apps.web.request_values import number_in, parse_number, read_form, read_json, text_in
from edict.apps.web.studio import variant_games
from edict.apps.web.studio.editor_api import above
from edict.apps.web.studio.open_variants import Access, StudioServer
from edict.apps.web.studio.page_data import answered
from edict.apps.web.studio.tutorial import Progress, Tutorial, by_person, is_done, own_things, tutorial_of
from edict.apps.web.table_server import FULL
from edict.game.table.journal import Journal, parse_journal
from edict.support.morphology import to_sentence
from edict.tools.language_service.answer_types import Refused
from edict.tools.studio.evaluation import Evaluation
from edict.tools.studio.playtests import moment
from edict.tools.studio.scene_runs import SceneRun
from edict.tools.studio.scenes_of_play import NewScene

# --- games at tables -------------------------------------------------------------------------------


BOT = "greedy"
GONE = "that table no longer exists; start a new game"
Sent = Mapping[str, Any]
Data = dict[str, Any]


class TablePanel:
    """Tables of a variant. The page knows one by its host's key: whoever has that may see everything anyway."""

    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        table = "/studio/{key}/table"
        routes: dict[str, Callable[[Access, Sent], Awaitable[Data]]] = {
            "begin": self.begin,
            "moment": self.moment,
            "renew": self.renew,
            "stands": self.stands,
        }
        made = [Route(f"{table}/{name}", self._route(action), methods=["POST"]) for name, action in routes.items()]
        friends = Route("/studio/{key}/friends", self.friends, methods=["POST"])
        return [*made, Route(table, self.choices), friends]

    async def choices(self, request: Request) -> Response:
        """What can be chosen for a new game."""
        opened = await self.at.opened(request)
        found: range | None = None
        with suppress(Refused):
            found = await self.at.played(opened, variant_games.players)

        def drawn() -> Response:
            openings, bots = opened.project.scenes() if found is not None else (), self.at.serving.offer.bots
            return self.at.page("table.html", opened, players=found, openings=openings, bots=bots)

        return await to_thread(drawn)

    def _route(self, action: Callable[[Access, Sent], Awaitable[Data]]) -> Callable[[Request], Any]:
        async def route(request: Request) -> Response:
            opened, body = await self.at.opened(request), await read_json(request)
            limits = self.at.serving.limits
            new = action == self.begin
            rate, what = (limits.new_tables, "new tables") if new else (limits.continuations, "continuations")
            self.at.serving.gate.check(rate, what, request)
            return await answered(action(opened, body))

        return route

    # --- routes ------------------------------------------------------------------------------

    async def begin(self, opened: Access, body: Sent) -> Data:
        """A game from the start, or from a scene; bots have the other seats."""
        bot = text_in(body, "bot", "") or BOT
        if bot not in self.at.serving.offer.bots:
            raise Refused("there is no such bot")
        scene, count = text_in(body, "scene", ""), parse_number(body.get("players", ""))
        return await self._opened(await self.at.played(opened, variant_games.begin, scene, count, bot))

    async def friends(self, request: Request) -> Response:
        """A table for friends with the variant as it is: its host's page."""
        opened, serving = await self.at.opened(request), self.at.serving
        await serving.new_table(request)
        async with read_form(request, 5) as form:
            count = parse_number(form.get("players", "")) or 0
        try:
            begun = await self.at.played(opened, variant_games.gather, count)
        except Refused as problem:
            raise HTTPException(422, to_sentence(str(problem))) from None
        links = await serving.tables.open(begun, sealed=True)
        return RedirectResponse(f"/host/{next(one.key for one in links if one.seat == HOST)}", 303)

    async def moment(self, opened: Access, body: Sent) -> Data:
        """The game at a table as it was after this many answers, at a new table."""
        answers = number_in(body, "answers")
        found = await self.at.played(opened, variant_games.moment, await self._raw(body), answers)
        return await self._continued(found, body)

    async def renew(self, opened: Access, body: Sent) -> Data:
        """The game at a table under the rules as they are now; the same table, if they are still the same."""
        return await self._continued(await self.at.played(opened, variant_games.renew, await self._raw(body)), body)

    async def stands(self, opened: Access, body: Sent) -> Data:
        """The table behind a host's key."""
        return await to_thread(self._stands, body)

    def _stands(self, body: Sent) -> Data:
        links = self.at.serving.store.links(self._table(body))
        person = next((one for one in links if one.seat >= 0 and not one.bot), None)
        return {"host": body.get("host"), "seat": person.key if person is not None else "", "said": ""}

    # --- tables ------------------------------------------------------------------------------

    async def _continued(self, found: variant_games.Continued, body: Sent) -> Data:
        if found.game is None:
            return await to_thread(self._stands, body)
        return await self._opened(found.game, found.said)

    async def _opened(self, begun: PlayableGame, said: str = "") -> Data:
        serving = self.at.serving
        if await to_thread(serving.store.count) >= serving.limits.tables:
            raise HTTPException(503, FULL)
        links = await serving.tables.open(begun)
        host = next(one for one in links if one.seat == HOST)
        person = next((one for one in links if one.seat >= 0 and not one.bot), None)
        return {"host": host.key, "seat": person.key if person is not None else "", "said": said, "table": host.table}

    def _table(self, body: Sent) -> str:
        link = self.at.serving.store.link(text_in(body, "host"))
        if link is None or link.seat != HOST:
            raise Refused(GONE)
        return link.table

    async def _raw(self, body: Sent) -> bytes:
        return await to_thread(self.raw, body)

    def raw(self, body: Sent) -> bytes:
        """The file of the game at the table behind a host's key. Raises `Refused`."""
        lines = self.at.serving.store.lines(self._table(body))
        if not lines:
            raise Refused(GONE)
        return b"".join(lines)

    def journal(self, body: Sent) -> Journal:
        """That game. Raises `Refused`."""
        return parse_journal(self.raw(body))


# --- scenes, studies, the tutorial -----------------------------------------------------------------


class ResultPanels:
    """Parts of the page that are drawn by the server, and drawn again until they are complete."""

    def __init__(self, studio: StudioServer, playing: TablePanel) -> None:
        self.at = studio
        self.playing = playing

    def routes(self) -> list[Route]:
        variant = "/studio/{key}"
        return [
            Route(variant + "/scenes", self.scenes),
            Route(variant + "/lenses", self.lenses, methods=["POST"]),
            Route(variant + "/study", self.study),
            Route(variant + "/tutorial", self.tutorial, methods=["POST"]),
            Route(variant + "/table/scene", self.make_scene, methods=["POST"]),
        ]

    async def scenes(self, request: Request) -> Response:
        """The scenes of the variant with their results, and what none of them plays."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            run = self.at.run(opened.work, SceneRun, SceneRun)
            return self.at.page("scenes.html", opened, found=run.latest_report(), more=run.running, problem=run.problem)

        return await to_thread(drawn)

    async def lenses(self, request: Request) -> Response:
        """What stands above the things of a file."""
        opened, body = await self.at.opened(request), await read_json(request)
        file = text_in(body, "file")

        def found() -> list[Data]:
            if file not in opened.project.texts:
                raise Refused("there is no such file in this variant")
            run = self.at.running(opened.work, SceneRun)
            return above(opened.project, file, run.latest_report() if run is not None else None)

        return await answered(to_thread(found))

    async def study(self, request: Request) -> Response:
        """Who wins, and what the variant's things are worth, as far as is known by now."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            if own_things(opened.project)[1]:
                return self.at.page("study.html", opened, found=None, more=False, problem="")
            run = self.at.run(opened.work, Evaluation, Evaluation)
            return self.at.page("study.html", opened, found=run.latest_report(), more=run.running, problem=run.problem)

        return await to_thread(drawn)

    async def make_scene(self, request: Request) -> Response:
        """A scene of the last answer at a table, written into the variant."""
        opened, body = await self.at.opened(request, writing=True), await read_json(request)
        return await answered(self._scene(opened, body))

    async def _scene(self, opened: Access, body: Sent) -> Data:
        raw, name = await to_thread(self.playing.raw, body), text_in(body, "name").strip()
        done = last_of_person(moment(await to_thread(parse_journal, raw), number_in(body, "answers")))
        made: NewScene = await self.at.played(opened, variant_games.scene, raw, done, name)
        await to_thread(opened.work.put, made.file, made.text)
        line = next((n for n, each in enumerate(made.text.split("\n"), 1) if made.name in each), 1)
        return {"file": made.file, "name": made.name, "line": line}

    async def tutorial(self, request: Request) -> Response:
        """The steps of the tutorial, and the first that is not done."""
        opened, body = await self.at.opened(request), await read_json(request)
        return await to_thread(partial(self._tutorial, opened, body))

    def _tutorial(self, opened: Access, body: Sent) -> Response:
        found = tutorial_of(opened.project)
        if found is None:
            return self.at.page("tutorial.html", opened, tutorial=None)
        reached = self._reached(opened, found, body)
        shown = body.get("shown")
        shown = shown if isinstance(shown, int) and 0 <= shown < len(found.steps) else reached
        return self.at.page("tutorial.html", opened, tutorial=found, reached=reached, shown=shown)

    def _reached(self, opened: Access, found: Tutorial, body: Sent) -> int:
        """The step somebody is at: the last one the page knows of, and those done since. What was done stays done."""
        work, known = opened.work, body.get("reached")
        if isinstance(known, int):
            work.step = max(work.step, min(known, len(found.steps)))
        while work.step < len(found.steps) and is_done(found.steps[work.step], self._progress(opened, body)):
            work.step += 1
            opened.project.begin_step()
        return work.step

    def _progress(self, opened: Access, body: Sent) -> Progress:
        things, errors = own_things(opened.project)
        scenes, worth = self.at.running(opened.work, SceneRun), self.at.running(opened.work, Evaluation)
        journal = self.playing.journal(body) if body.get("host") else None
        return Progress(
            things,
            errors,
            opened.project.was_wrong,
            frozenset(opened.project.read),
            journal,
            scenes.latest_report() if scenes is not None else None,
            worth.latest_report() if worth is not None else None,
        )


def last_of_person(journal: Journal) -> int:
    """How many answers were given before the last one of somebody who is no bot. Raises `Refused`."""
    numbers = (n for n in range(len(journal.answers) - 1, -1, -1) if by_person(journal, journal.answers[n].seat))
    found = next(numbers, None)
    if found is None:
        raise Refused("you have not answered anything at this table yet")
    return found
