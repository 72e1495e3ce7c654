"""One walk over all rules: each check says at which nodes it looks, and is told of these."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import cache, cached_property
from typing import Any

from edict.language import tree as t
from edict.language.roles import Asks, Role, has
from edict.language.walking import walk
from edict.meaning.call_graph import owners
from edict.meaning.possible_values import Claim, Reader
from edict.meaning.symbols import Resolved
from edict.meaning.types import Typed
from edict.meaning.whose_turn import nobodys
from edict.report import Diagnostic
from edict.sources.work_budget import work_on

Find = Callable[["Rules", Any], Iterable[Diagnostic]]
OfClass = Callable[[type], Any]  # whether a class is looked at


class Rules:
    """The rules that are looked at, and what several checks ask of them.

    `owner` is the definition in which the walk is. As far as it has come there, `known` is what is so when a step is
    come to; and `joined` are the conditions that were looked at with the one they are a part of.
    """

    def __init__(self, typed: Typed) -> None:
        self.typed = typed
        self.resolved: Resolved = typed.resolved
        self.owner: t.Definition
        self.known: dict[t.Node, Sequence[Claim]] = {}
        self.joined: set[t.Node] = set()
        self.nodes: dict[type, list[tuple[t.Definition, t.Node]]] = {}

    def of(self, *kinds: type | OfClass) -> Iterator[tuple[t.Definition, Any]]:
        """All nodes of these classes, and the definitions they stand in: for checks that look at all rules together."""
        fits = _fitting(kinds)
        return (one for kind, some in self.nodes.items() if fits(kind) for one in some)

    @cached_property
    def reader(self) -> Reader:
        return Reader(self.typed)

    @cached_property
    def nobodys(self) -> dict[t.Node, t.Node | None]:
        """What is about `you` where it is nobody's turn."""
        return nobodys(self.resolved)


@dataclass
class Checks:
    """What is looked for in the rules, with the classes of nodes at which it is looked for."""

    nodes: list[tuple[OfClass, Find]] = field(default_factory=list)
    rules: list[Callable[[Rules], Iterator[Diagnostic]]] = field(default_factory=list)

    def at(self, *kinds: type | OfClass) -> Callable[[Find], Find]:
        """Looks at nodes of these classes; one that looks at `Definition` needs all that stands in one together."""
        return _noted(self.nodes, kinds)

    def of_all(self, find: Callable[[Rules], Iterator[Diagnostic]]) -> Callable[[Rules], Iterator[Diagnostic]]:
        """Looks at all rules together."""
        self.rules.append(find)
        return find


def _noted(into: list[tuple[OfClass, Find]], kinds: Sequence[type | OfClass]) -> Callable[[Find], Find]:
    def noted(find: Find) -> Find:
        into.append((_fitting(kinds), find))
        return find

    return noted


def _fitting(kinds: Sequence[type | OfClass]) -> OfClass:
    classes = tuple(one for one in kinds if isinstance(one, type))
    conditions = tuple(one for one in kinds if not isinstance(one, type))
    return lambda kind: issubclass(kind, classes) or any(one(kind) for one in conditions)


def with_role(role: Role) -> OfClass:
    """Classes of nodes with a field for it."""
    return lambda kind: has(kind, role)


def offering(kind: type) -> bool:
    """Whether somebody is asked by such steps, and may say no."""
    return issubclass(kind, Asks) and has(kind, Role.INSTEAD)


@cache
def _blocks(kind: Any) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind) if "Block" in str(one.type))


def with_blocks(kind: type) -> bool:
    """Whether steps may stand in nodes of this class, one after the other."""
    return bool(_blocks(kind))


def blocks(node: t.Node) -> Iterator[t.Block]:
    kind: Any = type(node)
    return filter(None, (getattr(node, name) for name in _blocks(kind)))


class CheckWalk:
    """All checks together, and which of them look at nodes of which class."""

    def __init__(self, *checks: Checks) -> None:
        self.checks = checks
        self._nodes = [one for some in checks for one in some.nodes]
        self._rules = [one for some in checks for one in some.rules]
        self._looking: dict[type, tuple[Find, ...]] = {}

    def findings(self, typed: Typed) -> Iterator[Diagnostic]:
        rules = Rules(typed)
        yield from self.findings_in(rules, owners(typed.resolved))
        for find_all in self._rules:
            yield from find_all(rules)

    def findings_in(self, rules: Rules, some: Iterable[t.Definition]) -> Iterator[Diagnostic]:
        """What is found at the nodes of some definitions."""
        for owner in some:
            rules.owner = owner
            work_on(owner.name.word, owner.span)
            for node in walk(owner):
                rules.nodes.setdefault(type(node), []).append((owner, node))
                for find in self._those(type(node)):
                    yield from find(rules, node)

    def _those(self, kind: type) -> tuple[Find, ...]:
        """Those of the checks that look at nodes of this class."""
        if kind not in self._looking:
            self._looking[kind] = tuple(find for fits, find in self._nodes if fits(kind))
        return self._looking[kind]
