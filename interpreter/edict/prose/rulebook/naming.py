"""The names of a game that rules may use: keeps, quantities, routines and moments, with titles and in English."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from edict.compiler.syntax import tree as t
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.descriptions import description
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
class NamedRule:
    """A name as it is written in a rule, its title, what it means in English, and the sort it is listed under."""

    sort: str
    written: str
    title: str
    meaning: str


def names(known: Known) -> Iterator[NamedRule]:
    """Every name, by sorts, in the order of the rules."""
    for sort, kinds in SORTS.items():
        for definition in known.definitions.values():
            if isinstance(definition, kinds):
                yield NamedRule(
                    sort, _written(definition), split_title(definition.title)[0], _meaning(known, definition)
                )


def _written(definition: t.Definition) -> str:
    """The name with what it is of, or what it is given."""
    name = definition.name.word
    params = [param.name.word for param in getattr(definition, "params", ()) if isinstance(param, t.Param)]
    if not params:
        return name
    if isinstance(definition, t.Keep | t.Quantity):
        return f"{name} of {(' by ' if isinstance(definition, t.Keep) else ' in ').join(params)}"
    return f"{name} with {' and '.join(params)}"


def _meaning(known: Known, definition: t.Definition) -> str:
    """What is said about it, in one line."""
    return " ".join(line.strip() for line in description(known, definition))


def matching(all_: Iterator[NamedRule], words: str) -> Iterator[NamedRule]:
    """Those in whose names, titles or sorts all the words are found."""
    wanted = words.casefold().split()
    for one in all_:
        text = " ".join((one.written, one.title, one.sort)).casefold()
        if all(word in text for word in wanted):
            yield one
