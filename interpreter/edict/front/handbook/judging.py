"""What serves only to judge a position, and so is nothing a player needs to read: quantities and fields for bots."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edict.front import tree as t
from edict.front.handbook.known import Known
from edict.front.symbols import Symbol, walk


def only_judged(known: Known) -> frozenset[str]:
    """Names of quantities and fields that nothing but the game's `judge by` comes to, directly or through others."""
    game = known.linked.game
    if game.judge is None:
        return frozenset()
    judged = _reached(known, [game.judge])
    rules = _reached(known, _beside(known, judged))
    return frozenset(name for name in judged if name not in rules)


def _beside(known: Known, judged: frozenset[str]) -> Iterator[t.Node]:
    """All that is written except what the judgement comes to."""
    for name, definition in known.definitions.items():
        if isinstance(definition, t.Game):
            yield from (definition.order, definition.winners, definition.score, *definition.course)
        elif isinstance(definition, t.Kind):
            yield from (f.value for f in definition.fields if f.value is not None)
        elif not isinstance(definition, t.Quantity) or name not in judged:
            yield from _told(definition)
    yield from (one for one in known.book.standalone if not _adjusts(known, one, judged))


def _told(definition: t.Definition) -> Iterator[t.Node]:
    """A thing without the names of its fields, which say nothing of use."""
    if isinstance(definition, t.Thing):
        yield from definition.abilities
        yield from (step for field in definition.fields for step in field.block or ())
    else:
        yield definition


def _adjusts(known: Known, one: t.Standalone, judged: frozenset[str]) -> bool:
    ability = one.ability
    return isinstance(ability, t.Adjust) and known.resolved.meaning[ability.quantity].name in judged


def _reached(known: Known, roots: Iterable[t.Node]) -> frozenset[str]:
    """Quantities and fields that are spoken of, and those spoken of in these quantities."""
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        for name in _spoken(known, waiting.pop()) - found:
            found.add(name)
            definition = known.definitions.get(name)
            if isinstance(definition, t.Quantity):
                waiting.append(definition)
    return frozenset(found)


def _spoken(known: Known, root: t.Node) -> set[str]:
    meanings = (known.resolved.meaning.get(node) for node in walk(root) if isinstance(node, t.Name))
    return {m.name for m in meanings if isinstance(m, Symbol) and m.sort in ("quantity", "field")}
