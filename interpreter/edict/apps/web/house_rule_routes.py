"""House rules for trying, under which the game continues at another table: reading them, and routes."""

from __future__ import annotations

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlsplit

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from edict.apps.web import table_actions
from edict.apps.web.live_tables import Link, PlayableGame
from edict.apps.web.new_tables import (
    STAND_IN,
    Choices,
    InvalidSetupError,
    TableOffer,
    load_chosen_rules,
    to_setup_error,
)
from edict.apps.web.request_values import read_form, read_upload
from edict.apps.web.studio.variant_games import VariantSnapshot
from edict.apps.web.table_server import TableServer
from edict.apps.web.talk_routes import TalkStore
from edict.compiler.sources.packing import unpack_modules
from edict.compiler.sources.words_files import load_phrasebook, translate_modules
from edict.game.table.game_errors import GameError
from edict.game.table.journal import Journal, parse_journal
from edict.game.table.rules import Rules
from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.rule_differences import RuleChange, find_differences
from edict.support.morphology import capitalize
from edict.support.processes.tasks import TaskFailed
from edict.support.records import dataclass
from edict.support.report import RulesError
from edict.support.translations import ENGLISH, current_language, gettext, use_language
from edict.support.translations.phrasebook import Phrasebook
from edict.tools.studio.playtests import continue_under_rules

MOST_DIFFERENCES = 40  # differences that are shown; the others are counted


@dataclass(frozen=True, slots=True)
class RuleDifference:
    """A definition that differs under the other rules."""

    way: str  # added, changed or removed
    title: str
    sort: str  # the kind of definition, such as building
    before: tuple[str, ...]  # its sentences under the table's rules
    after: tuple[str, ...]  # its sentences under the other rules


@dataclass(frozen=True, slots=True)
class TriedRules:
    """A game that continues under other rules, and the data for the page that presents it."""

    game: PlayableGame
    title: str  # titles of the modules, or of the game if there are none
    told: tuple[RuleDifference, ...]  # differences that are shown
    more: int  # number of differences that are not shown
    answers: int  # answers of the game that are possible under the other rules
    of: int  # answers of the game in all
    said: str  # a sentence about where the game continues


def apply_chosen_rules(
    raw: bytes, fields: Sequence[tuple[str, str]], offer: TableOffer, upload: bytes, language: str
) -> TriedRules:
    """Continue a game under the modules that a form names, and an uploaded one if there is one.

    Args:
        raw: The journal of the game, as bytes.
        fields: The fields of the form, by name.
        offer: The games and modules on offer.
        upload: A zip file with a stranger's module; empty for none.
        language: The language of titles and differences.

    Raises:
        InvalidSetupError: The rules cannot be played, or are those of the table.
        GameError: The game cannot start under them.
        RulesError: The rules fail.
    """
    with use_language(language):
        choices = Choices.read(FormData([*fields]), offer)
        return _continue_game(raw, load_chosen_rules(choices, offer, upload), bool(upload) or offer.is_own(choices))


def apply_variant(seen: VariantSnapshot, raw: bytes, language: str) -> TriedRules:
    """Continue the game in a journal under a variant of the studio. Raises as `apply_chosen_rules` does."""
    with use_language(language):
        return _continue_game(raw, seen.load_rules(), untrusted=True)


def _continue_game(raw: bytes, rules: Rules, untrusted: bool) -> TriedRules:
    """Continue the game of a journal under other rules. Raises `InvalidSetupError` if they are the same."""
    journal = parse_journal(raw)
    continued = continue_under_rules(journal, rules)
    if not continued.changed:
        raise InvalidSetupError(gettext("These are already the rules of this table. Choose others."))
    new_journal = replace(continued.journal, keeps_rules=untrusted)
    differing = [
        difference for difference in _iter_differences(journal, rules) if difference.before or difference.after
    ]
    return TriedRules(
        PlayableGame.from_journal(new_journal, rules, new_journal.header.bots),
        _format_module_titles(rules),
        tuple(differing[:MOST_DIFFERENCES]),
        len(differing[MOST_DIFFERENCES:]),
        continued.answers,
        continued.of,
        continued.said,
    )


def _format_module_titles(rules: Rules) -> str:
    """Return the titles of the modules, or that of the game if there are none."""
    modules = translate_modules(rules.sources, current_language())
    titles = [module.manifest.title for module in modules if module.manifest.kind != "game"]
    return ", ".join(titles) or rules.title


def _iter_differences(journal: Journal, rules: Rules) -> Iterator[RuleDifference]:
    """Yield the differences between a journal's rules and others; none if either cannot be annotated."""
    old, new = unpack_modules(journal.bundle).and_then(annotate_rules).value, annotate_rules(rules.sources).value
    phrasebook = load_phrasebook(rules.sources, current_language())
    for change in find_differences(old, new) if old is not None and new is not None else ():
        yield _to_difference(change, phrasebook)


def _to_difference(change: RuleChange, phrasebook: Phrasebook) -> RuleDifference:
    """Convert a change of rules to a difference that a page shows and that can be pickled."""
    say = phrasebook.translate if current_language() != ENGLISH else str
    before, after = (tuple(map(say, sentences)) for sentences in (change.before, change.after))
    return RuleDifference(change.way, say(change.title), say(change.sort), before, after)


# returns the variant of the studio with the key of a link, or None if there is none
VariantLookup = Callable[[str], Awaitable[VariantSnapshot | None]]


