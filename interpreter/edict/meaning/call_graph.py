"""What a stretch of rules sets going: by itself, and through what it plays, does, triggers and asks for."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from edict.language import tree as t
from edict.language.roles import Role, has, having
from edict.language.walking import walk
from edict.meaning.ability_targets import MOVES, target
from edict.meaning.symbols import Resolved, Symbol, definition_of, in_full, keep_of, parts_of
from edict.ordering import components
from edict.sources.work_budget import spend

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
    calls_seen: set[Call] = set()
    waiting = list(nodes)
    while waiting:
        first = waiting.pop()
        if first in seen:
            continue  # and so is all that stands in it
        for node in in_full(resolved, first):
            if node not in seen:
                spend(1)
                seen.add(node)
                new = [call for call in calls_at(resolved, node) if call not in calls_seen]
                calls_seen.update(new)
                waiting.extend(one for call in new for one in answer_call(resolved, call))
    return seen


Question = Callable[[Resolved, Iterable[t.Node]], frozenset[Any]]
"""Returns facts about some nodes alone; the facts about several stretches of rules are their union."""


def gather_facts(resolved: Resolved, question: Question, *nodes: t.Node) -> frozenset[Any]:
    """Return what a question says of these nodes, of what stands in them, and of all they may call.

    The facts about what is called are computed once for all rules of a game: use it, not `within`, for whatever is
    asked of many steps.
    """
    return _call_graph(resolved).gather(question, nodes)


def classes_in(_: Resolved, nodes: Iterable[t.Node]) -> frozenset[type]:
    """Answer which sorts of nodes there are."""
    return frozenset(map(type, nodes))


class _CallGraph:
    """The calls of all rules, and what questions said of everything that a call may reach.

    Vertices are calls and the stretches of rules that answer them. Stretches that call each other in a circle reach
    the same, so they share one answer.
    """

    def __init__(self, resolved: Resolved) -> None:
        self.resolved = resolved
        self._calls: dict[t.Node, tuple[Call, ...]] = {}
        self._facts: dict[Question, dict[t.Node | Call, frozenset[Any]]] = {}

    def gather(self, question: Question, nodes: Iterable[t.Node]) -> frozenset[Any]:
        """Return the union of the facts about these nodes and about all they reach."""
        facts = [question(self.resolved, self._counted(node)) for node in nodes]
        calls = dict.fromkeys(call for node in nodes for call in self._calls_in(node))
        return frozenset().union(*facts, *(self._facts_of(question, call) for call in calls))

    def _facts_of(self, question: Question, call: Call) -> frozenset[Any]:
        known = self._facts.setdefault(question, {})
        if call not in known:
            start: list[t.Node | Call] = [call]
            for circle in components(start, lambda one: (next_ for next_ in self._next(one) if next_ not in known)):
                stretches = (one for one in circle if isinstance(one, t.Node))
                own = [question(self.resolved, self._counted(one)) for one in stretches]
                beyond = [known[next_] for one in circle for next_ in self._next(one) if next_ in known]
                spend(len(beyond))
                facts = _union([*own, *beyond])
                known.update(dict.fromkeys(circle, facts))
        return known[call]

    def _counted(self, node: t.Node) -> tuple[t.Node, ...]:
        """Return the nodes of a stretch of rules, which are gone through for a question."""
        nodes = tuple(in_full(self.resolved, node))
        spend(len(nodes))
        return nodes

    def _next(self, one: t.Node | Call) -> tuple[t.Node | Call, ...]:
        return self._calls_in(one) if isinstance(one, t.Node) else tuple(answer_call(self.resolved, one))

    def _calls_in(self, node: t.Node) -> tuple[Call, ...]:
        if node not in self._calls:
            calls = (call for inner in in_full(self.resolved, node) for call in calls_at(self.resolved, inner))
            self._calls[node] = tuple(dict.fromkeys(calls))
        return self._calls[node]


@lru_cache(maxsize=2)
def _call_graph(resolved: Resolved) -> _CallGraph:
    return _CallGraph(resolved)


def _union(sets: Iterable[frozenset[Any]]) -> frozenset[Any]:
    """Return the union; the largest of the sets itself if the others add nothing, as along a chain."""
    by_size = sorted(set(sets), key=len, reverse=True)
    largest = by_size[0] if by_size else frozenset()
    return largest if all(one <= largest for one in by_size[1:]) else largest.union(*by_size[1:])


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


@dataclass(frozen=True, slots=True)
class Call:
    """A call, the same wherever it stands.

    about: what is called: a definition, the name of a field, or nothing for whatever resource it may be. edge: of a
    moment that things are told to answer. by: the class of the step that moves a resource.
    """

    sort: str
    about: t.Definition | str | None
    edge: str = ""
    by: type | None = None


def calls_at(resolved: Resolved, node: t.Node) -> Iterator[Call]:
    """Return the calls of this one node: what it runs; for the name of a quantity, all it is worked out from."""
    kind: type = type(node)
    if kind is t.Name:
        definition = definition_of(resolved, node)
        if isinstance(definition, t.Quantity):
            yield Call("run", definition)
        return
    if not runs(kind):
        return
    at = answered(resolved, node)
    if at is not None:
        yield Call("answer", *at)
        return
    for place in having(node, Role.CHANGED):
        keep = keep_of(resolved, place)
        if keep is not None:
            yield Call("change", keep)
    for part in (part for bundle in having(node, Role.MOVED) for part in parts_of(resolved, bundle)):
        if kind in MOVES:
            yield Call("move", definition_of(resolved, part.what) if isinstance(part, t.Part) else None, by=kind)
    for name in having(node, Role.RUNS):
        definition = definition_of(resolved, name)
        if definition is not None:
            yield Call("run", definition)
        elif isinstance(node, t.DoField):
            yield Call("field", node.field.word)


def answer_call(resolved: Resolved, call: Call) -> Iterator[t.Node]:
    """Return the definitions, abilities and conditions that a call sets going."""
    about = call.about
    if call.sort == "field":
        yield from calls(resolved).fields.get(str(about), ())
    elif isinstance(about, t.Definition) and call.sort == "answer":
        yield from (ability for _, ability in answers(resolved, about, call.edge))
    elif call.by is not None:
        yield from _moved(resolved, about if isinstance(about, t.Definition) else None, MOVES[call.by])
    elif isinstance(about, t.Definition):
        yield from (about,) if call.sort == "run" else ()
        yield from calls(resolved).held.get(about, ())


def called(resolved: Resolved, node: t.Node) -> Iterator[t.Node]:
    """What this one node sets going."""
    return (one for call in calls_at(resolved, node) for one in answer_call(resolved, call))


def _moved(resolved: Resolved, what: t.Definition | None, edges: tuple[str, ...]) -> Iterator[t.Node]:
    """What is about gaining or losing a resource; of a name for some resource, all that is about any."""
    held = calls(resolved).held
    any_ = (definition for definition in held if isinstance(definition, RESOURCES))
    among = moved(resolved, what) if what is not None else any_
    for ability in (ability for definition in among for ability in held.get(definition, ())):
        if isinstance(ability, t.Expr) or getattr(ability, "edge", "") in edges:
            yield ability
