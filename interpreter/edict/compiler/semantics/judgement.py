"""What serves only to judge a position, and so is no rule: quantities, fields and abilities there for bots alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from edict.compiler.semantics.link import Linked
from edict.compiler.semantics.symbols import Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk


@dataclass(frozen=True)
class JudgementNames:
    """Names of quantities and fields that nothing but the game's `judge by` comes to, directly or through others."""

    names: frozenset[str]

    def rest(self, definition: t.Definition) -> t.Definition | None:
        """What a definition is without the judgement in it; None if it is nothing else."""
        if isinstance(definition, t.Thing):
            return self.thing(definition)
        if isinstance(definition, t.Kind):
            return replace(definition, fields=tuple(f for f in definition.fields if f.name.word not in self.names))
        if isinstance(definition, t.Game):
            return replace(definition, judge=None)
        if isinstance(definition, t.Quantity):
            return None if definition.name.word in self.names else definition
        if isinstance(definition, t.Standalone):
            return None if self.has(definition.ability) else definition
        return definition

    def thing(self, thing: t.Thing) -> t.Thing:
        """A thing as it is for those who play."""
        fields = tuple(f for f in thing.fields if f.name.word not in self.names)
        abilities = tuple(ability for ability in thing.abilities if not self.has(ability))
        return replace(thing, fields=fields, abilities=abilities)

    def has(self, ability: t.Ability) -> bool:
        return _adjusts(ability, self.names)


def judgement_of(linked: Linked) -> JudgementNames:
    """What is judgement in these rules; nothing if the game says nothing of how to judge."""
    if linked.game.judge is None:
        return JudgementNames(frozenset())
    before = (game.judge for game in linked.resolved.book.covered if isinstance(game, t.Game))
    judged = _reached(linked, [linked.game.judge, *(judge for judge in before if judge is not None)])
    return JudgementNames(judged - _reached(linked, _beside(linked, judged)))


def _beside(linked: Linked, judged: frozenset[str]) -> Iterator[t.Node]:
    """All that is written except what the judgement comes to."""
    for name, definition in linked.resolved.book.definitions.items():
        if isinstance(definition, t.Game):
            yield from (definition.order, definition.winners, definition.score, *definition.course)
        elif isinstance(definition, t.Kind):
            yield from (f.value for f in definition.fields if f.value is not None)
        elif isinstance(definition, t.Thing):
            yield from (step for field in definition.fields for step in field.block or ())
        elif not isinstance(definition, t.Quantity) or name not in judged:
            yield definition
    yield from (held.ability for held in linked.held if not _adjusts(held.ability, judged))


def _adjusts(ability: t.Ability, judged: frozenset[str]) -> bool:
    return isinstance(ability, t.Adjust) and ability.quantity.word in judged


def _reached(linked: Linked, roots: Iterable[t.Node]) -> frozenset[str]:
    """Quantities and fields that are spoken of, and those spoken of in these quantities and what adjusts them.

    A quantity that a module replaced counts as it was, too: what only it asked for becomes no rule by that.
    """
    found: set[str] = set()
    waiting = list(roots)
    while waiting:
        for name in _spoken(linked, waiting.pop()) - found:
            found.add(name)
            waiting += _quantities(linked.resolved.book, name)
            waiting += (held.ability for held in linked.adjusts.get(name, ()))
    return frozenset(found)


def _quantities(book: t.Book, name: str) -> Iterator[t.Quantity]:
    """The quantity of this name as it is, and as it was before."""
    for version in (*book.covered, book.definitions.get(name)):
        if isinstance(version, t.Quantity) and version.name.word == name:
            yield version


def _spoken(linked: Linked, root: t.Node) -> set[str]:
    return {name for node in walk(root) if isinstance(node, t.Name) and (name := _judging(linked.resolved, node))}


def _judging(resolved: Resolved, name: t.Name) -> str:
    """The quantity or field that is meant, if one is; what was replaced has no meaning but its word."""
    meaning = resolved.meaning.get(name)
    if meaning is None:
        there = name.word in resolved.fields or isinstance(resolved.book.definitions.get(name.word), t.Quantity)
        return name.word if there else ""
    return meaning.name if isinstance(meaning, Symbol) and meaning.sort in ("quantity", "field") else ""
