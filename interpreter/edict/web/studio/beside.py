"""Doors of what stands beside the rules and is found out while somebody types: scenes, studies, the tutorial."""

from __future__ import annotations

from functools import partial

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edict.studio.playing import scene_of
from edict.studio.scenes import SceneRun
from edict.studio.worth import Worth
from edict.web.studio.playing import Data, Playing, Sent
from edict.web.studio.room import Opened, Room
from edict.web.studio.sending import sent, text, told
from edict.web.studio.tutorial import Progress, is_done, own_things, tutorial_of


class Beside:
    """Parts of the page that are drawn by the server, and drawn again until they are complete."""

    def __init__(self, room: Room, playing: Playing) -> None:
        self.at = room
        self.playing = playing

    def routes(self) -> list[Route]:
        variant = "/studio/{key}"
        return [
            Route(variant + "/scenes", self.scenes),
            Route(variant + "/study", self.study),
            Route(variant + "/tutorial", self.tutorial, methods=["POST"]),
            Route(variant + "/table/scene", self.make_scene, methods=["POST"]),
        ]

    async def scenes(self, request: Request) -> Response:
        """The scenes of the variant with their results, and what none of them plays."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            run = self.at.run(opened.work, SceneRun, SceneRun)
            found = run.now()
            return self.at.page("scenes.html", opened, found=found, more=found is None or not found.done)

        return await run_sync(drawn)

    async def study(self, request: Request) -> Response:
        """Who wins, and what the variant's things are worth, as far as is known by now."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            if own_things(opened.desk)[1]:
                return self.at.page("study.html", opened, found=None, more=False, problem="")
            run = self.at.run(opened.work, Worth, Worth)
            found, problem = run.now(), run.problem
            more = not problem and (found is None or not found.done)
            return self.at.page("study.html", opened, found=found, more=more, problem=problem)

        return await run_sync(drawn)

    async def make_scene(self, request: Request) -> Response:
        """A scene of the last answer at a table, written into the variant."""
        opened, body = await self.at.opened(request, writing=True), await sent(request)
        return await told(partial(self._scene, opened, body))

    def _scene(self, opened: Opened, body: Sent) -> Data:
        journal, snapshot = self.playing.journal(body), opened.variant.snapshot()
        made = scene_of(journal, opened.work.rules(), snapshot, name=text(body, "name").strip())
        opened.work.put(made.file, made.text)
        line = next((n for n, each in enumerate(made.text.split("\n"), 1) if made.name in each), 1)
        return {"file": made.file, "line": line}

    async def tutorial(self, request: Request) -> Response:
        """The steps of the tutorial, and the first that is not done."""
        opened, body = await self.at.opened(request), await sent(request)
        return await run_sync(partial(self._tutorial, opened, body))

    def _tutorial(self, opened: Opened, body: Sent) -> Response:
        found = tutorial_of(opened.desk)
        if found is None:
            return self.at.page("tutorial.html", opened, tutorial=None, done=(), current=None)
        progress = self._progress(opened, body)
        done = tuple(is_done(step, progress) for step in found.steps)
        current = next((number for number, one in enumerate(done) if not one), None)
        return self.at.page("tutorial.html", opened, tutorial=found, done=done, current=current)

    def _progress(self, opened: Opened, body: Sent) -> Progress:
        things, errors = own_things(opened.desk)
        scenes, worth = (self.at.running(opened.work, sort) for sort in (SceneRun, Worth))
        return Progress(
            things, errors, frozenset(opened.desk.read), self.playing.journal(body) if body.get("host") else None,
            scenes.now() if scenes is not None else None, worth.now() if worth is not None else None,
        )  # fmt: skip
