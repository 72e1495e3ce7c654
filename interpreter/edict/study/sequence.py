"""Sequential testing: a plan of looks at growing numbers of pairs, and what may be said at each.

The looks are planned beforehand: at `FIRST` pairs, at twice as many, and so on to the whole budget. The chance of a
false alarm that one is ready to bear, `ALARM`, is divided evenly among the looks (Bonferroni), so it holds for
all of them together, whatever makes one stop. At each look it is halved between the main questions and the details,
and within each of the two divided evenly among the questions. So every interval holds at once with all others, and a
difference is told where its interval does not hold 0. All of this errs on the safe side.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from edict.study.intervals import Estimate, mean, student_tails, variance

ALARM = 0.05
FIRST = 200  # pairs before the first look
RARE = 30  # pairs that must differ before anything is said about a difference


@dataclass(frozen=True, slots=True)
class Difference:
    """What is known of the differences in pairs: how many pairs, how many of them differ, their sum and squares."""

    pairs: int
    differing: int
    total: float
    squares: float

    @property
    def error(self) -> float:
        """Of the mean."""
        return sqrt(variance(self.total, self.squares, self.pairs) / self.pairs)

    @property
    def p(self) -> float:
        """How likely pairs differ as much as these or more, on the whole, by chance alone."""
        if self.pairs < 2 or self.differing < RARE:
            return 1.0
        if self.error == 0.0:
            return 0.0
        return student_tails(self.total / self.pairs / self.error, self.pairs - 1)

    def estimate(self, alarm: float) -> Estimate:
        """The mean difference, and an interval that misses the true one with the chance `alarm`."""
        return mean(self.total, self.squares, self.pairs, 1 - alarm)


def looks(budget: int, first: int = FIRST) -> list[int]:
    """At how many pairs to look, the last time at all of them."""
    planned = []
    at = first
    while at < budget:
        planned.append(at)
        at *= 2
    return [*planned, budget]


def alarm_at_a_look(budget: int, families: int = 2, first: int = FIRST) -> float:
    """What may be risked for one family of questions at one look."""
    return ALARM / len(looks(budget, first)) / families
