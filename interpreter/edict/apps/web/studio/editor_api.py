"""Routes of the page for the editor: the texts, what is typed, and what the language service is asked about them.

Each question is a function of a project and what the page sent; it raises `Refused` with the reason.
"""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from edict.apps.web.request_values import MALFORMED, read_json, text_in
from edict.apps.web.studio import page_data
from edict.apps.web.studio.open_variants import Project, StudioServer
from edict.apps.web.studio.page_data import answered, prose
from edict.support.text import Span
from edict.tools.language_service import (
    cursor_help,
    diagnostics,
    document_structure,
    inlay_hints,
    navigation,
    renaming,
    rule_completion,
    scene_lenses,
    semantic_tokens,
)
from edict.tools.language_service.answer_types import At, Location, Refused, SceneResult, SceneResults
from edict.tools.language_service.formatting import indentation, laid_out
from edict.tools.language_service.scene_lenses import lenses
from edict.tools.studio.scene_runs import PASSED, ScenesFound

# --- what the language service is asked ------------------------------------------------------------


Asked = Mapping[str, Any]


def _path(project: Project, asked: Asked) -> Path:
    name = text_in(asked, "file", "")
    if name not in project.texts:
        raise Refused("there is no such file in this variant")
    return project.path(name)


def _at(asked: Asked) -> At:
    line, column = asked.get("line"), asked.get("column")
    if not isinstance(line, int) or not isinstance(column, int):
        raise Refused("that is not a place in a file")
    return At(max(line, 1), max(column, 1))


def problems(project: Project, asked: Asked) -> Any:
    """All that is wrong with the variant, in whatever files. `whole`: also what only making the code finds out."""
    if asked.get("whole"):
        project.check_whole()
    with project.asking() as space:
        found = diagnostics.problems(space, project.manifest, whole=False)
        project.was_wrong |= any(one.severity == "error" for one in found)
        return [page_data.problem(one, project.named) for one in found]


def colours(project: Project, asked: Asked) -> Any:
    with project.asking() as space:
        return page_data.colours(semantic_tokens.colours(space, _path(project, asked)))


def complete(project: Project, asked: Asked) -> Any:
    with project.asking() as space:
        return [page_data.item(one) for one in rule_completion.completions(space, _path(project, asked), _at(asked))]


def words(project: Project, asked: Asked) -> Any:
    """The English of something that is offered."""
    with project.asking() as space:
        return rule_completion.words_of(space, project.manifest, text_in(asked, "name", ""))


def hover(project: Project, asked: Asked) -> Any:
    with project.asking() as space:
        found = cursor_help.hover(space, _path(project, asked), _at(asked))
        return {"html": prose(found.text), "at": page_data.place(found.span)} if found is not None else None


def meaning(project: Project, asked: Asked) -> Any:
    """What is said about the definition around a place, and then of the word there, if that is something else.

    It counts as read where somebody has `looked` for it.
    """
    path, at = _path(project, asked), _at(asked)
    with project.asking() as space:
        entries = document_structure.outline(space, path)
        around = (one for one in entries if one.span.line <= at.line <= one.span.end_line)
        places = [*(At(one.name_span.line, one.name_span.end_column) for one in around), at]
        found = [one for one in (cursor_help.hover(space, path, place) for place in places) if one is not None]
        project.read |= {_word(space.text(path), one.span) for one in found} if asked.get("looked") else set()
    return "<hr>".join(prose(text) for text in dict.fromkeys(one.text for one in found))


def _word(text: str, span: Span) -> str:
    return text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


def definition(project: Project, asked: Asked) -> Any:
    """Where the word at a place is declared."""
    with project.asking() as space:
        found = navigation.definitions(space, _path(project, asked), _at(asked))
        return [page_data.related(one, "", project.named) for one in found]


def references(project: Project, asked: Asked) -> Any:
    """Everywhere the word at a place is written, each with its line."""
    with project.asking() as space:
        found = navigation.references(space, _path(project, asked), _at(asked))
        lines = [space.text(one.path).split("\n")[one.span.line - 1].strip() for one in found]
        return [page_data.related(one, line, project.named) for one, line in zip(found, lines, strict=True)]


def signature(project: Project, asked: Asked) -> Any:
    """What the value at a place is given to, and which part of it is being written."""
    with project.asking() as space:
        found = cursor_help.signature(space, _path(project, asked), _at(asked))
    return {"label": found.label, "part": found.parameters[found.active], "words": found.words} if found else None


def hints(project: Project, asked: Asked) -> Any:
    """What the text leaves unsaid, to be shown behind words."""
    with project.asking() as space:
        found = inlay_hints.hints(space, _path(project, asked))
        return [{"line": one.at.line, "column": one.at.column, "text": one.text, "words": one.words} for one in found]


def renamable(project: Project, asked: Asked) -> Any:
    with project.asking() as space:
        return renaming.can_rename(space, _path(project, asked), _at(asked))[0]


def rename(project: Project, asked: Asked) -> Any:
    with project.asking() as space:
        found = renaming.rename(space, _path(project, asked), _at(asked), text_in(asked, "name", ""))
        return page_data.changes(found, project.named)


