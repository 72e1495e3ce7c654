"""What a stretch of rules sets going: by itself, and through what it plays, does, triggers and asks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from edict.compiler.semantics.ability_targets import MOVES, target
from edict.compiler.semantics.symbols import Resolved, Symbol, definition_of, in_full, keep_of, parts_of
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, has, having
from edict.compiler.syntax.walking import walk

RESOURCES = (t.Resource, t.Die)


@dataclass(frozen=True)
class Calls:
    """Who answers a call: the abilities about each definition, and the fields of things by name.

    `owned` are the abilities of things that work, or not, for each player apart.
    """

    held: dict[t.Definition, list[t.Node]]
    fields: dict[str, list[t.FieldValue]]
    owned: frozenset[t.Ability]


@lru_cache(maxsize=2)
def calls(resolved: Resolved) -> Calls:
    """Worked out once for all rules of a game."""
    held, fields = defaultdict[t.Definition, list[t.Node]](list), defaultdict[str, list[t.FieldValue]](list)
    owned: set[t.Ability] = set()
    for definition in resolved.book.definitions.values():
        if isinstance(definition, t.Thing):
            works_if = _works_if(resolved, definition)
            owned.update(definition.abilities if any(is_you(resolved, node) for node in walk(works_if)) else ())
            for ability in definition.abilities:
                _hold(resolved, held, ability, works_if)
            for field in definition.fields:
                fields[field.name.word].append(field)
    for standalone in resolved.book.standalone:
        _hold(resolved, held, standalone.ability, ())
    return Calls(dict(held), dict(fields), frozenset(owned))


def _hold(
    resolved: Resolved, held: dict[t.Definition, list[t.Node]], ability: t.Ability, works_if: tuple[t.Expr, ...]
) -> None:
    about = definition_of(resolved, target(ability))
    for definition in moved(resolved, about) if isinstance(about, t.Group) else [about]:
        if definition is not None:
            held[definition] += (ability, *works_if)


def moved(resolved: Resolved, definition: t.Definition) -> list[t.Definition]:
    """A resource itself; the members of a group."""
    if not isinstance(definition, t.Group):
        return [definition]
    return [member for name in definition.members if (member := definition_of(resolved, name)) is not None]


def _works_if(resolved: Resolved, thing: t.Thing) -> tuple[t.Expr, ...]:
    kind = definition_of(resolved, thing.kind)
    return (kind.works_if,) if isinstance(kind, t.Kind) and kind.works_if is not None else ()


def is_you(resolved: Resolved, node: t.Node) -> bool:
    meaning = resolved.meaning.get(node) if isinstance(node, t.Name) else None
    return isinstance(meaning, Symbol) and meaning.sort == "builtin" and meaning.name == "you"


def abilities(resolved: Resolved) -> Iterator[t.Ability]:
    """Every ability there is, of things and standing alone."""
    for definition in resolved.book.definitions.values():
        if isinstance(definition, t.Thing):
            yield from definition.abilities
    yield from (standalone.ability for standalone in resolved.book.standalone)


def owners(resolved: Resolved) -> tuple[t.Definition, ...]:
    """Every definition, those without a name included."""
    return (*resolved.book.definitions.values(), *resolved.book.standalone)


def within(resolved: Resolved, nodes: Iterable[t.Node]) -> set[t.Node]:
    """The nodes, what stands in them, and in all they may call; too much rather than too little."""
    seen: set[t.Node] = set()
    waiting = list(nodes)
    while waiting:
        first = waiting.pop()
        if first in seen:
            continue  # and so is all that stands in it
        for node in in_full(resolved, first):
            if node not in seen:
                seen.add(node)
                if isinstance(node, t.Name) or runs(type(node)):
                    waiting.extend(called(resolved, node))
    return seen


def runs(kind: type) -> bool:
    """Whether nodes of this class carry out other rules, or change what rules may wait for."""
    return has(kind, Role.RUNS) or has(kind, Role.ANSWERS) or has(kind, Role.CHANGED) or kind in MOVES


def answered(resolved: Resolved, node: t.Node) -> tuple[t.Definition, str] | None:
    """The moment (or phase or routine, and which end of it) of which a step does what a thing does then."""
    name = node.field if isinstance(node, t.DoField) else node.moment if isinstance(node, t.DoEdge) else None
    definition = definition_of(resolved, name)
    return (definition, getattr(node, "edge", "")) if definition is not None else None


def answers(resolved: Resolved, definition: t.Definition, edge: str) -> Iterator[tuple[t.Thing, t.When]]:
    """What things do at a moment."""
    held = calls(resolved).held.get(definition, ())
    there = {when for when in held if isinstance(when, t.When) and when.edge == edge}
    for thing in resolved.book.definitions.values() if there else ():
        if isinstance(thing, t.Thing):
            yield from ((thing, when) for when in thing.abilities if isinstance(when, t.When) and when in there)


def called(resolved: Resolved, node: t.Node) -> Iterator[t.Node]:
    """What this one node sets going: what it runs; for the name of a quantity, all it is worked out from."""
    at = answered(resolved, node)
    if at is not None:
        yield from (ability for _, ability in answers(resolved, *at))
        return
    for place in having(node, Role.CHANGED):
        keep = keep_of(resolved, place)
        yield from calls(resolved).held.get(keep, ()) if keep is not None else ()
    if type(node) in MOVES:
        yield from _moved(resolved, node)
    names = [*having(node, Role.RUNS)] if runs(type(node)) else [node]
    for name in names:
        definition = definition_of(resolved, name)
        if definition is not None and (name is not node or isinstance(definition, t.Quantity)):
            yield definition
            yield from calls(resolved).held.get(definition, ())
        elif isinstance(node, t.DoField):
            yield from calls(resolved).fields.get(node.field.word, ())


def _moved(resolved: Resolved, node: t.Node) -> Iterator[t.Node]:
    """What is about gaining or losing what this step moves; of a name for some resource, all that is about any."""
    held = calls(resolved).held
    for part in (part for bundle in having(node, Role.MOVED) for part in parts_of(resolved, bundle)):
        what = definition_of(resolved, part.what) if isinstance(part, t.Part) else None
        any_ = (definition for definition in held if isinstance(definition, RESOURCES))
        among = moved(resolved, what) if what is not None else any_
        for ability in (ability for definition in among for ability in held.get(definition, ())):
            if isinstance(ability, t.Expr) or getattr(ability, "edge", "") in MOVES[type(node)]:
                yield ability
