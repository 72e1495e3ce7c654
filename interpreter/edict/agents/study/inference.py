"""Statistical inference from games: confidence intervals of shares and means, and sequential tests.

`level` is the confidence of an interval, 0.95 by default. Student's t distribution is computed here, because SciPy
would add 140 MB and 0.8 seconds of startup for one function to commands that need no library otherwise.

The looks of a sequential test are planned in advance: at `FIRST` pairs, at twice as many, and so on up to the whole
budget. The accepted probability of a false alarm, `ALARM`, is divided evenly among the looks (Bonferroni), so it
holds for all of them together, whatever the reason to stop. At each look it is halved between the main questions and
the details, and divided evenly among the questions of each. So all intervals hold simultaneously, and a difference is
reported where its interval does not contain 0. All of this is conservative.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import exp, inf, lgamma, log, log1p, pi, sqrt
from statistics import NormalDist

from edict.support.records import dataclass

CONFIDENCE = 0.95
TOLERANCE = 1e-14
MAX_STEPS = 10_000


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its confidence interval.

    The interval of the mean of a single number is infinite.
    """

    value: float
    low: float
    high: float
    sample_size: int

    def shift(self, by: float) -> Estimate:
        """Return the estimate of a value that is larger by a constant."""
        return Estimate(self.value + by, self.low + by, self.high + by, self.sample_size)


def normal_quantile(level: float = CONFIDENCE) -> float:
    """Return the distance from the mean, in standard deviations, that holds `level` of a normal distribution."""
    return NormalDist().inv_cdf((1 + level) / 2)


def estimate_share(hits: float, sample_size: int, level: float = CONFIDENCE) -> Estimate:
    """Estimate a share by Wilson's score interval, which also suits few games and shares near 0 and 1.

    `hits` may be a fraction: a win of two counts as half a win for each.
    """
    if sample_size == 0:
        return Estimate(0.0, 0.0, 1.0, 0)
    z, share = normal_quantile(level), hits / sample_size
    denominator = 1 + z * z / sample_size
    center = (share + z * z / (2 * sample_size)) / denominator
    margin = z / denominator * sqrt(share * (1 - share) / sample_size + z * z / (4 * sample_size * sample_size))
    return Estimate(share, max(0.0, center - margin), min(1.0, center + margin), sample_size)


def estimate_mean(total: float, squares: float, sample_size: int, level: float = CONFIDENCE) -> Estimate:
    """Estimate a mean from the sum and the sum of squares, by Student's t."""
    if sample_size < 2:
        return Estimate(total, -inf, inf, sample_size)
    center = total / sample_size
    margin = student_quantile(1 - level, sample_size - 1) * sqrt(
        compute_variance(total, squares, sample_size) / sample_size
    )
    return Estimate(center, center - margin, center + margin, sample_size)


def compute_variance(total: float, squares: float, sample_size: int) -> float:
    """Return the sample variance of at least two numbers."""
    return max(0.0, (squares - total * total / sample_size) / (sample_size - 1))


def estimate_difference(one: Estimate, other: Estimate) -> Estimate:
    """Estimate how much `one` is above `other`, for independent samples (Newcombe's method)."""
    value = one.value - other.value
    low = value - sqrt((one.value - one.low) ** 2 + (other.high - other.value) ** 2)
    high = value + sqrt((one.high - one.value) ** 2 + (other.value - other.low) ** 2)
    return Estimate(value, low, high, min(one.sample_size, other.sample_size))


def compare_shares(hits: float, sample_size: int, other_hits: float, other_size: int) -> float:
    """Return the two-tailed p-value of the difference of two shares, by the pooled z test."""
    pooled = (hits + other_hits) / (sample_size + other_size)
    variance = pooled * (1 - pooled) * (1 / sample_size + 1 / other_size)
    if variance <= 0:
        return 1.0
    return 2 * (1 - NormalDist().cdf(abs(hits / sample_size - other_hits / other_size) / sqrt(variance)))


def compute_p_value(difference: float, margin: float) -> float:
    """Return the two-tailed p-value of a difference from 0 with a symmetric interval, as for large samples.

    Args:
        difference: The difference.
        margin: Half the width of its interval, which holds with `CONFIDENCE`.
    """
    if margin <= 0:
        return 1.0
    return 2 * (1 - NormalDist().cdf(normal_quantile() * abs(difference) / margin))


