"""How strong bots are: Bradley and Terry's model, fitted to all games of a league at once, on Elo's scale.

Of two bots at a table, that one finishes ahead has odds of ten to one for each 400 points between them; a draw is half
of either. The order of the games makes no difference. The intervals are those of a Bayesian bootstrap (Rubin): every
game, as a whole, gets a random weight, so that it does not matter how the places in one game hang together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import permutations
from math import log10, prod
from random import Random
from statistics import median

from edict.agents.study.inference import LEVEL, Estimate, wilson

MIDDLE, PER_DECADE = 1500.0, 400.0  # the median of all bots, as a weak one of no certain rating would move the mean
RESAMPLES = 399  # so that the ends of a 95 % interval are two of them
VIRTUAL = 0.5  # wins, and losses, of each bot against one of mean strength: who never won is not infinitely weak
EXACT, MOST_STEPS = 1e-6, 10_000


@dataclass(frozen=True, slots=True)
class Meeting:
    """A game: the kind of bot of each seat, how much of the victory each had, and the scores."""

    kinds: tuple[str, ...]
    shares: tuple[float, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's strength, and its victories.

    wins: the part of the victory that one of its seats has; even: what that would be if all bots were equal.
    """

    kind: str
    strength: Estimate
    games: int
    wins: Estimate
    even: float


Ahead = tuple[tuple[int, int, float], ...]
"""What a game says of pairs of bots: how much the first finished ahead of the second."""


def rated(meetings: Sequence[Meeting]) -> list[Rating]:
    """All bots met, the strongest first."""
    kinds = sorted({kind for meeting in meetings for kind in meeting.kinds})
    games = sorted(Counter(_ahead(meeting, kinds) for meeting in meetings).items())
    found = _fitted(games, len(kinds), None)
    random = Random(0)
    others = [_fitted(games, len(kinds), random) for _ in range(RESAMPLES)]
    estimates = [
        Estimate(level, *_middle([other[number] for other in others]), len(meetings))
        for number, level in enumerate(found)
    ]
    table = [_rating(kind, strength, meetings) for kind, strength in zip(kinds, estimates, strict=True)]
    return sorted(table, key=lambda rating: -rating.strength.value)


def _ahead(meeting: Meeting, kinds: Sequence[str]) -> Ahead:
    best = _best(meeting)
    return tuple(
        (kinds.index(one), kinds.index(other), 1.0 if best[one] > best[other] else 0.5)
        for one, other in permutations(sorted(best), 2)
        if best[one] >= best[other]
    )


def _fitted(games: Sequence[tuple[Ahead, int]], bots: int, random: Random | None) -> list[float]:
    """Ratings from games by how often each was met, or from random weights of these."""
    ahead = [[0.0] * bots for _ in range(bots)]
    for pairs, often in games:
        weight = random.gammavariate(often, 1.0) if random else often  # the sum of as many exponential weights
        for one, other, much in pairs:
            ahead[one][other] += weight * much
    virtual = [[VIRTUAL * (random.expovariate(1.0) if random else 1.0) for _ in range(2)] for _ in range(bots)]
    levels = [PER_DECADE * log10(odds) for odds in _odds(ahead, virtual)]
    middle = median(levels)
    return [MIDDLE + level - middle for level in levels]


def _odds(ahead: Sequence[Sequence[float]], virtual: Sequence[Sequence[float]]) -> list[float]:
    """The strengths that make what was seen most likely, by Newman's iteration (2023); their geometric mean is 1, which
    is that of the virtual opponent, too."""
    odds = [1.0] * len(ahead)
    for _ in range(MOST_STEPS):
        before = odds.copy()
        for one, mine in enumerate(odds):
            won, lost = virtual[one][0] / (mine + 1), virtual[one][1] / (mine + 1)
            for other, theirs in enumerate(odds):
                won += ahead[one][other] * theirs / (mine + theirs)
                lost += ahead[other][one] / (mine + theirs)
            odds[one] = won / lost
        middle = prod(odds) ** (1 / len(odds))
        odds = [one / middle for one in odds]
        if all(abs(now / then - 1) < EXACT for now, then in zip(odds, before, strict=True)):
            break
    return odds


def _middle(values: list[float]) -> tuple[float, float]:
    """Between which two of them the middle ones lie, as many as the interval is to hold."""
    values.sort()
    beyond = round((len(values) + 1) * (1 - LEVEL) / 2) - 1
    return values[beyond], values[-1 - beyond]


def _best(meeting: Meeting) -> dict[str, tuple[float, int]]:
    """What each kind reached: part of the victory, then score. Of several seats of one kind, the best counts for it."""
    best: dict[str, tuple[float, int]] = {}
    for kind, *reached in zip(meeting.kinds, meeting.shares, meeting.scores, strict=True):
        best[kind] = max(best.get(kind, (0.0, -(1 << 60))), (reached[0], int(reached[1])))
    return best


def crossed(meetings: Sequence[Meeting]) -> dict[tuple[str, str], Estimate]:
    """For every two kinds that met: how often the first did better than the second; a draw counts half."""
    ahead: dict[tuple[str, str], float] = {}
    often = Counter[tuple[str, str]]()
    for meeting in meetings:
        for (one, mine), (other, theirs) in permutations(_best(meeting).items(), 2):
            often[one, other] += 1
            better = 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
            ahead[one, other] = ahead.get((one, other), 0.0) + better
    return {pair: wilson(ahead[pair], number) for pair, number in often.items()}


def _rating(kind: str, strength: Estimate, meetings: Sequence[Meeting]) -> Rating:
    met = [meeting for meeting in meetings if kind in meeting.kinds]
    shares = [share for m in met for k, share in zip(m.kinds, m.shares, strict=True) if k == kind]
    even = sum(meeting.kinds.count(kind) / len(meeting.kinds) for meeting in met) / len(shares)
    return Rating(kind, strength, len(met), wilson(sum(shares), len(shares)), even)
