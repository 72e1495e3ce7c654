"""What stands above the things of a file: their scenes, how these went, and what no scene has played."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types as p

from edict.support.morphology import count_noun
from edict.support.text import Span
from edict.tools.language_service import document_structure, scene_lenses
from edict.tools.language_service.answer_types import Lens, Location, Outline, SceneResults
from edict.tools.lsp.editor_session import ProtocolPlaces, Server, path_of, refresh_lenses, uri_of

SHOW = "edict.showScenes"
"""The editor's command behind a lens: shows places of the file under it."""
PLAY = "edict.playScene"
"""The editor's command that plays on from a scene, as `kingsburg play --at FILE:LINE`: it takes a URI and a line."""
RUN = "edict.runScenes"
"""The server's command that plays the scenes of the module a file belongs to; it takes the file's URI."""


def register(server: Server) -> None:
    """Take part in showing and playing scenes."""

    @server.feature(p.TEXT_DOCUMENT_CODE_LENS)
    def _lenses(asked: p.CodeLensParams) -> list[p.CodeLens]:
        path = path_of(asked.text_document.uri)
        rules = server.space.rules(path)
        results = server.results.get(rules.folder) if rules is not None else None
        spoken, places = scene_lenses.lenses(server.space, path, anew=False), ProtocolPlaces(server)
        own = [_play(places, path, one.span, one) for one in scene_lenses.in_file(server.space, path)]
        unplayed = _unplayed(places, path, document_structure.outline(server.space, path), results)
        return [*own, *_of_scenes(places, path, spoken, results), *unplayed]

    @server.command(RUN)
    def _run(uri: str) -> None:
        work = scene_lenses.job(server.space, path_of(uri))
        if work is not None:
            server.start(_ran(server, asyncio.to_thread(work)))


def _of_scenes(
    places: ProtocolPlaces, path: Path, spoken: Sequence[Lens], results: SceneResults | None
) -> Iterator[p.CodeLens]:
    for lens in spoken:
        scenes = [where for _, where in lens.scenes]
        yield _lens(places, path, lens.span, scene_lenses.counted(lens, results), scenes)
        yield p.CodeLens(places.range(path, lens.span), p.Command("run", RUN, arguments=[uri_of(path)]))
        yield _play(places, path, lens.span, scenes[0])


def _play(places: ProtocolPlaces, path: Path, span: Span, scene: Location) -> p.CodeLens:
    """Above a thing, or above the scene itself."""
    command = p.Command("play from here", PLAY, arguments=[uri_of(scene.path), scene.span.line])
    return p.CodeLens(places.range(path, span), command)


def _unplayed(
    places: ProtocolPlaces, path: Path, outlined: Sequence[Outline], results: SceneResults | None
) -> Iterator[p.CodeLens]:
    for one in outlined:
        there = scene_lenses.unplayed_in(results, path, one.span.line, one.span.end_line)
        if there:
            title = f"{count_noun(len(there), 'place')} no scene has played"
            yield _lens(places, path, one.name_span, title, [where for where, _ in there])


def _lens(places: ProtocolPlaces, path: Path, span: Span, title: str, shown: Sequence[Location]) -> p.CodeLens:
    range_ = places.range(path, span)
    arguments = [uri_of(path), range_.start, [places.location(where) for where in shown]]
    return p.CodeLens(range_, p.Command(title, SHOW, arguments=arguments))


async def _ran(server: Server, work: Awaitable[SceneResults]) -> None:
    results = await work
    server.results[results.folder] = results
    failed = [scene for scene in results.scenes if not scene.ok]
    told = results.wrong or [f"{one.name}: {one.wrong[0]}" for one in failed]
    number = len(results.scenes)
    passed = f"{number} scene{'s' if number != 1 else ''} passed"
    kind = p.MessageType.Warning if told else p.MessageType.Info
    server.window_show_message(p.ShowMessageParams(kind, "\n".join(told[:5]) or passed))
    refresh_lenses(server)
