"""Doors of what stands beside the rules and is found out while somebody types: scenes, studies, the tutorial."""

from __future__ import annotations

from functools import partial

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edict.service.values import Refused
from edict.studio.playtests import moment
from edict.studio.scene_recording import NewScene
from edict.studio.scene_runs import SceneRun
from edict.studio.evaluation import Evaluation
from edict.table.journal import Journal, parse_journal
from edict.web.studio import games
from edict.web.studio.lenses import above
from edict.web.studio.playing import Data, Playing, Sent
from edict.web.studio.room import Opened, Room
from edict.web.studio.sending import number, sent, text, answered
from edict.web.studio.tutorial import Progress, Tutorial, by_person, is_done, own_things, tutorial_of


class Beside:
    """Parts of the page that are drawn by the server, and drawn again until they are complete."""

    def __init__(self, room: Room, playing: Playing) -> None:
        self.at = room
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
            return self.at.page("scenes.html", opened, found=run.now(), more=run.running, problem=run.problem)

        return await run_sync(drawn)

    async def lenses(self, request: Request) -> Response:
        """What stands above the things of a file."""
        opened, body = await self.at.opened(request), await sent(request)
        file = text(body, "file")

        def found() -> list[Data]:
            if file not in opened.desk.texts:
                raise Refused("there is no such file in this variant")
            run = self.at.running(opened.work, SceneRun)
            return above(opened.desk, file, run.now() if run is not None else None)

        return await answered(run_sync(found))

    async def study(self, request: Request) -> Response:
        """Who wins, and what the variant's things are worth, as far as is known by now."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            if own_things(opened.desk)[1]:
                return self.at.page("study.html", opened, found=None, more=False, problem="")
            run = self.at.run(opened.work, Evaluation, Evaluation)
            return self.at.page("study.html", opened, found=run.now(), more=run.running, problem=run.problem)

        return await run_sync(drawn)

    async def make_scene(self, request: Request) -> Response:
        """A scene of the last answer at a table, written into the variant."""
        opened, body = await self.at.opened(request, writing=True), await sent(request)
        return await answered(self._scene(opened, body))

    async def _scene(self, opened: Opened, body: Sent) -> Data:
        raw, name = await run_sync(self.playing.raw, body), text(body, "name").strip()
        done = last_of_person(moment(await run_sync(parse_journal, raw), number(body, "answers")))
        made: NewScene = await self.at.played(opened, games.scene, raw, done, name)
        await run_sync(opened.work.put, made.file, made.text)
        line = next((n for n, each in enumerate(made.text.split("\n"), 1) if made.name in each), 1)
        return {"file": made.file, "name": made.name, "line": line}

    async def tutorial(self, request: Request) -> Response:
        """The steps of the tutorial, and the first that is not done."""
        opened, body = await self.at.opened(request), await sent(request)
        return await run_sync(partial(self._tutorial, opened, body))

    def _tutorial(self, opened: Opened, body: Sent) -> Response:
        found = tutorial_of(opened.desk)
        if found is None:
            return self.at.page("tutorial.html", opened, tutorial=None)
        reached = self._reached(opened, found, body)
        shown = body.get("shown")
        shown = shown if isinstance(shown, int) and 0 <= shown < len(found.steps) else reached
        return self.at.page("tutorial.html", opened, tutorial=found, reached=reached, shown=shown)

    def _reached(self, opened: Opened, found: Tutorial, body: Sent) -> int:
        """The step somebody is at: the last one the page knows of, and those done since. What was done stays done."""
        work, known = opened.work, body.get("reached")
        if isinstance(known, int):
            work.step = max(work.step, min(known, len(found.steps)))
        while work.step < len(found.steps) and is_done(found.steps[work.step], self._progress(opened, body)):
            work.step += 1
            opened.desk.begin_step()
        return work.step

    def _progress(self, opened: Opened, body: Sent) -> Progress:
        things, errors = own_things(opened.desk)
        scenes, worth = self.at.running(opened.work, SceneRun), self.at.running(opened.work, Evaluation)
        journal = self.playing.journal(body) if body.get("host") else None
        return Progress(
            things, errors, opened.desk.was_wrong, frozenset(opened.desk.read), journal,
            scenes.now() if scenes is not None else None, worth.now() if worth is not None else None,
        )  # fmt: skip


def last_of_person(journal: Journal) -> int:
    """How many answers were given before the last one of somebody who is no bot. Raises `Refused`."""
    numbers = (n for n in range(len(journal.answers) - 1, -1, -1) if by_person(journal, journal.answers[n].seat))
    found = next(numbers, None)
    if found is None:
        raise Refused("you have not answered anything at this table yet")
    return found
