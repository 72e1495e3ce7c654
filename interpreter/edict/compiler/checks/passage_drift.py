"""Passages of the rulebook in the author's words that contradict the rules of a phase, an action or a kind.

A passage says what the rules do not, and leaves out what they say, so fewer contradictions are reported than for the
text of a thing: a number in figures that occurs nowhere in what the rules lead to, another amount of something than
they move, and a resource that they never mention.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from edict.compiler.checks.text_drift import RuleFacts, RuleVocabulary, TextFacts, get_vocabulary
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.sources.folders import CHAPTERS, Manifest, Passage
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.morphology import join_words
from edict.support.report import Diagnostic

# not resources and keeps, whose use other rules decide
CHECKED_CLASSES = (
    t.Phase,
    t.Routine,
    t.Action,
    t.Kind,
    t.Moment,
)
# what these mention belongs to the rules, too
FOLLOWED_CLASSES = (
    t.Phase,
    t.Routine,
    t.Action,
    t.Quantity,
    t.Moment,
    t.Keep,
)


def find_drifted_passages(resolved: ResolvedBook, manifests: Iterable[Manifest]) -> Iterator[Diagnostic]:
    """Yield a warning for each manifest passage of the printed rules that contradicts the definition it is about."""
    table: RuleVocabulary | None = None
    for manifest in manifests:
        for number, passage in enumerate(manifest.book):
            definition = resolved.book.definitions.get(passage.place)
            if not isinstance(definition, CHECKED_CLASSES) or passage.place in CHAPTERS:
                continue
            table = table or get_vocabulary(resolved)
            words = TextFacts.from_parts(table, (passage.text,))
            for title in _find_differences(words, table, passage):
                yield Diagnostic(
                    "E0583",
                    title,
                    manifest.places.get(("book", number, "text"), manifest.span),
                    severity="warning",
                    help="make the passage match the rules",
                )


def _find_differences(words: TextFacts, table: RuleVocabulary, passage: Passage) -> Iterator[str]:
    """Yield at most one contradiction: an amount, number or resource of a passage that its rules do not have."""
    place, text = passage.place, passage.text.casefold()
    nodes = [*_iter_related_rules(table, place)]
    facts = RuleFacts.from_nodes(table, *nodes)
    numbers = {*facts.numbers, *facts.compared, 0}
    for amount, resource in words.amounts:
        moved = facts.amounts.get(resource, ())
        literal_amounts = {number for number in moved if number is not None}
        if literal_amounts and None not in moved and amount not in literal_amounts:
            others = join_words(map(str, sorted(literal_amounts)), "or")
            yield f"the passage says {amount} {words.title(resource)}, but the rules say {others}"
            return
    for number in words.numbers:
        if number not in numbers:
            yield f"the passage says {number}, which does not appear in the rules of {table.title(place)}"
            return
    mentioned = {name for node in nodes for name in table.mentions_in(node)}
    mentioned |= {member for name in mentioned for member in table.members(name)}
    for name_ in sorted(words.resources - mentioned):
        definition = table.resolved.require_definition(name_)
        # by its title, not by its name
        is_mentioned = any(title.casefold() in text for title in definition.title.split("/"))
        if is_mentioned and not isinstance(definition, t.Die) and not table.members(name_) & mentioned:
            yield f"the passage mentions {words.title(name_)}, but the rules of {table.title(place)} do not"
            return


def _iter_related_rules(table: RuleVocabulary, place: str) -> Iterator[t.Node]:
    """Yield the definition `place`, those it leads to, abilities about any of them, and effects that they run."""
    definitions, followed = table.resolved.book.definitions, set[str]()
    things = [*table.resolved.book.things]
    first = {place, *(thing.name.word for thing in things if thing.kind.word == place)}
    pending = [*first]
    while pending:
        name = pending.pop()
        if name not in followed and (name in first or isinstance(definitions.get(name), FOLLOWED_CLASSES)):
            followed.add(name)
            pending += table.mentions[name]
    yield from (definitions[name] for name in followed)
    abilities = (thing.abilities for thing in things)
    for ability in (*(thing.ability for thing in table.resolved.book.standalone), *chain.from_iterable(abilities)):
        if any(table.name_of(node) in followed for node in iter_role_values(ability, Role.ABOUT)):
            yield ability
    runs_fields = any(isinstance(node, t.DoField) for name in followed for node in walk(definitions[name]))
    yield from (value for thing in things for value in thing.fields if runs_fields and value.block)
