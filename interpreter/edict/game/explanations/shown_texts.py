"""The texts that a game shows, looked up in a phrasebook to learn which have no translation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edict.compiler.sources.words_files import iter_written_texts, load_phrasebook
from edict.game.explanations.glossary import translate_term
from edict.game.table.rules import Rules
from edict.prose.rulebook.annotated_rules import annotate_rules
from edict.prose.rulebook.judgement_filter import remove_judgement
from edict.prose.rulebook.primer import build_primer, iter_goal, translate_primer
from edict.prose.rulebook.rule_terms import RuleTerms
from edict.runtime.program.program_translation import translate_program
from edict.support.translations import use_language


@dataclass(frozen=True)
class TranslationReport:
    """The texts of a game that lack a translation, and translations that nothing uses."""

    play: tuple[str, ...]  # missing in questions, options, the log, the table and reasons
    glossary: tuple[str, ...]  # missing in the glossary, the primer and the goal
    unused: tuple[str, ...]  # English texts

    def subtract(self, other: TranslationReport) -> TranslationReport:
        """Return the report without what another one has."""
        return TranslationReport(
            tuple(text for text in self.play if text not in other.play),
            tuple(text for text in self.glossary if text not in other.glossary),
            self.unused,
        )


def report_translation(rules: Rules, language: str) -> TranslationReport:
    """Look up every text of a game in its phrasebook."""
    phrasebook = load_phrasebook(rules.sources, language)
    with use_language(language):
        translate_program(rules.program, phrasebook)
        play = tuple(phrasebook.missing)
        known = annotate_rules(rules.sources).value
        if known is not None:
            terms = RuleTerms(known)
            for term in terms.build_all():
                translate_term(term, phrasebook)
            translate_primer(build_primer(known), phrasebook)
            for sentence in iter_goal(remove_judgement(known)):
                phrasebook.translate(sentence)
    glossary = tuple(text for text in phrasebook.missing if text not in play)
    return TranslationReport(play, glossary, tuple(_iter_unused(rules, language, phrasebook.used)))


def _iter_unused(rules: Rules, language: str, used: set[str]) -> Iterator[str]:
    """Yield the texts of translation files that were not used; those of the glossary may be for other modules."""
    for module in rules.sources:
        yield from (text for text, _ in iter_written_texts(module, language) if text not in used)


__all__ = ["TranslationReport", "report_translation"]
