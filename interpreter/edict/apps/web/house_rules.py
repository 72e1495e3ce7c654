"""A game that goes on under other rules at a table of its own: which rules, and what is different under them.

Nothing here knows a server: strangers' rules are tried in a process for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from starlette.datastructures import FormData

from edict.apps.web.live_tables import PlayableGame
from edict.apps.web.new_tables import Choices, TableOffer, WrongSetup, rules_under
from edict.apps.web.studio.variant_games import SeenVariant
from edict.compiler.sources.packing import unpack
from edict.compiler.sources.words_files import in_language
from edict.game.table.journal import Journal, parse_journal
from edict.game.table.rules import Rules
from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.rule_differences import RuleChange, find_differences
from edict.support.translations import current_language, gettext, use_language
from edict.tools.studio.playtests import go_on_under

MOST_TOLD = 40  # differences that are told one by one


@dataclass(frozen=True, slots=True)
class RuleDifference:
    """Something that is added, changed or removed: its title, what it is, and what it says now and said before."""

    way: str
    title: str
    sort: str
    before: tuple[str, ...]
    after: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class TriedRules:
    """The game under the other rules, and what to tell of it: what is different, how many differences more there are
    than are told, and how far the game holds: its first `answers` of `of`."""

    game: PlayableGame
    title: str
    told: tuple[RuleDifference, ...]
    more: int
    answers: int
    of: int
    said: str


def chosen_under(
    raw: bytes, fields: Sequence[tuple[str, str]], offer: TableOffer, upload: bytes, language: str
) -> TriedRules:
    """The game in a journal under the modules that a form says, and the one in a zip file if there is one.

    Raises `WrongSetup`, `GameError` or `RulesError` if it cannot go on so.
    """
    with use_language(language):
        choices = Choices.read(FormData([*fields]), offer)
        return _tried(raw, rules_under(choices, offer, upload), bool(upload) or offer.is_own(choices))


def variant_under(seen: SeenVariant, raw: bytes, language: str) -> TriedRules:
    """The game in a journal under a variant of the studio. Raises as `chosen_under` does."""
    with use_language(language):
        return _tried(raw, seen.rules(), strange=True)


def _tried(raw: bytes, rules: Rules, strange: bool) -> TriedRules:
    journal = parse_journal(raw)
    gone_on = go_on_under(journal, rules)
    if not gone_on.changed:
        raise WrongSetup(gettext("These are already the rules of this table. Choose others."))
    under = replace(gone_on.journal, keeps_rules=strange)
    told = [one for one in _differences(journal, rules) if one.before or one.after]
    return TriedRules(
        PlayableGame.of(under, rules, under.header.bots),
        _title(rules),
        tuple(told[:MOST_TOLD]),
        len(told[MOST_TOLD:]),
        gone_on.answers,
        gone_on.of,
        gone_on.said,
    )


def _title(rules: Rules) -> str:
    """What is laid over the game, by title."""
    modules = in_language(rules.sources, current_language())
    titles = [one.manifest.title for one in modules if one.manifest.kind != "game"]
    return ", ".join(titles) or rules.title


def _differences(journal: Journal, rules: Rules) -> Iterator[RuleDifference]:
    old, new = unpack(journal.bundle).and_then(_known).value, _known(rules.sources).value
    for one in find_differences(old, new) if old is not None and new is not None else ():
        yield _told(one)


def _known(modules: Any) -> Any:
    return annotate_rules(in_language(modules, current_language()))


def _told(change: RuleChange) -> RuleDifference:
    return RuleDifference(change.way, change.title, change.sort, change.before, change.after)
