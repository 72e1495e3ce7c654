"""What is known of a game before it is played: by its rules, and by all its courses, if they are few."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from edict.open_spiel.position import Position
from edict.simulation.game_tree import Extent, extent
from edict.table.addresses import seats_in
from edict.table.game_nature import Nature
from edict.table.spaces import Coding, payoffs


@dataclass(frozen=True)
class Known:
    """A game with so many players. extent: None if it is too large to be walked through."""

    coding: Coding
    nature: Nature
    extent: Extent | None

    @cached_property
    def payoffs(self) -> tuple[float, float]:
        """The least and the greatest that a seat can get."""
        if self.extent is None:
            return self.nature.payoffs(self.coding.reward, len(self.coding.names))
        found = [one for all_of_them in self._results for one in all_of_them]
        return min(found), max(found)

    @cached_property
    def sums_to_zero(self) -> bool:
        """Whether what one gets others lose, in every course."""
        if self.extent is not None:
            return all(abs(sum(one)) < 1e-9 for one in self._results)
        alone = len(self.coding.names) == 1
        return not alone and (self.coding.reward == "score" or self.coding.program.certain)

    @property
    def longest(self) -> int:
        """Actions of players at most."""
        return self.nature.longest if self.extent is None else self.extent.longest

    @property
    def draws(self) -> int:
        """Options of chance at most."""
        return self.nature.draws if self.extent is None else self.extent.draws

    @cached_property
    def _results(self) -> list[list[float]]:
        assert self.extent is not None
        reward = self.coding.reward
        return [payoffs(reward, scores, seats_in(winners)) for scores, winners in self.extent.results]


def known(coding: Coding) -> Known:
    """What is known of a game."""
    return Known(coding, Nature.of(coding.program), extent(Position.first(coding).branching))