class HouseRuleRoutes:
    """The routes for choosing house rules, and for the table at which they are tried.

    Args:
        find_variant: Looks up variants of the studio; None on servers without a studio.
    """

    def __init__(self, server: TableServer, find_variant: VariantLookup | None = None) -> None:
        self.server = server
        self.talk = TalkStore(server.store)
        self.find_variant = find_variant

    def routes(self) -> list[Route]:
        """Return the routes to choose house rules and to join the table that tries them."""
        seat = "/seat/{key}"
        return [
            Route(seat + "/try", self.choose),
            Route(seat + "/try", self.open_table, methods=["POST"]),
            Route(seat + "/tried", self.join_table),
        ]

    async def choose(self, request: Request) -> Response:
        """Return the page on which house rules are chosen."""
        return await self._render_choices(await self._require_seat(request), FormData())

    async def open_table(self, request: Request) -> Response:
        """Open a table at which the game continues under the chosen rules, and return the page with the differences."""
        link = await self._require_seat(request)
        await self.server.check_new_table(request)
        async with read_form(request, file_field="module") as form:
            try:
                tried = await self._try_rules(link, form, await read_upload(form, "module"))
            except (InvalidSetupError, GameError, RulesError) as problem:
                problem_text = problem.first if isinstance(problem, RulesError) else problem
                return await self._render_choices(link, form, capitalize(str(problem_text)))
            for_all = form.get("who") == "all"
        links = await self.server.tables.open(tried.game, sealed=for_all and link.sealed)
        if for_all:
            await self._announce(link, links, tried.title)
        self.server.bots.start_turns(links[0].table)
        new_link = next(table_link for table_link in links if table_link.seat == link.seat)
        goes_to = f"/seat/{link.key}/tried" if for_all else f"/seat/{new_link.key}"
        return self.server.render_page(
            "house_rules_tried.html", link=link, tried=tried, together=for_all, goes_to=goes_to
        )

    async def join_table(self, request: Request) -> Response:
        """Redirect to the same seat at the table at which everybody tries other rules."""
        link = await self.server.require_link(request)
        seat_key = await to_thread(self.server.store.get_trial_key, link.key)
        if not seat_key:
            raise HTTPException(404, gettext("Nobody is trying other rules at this table."))
        return RedirectResponse(f"/seat/{seat_key}", 303)

    async def _require_seat(self, request: Request) -> Link:
        """Return the link of a request. Raises `HTTPException` 403 if it opens no player's seat."""
        link = await self.server.require_link(request)
        if link.seat < 0:
            raise HTTPException(403, gettext("Only those who have a seat can try other rules."))
        return link

    async def _render_choices(self, link: Link, form: Any, problem: str = "") -> Response:
        """Return the page of house rules with the form's values, else those of the table; 422 with a problem."""
        game, modules = await self.server.tables.ask(link.table, table_actions.get_rules_names)
        offer = self.server.offer
        is_known = game in offer.games and set(modules) <= set(offer.modules_for(game))
        chosen = form.getlist("with") if "game" in form else modules
        return self.server.render_page(
            "house_rules.html",
            422 if problem else 200,
            link=link,
            problem=problem,
            game=game,
            chosen=chosen,
            modules=offer.modules_for(game) if is_known else {},
            known=is_known,
            studio=self.find_variant is not None,
            variant=str(form.get("variant", "")),
            together=form.get("who") == "all",
        )

    async def _try_rules(self, link: Link, form: FormData, upload: bytes) -> TriedRules:
        """Continue the game under the chosen rules.

        Raises:
            InvalidSetupError: The rules cannot be played.
            GameError: The game cannot be branched here, or cannot start under the rules.
            RulesError: The rules fail.
        """
        stand_in = "" if form.get("who") == "all" else STAND_IN
        bots = tuple(
            table_link.bot
            for table_link in await to_thread(self.server.store.list_links, link.table)
            if table_link.seat >= 0
        )
        raw: bytes = await self.server.tables.ask(link.table, table_actions.branch_game, link.seat, stand_in, bots)
        try:
            return await self._apply_rules(link, raw, form, upload)
        except TaskFailed as problem:
            raise to_setup_error(problem) from None

    async def _apply_rules(self, link: Link, raw: bytes, form: FormData, upload: bytes) -> TriedRules:
        """Continue a game under the chosen rules, in a process for strangers' rules unless all of them ship."""
        run_in_sandbox, table_id = self.server.sandbox.run, link.table.encode()
        if str(form.get("variant", "")).strip():
            variant = await self._require_variant(str(form["variant"]))
            tried: TriedRules = await run_in_sandbox(table_id, apply_variant, variant, raw, current_language())
            return tried
        fields = [(name, value) for name, value in form.multi_items() if isinstance(value, str)]
        choices = await to_thread(Choices.read, form, self.server.offer)
        apply_choices = partial(apply_chosen_rules, raw, fields, self.server.offer, upload, current_language())
        if not upload and not self.server.offer.is_own(choices):
            return await to_thread(apply_choices)
        tried_in_sandbox: TriedRules = await run_in_sandbox(table_id, apply_choices)
        return tried_in_sandbox

    async def _require_variant(self, link: str) -> VariantSnapshot:
        """Return the studio's variant behind a pasted link. Raises `InvalidSetupError` if it opens none."""
        key = urlsplit(link.strip()).path.partition("/studio/")[2].partition("/")[0]
        variant = await self.find_variant(key) if self.find_variant is not None else None
        if variant is None:
            raise InvalidSetupError(gettext("This link does not open a variant of the studio on this server."))
        return variant

    async def _announce(self, link: Link, links: list[Link], title: str) -> None:
        """Tell everybody at the table about the other table."""
        await to_thread(self.server.store.link_trial, link.table, links)
        message = gettext("Let’s try house rules: %(title)s") % {"title": title}
        await to_thread(self.talk.add_message, link.table, link.seat, message)
        self.server.notifications.notify_talk(link.table)
