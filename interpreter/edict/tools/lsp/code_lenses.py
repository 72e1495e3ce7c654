"""Code lenses above the things of a file: their scenes, results, and places no scene has played."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Iterator, Sequence
from pathlib import Path

from lsprotocol import types as p

from edict.support.morphology import count_noun
from edict.support.text import Span
from edict.tools.language_service import document_structure, scene_lenses
from edict.tools.language_service.answer_types import Location, ModuleSceneResults, OutlineEntry, SceneLens
from edict.tools.lsp.editor_session import EditorServer, PlaceConverter, path_from_uri, refresh_lenses, uri_from_path

SHOW_COMMAND = "edict.showScenes"  # command of the editor that shows places of the file under a lens
# command of the editor that plays on from a scene, as `kingsburg play --at FILE:LINE`; takes a URI and a line
PLAY_COMMAND = "edict.playScene"
# command of the server that plays the scenes of the module a file belongs to; takes the URI of the file
RUN_COMMAND = "edict.runScenes"


def register(server: EditorServer) -> None:
    """Register the handlers for code lenses and for playing scenes."""

    @server.feature(p.TEXT_DOCUMENT_CODE_LENS)
    def _code_lenses(params: p.CodeLensParams) -> list[p.CodeLens]:
        """Return the lenses of a file: for its scenes, for things that scenes mention, and for unplayed places."""
        path = path_from_uri(params.text_document.uri)
        rules = server.space.get_rules(path)
        results = server.results.get(rules.folder) if rules is not None else None
        mentioned, places = scene_lenses.list_lenses(server.space, path, fresh=False), PlaceConverter(server)
        scene_lenses_here = [
            _play_lens(places, path, scene.span, scene) for scene in scene_lenses.list_scenes(server.space, path)
        ]
        unplayed = _iter_unplayed_lenses(places, path, document_structure.build_outline(server.space, path), results)
        return [*scene_lenses_here, *_iter_scene_lenses(places, path, mentioned, results), *unplayed]

    @server.command(RUN_COMMAND)
    def _run_scenes(uri: str) -> None:
        """Play the scenes of the rules that a URI belongs to in a thread, and report the result when it is there."""
        run = scene_lenses.prepare_scene_run(server.space, path_from_uri(uri))
        if run is not None:
            server.run_in_background(_report_run(server, asyncio.to_thread(run)))


def _iter_scene_lenses(
    places: PlaceConverter, path: Path, mentioned: Sequence[SceneLens], results: ModuleSceneResults | None
) -> Iterator[p.CodeLens]:
    """Yield three lenses for each thing that scenes mention: list the scenes, run all, play on from the first."""
    for lens in mentioned:
        scenes = [location for _, location in lens.scenes]
        yield _places_lens(places, path, lens.span, scene_lenses.lens_title(lens, results), scenes)
        yield p.CodeLens(
            places.to_range(path, lens.span), p.Command("run", RUN_COMMAND, arguments=[uri_from_path(path)])
        )
        yield _play_lens(places, path, lens.span, scenes[0])


def _play_lens(places: PlaceConverter, path: Path, span: Span, scene: Location) -> p.CodeLens:
    """Return a lens above a thing or a scene that plays on from the scene."""
    command = p.Command("play from here", PLAY_COMMAND, arguments=[uri_from_path(scene.path), scene.span.line])
    return p.CodeLens(places.to_range(path, span), command)


def _iter_unplayed_lenses(
    places: PlaceConverter, path: Path, entries: Sequence[OutlineEntry], results: ModuleSceneResults | None
) -> Iterator[p.CodeLens]:
    """Yield a lens for each definition with unplayed places, which lists them; none before scenes were run."""
    for entry in entries:
        unplayed = scene_lenses.list_unplayed_places(results, path, entry.span.line, entry.span.end_line)
        if unplayed:
            title = f"{count_noun(len(unplayed), 'place')} not covered by any scene"
            yield _places_lens(places, path, entry.name_span, title, [location for location, _ in unplayed])


def _places_lens(places: PlaceConverter, path: Path, span: Span, title: str, shown: Sequence[Location]) -> p.CodeLens:
    """Return a lens above a span whose click shows a list of locations."""
    range_ = places.to_range(path, span)
    arguments = [uri_from_path(path), range_.start, [places.to_location(location) for location in shown]]
    return p.CodeLens(range_, p.Command(title, SHOW_COMMAND, arguments=arguments))


async def _report_run(server: EditorServer, run: Awaitable[ModuleSceneResults]) -> None:
    """Store the results of a scene run, show up to five failures or the number of passes, and refresh lenses."""
    results = await run
    server.results[results.folder] = results
    failed = [scene for scene in results.scenes if not scene.ok]
    messages = results.wrong or [f"{failed_scene.name}: {failed_scene.wrong[0]}" for failed_scene in failed]
    count = len(results.scenes)
    success_text = f"{count} scene{'s' if count != 1 else ''} passed"
    kind = p.MessageType.Warning if messages else p.MessageType.Info
    server.window_show_message(p.ShowMessageParams(kind, "\n".join(messages[:5]) or success_text))
    refresh_lenses(server)
