"""A thing that does nothing by itself: which others ask about it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from edict.compiler.semantics.symbols import Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.walking import walk


def askers(resolved: Resolved, thing: t.Thing) -> tuple[str, ...]:
    """The titles of the things and phases whose rules speak of it; none where things of its kind never do anything."""
    return _asked(resolved).get(thing.name.word, ()) if thing.kind.word in _acting(resolved) else ()


@lru_cache(maxsize=2)
def _acting(resolved: Resolved) -> frozenset[str]:
    """The kinds of which some thing does something."""
    things = (one for one in resolved.book.definitions.values() if isinstance(one, t.Thing))
    return frozenset(one.kind.word for one in things if next(_doing(one), None) is not None)


@lru_cache(maxsize=2)
def _asked(resolved: Resolved) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for one in resolved.book.definitions.values():
        title = singular_title(one)
        for part in _doing(one):
            for node in walk(part):
                meaning = resolved.meaning.get(node) if isinstance(node, t.Name) else None
                if isinstance(meaning, Symbol) and meaning.sort == "thing" and meaning.definition is not one:
                    found.setdefault(meaning.name, {})[title] = None
    return {name: tuple(titles) for name, titles in found.items()}


def _doing(one: t.Definition) -> Iterator[t.Node]:
    """What a thing or a phase does."""
    if isinstance(one, t.Phase):
        yield from one.block
    elif isinstance(one, t.Thing):
        yield from one.abilities
        yield from (step for field in one.fields for step in field.block or ())
