"""Quantities, fields and abilities that only evaluate positions for bots, and so are no rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from edict.compiler.semantics.link import LinkedBook
from edict.compiler.semantics.symbols import ResolvedBook, Symbol
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from edict.support.records import dataclass


@dataclass(frozen=True)
class JudgementNames:
    """Names of quantities and fields that only the game's `judge by` refers to, directly or through others."""

    names: frozenset[str]

    def strip_definition(self, definition: t.Definition) -> t.Definition | None:
        """Return a definition without the judgement in it; None if nothing else is left."""
        if isinstance(definition, t.Thing):
            return self.strip_thing(definition)
        if isinstance(definition, t.Kind):
            return self.strip_fields(definition)
        if isinstance(definition, t.Game):
            return replace(definition, judge=None)
        if isinstance(definition, t.Quantity):
            return None if definition.name.word in self.names else definition
        if isinstance(definition, t.Standalone):
            return None if self.is_judgement(definition.ability) else definition
        return definition

    def strip_fields(self, kind: t.Kind) -> t.Kind:
        """Return a kind without the fields that only evaluate positions."""
        return replace(kind, fields=tuple(f for f in kind.fields if f.name.word not in self.names))

    def strip_thing(self, thing: t.Thing) -> t.Thing:
        """Return a thing without its judgement, as players know it."""
        fields = tuple(f for f in thing.fields if f.name.word not in self.names)
        abilities = tuple(ability for ability in thing.abilities if not self.is_judgement(ability))
        return replace(thing, fields=fields, abilities=abilities)

    def is_judgement(self, ability: t.Ability) -> bool:
        """Return True if an ability only adjusts a judgement."""
        return _adjusts(ability, self.names)


def find_judgement(linked: LinkedBook) -> JudgementNames:
    """Return the quantities and fields that only `judge by` (the bots' estimate of a position) uses; may be empty."""
    if linked.game.judge is None:
        return JudgementNames(frozenset())
    replaced_judges = (game.judge for game in linked.resolved.book.covered if isinstance(game, t.Game))
    judged = _collect_reached_names(
        linked, [linked.game.judge, *(judge for judge in replaced_judges if judge is not None)]
    )
    return JudgementNames(judged - _collect_reached_names(linked, _iter_other_rules(linked, judged)))


def _iter_other_rules(linked: LinkedBook, judged_names: frozenset[str]) -> Iterator[t.Node]:
    """Yield all rules except those that only the judgement refers to."""
    for name, definition in linked.resolved.book.definitions.items():
        if isinstance(definition, t.Game):
            yield from (definition.order, definition.winners, definition.score, *definition.course)
        elif isinstance(definition, t.Kind):
            yield from (f.value for f in definition.fields if f.value is not None)
        elif isinstance(definition, t.Thing):
            yield from (step for field in definition.fields for step in field.block or ())
        elif not isinstance(definition, t.Quantity) or name not in judged_names:
            yield definition
    yield from (attached.ability for attached in linked.held if not _adjusts(attached.ability, judged_names))


def _adjusts(ability: t.Ability, judged_names: frozenset[str]) -> bool:
    """Return True if an ability adjusts one of the quantities named in `judged_names`."""
    return isinstance(ability, t.Adjust) and ability.quantity.word in judged_names


def _collect_reached_names(linked: LinkedBook, roots: Iterable[t.Node]) -> frozenset[str]:
    """Return the quantities and fields that some nodes refer to, directly or through quantities and their adjustments.

    A quantity that a module replaced counts in its old form, too: names that only the old form used become no rules.
    """
    names: set[str] = set()
    pending = list(roots)
    while pending:
        for name in _collect_names(linked, pending.pop()) - names:
            names.add(name)
            pending += _iter_versions(linked.resolved.book, name)
            pending += (attached.ability for attached in linked.adjusts.get(name, ()))
    return frozenset(names)


def _iter_versions(book: t.Book, name: str) -> Iterator[t.Quantity]:
    """Yield all quantities of this name: those that modules replaced, then the present one."""
    for version in (*book.covered, book.definitions.get(name)):
        if isinstance(version, t.Quantity) and version.name.word == name:
            yield version


def _collect_names(linked: LinkedBook, root: t.Node) -> set[str]:
    """Return the names of all quantities and fields that a node or anything below it refers to."""
    return {
        name
        for node in walk(root)
        if isinstance(node, t.Name) and (name := _quantity_or_field_name(linked.resolved, node))
    }


def _quantity_or_field_name(resolved: ResolvedBook, name: t.Name) -> str:
    """Return the word of a name that means a quantity or field, or ""; unresolved names are looked up by word."""
    meaning = resolved.meaning.get(name)
    if meaning is None:
        is_known = name.word in resolved.fields or isinstance(resolved.book.definitions.get(name.word), t.Quantity)
        return name.word if is_known else ""
    if isinstance(meaning, Symbol) and meaning.sort in ("quantity", "field"):
        return meaning.name
    return ""
