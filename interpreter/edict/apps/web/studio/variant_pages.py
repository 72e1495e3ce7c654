"""Pages of variants: new ones, the list, what each changes in the rulebook; links to share, zip files, copies."""

from __future__ import annotations

import hmac
from asyncio import to_thread
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
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
from edict.apps.web.studio.open_variants import NOTHING, Access, Project, StudioServer
from edict.apps.web.studio.page_data import reason
from edict.apps.web.studio.side_panels import ResultPanels, TablePanel
from edict.apps.web.studio.tutorial import lay_out, taught, tutorial_of
from edict.compiler.english import OutlineLine
from edict.compiler.sources.folders import Manifest
from edict.compiler.sources.module_set import Modules, rules_hash
from edict.prose.rulebook.annotated_rules import AnnotatedRules, annotate_rules
from edict.prose.rulebook.changed_pages import find_changed_sections
from edict.prose.rulebook.chapters import Rulebook, Section, Steps
from edict.prose.rulebook.rule_differences import RuleChange, find_differences
from edict.prose.rulebook.rulebook_contents import build_rulebook
from edict.prose.rulebook.typesetting import can_typeset, render_pdf
from edict.support.morphology import to_sentence
from edict.support.report import RulesError
from edict.tools.language_service.answer_types import Refused
from edict.tools.studio.scaffolding import (
    Beginning,
    Blank,
    CopyOf,
    ForkOf,
    FormFor,
    LaidOver,
    NewGame,
    Zipped,
    copyable,
    formable,
    games,
)
from edict.tools.studio.studio_errors import StudioError
from edict.tools.studio.variants import Variant

# --- what the rules of a variant mean --------------------------------------------------------------


KEPT = 8  # bases that are kept
_bases: dict[str, AnnotatedRules] = {}


@dataclass(frozen=True, slots=True)
class RulebookChanges:
    """How a variant's rulebook differs from that of its base. pages: None while the rules have errors."""

    base: str
    pages: tuple[Section, ...] | None = None
    gone: tuple[RuleChange, ...] = ()


def changes(project: Project) -> RulebookChanges:
    """What the variant changes in the rulebook."""
    known, under = _both(project)
    title = under.game.manifest.title if under is not None else ""
    if known is None or under is None:
        return RulebookChanges(title)
    gone = tuple(one for one in find_differences(under, known) if one.way == "removed")
    return RulebookChanges(title, find_changed_sections(build_rulebook(known, under), _book(under)), gone)


@dataclass(frozen=True, slots=True)
class Printable:
    """What can be printed of a variant: its whole rulebook, or a sheet with no more than what is different. base: the
    title of the game it changes; nothing of a game of its own, of which there is no sheet."""

    known: AnnotatedRules
    book: Rulebook
    base: str
    pages: tuple[Section, ...]
    gone: tuple[RuleChange, ...]

    def sheet(self, title: str) -> Rulebook:
        """The sheet as a book, for who sets it."""
        removed = Steps(tuple(OutlineLine(f"{one.title} ({one.sort})") for one in self.gone))
        last = (Section("Left out", "", (removed,)),) if self.gone else ()
        subtitle = f"What is different from {self.base}"
        return replace(self.book, title=title, subtitle=subtitle, sections=(*self.pages, *last))


def printable(project: Project) -> Printable | None:
    """None while the rules have errors."""
    known, under = _both(project)
    if known is None:
        return None
    book = build_rulebook(known, under)
    if under is None:
        return Printable(known, book, "", (), ())
    gone = tuple(one for one in find_differences(under, known) if one.way == "removed")
    return Printable(known, book, under.game.manifest.title, find_changed_sections(book, _book(under)), gone)


def _both(project: Project) -> tuple[AnnotatedRules | None, AnnotatedRules | None]:
    """The rules as they are, and those they are laid over; None for what cannot be understood."""
    with project.asking() as space:
        rules = space.rules(project.manifest)
        if rules is None:
            return None, None
        modules = rules.modules
        understood = rules.analysis()
        wrong = any(one.is_error for one in rules.checked().found)
        known = understood.known if understood is not None and not wrong else None
    under = tuple(module for module in modules if module.folder.resolve() != project.folder)
    return known, _base(under) if under else None


