"""Pages of variants.

These are the start page, the list of variants, and of each variant its own page, its changes to the rulebook, its
links, copies, zip files and prints.
"""

from __future__ import annotations

import hmac
from asyncio import to_thread
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache, partial
from ipaddress import ip_address
from typing import Any

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web.request_values import read_form, read_upload
from edict.apps.web.studio import variant_games
from edict.apps.web.studio.editor_api import EditorRoutes
from edict.apps.web.studio.form_routes import FormRoutes
from edict.apps.web.studio.open_variants import INVALID_LINK, Project, StudioServer, VariantAccess
from edict.apps.web.studio.page_data import explain_error
from edict.apps.web.studio.question_routes import QuestionRoutes
from edict.apps.web.studio.side_panels import ResultPanels, TablePanel
from edict.apps.web.studio.tutorial import find_taught_game, find_tutorial, write_starting_files
from edict.compiler.english import OutlineLine
from edict.compiler.sources.folders import Manifest
from edict.compiler.sources.module_set import Modules, hash_rules
from edict.prose.rulebook.annotated_rules import AnnotatedRules, annotate_rules
from edict.prose.rulebook.chapters import Rulebook, Section, Steps
from edict.prose.rulebook.rule_differences import RuleChange, find_changed_sections, find_differences
from edict.prose.rulebook.rulebook_contents import build_rulebook
from edict.prose.rulebook.typesetting import can_typeset, render_pdf
from edict.support.morphology import to_sentence
from edict.support.records import dataclass
from edict.support.report import RulesError
from edict.tools.language_service.answer_types import EditRefused
from edict.tools.studio import StudioError
from edict.tools.studio.scaffolding import (
    Beginning,
    BlankModule,
    CopiedModule,
    ForkedVariant,
    LaidOver,
    NewGame,
    TranscriptionForm,
    ZippedVariant,
    list_copyable,
    list_games,
    list_transcribable,
)
from edict.tools.studio.variants import Variant

# --- rulebooks -------------------------------------------------------------------------------------


MAX_CACHED_BASES = 8
_bases: dict[str, AnnotatedRules] = {}


@dataclass(frozen=True, slots=True)
class RulebookChanges:
    """The changes of a variant to the rulebook of its base."""

    base: str  # title of the base game; empty for a game of its own
    pages: tuple[Section, ...] | None = None  # None while the rules have errors
    gone: tuple[RuleChange, ...] = ()  # what the variant removes


def compare_rulebooks(project: Project) -> RulebookChanges:
    """Return the changes of a variant to the rulebook of its base."""
    rules, base = _load_rules_and_base(project)
    title = base.game.manifest.title if base is not None else ""
    if rules is None or base is None:
        return RulebookChanges(title)
    removed = tuple(change for change in find_differences(base, rules) if change.way == "removed")
    return RulebookChanges(title, find_changed_sections(build_rulebook(rules, base), _build_rulebook(base)), removed)


@dataclass(frozen=True, slots=True)
class PrintableVariant:
    """The printable texts of a variant: its whole rulebook, and the parts of a sheet with its changes only."""

    known: AnnotatedRules
    book: Rulebook
    base: str  # title of the game it changes; empty for a game of its own, which has no sheet
    pages: tuple[Section, ...]  # of the sheet
    gone: tuple[RuleChange, ...]  # what the variant removes

    def build_sheet(self, title: str) -> Rulebook:
        """Return the sheet as a rulebook for typesetting."""
        removed_steps = Steps(tuple(OutlineLine(f"{change.title} ({change.sort})") for change in self.gone))
        last_section = (Section("Left out", "", (removed_steps,)),) if self.gone else ()
        subtitle = f"Changes from {self.base}"
        return replace(self.book, title=title, subtitle=subtitle, sections=(*self.pages, *last_section))


def build_printable(project: Project) -> PrintableVariant | None:
    """Return the printable texts of a variant; None while the rules have errors."""
    rules, base = _load_rules_and_base(project)
    if rules is None:
        return None
    book = build_rulebook(rules, base)
    if base is None:
        return PrintableVariant(rules, book, "", (), ())
    removed = tuple(change for change in find_differences(base, rules) if change.way == "removed")
    return PrintableVariant(
        rules, book, base.game.manifest.title, find_changed_sections(book, _build_rulebook(base)), removed
    )


def _load_rules_and_base(project: Project) -> tuple[AnnotatedRules | None, AnnotatedRules | None]:
    """Return the rules of a variant and those it changes; None for rules with errors or if there are none."""
    with project.lock_workspace() as space:
        rules = space.get_rules(project.manifest)
        if rules is None:
            return None, None
        modules = rules.modules
        analysis = rules.get_analysis()
        has_errors = any(diagnostic.is_error for diagnostic in rules.check().diagnostics)
        known = analysis.annotated_rules if analysis is not None and not has_errors else None
    base_modules = tuple(module for module in modules if module.folder.resolve() != project.folder)
    return known, _load_base(base_modules) if base_modules else None


