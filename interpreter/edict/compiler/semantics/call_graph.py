"""The call graph of rules: all that a part of the rules plays, runs, triggers and asks for, and what this sets off."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, reduce
from itertools import compress
from operator import or_
from typing import Any

from edict.compiler.semantics.ability_targets import STEP_EDGES, target_name
from edict.compiler.semantics.symbols import (
    HasMeanings,
    ResolvedBook,
    Symbol,
    definition_of,
    keep_of,
    split_parts,
    walk_expanded,
)
from edict.compiler.sources.work_budget import spend
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import Role, carries_role, iter_role_values
from edict.compiler.syntax.traversal import walk
from edict.support.ordering import strong_components
from edict.support.records import dataclass

RESOURCE_CLASSES = (t.Resource, t.Die)


@dataclass(frozen=True)
class Handlers:
    """Abilities and fields that answer calls."""

    # abilities about each definition; with the conditions under which they work
    by_definition: dict[t.Definition, list[t.Node]]
    fields: dict[str, list[t.FieldValue]]  # fields of things by name
    owned: frozenset[t.Ability]  # abilities of things that work for each player separately


@lru_cache(maxsize=2)
def collect_handlers(resolved: ResolvedBook) -> Handlers:
    """Return the abilities by the definition they are about, and the field values by field name (cached)."""
    by_definition, fields = defaultdict[t.Definition, list[t.Node]](list), defaultdict[str, list[t.FieldValue]](list)
    owned: set[t.Ability] = set()
    for definition in resolved.book.things:
        works_if = _list_work_conditions(resolved, definition)
        owned.update(definition.abilities if any(is_you(resolved, node) for node in walk(works_if)) else ())
        for ability in definition.abilities:
            _add_handler(resolved, by_definition, ability, works_if)
        for field in definition.fields:
            fields[field.name.word].append(field)
    for standalone in resolved.book.standalone:
        _add_handler(resolved, by_definition, standalone.ability, ())
    return Handlers(dict(by_definition), dict(fields), frozenset(owned))


def _add_handler(
    resolved: ResolvedBook,
    by_definition: dict[t.Definition, list[t.Node]],
    ability: t.Ability,
    works_if: tuple[t.Expr, ...],
) -> None:
    """Register an ability, with the `works if` conditions of its thing, under its target or each member of a group."""
    about = definition_of(resolved, target_name(ability))
    for definition in expand_group(resolved, about) if isinstance(about, t.Group) else [about]:
        if definition is not None:
            by_definition[definition] += (ability, *works_if)


def expand_group(resolved: HasMeanings, definition: t.Definition) -> list[t.Definition]:
    """Return the members of a group as definitions; any other definition alone."""
    if not isinstance(definition, t.Group):
        return [definition]
    return [member for name in definition.members if (member := definition_of(resolved, name)) is not None]


def _list_work_conditions(resolved: ResolvedBook, thing: t.Thing) -> tuple[t.Expr, ...]:
    """Return the `works if` condition of a thing's kind, as a tuple of one; empty if the kind has none."""
    kind = definition_of(resolved, thing.kind)
    if isinstance(kind, t.Kind) and kind.works_if is not None:
        return (kind.works_if,)
    return ()


def is_you(resolved: ResolvedBook, node: t.Node) -> bool:
    """Return True if a node is the name `you`."""
    meaning = resolved.meaning.get(node) if isinstance(node, t.Name) else None
    return isinstance(meaning, Symbol) and meaning.sort == "builtin" and meaning.name == "you"


def iter_abilities(resolved: ResolvedBook) -> Iterator[t.Ability]:
    """Yield every ability, those of things and those that stand alone."""
    for definition in resolved.book.things:
        yield from definition.abilities
    yield from (standalone.ability for standalone in resolved.book.standalone)


def collect_reachable(resolved: ResolvedBook, nodes: Iterable[t.Node]) -> set[t.Node]:
    """Return the nodes, all below them, and all that they may call: an overestimate.

    `gather_facts` is faster for questions about many steps.
    """
    seen: set[t.Node] = set()
    calls_seen: set[RuleCall] = set()
    waiting = list(nodes)
    while waiting:
        root = waiting.pop()
        if root in seen:
            continue  # all below it is, too
        for node in walk_expanded(resolved, root):
            if node not in seen:
                spend(1)
                seen.add(node)
                new = [call for call in iter_calls(resolved, node) if call not in calls_seen]
                calls_seen.update(new)
                waiting.extend(callee for call in new for callee in iter_callees(resolved, call))
    return seen


# returns facts about some nodes alone; the facts about several parts of the rules are their union
FactFunction = Callable[[ResolvedBook, Iterable[t.Node]], frozenset[Any]]


