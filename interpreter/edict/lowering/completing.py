"""Whether the choices of an action that are still to come can all be made, without asking anybody.

Each condition is looked at as soon as all that it speaks of is chosen, the search goes on with what the most conditions
speak of, it ends with the first way that is found, and choices of which no condition speaks together are looked for
apart.
"""

from __future__ import annotations

from dataclasses import dataclass

from edict.backend import core
from edict.backend.core import Condition, Var
from edict.language import tree as t
from edict.lowering import choosing
from edict.lowering.asks import Test
from edict.lowering.context import Context


@dataclass(frozen=True)
class Term:
    """A condition that all choices must meet together, and the choices it speaks of."""

    about: frozenset[t.Choose]
    test: Test


@dataclass(frozen=True)
class Search:
    """The choices still to be made, in their order, and all that they must meet; the others are made."""

    choices: tuple[t.Choose, ...]
    terms: tuple[Term, ...]

    def completable(self, c: Context) -> Condition:
        apart = tuple(self._of(c, group) for group in self._groups(c))
        return apart[0] if len(apart) == 1 else core.All(apart)

    def _of(self, c: Context, group: tuple[t.Choose, ...]) -> Condition:
        """Whether these can be made: there is one for the first with which there is one for each of the others."""
        first = self._first(c, group)
        rest = tuple(choice for choice in group if choice is not first)
        it = c.resolved.binds[first]
        members = choosing.domain(c, first).options(c)
        known = [term for term in self.terms if first in term.about and not term.about & set(rest)]
        if known:
            c.where[it] = kept = Var()
            members = core.Kept(members, kept, tuple(term.test(c) for term in known))
        if not rest:
            return core.Test(members)
        c.where[it] = found = Var()
        return core.Some(False, members, found, Search(rest, self.terms).completable(c))

    def _first(self, c: Context, group: tuple[t.Choose, ...]) -> t.Choose:
        """Of those that ask for none of the others first, the one of which the most conditions are known with it."""
        free = [choice for choice in group if not any(self._asks(c, choice, other) for other in group)]
        others = set(group)
        return max(free, key=lambda choice: sum(term.about & others == {choice} for term in self.terms))

    def _groups(self, c: Context) -> list[tuple[t.Choose, ...]]:
        """The choices, of which those are together that have to do with each other, at least through others."""
        groups: list[list[t.Choose]] = []
        for choice in self.choices:
            joined = [group for group in groups if any(self._together(c, choice, other) for other in group)]
            groups = [group for group in groups if group not in joined]
            groups.append(sorted((one for group in (*joined, [choice]) for one in group), key=self.choices.index))
        return [tuple(group) for group in sorted(groups, key=lambda group: self.choices.index(group[0]))]

    def _together(self, c: Context, one: t.Choose, other: t.Choose) -> bool:
        return (
            any({one, other} <= term.about for term in self.terms)
            or self._asks(c, one, other) or self._asks(c, other, one)
        )  # fmt: skip

    def _asks(self, c: Context, choice: t.Choose, other: t.Choose) -> bool:
        """Whether what can be chosen here depends on what is chosen there."""
        return choice is not other and c.speaks_of(c.resolved.binds[other], choice)