def _load_base(modules: Modules) -> AnnotatedRules | None:
    """Return the rules below a variant. They seldom change, so the last `MAX_CACHED_BASES` are cached."""
    key = hash_rules(modules)
    if key not in _bases:
        known = annotate_rules(modules).value
        if known is None:
            return None
        while len(_bases) >= MAX_CACHED_BASES:
            _bases.pop(next(iter(_bases)), None)
        _bases[key] = known
    return _bases[key]


@lru_cache(maxsize=MAX_CACHED_BASES)
def _build_rulebook(known: AnnotatedRules) -> Rulebook:
    return build_rulebook(known)


# --- pages around variants -------------------------------------------------------------------------


TOO_MANY_VARIANTS = "This server has no room for another variant."
TUTORIAL, FORMS = PARTS = ("tutorial", "forms")  # parts of the page that can be open at the beginning


class CollectionPages:
    """Routes that lead to variants (new ones, the list) and out of them (links, copies, zip files)."""

    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        """Return the routes to create, list, share, download and fork variants."""
        variant = "/studio/{key}"
        return [
            Route("/studio", self.show_start),
            Route("/studio/all/{token}", self.show_all),
            Route("/studio/new", self.create_variant, methods=["POST"]),
            Route(variant + "/share", self.show_share),
            Route(variant + "/zip", self.download_zip),
            Route(variant + "/fork", self.fork_variant, methods=["POST"]),
        ]

    async def show_start(self, request: Request) -> Response:
        """Return the page with the possible beginnings of a new variant."""
        return await to_thread(self._render_start)

    async def show_all(self, request: Request) -> Response:
        """Return the start page with a list of all variants, for the person who runs the server."""
        if not hmac.compare_digest(request.path_params["token"].encode(), self.at.all_key.encode()):
            raise HTTPException(404, INVALID_LINK)
        return await to_thread(lambda: self._render_start(variants=self._list_variants()))

    def _list_variants(self) -> list[tuple[Variant, str]]:
        """Return every variant with the link to edit it."""
        return [
            (variant, self.at.collection.make_link(variant, edit=True))
            for variant in self.at.collection.list_variants()
        ]

    def _render_start(self, problem: str = "", variants: list[tuple[Variant, str]] | None = None) -> Response:
        """Render the start page, with a list of variants if given; 422 with a problem."""
        return self.at.serving.render_page(
            "studio/start.html",
            422 if problem else 200,
            problem=problem,
            variants=variants,
            taught=find_taught_game(),
            games=self.at.serving.offer.games.items(),
            copyable=list_copyable(),
            formable=list_transcribable(),
        )

    async def create_variant(self, request: Request) -> Response:
        """Create a variant and redirect to its page."""
        limits = self.at.serving.limits
        self.at.serving.gate.check_rate(limits.new_tables, "variants", request)
        async with read_form(request, file_field="zip") as form:
            upload = await read_upload(form, "zip")
            part = next((part_name for part_name in PARTS if form.get(part_name)), "")
            try:
                link = await to_thread(
                    self._create, partial(_parse_beginning, form, upload), str(form.get("name", "")), part == TUTORIAL
                )
            except (StudioError, RulesError) as error:
                return await to_thread(self._render_start, to_sentence(explain_error(error)))
        return RedirectResponse(f"/studio/{link}{f'#{part}' if part else ''}", 303)

    def _create(self, make_beginning: Callable[[], Beginning], name: str, with_tutorial: bool = False) -> str:
        """Create a variant, with the tutorial's first files if wanted, and return the link to edit it."""
        if len(self.at.collection.list_variants()) >= self.at.serving.limits.variants:
            raise HTTPException(503, TOO_MANY_VARIANTS)
        variant = self.at.collection.create(make_beginning(), name)
        tutorial = find_tutorial(self.at.get_session(variant).project) if with_tutorial else None
        if tutorial is not None:
            write_starting_files(variant, tutorial)
            self.at.get_session(variant).refresh()
        return self.at.collection.make_link(variant, edit=True)

    async def show_share(self, request: Request) -> Response:
        """Return the page with the links of a variant, for a person who may change it."""
        opened = await self.at.require_access(request, writing=True)
        reader = self.at.collection.make_link(opened.variant, edit=False)
        base = str(request.base_url).rstrip("/")
        player_counts: range | None = None
        with suppress(EditRefused):
            player_counts = await self.at.run_in_sandbox(opened, variant_games.get_player_counts)
        here_only = not self.at.serving.store.is_exclusive and _is_loopback(request.url.hostname or "")
        return await to_thread(
            lambda: self.at.render_page(
                "share.html",
                opened,
                reader=reader,
                base=base,
                players=player_counts,
                here_only=here_only,
                pdf=can_typeset(),
            )
        )

    async def download_zip(self, request: Request) -> Response:
        """Return the variant as a zip file."""
        opened = await self.at.require_access(request)
        headers = {"Content-Disposition": f'attachment; filename="{opened.variant.name}.zip"'}
        return Response(await to_thread(opened.variant.to_zip), media_type="application/zip", headers=headers)

    async def fork_variant(self, request: Request) -> Response:
        """Copy the variant for the person who asks and redirect to the copy."""
        opened = await self.at.require_access(request)
        self.at.serving.gate.check_rate(self.at.serving.limits.new_tables, "variants", request)
        link = await to_thread(self._create, lambda: ForkedVariant(opened.variant), opened.variant.title)
        return RedirectResponse(f"/studio/{link}", 303)


