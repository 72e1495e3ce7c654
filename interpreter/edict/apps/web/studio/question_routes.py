"""Routes of questions about a variant: the forms that ask them, their answers, and the pages that links show."""

from __future__ import annotations

from asyncio import to_thread
from dataclasses import replace

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from edict.agents.bots.bot_registry import LEARNED
from edict.agents.study.html_report import render_chart
from edict.apps.web.studio.form_routes import read_answers
from edict.apps.web.studio.open_variants import StudioServer, VariantAccess
from edict.apps.web.studio.page_data import explain_error
from edict.apps.web.studio.variant_games import VariantSnapshot
from edict.compiler.pipeline.compiled_plans import VERBS
from edict.support.morphology import to_sentence
from edict.support.report import RulesError
from edict.tools.language_service.answer_types import EditRefused
from edict.tools.studio import StudioError
from edict.tools.studio.design_questions import (
    AnswerStore,
    KeptAnswer,
    QuestionChoices,
    QuestionRun,
    ask,
    list_choices,
    parse_question,
)

NO_SUCH_ANSWER = "There is no such question, or its answer was not kept."
STOP_SECONDS = 5.0  # until a process that is stopped has ended
RULES_HAVE_ERRORS = "Fix the errors in the rules to ask questions about them."


def find_choices(snapshot: VariantSnapshot) -> QuestionChoices | None:
    """Return what questions about a variant may name; None while its rules have errors. Runs in the sandbox."""
    try:
        return list_choices(snapshot.load_rules())
    except RulesError:
        return None


class QuestionRoutes:
    """Routes of the questions, which the server renders as HTML."""

    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        """Return the routes to ask questions, to follow and stop their games, and to show answers by a link."""
        questions = "/studio/{key}/questions"
        return [
            Route(questions, self.show_forms),
            Route(questions, self.ask, methods=["POST"]),
            Route(questions + "/{answer}", self.show_answer),
            Route(questions + "/{answer}/stop", self.stop, methods=["POST"]),
            Route("/studio/{key}/answers/{answer}", self.show_page),
        ]

    async def show_forms(self, request: Request) -> Response:
        """Return the forms of the questions, with what the rules offer."""
        opened = await self.at.require_access(request)
        choices = await self._find_choices(opened)
        bots = self._list_bots(choices)
        return await to_thread(
            lambda: self.at.render_page("questions.html", opened, choices=choices, bots=bots, verbs=VERBS)
        )

    def _list_bots(self, choices: QuestionChoices | None) -> tuple[str, ...]:
        """Return the bots that may play: first the one that learned these rules, if any, then those of tables."""
        learned = (LEARNED,) if choices is not None and choices.has_network else ()
        return tuple(dict.fromkeys((*learned, *self.at.serving.offer.bots)))

    async def _find_choices(self, opened: VariantAccess) -> QuestionChoices | None:
        """Return what questions may name; None if the rules have errors, or were stopped."""
        try:
            choices: QuestionChoices | None = await self.at.run_in_sandbox(opened, find_choices)
        except EditRefused:
            return None
        return choices

    async def ask(self, request: Request) -> Response:
        """Begin to answer a question, and return the answer so far; the reason if the question makes no sense."""
        opened, fields = await self.at.require_access(request), await read_answers(request)
        self.at.serving.gate.check_rate(self.at.serving.limits.new_tables, "questions", request)
        choices = await self._find_choices(opened)
        if choices is None:
            return self._render_notice(opened, RULES_HAVE_ERRORS)
        if fields.get("bot") and fields["bot"] not in self._list_bots(choices):
            return self._render_notice(opened, "There is no such bot.")
        try:
            question = parse_question(fields, choices)
        except StudioError as error:
            return self._render_notice(opened, to_sentence(explain_error(error)))

        def start() -> Response:
            """Keep the question, start its games unless it has been answered, and return the answer so far."""
            kept = ask(question, opened.session.take_snapshot().mark)
            known = self._get_store(opened).get(kept.key)
            if known is None or known.answer is None or not known.answer.finished:
                self._get_store(opened).put(kept)
                self._start(opened, kept)
                known = kept
            return self._render(opened, self._follow(opened, known))

        return await to_thread(start)

    async def show_answer(self, request: Request) -> Response:
        """Return the answer to a question so far."""
        opened = await self.at.require_access(request)
        return await to_thread(lambda: self._render(opened, self._follow(opened, self._require(opened, request))))

    async def stop(self, request: Request) -> Response:
        """Stop the games of a question, and return the answer so far."""
        opened = await self.at.require_access(request)

        def stop_and_render() -> Response:
            """Stop the run, and keep what was reported last."""
            kept = self._require(opened, request)
            run = self.at.find_run(opened.session, QuestionRun, kept.key)
            if run is not None:
                run.stop()
                run.wait_until_done(STOP_SECONDS)
            return self._render(opened, self._follow(opened, kept))

        return await to_thread(stop_and_render)

    async def show_page(self, request: Request) -> Response:
        """Return the page of a question with its answer, for whoever has its link."""
        opened = await self.at.require_access(request)

        def render() -> Response:
            """Render the page; it says so if the rules have changed since."""
            kept = self._follow(opened, self._require(opened, request))
            is_current = kept.mark == opened.session.take_snapshot().mark
            return self._render(opened, kept, "answer_page.html", current=is_current)

        return await to_thread(render)

    # --- answers -----------------------------------------------------------------------------

    def _get_store(self, opened: VariantAccess) -> AnswerStore:
        return AnswerStore(opened.variant.answer_folder)

    def _require(self, opened: VariantAccess, request: Request) -> KeptAnswer:
        """Return the question that a path names. Raises `HTTPException` 404 if there is none."""
        kept = self._get_store(opened).get(request.path_params["answer"])
        if kept is None:
            raise HTTPException(404, NO_SUCH_ANSWER)
        return kept

    def _start(self, opened: VariantAccess, kept: KeptAnswer) -> None:
        """Start the games of a question."""
        self.at.run(opened.session, QuestionRun, lambda snapshot: QuestionRun(snapshot, kept.question), kept.key)

    def _follow(self, opened: VariantAccess, kept: KeptAnswer) -> KeptAnswer:
        """Return a question with what its games have shown so far, and keep that once they have ended."""
        run = self.at.find_run(opened.session, QuestionRun, kept.key)
        if run is None or (kept.answer is not None and kept.answer.finished):
            return kept
        running, latest = run.running, run.latest_report()  # in this order: nothing is reported once it has ended
        found = replace(kept, answer=latest, problem=run.problem)
        if not running and found != kept:
            self._get_store(opened).put(found)
        return found

    def _render(
        self, opened: VariantAccess, kept: KeptAnswer, template: str = "answer.html", current: bool = True
    ) -> HTMLResponse:
        """Render an answer, which is asked for again while its games are played."""
        run = self.at.find_run(opened.session, QuestionRun, kept.key)
        charts = [render_chart(chart) for chart in (kept.answer.charts if kept.answer else ())]
        return self.at.render_page(
            template,
            opened,
            kept=kept,
            charts=charts,
            more=run is not None and run.running,
            reader=self.at.collection.make_link(opened.variant, edit=False),
            current=current,
        )

    def _render_notice(self, opened: VariantAccess, text: str) -> Response:
        return self.at.render_page("answer.html", opened, kept=None, notice=text)