def gather_facts(resolved: ResolvedBook, find_facts: FactFunction, *nodes: t.Node) -> frozenset[Any]:
    """Return the facts that a function finds about some nodes, all below them and all they may call.

    The facts about what is called are computed once for all rules of a game: use this, not `collect_reachable`, for
    questions about many steps.
    """
    return _call_graph(resolved).gather(find_facts, nodes)


def collect_node_classes(_: ResolvedBook, nodes: Iterable[t.Node]) -> frozenset[type]:
    """Return the classes of some nodes, as a fact function for `gather_facts`."""
    return frozenset(map(type, nodes))


class _FactTable:
    """The facts of one fact function: a number for each, and by vertex those that it reaches, as bits.

    In a chain of rules each reaches almost as many facts as there are: sets would take the square of its length.
    """

    def __init__(self) -> None:
        self.known: dict[t.Node | RuleCall, int] = {}
        self._numbers: dict[Any, int] = {}

    def encode(self, facts: frozenset[Any]) -> int:
        """Return facts as bits."""
        bits = 0
        for fact in facts:
            bits |= 1 << self._numbers.setdefault(fact, len(self._numbers))
        return bits

    def decode(self, bits: int) -> Iterator[Any]:
        """Yield the facts that bits stand for."""
        return compress(self._numbers, map(int, f"{bits:b}"[::-1]))


class _CallGraph:
    """The calls of all rules, and the facts about everything that a call may reach.

    Vertices are calls and the parts of rules that answer them. Parts that call each other in a circle reach the same,
    so they share one set of facts.
    """

    def __init__(self, resolved: ResolvedBook) -> None:
        self.resolved = resolved
        self._calls: dict[t.Node, tuple[RuleCall, ...]] = {}
        self._tables: dict[FactFunction, _FactTable] = {}

    def gather(self, find_facts: FactFunction, nodes: Iterable[t.Node]) -> frozenset[Any]:
        """Return the union of `find_facts` over these nodes and over all rules that they call, at any depth."""
        facts = [find_facts(self.resolved, self._expand_within_budget(node)) for node in nodes]
        calls = dict.fromkeys(call for node in nodes for call in self._calls_in(node))
        table = self._tables.setdefault(find_facts, _FactTable())
        reached = reduce(or_, (self._facts_of(find_facts, table, call) for call in calls), 0)
        return frozenset(table.decode(reached)).union(*facts)

    def _facts_of(self, find_facts: FactFunction, table: _FactTable, call: RuleCall) -> int:
        """Return the bits of the facts about all nodes that a call reaches; cached, and cycles share one result."""
        known = table.known
        if call not in known:
            start: list[t.Node | RuleCall] = [call]
            for circle in strong_components(
                start, lambda vertex: (next_ for next_ in self._successors(vertex) if next_ not in known)
            ):
                stretches = (vertex for vertex in circle if isinstance(vertex, t.Node))
                own = [table.encode(find_facts(self.resolved, self._expand_within_budget(v))) for v in stretches]
                beyond = [known[next_] for vertex in circle for next_ in self._successors(vertex) if next_ in known]
                spend(len(beyond))
                known.update(dict.fromkeys(circle, reduce(or_, [*own, *beyond], 0)))
        return known[call]

    def _expand_within_budget(self, node: t.Node) -> tuple[t.Node, ...]:
        """Return a node and all below it, with expansions, and charge their number to the work budget."""
        nodes = tuple(walk_expanded(self.resolved, node))
        spend(len(nodes))
        return nodes

    def _successors(self, vertex: t.Node | RuleCall) -> tuple[t.Node | RuleCall, ...]:
        """Return the next vertices of the graph: the calls in a node, or the nodes that a call reaches."""
        if isinstance(vertex, t.Node):
            return self._calls_in(vertex)
        return tuple(iter_callees(self.resolved, vertex))

    def _calls_in(self, node: t.Node) -> tuple[RuleCall, ...]:
        """Return the distinct calls in a node and below it, expansions included, computed once."""
        if node not in self._calls:
            calls = (call for inner in walk_expanded(self.resolved, node) for call in iter_calls(self.resolved, inner))
            self._calls[node] = tuple(dict.fromkeys(calls))
        return self._calls[node]


@lru_cache(maxsize=2)
def _call_graph(resolved: ResolvedBook) -> _CallGraph:
    return _CallGraph(resolved)


def can_call(kind: type) -> bool:
    """Return True if nodes of a class run other rules, or change what rules may wait for."""
    return (
        carries_role(kind, Role.RUNS)
        or carries_role(kind, Role.ANSWERS)
        or carries_role(kind, Role.CHANGED)
        or kind in STEP_EDGES
    )


