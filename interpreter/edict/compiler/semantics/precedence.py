"""Which exceptions come before which, of those that replace the same thing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from edict.compiler.semantics.call_graph import calls, moved
from edict.compiler.semantics.symbols import Resolved, definition_of
from edict.compiler.syntax import tree as t


def replaces(resolved: Resolved, exception: t.Exception_) -> tuple[tuple[str, str], ...]:
    """What it stands in the place of: a name, and the rule or what is done to it; of a group, for each resource."""
    definition = definition_of(resolved, exception.target)
    part = exception.rule.word if exception.rule is not None else exception.edge
    part = done_in(part, exception.inside.word) if exception.inside is not None else part
    return tuple((what.name.word, part) for what in moved(resolved, definition)) if definition is not None else ()


def done_in(part: str, inside: str) -> str:
    """The same, where it is done by a step of this phase or routine."""
    return f"{part} in {inside}"


def exceptions_to(resolved: Resolved, definition: t.Definition) -> tuple[t.Exception_, ...]:
    """All that replace it, a rule of it, or what is done to it."""
    held = calls(resolved).held.get(definition, ())
    return tuple(ability for ability in held if isinstance(ability, t.Exception_))


def when_it_holds(resolved: Resolved, ability: t.Exception_ | t.Adjust, thing: t.Thing | None) -> tuple[t.Expr, ...]:
    """All that must be so for an ability to count; nothing, if it always does."""
    kind = definition_of(resolved, thing.kind) if thing is not None else None
    works_if = kind.works_if if isinstance(kind, t.Kind) else None
    return tuple(condition for condition in (works_if, ability.condition) if condition is not None)


@dataclass(frozen=True)
class Rival:
    """An exception, the thing it stands in, and the name of one or the other."""

    name: str
    exception: t.Exception_
    thing: t.Thing | None = None

    def conditions(self, resolved: Resolved) -> tuple[t.Expr, ...]:
        """All that must be so for it to count; nothing, if it always does."""
        return when_it_holds(resolved, self.exception, self.thing)


@dataclass(frozen=True)
class Precedence:
    """Of each, by their places: `above`, those that come before it, through others too; `beside`, those with which the
    player chooses."""

    above: tuple[frozenset[int], ...]
    beside: tuple[frozenset[int], ...]

    def settled(self, place: int, other: int) -> bool:
        """Whether it is said what counts where both hold."""
        return other in self.above[place] or other in self.beside[place] or place in self.above[other]

    @property
    def circular(self) -> tuple[int, ...]:
        """Those that come before themselves."""
        return tuple(place for place, above in enumerate(self.above) if place in above)


def precedence(resolved: Resolved, held: Sequence[Rival]) -> Precedence:
    """`over` holds through others; `beside` is said by one of the two. What always holds gives way to what does not."""
    above, beside = _said(held)
    sometimes = [bool(rival.conditions(resolved)) for rival in held]
    below: list[set[int]] = [set() for _ in held]
    for low, highs in enumerate(above):
        for high in highs:
            below[high].add(low)
    for low in (place for place, conditional in enumerate(sometimes) if not conditional):
        under = _through(below, low)
        for high in (place for place, conditional in enumerate(sometimes) if conditional):
            if high not in beside[low] and high not in under:
                above[low].add(high)
                below[high].add(low)
    through = tuple(_through(above, place) for place in range(len(held)))
    return Precedence(through, tuple(frozenset(others) for others in beside))


def _said(held: Sequence[Rival]) -> tuple[list[set[int]], list[set[int]]]:
    """What stands in the rules: those over each, and those beside it."""
    places: dict[str, set[int]] = {}
    for place, rival in enumerate(held):
        places.setdefault(rival.name, set()).add(place)
    above: list[set[int]] = [set() for _ in held]
    beside: list[set[int]] = [set() for _ in held]
    for place, rival in enumerate(held):
        for below in (x for name in rival.exception.over for x in places.get(name.word, ())):
            above[below].add(place)
        for other in (x for name in rival.exception.beside for x in places.get(name.word, ())):
            beside[other].add(place)
            beside[place].add(other)
    return above, beside


def _through(above: list[set[int]], start: int) -> frozenset[int]:
    """All that are said of one, and of those again: no more than what is new each time."""
    found: set[int] = set()
    waiting = set(above[start])
    while waiting:
        place = waiting.pop()
        found.add(place)
        waiting |= above[place] - found
    return frozenset(found)
