"""The strength of a kind of bot against `random`, with an interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edict.program import Program
from edict.study.bot_games import Setup
from edict.study.inference import Estimate, mean
from edict.study.league_play import play
from edict.study.rating import Meeting

RANDOM = "random"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The edge of a kind of bot over `random`, by victories and by scores.

    edge: the bot's share of the victory less the mean share of the others, at tables where all others are random. Where
    players win or lose `together` (or play alone), the share of games that a table of bots wins less that of a table of
    random ones. lead: the same of scores.
    """

    together: bool
    edge: Estimate
    lead: Estimate

    @property
    def beats(self) -> bool:
        """Whether the whole interval is above 0: of victories, or of scores where these are all there is to compare."""
        return self.edge.low > 0 or self.together and self.edge.high >= 0 and self.lead.low > 0


def compare_with_random(program: Program, kind: str, players: int, games: int, seed: int = 0) -> Comparison:
    """Play so many games of a kind of bot against `random`, the bot's seat going round the table."""
    everywhere = _play_everywhere(program, RANDOM, players, games, seed)
    if all(len({share > 0 for share in met.shares}) == 1 for met in everywhere):
        bots = _play_everywhere(program, kind, players, games, seed)
        pairs = list(zip(bots, everywhere, strict=True))
        return Comparison(
            True,
            estimate([bool(sum(one.shares)) - float(bool(sum(other.shares))) for one, other in pairs]),
            estimate([sum(one.scores) / players - sum(other.scores) / players for one, other in pairs]),
        )
    edges, leads = [], []
    for seat, met in _play_in_turn(program, kind, players, games, seed):
        edges.append(ahead(met.shares, seat))
        leads.append(ahead(met.scores, seat))
    return Comparison(False, estimate(edges), estimate(leads))


def ahead(values: Sequence[float], seat: int) -> float:
    """Return how far a seat's value is above the mean of the others."""
    return values[seat] - (sum(values) - values[seat]) / (len(values) - 1)


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of some numbers, with its interval."""
    return mean(sum(values), sum(value * value for value in values), len(values))


def _play_everywhere(program: Program, kind: str, players: int, games: int, seed: int) -> list[Meeting]:
    """Play games with one kind of bot in all seats."""
    return play(Setup(program, (kind,) * players, (), seed), range(games))


def _play_in_turn(program: Program, kind: str, players: int, games: int, seed: int) -> Iterator[tuple[int, Meeting]]:
    """Play games with one seat for the bot, the same number of each seat; yield the seat and the result."""
    for seat in range(players):
        kinds = tuple(kind if other == seat else RANDOM for other in range(players))
        for met in play(Setup(program, kinds, (), seed), range(seat, games, players)):
            yield seat, met