def get_invoked_moment(resolved: ResolvedBook, node: t.Node) -> tuple[t.Definition, str] | None:
    """Return the definition and edge of a step such as `do planted of oak`; None for any other node.

    Returns:
        The definition, and which end of a phase or routine: "start", "end" or "".
    """
    if isinstance(node, t.DoField):
        name = node.field
    elif isinstance(node, t.DoEdge):
        name = node.moment
    else:
        name = None
    definition = definition_of(resolved, name)
    return (definition, getattr(node, "edge", "")) if definition is not None else None


def iter_moment_abilities(
    resolved: ResolvedBook, definition: t.Definition, edge: str
) -> Iterator[tuple[t.Thing, t.When]]:
    """Yield each thing with each of its abilities for a moment (or for an end of a phase or routine)."""
    handlers = collect_handlers(resolved).by_definition.get(definition, ())
    matching = {when for when in handlers if isinstance(when, t.When) and when.edge == edge}
    for thing in resolved.book.definitions.values() if matching else ():
        if isinstance(thing, t.Thing):
            yield from ((thing, when) for when in thing.abilities if isinstance(when, t.When) and when in matching)


@dataclass(frozen=True, slots=True)
class RuleCall:
    """A call, equal wherever it stands."""

    sort: str  # run | answer | change | move | field
    callee: t.Definition | str | None  # a definition or the name of a field; None for any resource
    edge: str = ""  # of a moment at which things are made to act
    step_class: type | None = None  # class of the step that moves a resource


def iter_calls(resolved: ResolvedBook, node: t.Node) -> Iterator[RuleCall]:
    """Yield what a single node runs, changes, moves or triggers, as `RuleCall`s; its parts are not visited."""
    kind: type = type(node)
    if kind is t.Name:
        definition = definition_of(resolved, node)
        if isinstance(definition, t.Quantity):
            yield RuleCall("run", definition)
        return
    if not can_call(kind):
        return
    invoked = get_invoked_moment(resolved, node)
    if invoked is not None:
        yield RuleCall("answer", *invoked)
        return
    for place in iter_role_values(node, Role.CHANGED):
        keep = keep_of(resolved, place)
        if keep is not None:
            yield RuleCall("change", keep)
    for part in (part for bundle in iter_role_values(node, Role.MOVED) for part in split_parts(resolved, bundle)):
        if kind in STEP_EDGES:
            yield RuleCall(
                "move", definition_of(resolved, part.what) if isinstance(part, t.Part) else None, step_class=kind
            )
    for name in iter_role_values(node, Role.RUNS):
        definition = definition_of(resolved, name)
        if definition is not None:
            yield RuleCall("run", definition)
        elif isinstance(node, t.DoField):
            yield RuleCall("field", node.field.word)


def iter_callees(resolved: ResolvedBook, call: RuleCall) -> Iterator[t.Node]:
    """Yield the definitions, abilities and conditions that a call reaches."""
    callee = call.callee
    if call.sort == "field":
        yield from collect_handlers(resolved).fields.get(str(callee), ())
    elif isinstance(callee, t.Definition) and call.sort == "answer":
        yield from (ability for _, ability in iter_moment_abilities(resolved, callee, call.edge))
    elif call.step_class is not None:
        yield from _iter_move_handlers(
            resolved, callee if isinstance(callee, t.Definition) else None, STEP_EDGES[call.step_class]
        )
    elif isinstance(callee, t.Definition):
        yield from (callee,) if call.sort == "run" else ()
        yield from collect_handlers(resolved).by_definition.get(callee, ())


def iter_callees_of_node(resolved: ResolvedBook, node: t.Node) -> Iterator[t.Node]:
    """Yield the definitions, abilities and conditions that the calls of a single node (not its parts) reach."""
    return (callee for call in iter_calls(resolved, node) for callee in iter_callees(resolved, call))


def _iter_move_handlers(
    resolved: ResolvedBook, resource: t.Definition | None, edges: tuple[str, ...]
) -> Iterator[t.Node]:
    """Yield the abilities about gaining or losing a resource; about any resource if it is None."""
    handlers = collect_handlers(resolved).by_definition
    resources = (definition for definition in handlers if isinstance(definition, RESOURCE_CLASSES))
    candidates = expand_group(resolved, resource) if resource is not None else resources
    for ability in (ability for definition in candidates for ability in handlers.get(definition, ())):
        if isinstance(ability, t.Expr) or getattr(ability, "edge", "") in edges:
            yield ability
