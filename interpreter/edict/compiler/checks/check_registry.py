"""Registration of checks by classes of nodes, and the one walk over all rules that runs them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, fields
from functools import cache, cached_property
from typing import Any

from edict.compiler.semantics.possible_values import Claim, ConditionReader
from edict.compiler.semantics.symbols import ResolvedBook
from edict.compiler.semantics.types import TypedBook
from edict.compiler.semantics.whose_turn import find_ownerless
from edict.compiler.sources.work_budget import set_current_definition
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.roles import AskingStep, Role, carries_role
from edict.compiler.syntax.traversal import walk
from edict.support.records import dataclass
from edict.support.report import Diagnostic

FindFaults = Callable[["CheckContext", Any], Iterable[Diagnostic]]
ClassPredicate = Callable[[type], Any]


class CheckContext:
    """The rules being checked, and facts about them that several checks use.

    Attributes:
        owner: The definition that the walk is in.
        known_claims: By node, conditions that are certain where the walk comes to it.
        covered_nodes: Conditions that were checked with the one they are a part of.
        nodes: All nodes visited so far, by class, with their definitions.
    """

    def __init__(self, typed: TypedBook) -> None:
        self.typed = typed
        self.resolved: ResolvedBook = typed.resolved
        self.owner: t.Definition
        self.known_claims: dict[t.Node, Sequence[Claim]] = {}
        self.covered_nodes: set[t.Node] = set()
        self.nodes: dict[type, list[tuple[t.Definition, t.Node]]] = {}

    def nodes_of(self, *classes: type | ClassPredicate) -> Iterator[tuple[t.Definition, Any]]:
        """Yield (definition, node) for each node of these classes or that a predicate of classes accepts."""
        fits = _make_predicate(classes)
        return (entry for kind, entries in self.nodes.items() if fits(kind) for entry in entries)

    @cached_property
    def reader(self) -> ConditionReader:
        """The reader of conditions in these rules."""
        return ConditionReader(self.typed)

    @cached_property
    def ownerless_nodes(self) -> dict[t.Node, t.Node | None]:
        """Nodes about `you` that are reached outside of anybody's turn, each with its caller."""
        return find_ownerless(self.resolved)


@dataclass
class Checks:
    """A set of checks, with the classes of nodes that each of them is for."""

    nodes: list[tuple[ClassPredicate, FindFaults]] = field(default_factory=list)  # checks of single nodes
    # checks of all rules together
    rules: list[Callable[[CheckContext], Iterator[Diagnostic]]] = field(default_factory=list)

    def check_nodes(self, *classes: type | ClassPredicate) -> Callable[[FindFaults], FindFaults]:
        """Return a decorator that registers a check of nodes of some classes.

        A check that needs all nodes of a definition together registers for `Definition`.
        """
        return _register_in(self.nodes, classes)

    def check_rules(
        self, find: Callable[[CheckContext], Iterator[Diagnostic]]
    ) -> Callable[[CheckContext], Iterator[Diagnostic]]:
        """Register a check of all rules together."""
        self.rules.append(find)
        return find


def _register_in(
    registry: list[tuple[ClassPredicate, FindFaults]], classes: Sequence[type | ClassPredicate]
) -> Callable[[FindFaults], FindFaults]:
    """Return a decorator that adds a check for some classes of nodes to a registry, and returns it unchanged."""

    def register(find: FindFaults) -> FindFaults:
        registry.append((_make_predicate(classes), find))
        return find

    return register


def _make_predicate(classes_or_predicates: Sequence[type | ClassPredicate]) -> ClassPredicate:
    """Return a predicate for subclasses of some classes, and for classes that meet one of the predicates."""
    classes = tuple(entry for entry in classes_or_predicates if isinstance(entry, type))
    predicates = tuple(entry for entry in classes_or_predicates if not isinstance(entry, type))
    if not predicates:
        return lambda kind: issubclass(kind, classes)
    return lambda kind: issubclass(kind, classes) or any(entry(kind) for entry in predicates)


def has_role(role: Role) -> ClassPredicate:
    """Return a predicate for classes with a field that has a role."""
    return lambda kind: carries_role(kind, role)


def is_declinable(kind: type) -> bool:
    """Return True if steps of a class ask a player, who may decline."""
    return issubclass(kind, AskingStep) and carries_role(kind, Role.INSTEAD)


def moves_resources(kind: type) -> bool:
    """Return True for classes of nodes that move amounts and are not values, such as steps and payments."""
    return not issubclass(kind, t.Expr) and carries_role(kind, Role.MOVED)


@cache
def _block_fields(kind: Any) -> tuple[str, ...]:
    """Return the fields of a class of nodes whose declared type is a block of steps."""
    return tuple(field_.name for field_ in fields(kind) if "Block" in str(field_.type))


def has_blocks(kind: type) -> bool:
    """Return True if nodes of a class may have a sequence of steps."""
    return bool(_block_fields(kind))


def iter_blocks(node: t.Node) -> Iterator[t.Block]:
    """Yield the blocks of a node, without empty ones."""
    kind: Any = type(node)
    return filter(None, (getattr(node, name) for name in _block_fields(kind)))


class CheckRunner:
    """A runner of all checks in one walk over the rules."""

    def __init__(self, *checks: Checks) -> None:
        self.checks = checks
        self._nodes = [check for group in checks for check in group.nodes]
        self._rules = [check for group in checks for check in group.rules]
        self._finders_by_class: dict[type, tuple[FindFaults, ...]] = {}

    def run(self, typed: TypedBook) -> Iterator[Diagnostic]:
        """Yield the diagnostics of all checks for a book."""
        rules = CheckContext(typed)
        yield from self.run_on(rules, typed.resolved.book.roots)
        for find_all in self._rules:
            yield from find_all(rules)

    def run_on(self, rules: CheckContext, definitions: Iterable[t.Definition]) -> Iterator[Diagnostic]:
        """Collect the nodes of these definitions by class, and yield what checks of single nodes report on each."""
        for owner in definitions:
            rules.owner = owner
            set_current_definition(owner.name.word, owner.span)
            for node in walk(owner):
                rules.nodes.setdefault(type(node), []).append((owner, node))
                for find in self._finders_for(type(node)):
                    yield from find(rules, node)

    def _finders_for(self, kind: type) -> tuple[FindFaults, ...]:
        """Return the checks registered for a class of nodes; cached by class."""
        if kind not in self._finders_by_class:
            self._finders_by_class[kind] = tuple(find for fits, find in self._nodes if fits(kind))
        return self._finders_by_class[kind]
