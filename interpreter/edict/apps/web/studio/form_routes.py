"""Routes of the forms for rules: choosing a form, previewing its lines, and writing them into a file."""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import Callable, Mapping
from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from edict.apps.web.request_values import read_form
from edict.apps.web.studio.open_variants import Project, StudioServer
from edict.apps.web.studio.page_data import explain_error, render_markdown
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement
from edict.prose.rulebook.descriptions import describe_definition
from edict.support.morphology import to_sentence
from edict.support.records import dataclass
from edict.support.text import Source
from edict.tools.language_service import diagnostics
from edict.tools.language_service.answer_types import EditRefused
from edict.tools.language_service.cursor_help import format_english
from edict.tools.studio import StudioError
from edict.tools.studio.rule_forms import (
    FormLines,
    RuleForm,
    build_form,
    find_file,
    insert_lines,
    list_kinds,
    write_lines,
)
from edict.tools.studio.scaffolding import RULES_FILE

RULES_HAVE_ERRORS = "fix the errors in the rules first, then fill in the form"


@dataclass(frozen=True, slots=True)
class FormPreview:
    """The lines that a form would write into a file, and their meaning."""

    whole: str = ""  # the whole file with these lines
    lines: str = ""  # the lines that the form changes or adds
    first: int = 0  # number of the first of them, from 1
    means: str = ""  # their meaning in English, as HTML
    wrong: tuple[str, ...] = ()  # errors that `check` would find
    missing: str = ""  # a sentence on what is still to be filled in; all else is empty then


def require_rules(project: Project) -> AnnotatedRules:
    """Return the variant's annotated rules. Raises `EditRefused` while they have errors."""
    with project.lock_workspace() as space:
        rules = space.get_rules(project.manifest)
        analysis = rules.get_analysis() if rules is not None else None
        if rules is None or analysis is None or any(diagnostic.is_error for diagnostic in rules.check().diagnostics):
            raise EditRefused(RULES_HAVE_ERRORS)
        return analysis.annotated_rules


def preview_form(project: Project, form: RuleForm, answers: dict[str, str], file: str) -> FormPreview:
    """Return what the answers to a form would write into a file, without writing anything.

    Raises:
        EditRefused: The rules have errors.
    """
    try:
        form_lines = write_lines(require_rules(project), form, answers)
    except StudioError as error:
        return FormPreview(missing=to_sentence(explain_error(error)))
    if form_lines.empty:
        return FormPreview(missing="No changes yet.")
    whole, first, last = insert_lines(project.texts.get(file, ""), form_lines)
    with project.suppose_text(file, whole) as space:
        problems = diagnostics.list_problems(space, project.manifest, full=False)
        wrong = tuple(diagnostic.message for diagnostic in problems if diagnostic.severity == "error")
        rules = space.get_rules(project.manifest)
        analysis = rules.get_analysis() if rules is not None and not wrong else None
        source = space.get_source(project.file_path(file))
        if analysis is not None and source is not None:
            means = describe_lines(analysis.annotated_rules, form_lines, source, first)
        else:
            means = ""
    return FormPreview(whole, "\n".join(whole.split("\n")[first - 1 : last]), first, means, wrong)


def describe_lines(rules: AnnotatedRules, form_lines: FormLines, source: Source, line: int) -> str:
    """Return HTML that says in English what the lines of a form mean as rules.

    That is the description of the thing that the form is about, or else of all definitions at `line` or below.
    """
    rules = remove_judgement(rules)
    if form_lines.thing:
        return render_markdown(format_english(describe_definition(rules, rules.definitions[form_lines.thing])))
    added = (
        definition
        for definition in rules.standalone.values()
        if definition.span.file == source.name and definition.span.line >= line
    )
    return render_markdown("\n\n".join(format_english(describe_definition(rules, definition)) for definition in added))


class FormRoutes:
    """Routes of the forms, which the server renders as HTML."""

    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        """Return the routes to choose, fill in and preview forms, and to write their lines."""
        forms = "/studio/{key}/forms"
        return [
            Route(forms, self.choose),
            Route(forms + "/of", self.show_form),
            Route(forms + "/supposed", self.show_preview, methods=["POST"]),
            Route(forms + "/write", self.write_lines, methods=["POST"]),
        ]

    async def choose(self, request: Request) -> Response:
        """Return the list of available forms."""
        opened = await self.at.require_access(request, writing=True)
        return await _render_or_explain(
            lambda: self.at.render_page("forms.html", opened, kinds=list_kinds(require_rules(opened.project)))
        )

    async def show_form(self, request: Request) -> Response:
        """Return the chosen form."""
        opened = await self.at.require_access(request, writing=True)
        query = dict(request.query_params)
        return await _render_or_explain(
            lambda: self.at.render_page("form.html", opened, form=_find_form(opened.project, query))
        )

    async def show_preview(self, request: Request) -> Response:
        """Return a preview of the form as it is filled in now."""
        opened, answers = await self.at.require_access(request, writing=True), await read_answers(request)

        def render() -> Response:
            """Return the lines that the form would write for the current answers, with their errors."""
            form = _find_form(opened.project, answers)
            preview = preview_form(opened.project, form, answers, _choose_file(opened.project, answers))
            return self.at.render_page("supposed.html", opened, found=preview)

        return await _render_or_explain(render)

    async def write_lines(self, request: Request) -> Response:
        """Write the lines of a form into a file, and tell the page where, so that it goes there.

        Returns the preview instead if something is missing or wrong.
        """
        opened, answers = await self.at.require_access(request, writing=True), await read_answers(request)

        def write_and_render() -> Response:
            """Write the form's lines as a draft and tell the editor where; only show the preview if they are wrong."""
            form, file = _find_form(opened.project, answers), _choose_file(opened.project, answers)
            preview = preview_form(opened.project, form, answers, file)
            if preview.missing or preview.wrong:
                return self.at.render_page("supposed.html", opened, found=preview)
            opened.session.put_draft(file, preview.whole)
            events = {"written": {"file": file, "line": preview.first}}
            page = self.at.render_page("written.html", opened, found=preview, file=file, title=form.title)
            page.headers["HX-Trigger-After-Swap"] = json.dumps(events)
            return page

        return await _render_or_explain(write_and_render)


async def read_answers(request: Request) -> dict[str, str]:
    """Return the fields of a form; several values of one field are joined by commas."""
    async with read_form(request) as form:
        return {name: ",".join(value for value in form.getlist(name) if isinstance(value, str)) for name in form}


async def _render_or_explain(render: Callable[[], Response]) -> Response:
    """Return the page that `render` makes in a thread; if it refuses, the reason as an HTML notice."""
    try:
        return await to_thread(render)
    except (EditRefused, StudioError) as error:
        return HTMLResponse(f"<p class='notice' role='alert'>{escape(to_sentence(explain_error(error)))}</p>")


def _find_form(project: Project, fields: Mapping[str, str]) -> RuleForm:
    """Return the form that a request names.

    Raises:
        EditRefused: The rules have errors.
        StudioError: There is no such form.
    """
    return build_form(require_rules(project), fields.get("what", ""), fields.get("kind", ""), fields.get("thing", ""))


def _choose_file(project: Project, answers: Mapping[str, str]) -> str:
    """Return the rule file that already says something of the thing, else the one in the editor, else the usual one."""
    own_file = find_file(project.texts, answers.get("thing", ""))
    file = own_file or answers.get("file", "")
    return file if file in project.texts and file.endswith(".edict") else RULES_FILE