def estimate_slope(groups: Sequence[tuple[float, float, int]], level: float = CONFIDENCE) -> Estimate | None:
    """Estimate how much a share grows with each step of a number, by least squares; None if the number is constant.

    Args:
        groups: For each value of the number the value, the hits (possibly in fractions), and the sample size.
        level: The confidence of the interval.
    """
    size = sum(count for _, _, count in groups)
    if size < 3:
        return None
    center = sum(value * count for value, _, count in groups) / size
    spread = sum(count * (value - center) ** 2 for value, _, count in groups)
    if spread == 0:
        return None
    share = sum(hits for _, hits, _ in groups) / size
    slope = sum((value - center) * (hits - share * count) for value, hits, count in groups) / spread
    residual = max(0.0, share * (1 - share) - slope * slope * spread / size)
    margin = student_quantile(1 - level, size - 2) * sqrt(residual * size / (size - 2) / spread)
    return Estimate(slope, slope - margin, slope + margin, size)


def apply_holm(p_values: Sequence[float], alarm: float = 0.05) -> list[bool]:
    """Return for each of several tests if it is significant by Holm's procedure.

    The probability that any test without a true difference is among them is at most `alarm`.
    """
    significant = [False] * len(p_values)
    for rank, number in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        if p_values[number] > alarm / (len(p_values) - rank):
            break
        significant[number] = True
    return significant


# --- Student's t ------------------------------------------------------------------------------


def student_two_tailed_p(t: float, degrees: int) -> float:
    """Return the probability that a number of Student's t distribution is at least `t` from 0."""
    return _incomplete_beta(degrees / (degrees + t * t), degrees / 2, 0.5)


@lru_cache(maxsize=4096)
def student_quantile(tails: float, degrees: int) -> float:
    """Return the distance from 0 beyond which both tails together have the probability `tails`.

    Newton's method from below, which does not overshoot, as the tails are convex.
    """
    z = normal_quantile(1 - tails)
    t = z + (z**3 + z) / (4 * degrees)  # the first terms of its expansion by the normal distribution
    for _ in range(MAX_STEPS):
        step = (student_two_tailed_p(t, degrees) - tails) / (2 * _student_density(t, degrees))
        if step <= TOLERANCE * t:  # below 0 only by rounding
            break
        t += step
    return t


def _student_density(t: float, degrees: int) -> float:
    """Return the density of Student's t distribution with these degrees of freedom at `t`."""
    half = (degrees + 1) / 2
    return exp(lgamma(half) - lgamma(degrees / 2) - half * log1p(t * t / degrees)) / sqrt(pi * degrees)


def _incomplete_beta(x: float, a: float, b: float) -> float:
    """Return the regularized incomplete beta function, by its continued fraction where that converges fast."""
    if not 0 < x < 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a)
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x)) / a
    return front * _beta_continued_fraction(x, a, b)


def _beta_continued_fraction(x: float, a: float, b: float) -> float:
    """Evaluate the continued fraction by Lentz's method; each step takes two terms."""
    numerator, denominator = 1.0, 1 / (1 - (a + b) * x / (a + 1))
    value = denominator
    for n in range(1, MAX_STEPS):
        for term in (
            n * (b - n) * x / ((a + 2 * n - 1) * (a + 2 * n)),
            -(a + n) * (a + b + n) * x / ((a + 2 * n) * (a + 2 * n + 1)),
        ):
            numerator, denominator = 1 + term / numerator, 1 / (1 + term * denominator)
            value *= numerator * denominator
        if abs(numerator * denominator - 1) < TOLERANCE:
            break
    return value


# --- sequential tests -------------------------------------------------------------------------

ALARM = 0.05  # probability of a false alarm over all looks
FIRST = 200  # pairs before the first look
MIN_DIFFERING = 30


@dataclass(frozen=True, slots=True)
class PairedDifference:
    """Sums of the differences in pairs of games."""

    pairs: int
    differing: int  # pairs that differ
    total: float  # sum of the differences
    squares: float  # sum of their squares

    @property
    def standard_error(self) -> float:
        """The standard error of the mean difference."""
        return sqrt(compute_variance(self.total, self.squares, self.pairs) / self.pairs)

    @property
    def p_value(self) -> float:
        """The two-tailed p-value of the mean difference."""
        if self.pairs < 2 or self.differing < MIN_DIFFERING:
            return 1.0
        if self.standard_error == 0.0:
            return 0.0
        return student_two_tailed_p(self.total / self.pairs / self.standard_error, self.pairs - 1)

    def estimate(self, alarm: float) -> Estimate:
        """Estimate the mean difference, with an interval that misses the true one with probability `alarm`."""
        return estimate_mean(self.total, self.squares, self.pairs, 1 - alarm)


def plan_looks(budget: int, first: int = FIRST) -> list[int]:
    """Return the numbers of pairs at which to look, the last one being the budget."""
    planned = []
    pairs = first
    while pairs < budget:
        planned.append(pairs)
        pairs *= 2
    return [*planned, budget]


def divide_alarm(budget: int, families: int = 2, first: int = FIRST) -> float:
    """Return the probability of a false alarm for one family of questions at one look."""
    return ALARM / len(plan_looks(budget, first)) / families
