"""Sequential testing: a plan of looks at growing numbers of pairs, and what may be said at each.

The looks are planned beforehand: at `FIRST` pairs, at twice as many, and so on to the whole budget. The chance of a
false alarm that one is ready to bear, `ALARM`, is divided evenly among the looks (Bonferroni), so it holds for
all of them together, whatever makes one stop. At each look it is halved between the main questions and the details;
within each of the two it is held for all questions together by Holm's method. All of this errs on the safe side.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

from edict.study.intervals import Estimate, deviations, variance

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
        return sqrt(variance(self.total, self.squares, self.pairs) / self.pairs) if self.pairs else 0.0

    @property
    def p(self) -> float:
        """How likely pairs differ as much as these or more, on the whole, by chance alone."""
        if self.differing < RARE:
            return 1.0
        if self.error == 0.0:
            return 0.0
        return 2 * (1 - NormalDist().cdf(abs(self.total / self.pairs) / self.error))

    def estimate(self, alarm: float) -> Estimate:
        """The mean difference, and an interval that misses the true one with the chance `alarm`."""
        middle = self.total / self.pairs if self.pairs else 0.0
        margin = deviations(1 - alarm) * self.error
        return Estimate(middle, middle - margin, middle + margin, self.pairs)


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


def holm(chances: Sequence[float], alarm: float) -> list[tuple[bool, float]]:
    """Which of these questions are answered by more than chance, when `alarm` is risked for all of them together;
    beside each the alarm at which it was decided, for an interval that says the same."""
    found = [(False, alarm / max(1, len(chances)))] * len(chances)
    for done, number in enumerate(sorted(range(len(chances)), key=chances.__getitem__)):
        level = alarm / (len(chances) - done)
        if chances[number] > level:
            break
        found[number] = (True, level)
    return found
