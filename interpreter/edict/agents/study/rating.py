"""Ratings of bots by the Bradley-Terry model on Elo's scale, fitted to all games of a league at once.

For each 400 points between two bots at a table, the odds to finish ahead are ten to one; a draw counts as half a win
for each. The order of the games does not matter. The intervals come from a Bayesian bootstrap (Rubin) that gives
every whole game a random weight, so that dependencies between the places in one game do not matter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import permutations
from math import log10, prod
from random import Random
from statistics import median

from edict.agents.study.inference import CONFIDENCE, Estimate, estimate_share
from edict.support.records import dataclass

MEDIAN_RATING, PER_DECADE = 1500.0, 400.0  # of all bots; a weak bot of uncertain rating would shift the mean
RESAMPLES = 399
VIRTUAL_GAMES = 0.5
EXACT, MOST_STEPS = 1e-6, 10_000


@dataclass(frozen=True, slots=True)
class Meeting:
    """A game of a league."""

    kinds: tuple[str, ...]  # of bots by seat
    shares: tuple[float, ...]  # of the victory
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's strength and its victories."""

    kind: str
    strength: Estimate
    games: int
    wins: Estimate  # share of the victory of one of its seats
    even: float  # the same if all bots were equal


# (first bot, second bot, result of the first: 1.0 for a win, 0.5 for a tie)
PairOutcomes = tuple[tuple[int, int, float], ...]


def rate_bots(meetings: Sequence[Meeting]) -> list[Rating]:
    """Return the ratings of all bots, the strongest first."""
    kinds = sorted({kind for meeting in meetings for kind in meeting.kinds})
    games = sorted(Counter(_compare_pairs(meeting, kinds) for meeting in meetings).items())
    levels = _fit_ratings(games, len(kinds), None)
    random = Random(0)
    resampled = [_fit_ratings(games, len(kinds), random) for _ in range(RESAMPLES)]
    estimates = [
        Estimate(level, *_central_interval([resample[number] for resample in resampled]), len(meetings))
        for number, level in enumerate(levels)
    ]
    table = [_build_rating(kind, strength, meetings) for kind, strength in zip(kinds, estimates, strict=True)]
    return sorted(table, key=lambda rating: -rating.strength.value)


def _compare_pairs(meeting: Meeting, kinds: Sequence[str]) -> PairOutcomes:
    """Return for each pair of kinds in a game (better, worse, 1.0); drawn pairs count 0.5 in both orders."""
    best = _best_results(meeting)
    return tuple(
        (kinds.index(one), kinds.index(other), 1.0 if best[one] > best[other] else 0.5)
        for one, other in permutations(sorted(best), 2)
        if best[one] >= best[other]
    )


def _fit_ratings(games: Sequence[tuple[PairOutcomes, int]], bots: int, random: Random | None) -> list[float]:
    """Return ratings by bot from games with counts; with `random`, of a Bayesian bootstrap sample."""
    ahead = [[0.0] * bots for _ in range(bots)]
    for pairs, count in games:
        weight = random.gammavariate(count, 1.0) if random else count  # the sum of so many exponential weights
        for one, other, result in pairs:
            ahead[one][other] += weight * result
    virtual = [[VIRTUAL_GAMES * (random.expovariate(1.0) if random else 1.0) for _ in range(2)] for _ in range(bots)]
    levels = [PER_DECADE * log10(odds) for odds in _fit_odds(ahead, virtual)]
    center = median(levels)
    return [MEDIAN_RATING + level - center for level in levels]


def _fit_odds(ahead: Sequence[Sequence[float]], virtual: Sequence[Sequence[float]]) -> list[float]:
    """Return the strengths that make the results most likely, given `ahead[i][j]` wins of i over j.

    Their geometric mean is 1, which is also the strength of the virtual opponent.
    """
    odds = [1.0] * len(ahead)
    for _ in range(MOST_STEPS):
        previous = odds.copy()
        for one, mine in enumerate(odds):
            won, lost = virtual[one][0] / (mine + 1), virtual[one][1] / (mine + 1)
            for other, theirs in enumerate(odds):
                won += ahead[one][other] * theirs / (mine + theirs)
                lost += ahead[other][one] / (mine + theirs)
            odds[one] = won / lost
        geometric_mean = prod(odds) ** (1 / len(odds))
        odds = [one / geometric_mean for one in odds]
        if all(abs(new / old - 1) < EXACT for new, old in zip(odds, previous, strict=True)):
            break
    return odds


def _central_interval(values: list[float]) -> tuple[float, float]:
    """Sort the samples in place, and return the two that enclose the central share CONFIDENCE."""
    values.sort()
    beyond = round((len(values) + 1) * (1 - CONFIDENCE) / 2) - 1
    return values[beyond], values[-1 - beyond]


def _best_results(meeting: Meeting) -> dict[str, tuple[float, int]]:
    """Return by kind the best (share of victory, score) of its seats in a meeting."""
    best: dict[str, tuple[float, int]] = {}
    for kind, *result in zip(meeting.kinds, meeting.shares, meeting.scores, strict=True):
        best[kind] = max(best.get(kind, (0.0, -(1 << 60))), (result[0], int(result[1])))
    return best


def compare_kinds(meetings: Sequence[Meeting]) -> dict[tuple[str, str], Estimate]:
    """Return for each pair of kinds how often the first did better than the second; a draw counts half."""
    ahead: dict[tuple[str, str], float] = {}
    games = Counter[tuple[str, str]]()
    for meeting in meetings:
        for (one, mine), (other, theirs) in permutations(_best_results(meeting).items(), 2):
            games[one, other] += 1
            if mine > theirs:
                better = 1.0
            elif mine == theirs:
                better = 0.5
            else:
                better = 0.0
            ahead[one, other] = ahead.get((one, other), 0.0) + better
    return {pair: estimate_share(ahead[pair], number) for pair, number in games.items()}


def _build_rating(kind: str, strength: Estimate, meetings: Sequence[Meeting]) -> Rating:
    """Return a kind's rating with its games, its share of the victory per seat, and what an even share is."""
    own_meetings = [meeting for meeting in meetings if kind in meeting.kinds]
    shares = [share for m in own_meetings for k, share in zip(m.kinds, m.shares, strict=True) if k == kind]
    even = sum(meeting.kinds.count(kind) / len(meeting.kinds) for meeting in own_meetings) / len(shares)
    return Rating(kind, strength, len(own_meetings), estimate_share(sum(shares), len(shares)), even)
