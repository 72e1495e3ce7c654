"""A catalog of the names that rules may use, with titles and meanings in English."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edict.compiler.syntax import tree as t
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.prose.rulebook.descriptions import describe_definition
from edict.support.morphology import split_title

SORTS = {
    "keeps": t.Keep,
    "quantities": t.Quantity,
    "routines": t.Routine,
    "actions": t.Action,
    "moments": t.Moment,
    "phases": t.Phase,
    "resources": t.Resource | t.Group | t.Die,
    "settings": t.Setting,
    "kinds": t.Kind,
}


@dataclass(frozen=True, slots=True)
class CatalogEntry:
    """A name with its meaning."""

    sort: str  # heading under which it is listed
    written: str  # name with its parameters, as a rule writes it
    title: str
    meaning: str  # English description


def iter_names(rules: AnnotatedRules) -> Iterator[CatalogEntry]:
    """Iterate over all names by sort, in the sequence of the rules."""
    for sort, kinds in SORTS.items():
        for definition in rules.definitions.values():
            if isinstance(definition, kinds):
                yield CatalogEntry(
                    sort,
                    _format_usage(definition),
                    split_title(definition.title)[0],
                    _describe_in_one_line(rules, definition),
                )


def _format_usage(definition: t.Definition) -> str:
    """Return the name with its parameters as a rule writes it."""
    name = definition.name.word
    params = [param.name.word for param in getattr(definition, "params", ()) if isinstance(param, t.Param)]
    if not params:
        return name
    if isinstance(definition, t.Keep | t.Quantity):
        return f"{name} of {(' by ' if isinstance(definition, t.Keep) else ' in ').join(params)}"
    return f"{name} with {' and '.join(params)}"


def _describe_in_one_line(rules: AnnotatedRules, definition: t.Definition) -> str:
    """Return all sentences about a definition, joined by spaces."""
    return " ".join(line.strip() for line in describe_definition(rules, definition))


def filter_names(entries: Iterator[CatalogEntry], words: str) -> Iterator[CatalogEntry]:
    """Iterate over the entries whose name, title or sort contains all words."""
    query_words = words.casefold().split()
    for entry in entries:
        text = " ".join((entry.written, entry.title, entry.sort)).casefold()
        if all(word in text for word in query_words):
            yield entry
