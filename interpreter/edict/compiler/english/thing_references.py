"""References to rules about a thing that has no effects of its own."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from edict.compiler.semantics.symbols import ResolvedBook, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.traversal import walk


def list_referring_titles(resolved: ResolvedBook, thing: t.Thing) -> tuple[str, ...]:
    """Return the titles of things and phases whose rules name a thing; empty if no thing of its kind has effects."""
    if thing.kind.word in _kinds_with_effects(resolved):
        return _titles_by_named_thing(resolved).get(thing.name.word, ())
    return ()


@lru_cache(maxsize=2)
def _kinds_with_effects(resolved: ResolvedBook) -> frozenset[str]:
    """Return the names of the kinds of which some thing has effects or abilities."""
    things = (thing for thing in resolved.book.definitions.values() if isinstance(thing, t.Thing))
    return frozenset(thing.kind.word for thing in things if next(_iter_effects(thing), None) is not None)


@lru_cache(maxsize=2)
def _titles_by_named_thing(resolved: ResolvedBook) -> dict[str, tuple[str, ...]]:
    """Return, for each thing named by rules of other things or phases, the titles of those."""
    titles_by_thing: dict[str, dict[str, None]] = {}
    for definition in resolved.book.definitions.values():
        title = singular_title(definition)
        for part in _iter_effects(definition):
            for node in walk(part):
                meaning = resolved.meaning.get(node) if isinstance(node, t.Name) else None
                if isinstance(meaning, Symbol) and meaning.sort == "thing" and meaning.definition is not definition:
                    titles_by_thing.setdefault(meaning.name, {})[title] = None
    return {name: tuple(titles) for name, titles in titles_by_thing.items()}


def _iter_effects(definition: t.Definition) -> Iterator[t.Node]:
    """Yield the rules of a thing or the steps of a phase."""
    if isinstance(definition, t.Phase):
        yield from definition.block
    elif isinstance(definition, t.Thing):
        yield from definition.abilities
        yield from (step for field in definition.fields for step in field.block or ())
