"""What a stretch of rules may do in the end: by itself, and by way of what it plays, does and triggers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edict.front import tree as t
from edict.front.symbols import Resolved, Symbol, walk

CALLS = (t.Play, t.Do, t.DoField, t.Trigger)


def abilities(resolved: Resolved) -> Iterator[t.Ability]:
    """Every ability there is, of things and standing alone."""
    for definition in resolved.book.definitions.values():
        if isinstance(definition, t.Thing):
            yield from definition.abilities
    yield from (one.ability for one in resolved.book.standalone)


def within(resolved: Resolved, nodes: Iterable[t.Node]) -> set[t.Node]:
    """The nodes, what stands in them, and in all they may call; too much rather than too little."""
    seen: set[t.Node] = set()
    waiting = list(nodes)
    while waiting:
        first = waiting.pop()
        if first in seen:
            continue  # and so is all that stands in it
        for node in walk(first):
            if node not in seen:
                seen.add(node)
                waiting.extend(_called(resolved, node))
    return seen


def _called(resolved: Resolved, node: t.Node) -> Iterator[t.Node]:
    """What this statement or expression sets going."""
    if isinstance(node, t.DoField):
        yield from _effects(resolved, node.field.word)
    elif isinstance(node, t.Name):
        meaning = resolved.meaning.get(node)
        definition = meaning.definition if isinstance(meaning, Symbol) else None
        if isinstance(definition, t.Phase | t.Routine | t.Action | t.Moment | t.Quantity):
            yield definition
            yield from _held(resolved, definition)


def _effects(resolved: Resolved, field: str) -> Iterator[t.Node]:
    for definition in resolved.book.definitions.values():
        if isinstance(definition, t.Thing):
            yield from (f for f in definition.fields if f.name.word == field)


def _held(resolved: Resolved, definition: t.Definition) -> Iterator[t.Node]:
    """The abilities that touch it."""
    for ability in abilities(resolved):
        name = target(ability)
        meaning = resolved.meaning.get(name)
        if isinstance(meaning, Symbol) and meaning.definition is definition:
            yield ability


def target(ability: t.Ability) -> t.Name:
    """What an ability is about: a quantity, moment, phase, action or routine."""
    for field in ("quantity", "moment", "action", "target"):
        if hasattr(ability, field):
            name: t.Name = getattr(ability, field)
            return name
    raise TypeError(ability)
