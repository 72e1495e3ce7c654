"""What the rulebook says in the author's words of a phase, an action or a kind, beside the rules it stands for.

A passage says what the rules do not, and leaves out what they say, so less is told than of the words of a thing: a
number in figures that stands nowhere in what the rules lead to, another amount of something than they move, and a
resource that they never speak of.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain

from edict.compiler.checks.text_drift import RuleFacts, RuleWords, TextWords
from edict.compiler.semantics.symbols import Resolved
from edict.compiler.sources.folders import PLACES, Manifest, Passage
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, having
from edict.compiler.syntax.walking import walk
from edict.support.morphology import join_words
from edict.support.report import Diagnostic

TOLD = (t.Phase, t.Routine, t.Action, t.Kind, t.Moment)  # what a resource or a keep is for, other rules decide
LEADING = (t.Phase, t.Routine, t.Action, t.Quantity, t.Moment, t.Keep)  # what is spoken of there is done, or counts


def drifted_passages(resolved: Resolved, manifests: Iterable[Manifest]) -> Iterator[Diagnostic]:
    """The passages that stand for something with a name."""
    table: RuleWords | None = None
    for manifest in manifests:
        for number, passage in enumerate(manifest.book):
            about = resolved.book.definitions.get(passage.place)
            if not isinstance(about, TOLD) or passage.place in PLACES:
                continue
            table = table or RuleWords(resolved)
            words = TextWords.of(table, (passage.text,))
            for said in _differences(words, table, passage):
                yield Diagnostic(
                    "E0583",
                    said,
                    manifest.places.get(("book", number, "text"), manifest.span),
                    severity="warning",
                    help="make the passage say what the rules do",
                )


def _differences(words: TextWords, table: RuleWords, passage: Passage) -> Iterator[str]:
    place, text = passage.place, passage.text.casefold()
    nodes = [*_rules_of(table, place)]
    facts = RuleFacts.of(table, *nodes)
    numbers = {*facts.numbers, *facts.compared, 0}
    for amount, what in words.amounts:
        moved = facts.amounts.get(what, ())
        plain = {number for number in moved if number is not None}
        if plain and None not in moved and amount not in plain:
            others = join_words(map(str, sorted(plain)), "or")
            yield f"the passage says {amount} {words.title(what)}, and the rules {others}"
            return
    for number in words.numbers:
        if number not in numbers:
            yield f"the passage says {number}, which is no number of the rules of {table.title(place)}"
            return
    spoken = {name for node in nodes for part in walk(node) if (name := table.name(part))}
    spoken |= {member for name in spoken for member in table.members(name)}
    for one in sorted(words.resources - spoken):
        definition = table.resolved.get(one)
        called = any(title.casefold() in text for title in definition.title.split("/"))  # a building token is no token
        if called and not isinstance(definition, t.Die) and not table.members(one) & spoken:
            yield f"the passage speaks of {words.title(one)}, and the rules of {table.title(place)} do not"
            return


def _rules_of(table: RuleWords, place: str) -> Iterator[t.Node]:
    """The rules of something, what they lead to, and what is written elsewhere about any of that."""
    definitions, found = table.resolved.book.definitions, set[str]()
    things = [one for one in definitions.values() if isinstance(one, t.Thing)]
    first = {place, *(one.name.word for one in things if one.kind.word == place)}
    waiting = [*first]
    while waiting:
        name = waiting.pop()
        if name not in found and (name in first or isinstance(definitions.get(name), LEADING)):
            found.add(name)
            waiting += table.mentions[name]
    yield from (definitions[name] for name in found)
    abilities = (one.abilities for one in things)
    for ability in (*(one.ability for one in table.resolved.book.standalone), *chain.from_iterable(abilities)):
        if any(table.name(node) in found for node in having(ability, Role.ABOUT)):
            yield ability
    done = any(isinstance(node, t.DoField) for name in found for node in walk(definitions[name]))
    yield from (value for one in things for value in one.fields if done and value.block)
