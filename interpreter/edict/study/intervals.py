"""Confidence intervals of a share or a mean. `level` is the confidence, 0.95 by default."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and the interval that holds the true one with the confidence asked for; `of`: how many were seen."""

    value: float
    low: float
    high: float
    of: int

    @property
    def margin(self) -> float:
        return (self.high - self.low) / 2


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
    """The mean of so many numbers, from their sum and the sum of their squares."""
    if of == 0:
        return Estimate(0.0, 0.0, 0.0, 0)
    middle = total / of
    margin = deviations(level) * sqrt(variance(total, squares, of) / of)
    return Estimate(middle, middle - margin, middle + margin, of)


def variance(total: float, squares: float, of: int) -> float:
    """Of the numbers around their mean."""
    return max(0.0, (squares - total * total / of) / (of - 1)) if of > 1 else 0.0


def difference(one: Estimate, other: Estimate) -> Estimate:
    """How much `one` is above `other`, when the two were seen in different games or seats (Newcombe's way)."""
    value = one.value - other.value
    low = value - sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2)
    high = value + sqrt((one.high - one.value) ** 2 + (other.value - other.low) ** 2)
    return Estimate(value, low, high, min(one.of, other.of))