def _base(modules: Modules) -> AnnotatedRules | None:
    """The rules below, which seldom change; those asked for last are kept."""
    key = rules_hash(modules)
    if key not in _bases:
        known = annotate_rules(modules).value
        if known is None:
            return None
        while len(_bases) >= KEPT:
            _bases.pop(next(iter(_bases)), None)
        _bases[key] = known
    return _bases[key]


@lru_cache(maxsize=KEPT)
def _book(known: AnnotatedRules) -> Rulebook:
    return build_rulebook(known)


# --- before and after the page of a variant --------------------------------------------------------


FULL = "This server has no room for another variant."
TUTORIAL, FORMS = PARTS = ("tutorial", "forms")  # parts of the page that can be open at the beginning


class CollectionPages:
    """What leads to variants, and out of them."""

    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        variant = "/studio/{key}"
        return [
            Route("/studio", self.start),
            Route("/studio/all/{token}", self.every),
            Route("/studio/new", self.new, methods=["POST"]),
            Route(variant + "/share", self.share),
            Route(variant + "/zip", self.export),
            Route(variant + "/fork", self.fork, methods=["POST"]),
        ]

    async def start(self, request: Request) -> Response:
        """What a new variant can begin as."""
        return await to_thread(self._start)

    async def every(self, request: Request) -> Response:
        """The same with all variants of the server, for whoever runs it."""
        if not hmac.compare_digest(request.path_params["token"].encode(), self.at.all_key.encode()):
            raise HTTPException(404, NOTHING)
        return await to_thread(lambda: self._start(variants=self._all()))

    def _all(self) -> list[tuple[Variant, str]]:
        return [(one, self.at.collection.link(one, edit=True)) for one in self.at.collection.all()]

    def _start(self, problem: str = "", variants: list[tuple[Variant, str]] | None = None) -> Response:
        return self.at.serving.page(
            "studio/start.html",
            422 if problem else 200,
            problem=problem,
            variants=variants,
            taught=taught(),
            games=self.at.serving.offer.games.items(),
            copyable=copyable(),
            formable=formable(),
        )

    async def new(self, request: Request) -> Response:
        """A new variant; its author is sent to its page."""
        limits = self.at.serving.limits
        self.at.serving.gate.check(limits.new_tables, "variants", request)
        async with read_form(request, file="zip") as form:
            upload = await read_upload(form, "zip")
            part = next((one for one in PARTS if form.get(one)), "")
            try:
                link = await to_thread(
                    self._new, partial(_beginning, form, upload), str(form.get("name", "")), part == TUTORIAL
                )
            except (StudioError, RulesError) as problem:
                return await to_thread(self._start, to_sentence(reason(problem)))
        return RedirectResponse(f"/studio/{link}{f'#{part}' if part else ''}", 303)

    def _new(self, beginning: Callable[[], Beginning], name: str, teaching: bool = False) -> str:
        if len(self.at.collection.all()) >= self.at.serving.limits.variants:
            raise HTTPException(503, FULL)
        variant = self.at.collection.new(beginning(), name)
        tutorial = tutorial_of(self.at.work(variant).project) if teaching else None
        if tutorial is not None:
            lay_out(variant, tutorial)
            self.at.work(variant).lay()
        return self.at.collection.link(variant, edit=True)

    async def share(self, request: Request) -> Response:
        """The links of a variant, for whoever may change it."""
        opened = await self.at.opened(request, writing=True)
        reader = self.at.collection.link(opened.variant, edit=False)
        base = str(request.base_url).rstrip("/")
        found: range | None = None
        with suppress(Refused):
            found = await self.at.played(opened, variant_games.players)
        here_only = not self.at.serving.store.alone and _is_this_computer(request.url.hostname or "")
        return await to_thread(
            lambda: self.at.page(
                "share.html", opened, reader=reader, base=base, players=found, here_only=here_only, pdf=can_typeset()
            )
        )

    async def export(self, request: Request) -> Response:
        """The variant as a zip file."""
        opened = await self.at.opened(request)
        name = {"Content-Disposition": f'attachment; filename="{opened.variant.name}.zip"'}
        return Response(await to_thread(opened.variant.zip), media_type="application/zip", headers=name)

    async def fork(self, request: Request) -> Response:
        """A copy of the variant that belongs to whoever asks."""
        opened = await self.at.opened(request)
        self.at.serving.gate.check(self.at.serving.limits.new_tables, "variants", request)
        link = await to_thread(self._new, lambda: ForkOf(opened.variant), opened.variant.title)
        return RedirectResponse(f"/studio/{link}", 303)


