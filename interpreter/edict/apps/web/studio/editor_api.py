"""The editor's JSON API: the texts of a variant, unsaved changes, and questions to the language service.

Each question is a function of a project and the request's body. It raises `EditRefused` with the reason if it cannot
be answered.
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

from edict.apps.web.request_values import MALFORMED, read_json, require_text
from edict.apps.web.studio import page_data
from edict.apps.web.studio.open_variants import Project, StudioServer
from edict.apps.web.studio.page_data import render_markdown, to_response
from edict.support.text import Span
from edict.tools.language_service import (
    cursor_help,
    diagnostics,
    document_structure,
    navigation,
    renaming,
    rule_completion,
    scene_lenses,
    text_decorations,
)
from edict.tools.language_service.answer_types import (
    EditRefused,
    Location,
    ModuleSceneResults,
    SceneOutcome,
    TextPosition,
)
from edict.tools.language_service.formatting import format_file, next_indent
from edict.tools.language_service.scene_lenses import list_lenses
from edict.tools.studio.scene_runs import PASSED, SceneReport

# --- questions to the language service -------------------------------------------------------------


QuestionBody = Mapping[str, Any]


def _require_path(project: Project, body: QuestionBody) -> Path:
    """Return the path of the file that a request names. Raises `EditRefused` if the variant has no such file."""
    name = require_text(body, "file", "")
    if name not in project.texts:
        raise EditRefused("there is no such file in this variant")
    return project.file_path(name)


def _parse_position(body: QuestionBody) -> TextPosition:
    """Return the position that a request names. Raises `EditRefused` if it names none."""
    line, column = body.get("line"), body.get("column")
    if not isinstance(line, int) or not isinstance(column, int):
        raise EditRefused("that is not a place in a file")
    return TextPosition(max(line, 1), max(column, 1))


def problems(project: Project, body: QuestionBody) -> Any:
    """Return all problems of the variant, in any of its files.

    With `whole` in the body, also the problems that only code generation finds, which takes longer. The project
    remembers for the tutorial that there were errors.
    """
    if body.get("whole"):
        project.run_full_check()
    with project.lock_workspace() as space:
        found_problems = diagnostics.list_problems(space, project.manifest, full=False)
        project.had_errors |= any(problem.severity == "error" for problem in found_problems)
        return [page_data.problem_data(problem, project.file_name) for problem in found_problems]


def colours(project: Project, body: QuestionBody) -> Any:
    """Return the semantic tokens of a file."""
    with project.lock_workspace() as space:
        return page_data.token_data(text_decorations.list_tokens(space, _require_path(project, body)))


def complete(project: Project, body: QuestionBody) -> Any:
    """Return the completions at a position."""
    with project.lock_workspace() as space:
        return [
            page_data.completion_data(completion)
            for completion in rule_completion.complete(space, _require_path(project, body), _parse_position(body))
        ]


def words(project: Project, body: QuestionBody) -> Any:
    """Return the English description of a definition that completion offers."""
    with project.lock_workspace() as space:
        return rule_completion.describe_name(space, project.manifest, require_text(body, "name", ""))


def hover(project: Project, body: QuestionBody) -> Any:
    """Return the hover text at a position as HTML, with its span; None if there is none."""
    with project.lock_workspace() as space:
        help_text = cursor_help.hover(space, _require_path(project, body), _parse_position(body))
        if help_text is not None:
            return {"html": render_markdown(help_text.text), "at": page_data.span_data(help_text.span)}
        return None


def meaning(project: Project, body: QuestionBody) -> Any:
    """Return the English of the definition around a position, and of the word there if that is something else, as HTML.

    With `looked` in the body, the names shown count as read for the tutorial.
    """
    path, position = _require_path(project, body), _parse_position(body)
    with project.lock_workspace() as space:
        entries = document_structure.build_outline(space, path)
        enclosing = (item for item in entries if item.span.line <= position.line <= item.span.end_line)
        places = [*(TextPosition(item.name_span.line, item.name_span.end_column) for item in enclosing), position]
        hovers = [item for item in (cursor_help.hover(space, path, place) for place in places) if item is not None]
        if body.get("looked"):
            project.read_names |= {_get_spanned_text(space.get_text(path), item.span) for item in hovers}
        else:
            project.read_names |= set()
    return "<hr>".join(render_markdown(text) for text in dict.fromkeys(item.text for item in hovers))


def _get_spanned_text(text: str, span: Span) -> str:
    """Return the text that a span within one line covers."""
    return text.split("\n")[span.line - 1][span.column - 1 : span.end_column - 1]


def definition(project: Project, body: QuestionBody) -> Any:
    """Return the places where the word at a position is declared."""
    with project.lock_workspace() as space:
        locations = navigation.find_declarations(space, _require_path(project, body), _parse_position(body))
        return [page_data.location_data(location, "", project.file_name) for location in locations]


def references(project: Project, body: QuestionBody) -> Any:
    """Return the places where the word at a position is used, each with its line."""
    with project.lock_workspace() as space:
        locations = navigation.find_references(space, _require_path(project, body), _parse_position(body))
        lines = [space.get_text(location.path).split("\n")[location.span.line - 1].strip() for location in locations]
        return [
            page_data.location_data(location, line, project.file_name)
            for location, line in zip(locations, lines, strict=True)
        ]


def signature(project: Project, body: QuestionBody) -> Any:
    """Return the signature around a position and the parameter that is being written; None if there is none."""
    with project.lock_workspace() as space:
        signature_help = cursor_help.signature_help(space, _require_path(project, body), _parse_position(body))
    if signature_help:
        return {
            "label": signature_help.label,
            "part": signature_help.parameters[signature_help.active],
            "words": signature_help.words,
        }
    return None


def hints(project: Project, body: QuestionBody) -> Any:
    """Return a file's inlay hints, which show what its text leaves unsaid."""
    with project.lock_workspace() as space:
        inlay = text_decorations.list_hints(space, _require_path(project, body))
        return [
            {"line": hint.at.line, "column": hint.at.column, "text": hint.text, "words": hint.words} for hint in inlay
        ]


