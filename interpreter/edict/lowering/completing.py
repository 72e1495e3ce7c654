"""Whether the choices of an action that are still to come can all be made, without asking anybody.

Each condition is looked at as soon as all that it speaks of is chosen, the search goes on with what the most conditions
speak of, it ends with the first way that is found, and choices of which no condition speaks together are looked for
apart. Choices are known by their places in the action.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from edict.backend import core
from edict.backend.core import Condition, Var
from edict.language import tree as t
from edict.lowering import choosing
from edict.lowering.asks import Test
from edict.lowering.context import Context


@dataclass(frozen=True)
class Term:
    """A condition that all choices must meet together, and the choices it speaks of."""

    about: frozenset[int]
    test: Test


@dataclass(frozen=True)
class Search:
    """What is still to be chosen in an action, and all that its choices must meet; what is not `left` is chosen."""

    action: t.Action
    left: tuple[int, ...]
    terms: tuple[Term, ...]

    def completable(self, c: Context) -> Condition:
        apart = tuple(self._of(c, group) for group in self._groups(c))
        return apart[0] if len(apart) == 1 else core.All(apart)

    def _of(self, c: Context, group: tuple[int, ...]) -> Condition:
        """Whether these can be made: there is one for the first with which there is one for each of the others."""
        first = self._first(c, group)
        rest = tuple(place for place in group if place != first)
        choice = self.action.params[first]
        it = c.resolved.binds[choice]
        members = choosing.domain(c, choice).options(c)
        known = [term for term in self.terms if first in term.about and not term.about & {*rest}]
        if known:
            c.where[it] = kept = Var()
            members = core.Kept(members, kept, tuple(term.test(c) for term in known))
        if not rest:
            return core.Test(members)
        c.where[it] = found = Var()
        return core.Some(False, members, found, replace(self, left=rest).completable(c))

    def _first(self, c: Context, group: tuple[int, ...]) -> int:
        """Of those that ask for none of the others first, the one with which the most conditions are known."""
        free = [place for place in group if not any(self._asks(c, place, other) for other in group)]
        return max(free, key=lambda place: sum(term.about & {*group} == {place} for term in self.terms))

    def _groups(self, c: Context) -> list[tuple[int, ...]]:
        """The choices, of which those are together that have to do with each other, at least through others."""
        groups: list[tuple[int, ...]] = []
        for place in self.left:
            joined = [group for group in groups if any(self._together(c, place, other) for other in group)]
            groups = [group for group in groups if group not in joined]
            groups.append(tuple(sorted((place, *(one for group in joined for one in group)))))
        return sorted(groups)

    def _together(self, c: Context, one: int, other: int) -> bool:
        spoken = any({one, other} <= term.about for term in self.terms)
        return spoken or self._asks(c, one, other) or self._asks(c, other, one)

    def _asks(self, c: Context, place: int, other: int) -> bool:
        """Whether what can be chosen here depends on what is chosen there."""
        choices = self.action.params
        return place != other and c.speaks_of(c.resolved.binds[choices[other]], choices[place])
