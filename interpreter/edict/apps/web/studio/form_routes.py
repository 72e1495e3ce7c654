"""Routes of forms for rules: what is asked, what would come of the answers, and the lines written into a file."""

from __future__ import annotations

import json
from asyncio import to_thread
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import escape

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from edict.apps.web.request_values import read_form
from edict.apps.web.studio.open_variants import Project, StudioServer
from edict.apps.web.studio.page_data import prose, reason
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.descriptions import describe_definition
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.support.morphology import to_sentence
from edict.support.text import Source
from edict.tools.language_service import diagnostics
from edict.tools.language_service.answer_types import Refused
from edict.tools.language_service.cursor_help import english
from edict.tools.studio.rule_forms import FormLines, RuleForm, file_of, form_for, kinds, laid_into, written
from edict.tools.studio.scaffolding import RULES
from edict.tools.studio.studio_errors import StudioError

MISTAKES = "forms can be filled in once the rules have no errors"


@dataclass(frozen=True, slots=True)
class FormOutcome:
    """What would come of a form: the whole file, the lines of it that are about it, and what they mean, as HTML.

    wrong: what `check` would say of it. missing: what is still to be filled in; there is nothing else then.
    """

    whole: str = ""
    lines: str = ""
    first: int = 0
    means: str = ""
    wrong: tuple[str, ...] = ()
    missing: str = ""


def understood(project: Project) -> AnnotatedRules:
    """The variant's rules. Raises `Refused` while they have errors."""
    with project.asking() as space:
        rules = space.rules(project.manifest)
        found = rules.analysis() if rules is not None else None
        if rules is None or found is None or any(one.is_error for one in rules.checked().found):
            raise Refused(MISTAKES)
        return found.known


def outcome(project: Project, form: RuleForm, answers: dict[str, str], file: str) -> FormOutcome:
    """What the answers to a form would do to the rules, without writing anything. Raises `Refused`."""
    try:
        made = written(understood(project), form, answers)
    except StudioError as problem:
        return FormOutcome(missing=to_sentence(reason(problem)))
    if made.empty:
        return FormOutcome(missing="Nothing is changed yet.")
    whole, first, last = laid_into(project.texts.get(file, ""), made)
    with project.supposing(file, whole) as space:
        found = diagnostics.problems(space, project.manifest, whole=False)
        wrong = tuple(one.message for one in found if one.severity == "error")
        rules = space.rules(project.manifest)
        known = rules.analysis() if rules is not None and not wrong else None
        source = space.source(project.path(file))
        means = meaning(known.known, made, source, first) if known is not None and source is not None else ""
    return FormOutcome(whole, "\n".join(whole.split("\n")[first - 1 : last]), first, means, wrong)


def meaning(known: AnnotatedRules, made: FormLines, source: Source, line: int) -> str:
    """In English, what the rules say then: all of the thing it is about, or what begins at this line or below."""
    known = remove_judgement(known)
    if made.thing:
        return prose(english(describe_definition(known, known.definitions[made.thing])))
    new = (one for one in known.standalone.values() if one.span.file == source.name and one.span.line >= line)
    return prose("\n\n".join(english(describe_definition(known, one)) for one in new))


class FormRoutes:
    """Forms, drawn by the server."""

    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        forms = "/studio/{key}/forms"
        return [
            Route(forms, self.choices),
            Route(forms + "/of", self.form),
            Route(forms + "/supposed", self.supposed, methods=["POST"]),
            Route(forms + "/write", self.write, methods=["POST"]),
        ]

    async def choices(self, request: Request) -> Response:
        """What one may want to do."""
        opened = await self.at.opened(request, writing=True)
        return await _drawn(lambda: self.at.page("forms.html", opened, kinds=kinds(understood(opened.project))))

    async def form(self, request: Request) -> Response:
        """The form of what was chosen."""
        opened = await self.at.opened(request, writing=True)
        asked = dict(request.query_params)
        return await _drawn(lambda: self.at.page("form.html", opened, form=_form(opened.project, asked)))

    async def supposed(self, request: Request) -> Response:
        """What would come of a form as it is filled in at this moment."""
        opened, answers = await self.at.opened(request, writing=True), await _answers(request)

        def drawn() -> Response:
            form = _form(opened.project, answers)
            found = outcome(opened.project, form, answers, _file(opened.project, answers))
            return self.at.page("supposed.html", opened, found=found)

        return await _drawn(drawn)

    async def write(self, request: Request) -> Response:
        """The lines of a form at the end of a file; the page is told which, and goes there."""
        opened, answers = await self.at.opened(request, writing=True), await _answers(request)

        def done() -> Response:
            form, file = _form(opened.project, answers), _file(opened.project, answers)
            found = outcome(opened.project, form, answers, file)
            if found.missing or found.wrong:
                return self.at.page("supposed.html", opened, found=found)
            opened.work.put(file, found.whole)
            told = {"written": {"file": file, "line": found.first}}
            page = self.at.page("written.html", opened, found=found, file=file, title=form.title)
            page.headers["HX-Trigger-After-Swap"] = json.dumps(told)
            return page

        return await _drawn(done)


async def _answers(request: Request) -> dict[str, str]:
    """What a form holds; several answers of one name with commas between them."""
    async with read_form(request) as form:
        return {name: ",".join(one for one in form.getlist(name) if isinstance(one, str)) for name in form}


async def _drawn(draw: Callable[[], Response]) -> Response:
    """A page, or the reason why there is none."""
    try:
        return await to_thread(draw)
    except (Refused, StudioError) as problem:
        return HTMLResponse(f"<p class='notice' role='alert'>{escape(to_sentence(reason(problem)))}</p>")


def _form(project: Project, asked: Mapping[str, str]) -> RuleForm:
    """Raises `Refused` while the rules have errors, and `StudioError` for a form that there is not."""
    return form_for(understood(project), asked.get("what", ""), asked.get("kind", ""), asked.get("thing", ""))


def _file(project: Project, answers: Mapping[str, str]) -> str:
    """The rule file that says something of the thing already, or that is open in the editor, or else the usual one."""
    said = file_of(project.texts, answers.get("thing", ""))
    file = said or answers.get("file", "")
    return file if file in project.texts and file.endswith(".edict") else RULES