def renamable(project: Project, body: QuestionBody) -> Any:
    """Return the word at a position that `rename` would rename."""
    with project.lock_workspace() as space:
        return renaming.prepare_rename(space, _require_path(project, body), _parse_position(body))[0]


def rename(project: Project, body: QuestionBody) -> Any:
    """Return the edits that rename the symbol at a position."""
    with project.lock_workspace() as space:
        file_edits = renaming.rename(
            space, _require_path(project, body), _parse_position(body), require_text(body, "name", "")
        )
        return page_data.file_edits_data(file_edits, project.file_name)


def indent(_: Project, body: QuestionBody) -> Any:
    """Return the indentation of a new line below a text.

    The editor asks with every new line, so this takes no lock.
    """
    return next_indent(require_text(body, "before", ""))


def layout(project: Project, body: QuestionBody) -> Any:
    """Return the formatted text of a file."""
    with project.lock_workspace() as space:
        return format_file(space, _require_path(project, body))


# by name in the address: the editor's scripts use the names of these functions
QUESTIONS: dict[str, Callable[[Project, QuestionBody], Any]] = {
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


# --- code lenses -----------------------------------------------------------------------------------


Data = dict[str, Any]


def collect_lenses(project: Project, file: str, scene_run: SceneReport | None) -> list[Data]:
    """Return the code lenses of a file: for each definition the scenes that mention it, and its parts that none plays.

    Args:
        project: The open variant.
        file: The file's name.
        scene_run: The results of the scenes; None if they have not been played.
    """
    results, path = _to_scene_results(project, scene_run) if scene_run is not None else None, project.file_path(file)
    with project.lock_workspace() as space:
        lenses_by_line = {entry.span.line: entry for entry in list_lenses(space, path)}
        outline = document_structure.build_outline(space, path)
    result = []
    for entry in outline:
        lens = lenses_by_line.get(entry.name_span.line)
        unplayed = scene_lenses.list_unplayed_places(results, path, entry.span.line, entry.span.end_line)
        if lens is not None or unplayed:
            lens_scenes = lens.scenes if lens is not None else ()
            scenes = [{"name": name, **_location_data(project, where)} for name, where in lens_scenes]
            summary = scene_lenses.lens_title(lens, results) if lens is not None else ""
            places = [{"what": what, **_location_data(project, where)} for where, what in unplayed]
            definition_data = {"line": entry.span.line, "end": entry.span.end_line, "said": summary}
            result.append({**definition_data, "scenes": scenes, "unplayed": places})
    return result


def _to_scene_results(project: Project, scene_run: SceneReport) -> ModuleSceneResults:
    """Convert the report of a scene run to the results that code lenses show."""
    scene_results = (
        SceneOutcome(
            item.name, _to_location(project, item.file, item.line), () if item.outcome == PASSED else (item.outcome,)
        )
        for item in scene_run.scenes
    )
    unplayed_places = scene_run.covered.never if scene_run.covered is not None else ()
    places = tuple((_to_location(project, item.file, item.line, item.column), item.what) for item in unplayed_places)
    return ModuleSceneResults(project.folder, tuple(scene_results), places)


def _to_location(project: Project, file: str, line: int, column: int = 1) -> Location:
    """Return an empty span at a line and column of a file of the variant; column 0 counts as 1."""
    return Location(project.file_path(file), Span(file, line, max(column, 1), line, max(column, 1)))


def _location_data(project: Project, location: Location) -> Data:
    """Return file name, line and column of a location as JSON data."""
    return {"file": project.file_name(location.path), "line": location.span.line, "column": location.span.column}


# --- routes ----------------------------------------------------------------------------------------


class EditorRoutes:
    """JSON routes of the editor: the texts of a variant and questions about them."""

    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        """Return the routes of the editor's JSON API."""
        variant = "/studio/{key}"
        return [
            Route(variant + "/texts", self.list_texts, methods=["POST"]),
            Route(variant + "/typed", self.store_draft, methods=["POST"]),
            Route(variant + "/save", self.save, methods=["POST"]),
            Route(variant + "/give-way", self.discard_conflicts, methods=["POST"]),
            Route(variant + "/file", self.create_file, methods=["POST"]),
            Route(variant + "/file/rename", self.rename_file, methods=["POST"]),
            Route(variant + "/file/delete", self.delete_file, methods=["POST"]),
            Route(variant + "/ask/{question}", self.ask, methods=["POST"]),
        ]

    async def list_texts(self, request: Request) -> Response:
        """Return the current text of every file with its mark, unsaved changes included."""
        opened = await self.at.require_access(request)
        return await to_response(to_thread(opened.session.get_texts))

    async def store_draft(self, request: Request) -> Response:
        """Store the unsaved text of a file before responding."""
        opened, body = await self.at.require_access(request, writing=True), await read_json(request)
        base_mark = require_text(body, "over", "")
        return await to_response(
            to_thread(
                partial(opened.session.store_draft, require_text(body, "file"), require_text(body, "text"), base_mark)
            )
        )

    async def save(self, request: Request) -> Response:
        """Write all unsaved texts into the variant's files."""
        opened, body = await self.at.require_access(request, writing=True), await read_json(request)
        return await to_response(to_thread(partial(opened.session.save, bool(body.get("over")))))

    async def discard_conflicts(self, request: Request) -> Response:
        """Discard the unsaved texts of files that have changed on disk since."""
        opened = await self.at.require_access(request, writing=True)
        return await to_response(to_thread(opened.session.discard_conflicts))

    async def create_file(self, request: Request) -> Response:
        """Create an empty file."""
        opened, body = await self.at.require_access(request, writing=True), await read_json(request)
        return await to_response(to_thread(partial(opened.session.create_file, require_text(body, "name"))))

    async def rename_file(self, request: Request) -> Response:
        """Rename a file."""
        opened, body = await self.at.require_access(request, writing=True), await read_json(request)
        return await to_response(
            to_thread(partial(opened.session.rename_file, require_text(body, "file"), require_text(body, "name")))
        )

    async def delete_file(self, request: Request) -> Response:
        """Delete a file."""
        opened, body = await self.at.require_access(request, writing=True), await read_json(request)
        return await to_response(to_thread(partial(opened.session.delete_file, require_text(body, "file"))))

    async def ask(self, request: Request) -> Response:
        """Answer one of `QUESTIONS`; 404 for any other."""
        opened, body = await self.at.require_access(request), await read_json(request)
        question = QUESTIONS.get(request.path_params["question"])
        if question is None:
            raise HTTPException(404, MALFORMED)
        return await to_response(to_thread(partial(question, opened.project, body)))
