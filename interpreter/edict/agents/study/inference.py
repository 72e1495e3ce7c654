"""What can be concluded from games: confidence intervals of shares and means, and sequential tests.

`level` is the confidence of an interval, 0.95 by default. Student's t is worked out here: SciPy would be 140 MB and
0.8 seconds of start for one function, in commands that need no library otherwise.

The looks of a sequential test are planned beforehand: at `FIRST` pairs, at twice as many, and so on to the whole
budget. The chance of a false alarm that one is ready to bear, `ALARM`, is divided evenly among the looks (Bonferroni),
so it holds for all of them together, whatever makes one stop; at each look it is halved between the main questions and
the details, and within each of the two divided evenly among the questions. So every interval holds at once with all
others, and a difference is told where its interval does not hold 0. All of this errs on the safe side.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import exp, inf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

LEVEL = 0.95
EXACT = 1e-14  # at which a series or an iteration ends
MOST_STEPS = 10_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the interval that holds the true one with the confidence asked for; `of`: how many were seen.

    The mean of a single number may lie anywhere: its interval is all numbers.
    """

    value: float
    low: float
    high: float
    of: int


def deviations(level: float = LEVEL) -> float:
    """How many standard deviations to either side of a normal distribution hold `level` of it."""
    return NormalDist().inv_cdf((1 + level) / 2)


def wilson(hits: float, of: int, level: float = LEVEL) -> Estimate:
    """A share, by Wilson's score interval: sound also for few games and for shares near 0 and 1.

    `hits` may be a fraction: a win of two counts as half a win for each.
    """
    if of == 0:
        return Estimate(0.0, 0.0, 1.0, 0)
    z, share = deviations(level), hits / of
    spread = 1 + z * z / of
    middle = (share + z * z / (2 * of)) / spread
    margin = z / spread * sqrt(share * (1 - share) / of + z * z / (4 * of * of))
    return Estimate(share, max(0.0, middle - margin), min(1.0, middle + margin), of)


def mean(total: float, squares: float, of: int, level: float = LEVEL) -> Estimate:
    """The mean of so many numbers, from their sum and the sum of their squares (Student's t)."""
    if of < 2:
        return Estimate(total, -inf, inf, of)
    middle = total / of
    margin = student_quantile(1 - level, of - 1) * sqrt(variance(total, squares, of) / of)
    return Estimate(middle, middle - margin, middle + margin, of)


def variance(total: float, squares: float, of: int) -> float:
    """Of at least two numbers around their mean."""
    return max(0.0, (squares - total * total / of) / (of - 1))


def difference(one: Estimate, other: Estimate) -> Estimate:
    """How much `one` is above `other`, when the two were seen in different games or seats (Newcombe's way)."""
    value = one.value - other.value
    low = value - sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2)
    high = value + sqrt((one.high - one.value) ** 2 + (other.value - other.low) ** 2)
    return Estimate(value, low, high, min(one.of, other.of))


# --- Student's t ------------------------------------------------------------------------------


def student_tails(t: float, freedom: int) -> float:
    """How likely a number of Student's t distribution, with so many degrees of freedom, is at least `t` from 0."""
    return _beta(freedom / (freedom + t * t), freedom / 2, 0.5)


@lru_cache(maxsize=4096)
def student_quantile(tails: float, freedom: int) -> float:
    """From 0 to where both tails together are as likely as `tails`: by Newton's method, from a point below, whence it
    never goes too far, as the tails are convex."""
    z = deviations(1 - tails)
    t = z + (z**3 + z) / (4 * freedom)  # the first terms of its expansion by the normal distribution
    for _ in range(MOST_STEPS):
        step = (student_tails(t, freedom) - tails) / (2 * _density(t, freedom))
        if step <= EXACT * t:  # below 0 only by rounding
            break
        t += step
    return t


def _density(t: float, freedom: int) -> float:
    half = (freedom + 1) / 2
    return exp(lgamma(half) - lgamma(freedom / 2) - half * log1p(t * t / freedom)) / sqrt(pi * freedom)


def _beta(x: float, a: float, b: float) -> float:
    """The regularized incomplete beta function, by its continued fraction where that converges fast."""
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front * _fraction(x, a, b)


def _fraction(x: float, a: float, b: float) -> float:
    """Lentz's method; each step takes two terms of the fraction."""
    above, below = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    found = below
    for n in range(1, MOST_STEPS):
        for term in (
            n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n)),
            -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1)),
        ):
            above, below = 1 + term / above, 1 / (1 + term * below)
            found *= above * below
        if abs(above * below - 1) < EXACT:
            break
    return found


# --- sequential tests -------------------------------------------------------------------------

ALARM = 0.05
FIRST = 200  # pairs before the first look
FEW = 30  # pairs that must differ before anything is said about a difference


@dataclass(frozen=True, slots=True)
class PairedDifference:
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
        if self.pairs < 2 or self.differing < FEW:
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
