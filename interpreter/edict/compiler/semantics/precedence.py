"""Precedence among exceptions that replace the same thing."""

from __future__ import annotations

from collections.abc import Sequence

from edict.compiler.semantics.call_graph import collect_handlers, expand_group
from edict.compiler.semantics.symbols import ResolvedBook, definition_of
from edict.compiler.syntax import tree as t
from edict.support.records import dataclass


def list_replaced_parts(resolved: ResolvedBook, exception: t.Exception_) -> tuple[tuple[str, str], ...]:
    """Return what an exception replaces; a group yields one entry for each of its resources.

    Returns:
        Pairs of a definition's name, and the rule or event of it, or "".
    """
    definition = definition_of(resolved, exception.target)
    part = exception.rule.word if exception.rule is not None else exception.edge
    part = qualify_part(part, exception.inside.word) if exception.inside is not None else part
    if definition is not None:
        return tuple((replaced.name.word, part) for replaced in expand_group(resolved, definition))
    return ()


def qualify_part(part: str, inside: str) -> str:
    """Return the key of a rule or event, limited to the steps of a phase or routine."""
    return f"{part} in {inside}"


def list_exceptions(resolved: ResolvedBook, definition: t.Definition) -> tuple[t.Exception_, ...]:
    """Return all exceptions that replace a definition, a rule of it or an event of it."""
    handlers = collect_handlers(resolved).by_definition.get(definition, ())
    return tuple(ability for ability in handlers if isinstance(ability, t.Exception_))


def collect_conditions(
    resolved: ResolvedBook, ability: t.Exception_ | t.Adjust, thing: t.Thing | None
) -> tuple[t.Expr, ...]:
    """Return `works if` of the thing's kind and the ability's own condition, as far as there are any."""
    kind = definition_of(resolved, thing.kind) if thing is not None else None
    works_if = kind.works_if if isinstance(kind, t.Kind) else None
    return tuple(condition for condition in (works_if, ability.condition) if condition is not None)


@dataclass(frozen=True)
class RivalException:
    """An exception, the thing it stands in, and the name of one or the other."""

    name: str
    exception: t.Exception_
    thing: t.Thing | None = None

    def conditions(self, resolved: ResolvedBook) -> tuple[t.Expr, ...]:
        """Return all conditions for the exception to apply; empty if it always does."""
        return collect_conditions(resolved, self.exception, self.thing)


@dataclass(frozen=True)
class Precedence:
    """The order among rival exceptions, by their indices."""

    above: tuple[frozenset[int], ...]  # for each those that come before it, also through others
    beside: tuple[frozenset[int], ...]  # for each those among which the player chooses

    def is_settled(self, index: int, other: int) -> bool:
        """Return True if one of two exceptions goes over the other, or `beside` leaves the choice to the player."""
        return other in self.above[index] or other in self.beside[index] or index in self.above[other]

    @property
    def circular(self) -> tuple[int, ...]:
        """The exceptions that come before themselves."""
        return tuple(index for index, above in enumerate(self.above) if index in above)


def compute_precedence(resolved: ResolvedBook, rivals: Sequence[RivalException]) -> Precedence:
    """Return for each exception the indices of those over it and of those beside it.

    `over` is transitive, `beside` is said by one of the two. Unconditional exceptions give way to conditional ones.
    """
    above, beside = _read_precedence(rivals)
    conditional_flags = [bool(rival.conditions(resolved)) or rival.exception.once_per is not None for rival in rivals]
    below: list[set[int]] = [set() for _ in rivals]
    for low, highs in enumerate(above):
        for high in highs:
            below[high].add(low)
    for low in (index for index, conditional in enumerate(conditional_flags) if not conditional):
        all_below = _transitive_closure(below, low)
        for high in (index for index, conditional in enumerate(conditional_flags) if conditional):
            if high not in beside[low] and high not in all_below:
                above[low].add(high)
                below[high].add(low)
    all_above = tuple(_transitive_closure(above, index) for index in range(len(rivals)))
    return Precedence(all_above, tuple(frozenset(others) for others in beside))


def _read_precedence(rivals: Sequence[RivalException]) -> tuple[list[set[int]], list[set[int]]]:
    """Return two lists by index: the exceptions written `over` each one, and those `beside` it (symmetric)."""
    places: dict[str, set[int]] = {}
    for place, rival in enumerate(rivals):
        places.setdefault(rival.name, set()).add(place)
    above: list[set[int]] = [set() for _ in rivals]
    beside: list[set[int]] = [set() for _ in rivals]
    for place, rival in enumerate(rivals):
        for below in (x for name in rival.exception.over for x in places.get(name.word, ())):
            above[below].add(place)
        for other in (x for name in rival.exception.beside for x in places.get(name.word, ())):
            beside[other].add(place)
            beside[place].add(other)
    return above, beside


def _transitive_closure(edges: list[set[int]], start: int) -> frozenset[int]:
    """Return all that can be reached from one."""
    reached: set[int] = set()
    pending = set(edges[start])
    while pending:
        index = pending.pop()
        reached.add(index)
        pending |= edges[index] - reached
    return frozenset(reached)