def _parse_beginning(form: FormData, upload: bytes) -> Beginning:
    """Return the beginning that the form of a new variant chooses. Raises `StudioError` if it is not offered."""
    match str(form.get("from", "")):
        case "game":
            return NewGame()
        case "copy":
            return CopiedModule(_require_offered_name(form.get("copied", ""), list_copyable()))
        case "form":
            return TranscriptionForm(_require_offered_name(form.get("transcribed", ""), list_transcribable()))
        case "zip":
            return ZippedVariant(upload)
        case "forms":
            return BlankModule(_require_offered_name(form.get("over", ""), list_games()))
        case _:
            return LaidOver(_require_offered_name(form.get("over", ""), list_games()))


def _require_offered_name(name: Any, offered: tuple[tuple[str, Manifest], ...]) -> str:
    """Return `name` if it is one of those offered, so never a path that somebody typed. Raises `StudioError`."""
    offered_name = next((candidate for candidate, _ in offered if candidate == name), None)
    if offered_name is None:
        raise StudioError("that is not one of the choices", "choose one from the list")
    return offered_name


def _is_loopback(host: str) -> bool:
    """Return True if a host name or address leads to this computer only."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


# --- the page of a variant -------------------------------------------------------------------------


class VariantPages:
    """Routes of a variant's page, its changes, its rulebook and its prints."""

    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        """Return the routes of a variant's page and its printable texts."""
        variant = "/studio/{key}"
        return [
            Route(variant, self.show_variant),
            Route(variant + "/changes", self.show_changes),
            Route(variant + "/rulebook", self.show_rulebook),
            Route(variant + "/sheet", self.show_sheet),
            Route(variant + "/{which:str}.pdf", self.download_pdf),
        ]

    async def show_variant(self, request: Request) -> Response:
        """Return the page on which the variant is written, read and played."""
        opened = await self.at.require_access(request)
        return await to_thread(lambda: self.at.render_page("studio.html", opened))

    async def show_changes(self, request: Request) -> Response:
        """Return the changes of the variant to the rulebook as HTML."""
        opened = await self.at.require_access(request)

        def render() -> Response:
            """Return the part of a page with the variant's changes to its base's rulebook."""
            comparison = compare_rulebooks(opened.project)
            return self.at.render_page(
                "changes.html", opened, base=comparison.base, pages=comparison.pages, gone=comparison.gone, links={}
            )

        return await to_thread(render)

    async def show_rulebook(self, request: Request) -> Response:
        """Return the whole rulebook of the variant as a page."""
        opened = await self.at.require_access(request)

        def render() -> Response:
            book = _require_printable(opened).book
            return self.at.render_page("rulebook.html", opened, book=book, links=book.links)

        return await to_thread(render)

    async def show_sheet(self, request: Request) -> Response:
        """Return a page to print with the changes of the variant only."""
        opened = await self.at.require_access(request)

        def render() -> Response:
            printable_variant = _require_printable(opened)
            return self.at.render_page(
                "sheet.html",
                opened,
                base=printable_variant.base,
                pages=printable_variant.pages,
                gone=printable_variant.gone,
                links={},
            )

        return await to_thread(render)

    async def download_pdf(self, request: Request) -> Response:
        """Return the rulebook or the sheet as a PDF; 404 for anything else, or if nothing can be typeset here."""
        opened, which = await self.at.require_access(request), request.path_params["which"]
        if which not in ("rulebook", "sheet") or not can_typeset():
            raise HTTPException(404, INVALID_LINK)
        self.at.serving.gate.check_rate(self.at.serving.limits.new_tables, "printed", request)

        def typeset() -> bytes:
            """Return the PDF of the sheet or of the whole rulebook."""
            printable_variant = _require_printable(opened)
            return render_pdf(
                printable_variant.build_sheet(opened.variant.title) if which == "sheet" else printable_variant.book,
                printable_variant.known,
            )

        headers = {"Content-Disposition": f'inline; filename="{opened.variant.name}-{which}.pdf"'}
        return Response(await to_thread(typeset), media_type="application/pdf", headers=headers)


def _require_printable(opened: VariantAccess) -> PrintableVariant:
    """Return the printable texts of a variant. Raises `HTTPException` while the rules have errors."""
    printable_variant = build_printable(opened.project)
    if printable_variant is None:
        raise HTTPException(409, "Fix the errors in the rules to read the rulebook.")
    return printable_variant


# --- all routes ------------------------------------------------------------------------------------


def build_studio_routes(studio: StudioServer) -> list[Route]:
    """Return all routes of the studio; those with fixed addresses come first."""
    playing = TablePanel(studio)
    editor, results = EditorRoutes(studio), ResultPanels(studio, playing)
    questions = QuestionRoutes(studio)
    parts = (CollectionPages(studio), editor, FormRoutes(studio), questions, playing, results, VariantPages(studio))
    return [route for part in parts for route in part.routes()]
