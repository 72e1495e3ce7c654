"""How strong bots are, from games in which several met. This is the one file that knows openskill."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import permutations
from random import Random

from edict.study.intervals import Estimate, deviations, wilson


@dataclass(frozen=True, slots=True)
class Meeting:
    """A game: the kind of bot of each seat, how much of the victory each had, and the scores."""

    kinds: tuple[str, ...]
    shares: tuple[float, ...]
    scores: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Rating:
    """A bot's strength (mu, about 25 for the average one), how uncertain that is (sigma), and its victories.

    wins: the part of the victory that one of its seats has; even: what that would be if all bots were equal.
    """

    kind: str
    mu: float
    sigma: float
    games: int
    wins: Estimate
    even: float

    @property
    def interval(self) -> tuple[float, float]:
        """Of the strength."""
        return self.mu - deviations() * self.sigma, self.mu + deviations() * self.sigma


def available() -> bool:
    """Whether openskill can be had."""
    return find_spec("openskill") is not None


def rated(meetings: Sequence[Meeting]) -> list[Rating]:
    """All bots met, the strongest first. Which game came first should make no difference, so they are mixed."""
    kinds = sorted({kind for meeting in meetings for kind in meeting.kinds})
    mixed = list(meetings)
    Random(0).shuffle(mixed)
    levels = _levels(kinds, mixed)
    return sorted((_rating(kind, *levels[kind], meetings) for kind in kinds), key=lambda rating: -rating.mu)


def _levels(kinds: Iterable[str], meetings: Iterable[Meeting]) -> Mapping[str, tuple[float, float]]:
    """mu and sigma by kind (Plackett-Luce). Of several seats of one kind, the best counts for it."""
    from openskill.models import PlackettLuce

    model = PlackettLuce()
    known = {kind: model.rating(name=kind) for kind in kinds}
    for meeting in meetings:
        best = _best(meeting)
        if len(best) > 1:
            order = sorted(set(best.values()), reverse=True)
            ranks = [float(order.index(reached) + 1) for reached in best.values()]
            for kind, (rating,) in zip(best, model.rate([[known[kind]] for kind in best], ranks=ranks), strict=True):
                known[kind] = rating
    return {kind: (rating.mu, rating.sigma) for kind, rating in known.items()}


def _best(meeting: Meeting) -> dict[str, tuple[float, int]]:
    """What each kind reached: part of the victory, then score."""
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


def _rating(kind: str, mu: float, sigma: float, meetings: Sequence[Meeting]) -> Rating:
    met = [meeting for meeting in meetings if kind in meeting.kinds]
    shares = [share for m in met for k, share in zip(m.kinds, m.shares, strict=True) if k == kind]
    even = sum(meeting.kinds.count(kind) / len(meeting.kinds) for meeting in met) / len(shares)
    return Rating(kind, mu, sigma, len(met), wilson(sum(shares), len(shares)), even)
