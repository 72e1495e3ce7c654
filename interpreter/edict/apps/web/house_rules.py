"""Continuing a game under other rules at a table of its own, and the differences between the rules.

Nothing here knows a server, so that a process for strangers' rules can do it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from starlette.datastructures import FormData

from edict.apps.web.live_tables import PlayableGame
from edict.apps.web.new_tables import Choices, InvalidSetupError, TableOffer, load_chosen_rules
from edict.apps.web.studio.variant_games import VariantSnapshot
from edict.compiler.sources.packing import unpack_modules
from edict.compiler.sources.words_files import load_phrasebook, translate_modules
from edict.game.table.journal import Journal, parse_journal
from edict.game.table.rules import Rules
from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.rule_differences import RuleChange, find_differences
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