def indent(_: Project, asked: Asked) -> Any:
    """How far in a line begins below the text that is sent: it is asked with every line, so it waits for nothing."""
    return indentation(text_in(asked, "before", ""))


def layout(project: Project, asked: Asked) -> Any:
    """The file in its canonical layout."""
    with project.asking() as space:
        return laid_out(space, _path(project, asked))


QUESTIONS: dict[str, Callable[[Project, Asked], Any]] = {
    one.__name__: one
    for one in (
        problems,
        colours,
        complete,
        words,
        hover,
        meaning,
        definition,
        references,
        signature,
        hints,
        renamable,
        rename,
        indent,
        layout,
    )
}


# --- what stands above definitions -----------------------------------------------------------------


Data = dict[str, Any]


def above(project: Project, file: str, found: ScenesFound | None) -> list[Data]:
    """By the line of each definition that has something above it. `found`: how the scenes went, if known."""
    results, path = _results(project, found) if found is not None else None, project.path(file)
    with project.asking() as space:
        spoken = {one.span.line: one for one in lenses(space, path)}
        outline = document_structure.outline(space, path)
    made = []
    for one in outline:
        lens = spoken.get(one.name_span.line)
        unplayed = scene_lenses.unplayed_in(results, path, one.span.line, one.span.end_line)
        if lens is not None or unplayed:
            beside = lens.scenes if lens is not None else ()
            scenes = [{"name": name, **_place(project, where)} for name, where in beside]
            said = scene_lenses.counted(lens, results) if lens is not None else ""
            places = [{"what": what, **_place(project, where)} for where, what in unplayed]
            line = {"line": one.span.line, "end": one.span.end_line, "said": said}
            made.append({**line, "scenes": scenes, "unplayed": places})
    return made


def _results(project: Project, found: ScenesFound) -> SceneResults:
    played = (
        SceneResult(one.name, _location(project, one.file, one.line), () if one.outcome == PASSED else (one.outcome,))
        for one in found.scenes
    )
    never = found.covered.never if found.covered is not None else ()
    places = tuple((_location(project, one.file, one.line, one.column), one.what) for one in never)
    return SceneResults(project.folder, tuple(played), places)


def _location(project: Project, file: str, line: int, column: int = 1) -> Location:
    return Location(project.path(file), Span(file, line, max(column, 1), line, max(column, 1)))


def _place(project: Project, where: Location) -> Data:
    return {"file": project.named(where.path), "line": where.span.line, "column": where.span.column}


# --- routes ----------------------------------------------------------------------------------------


class EditorRoutes:
    """Texts and questions, as JSON."""

    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        variant = "/studio/{key}"
        return [
            Route(variant + "/texts", self.texts, methods=["POST"]),
            Route(variant + "/typed", self.typed, methods=["POST"]),
            Route(variant + "/save", self.save, methods=["POST"]),
            Route(variant + "/give-way", self.give_way, methods=["POST"]),
            Route(variant + "/file", self.file, methods=["POST"]),
            Route(variant + "/file/rename", self.rename_file, methods=["POST"]),
            Route(variant + "/file/delete", self.delete_file, methods=["POST"]),
            Route(variant + "/ask/{question}", self.ask, methods=["POST"]),
        ]

    async def texts(self, request: Request) -> Response:
        """Every file of the variant as it was typed last."""
        opened = await self.at.opened(request)
        return await answered(to_thread(opened.work.texts))

    async def typed(self, request: Request) -> Response:
        """What a file holds from now on; kept before this is answered."""
        opened, body = await self.at.opened(request, writing=True), await read_json(request)
        over = text_in(body, "over", "")
        return await answered(to_thread(partial(opened.work.typed, text_in(body, "file"), text_in(body, "text"), over)))

    async def save(self, request: Request) -> Response:
        """What was typed, written into the variant's files."""
        opened, body = await self.at.opened(request, writing=True), await read_json(request)
        return await answered(to_thread(partial(opened.work.save, bool(body.get("over")))))

    async def give_way(self, request: Request) -> Response:
        """The files as they are, where they have changed since something was typed."""
        opened = await self.at.opened(request, writing=True)
        return await answered(to_thread(opened.work.give_way))

    async def file(self, request: Request) -> Response:
        """A new file with nothing in it."""
        opened, body = await self.at.opened(request, writing=True), await read_json(request)
        return await answered(to_thread(partial(opened.work.begin_file, text_in(body, "name"))))

    async def rename_file(self, request: Request) -> Response:
        """Another name for a file."""
        opened, body = await self.at.opened(request, writing=True), await read_json(request)
        return await answered(to_thread(partial(opened.work.rename_file, text_in(body, "file"), text_in(body, "name"))))

    async def delete_file(self, request: Request) -> Response:
        """A file taken out of the variant."""
        opened, body = await self.at.opened(request, writing=True), await read_json(request)
        return await answered(to_thread(partial(opened.work.delete_file, text_in(body, "file"))))

    async def ask(self, request: Request) -> Response:
        """What the language service answers."""
        opened, body = await self.at.opened(request), await read_json(request)
        question = QUESTIONS.get(request.path_params["question"])
        if question is None:
            raise HTTPException(404, MALFORMED)
        return await answered(to_thread(partial(question, opened.project, body)))