def _beginning(form: FormData, upload: bytes) -> Beginning:
    """What a form says a variant is to begin as. Raises `StudioError`."""
    match str(form.get("from", "")):
        case "game":
            return NewGame()
        case "copy":
            return CopyOf(_known(form.get("copied", ""), copyable()))
        case "form":
            return FormFor(_known(form.get("transcribed", ""), formable()))
        case "zip":
            return Zipped(upload)
        case "forms":
            return Blank(_known(form.get("over", ""), games()))
        case _:
            return LaidOver(_known(form.get("over", ""), games()))


def _known(name: Any, offered: tuple[tuple[str, Manifest], ...]) -> str:
    """A name that was offered; never a path that somebody typed."""
    found = next((one for one, _ in offered if one == name), None)
    if found is None:
        raise StudioError("that is not offered here", "choose one of the list")
    return found


def _is_this_computer(host: str) -> bool:
    """Whether an address leads nowhere from another computer."""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"


# --- the page of a variant -------------------------------------------------------------------------


class VariantPages:
    def __init__(self, studio: StudioServer) -> None:
        self.at = studio

    def routes(self) -> list[Route]:
        variant = "/studio/{key}"
        return [
            Route(variant, self.variant),
            Route(variant + "/changes", self.changes),
            Route(variant + "/rulebook", self.book),
            Route(variant + "/sheet", self.sheet),
            Route(variant + "/{which:str}.pdf", self.pdf),
        ]

    async def variant(self, request: Request) -> Response:
        """The page on which it is written, read and played."""
        opened = await self.at.opened(request)
        return await to_thread(lambda: self.at.page("studio.html", opened))

    async def changes(self, request: Request) -> Response:
        """What the variant changes in the rulebook."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            found = changes(opened.project)
            return self.at.page("changes.html", opened, base=found.base, pages=found.pages, gone=found.gone, links={})

        return await to_thread(drawn)

    async def book(self, request: Request) -> Response:
        """The whole rulebook of the variant."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            book = _printable(opened).book
            return self.at.page("rulebook.html", opened, book=book, links=book.links)

        return await to_thread(drawn)

    async def sheet(self, request: Request) -> Response:
        """No more than what is different, to print and lay beside the board."""
        opened = await self.at.opened(request)

        def drawn() -> Response:
            found = _printable(opened)
            return self.at.page("sheet.html", opened, base=found.base, pages=found.pages, gone=found.gone, links={})

        return await to_thread(drawn)

    async def pdf(self, request: Request) -> Response:
        """The rulebook or the sheet, set for printing."""
        opened, which = await self.at.opened(request), request.path_params["which"]
        if which not in ("rulebook", "sheet") or not can_typeset():
            raise HTTPException(404, NOTHING)
        self.at.serving.gate.check(self.at.serving.limits.new_tables, "printed", request)

        def made() -> bytes:
            found = _printable(opened)
            return render_pdf(found.sheet(opened.variant.title) if which == "sheet" else found.book, found.known)

        name = {"Content-Disposition": f'inline; filename="{opened.variant.name}-{which}.pdf"'}
        return Response(await to_thread(made), media_type="application/pdf", headers=name)


def _printable(opened: Access) -> Printable:
    """Raises HTTPException."""
    found = printable(opened.project)
    if found is None:
        raise HTTPException(409, "The rulebook can be read once the rules have no errors.")
    return found


# --- all routes ------------------------------------------------------------------------------------


def studio_routes(studio: StudioServer) -> list[Route]:
    """Those whose addresses are fixed come first."""
    playing = TablePanel(studio)
    editor, results = EditorRoutes(studio), ResultPanels(studio, playing)
    parts = (CollectionPages(studio), editor, FormRoutes(studio), playing, results, VariantPages(studio))
    return [route for part in parts for route in part.routes()]
