"""The strength of a kind of bot against `random`, with a confidence interval."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edict.agents.study.bot_games import GameSetup
from edict.agents.study.inference import Estimate, estimate_mean
from edict.agents.study.league_play import play_meetings
from edict.agents.study.rating import Meeting
from edict.runtime.program import Program

RANDOM = "random"


@dataclass(frozen=True, slots=True)
class EdgeOverRandom:
    """The edge of a kind of bot over `random`, by victories and by scores.

    At tables where all others are random, it is the bot's value less the mean of the others. In cooperative and
    solitaire games it is the value of a table of bots less that of a table of random ones.
    """

    is_cooperative: bool  # players win or lose together, or play alone
    edge: Estimate  # difference of shares of the victory
    lead: Estimate  # difference of scores

    @property
    def is_better(self) -> bool:
        """Return True if the whole interval is above 0: of victories, or of scores where victories are all equal."""
        return self.edge.low > 0 or self.is_cooperative and self.edge.high >= 0 and self.lead.low > 0


def compare_with_random(program: Program, kind: str, players: int, games: int, seed: int = 0) -> EdgeOverRandom:
    """Play games of a kind of bot against `random`, with the bot's seat rotating around the table."""
    random_games = _play_everywhere(program, RANDOM, players, games, seed)
    if all(len({share > 0 for share in meeting.shares}) == 1 for meeting in random_games):
        bots = _play_everywhere(program, kind, players, games, seed)
        pairs = list(zip(bots, random_games, strict=True))
        return EdgeOverRandom(
            True,
            estimate([bool(sum(mine.shares)) - float(bool(sum(baseline.shares))) for mine, baseline in pairs]),
            estimate([sum(mine.scores) / players - sum(baseline.scores) / players for mine, baseline in pairs]),
        )
    edges, leads = [], []
    for seat, meeting in _play_in_turn(program, kind, players, games, seed):
        edges.append(compute_edge(meeting.shares, seat))
        leads.append(compute_edge(meeting.scores, seat))
    return EdgeOverRandom(False, estimate(edges), estimate(leads))


def compute_edge(values: Sequence[float], seat: int) -> float:
    """Return a seat's value minus the mean of the other seats' values."""
    return values[seat] - (sum(values) - values[seat]) / (len(values) - 1)


def estimate(values: Sequence[float]) -> Estimate:
    """Return the mean of some numbers with its confidence interval, by Student's t."""
    return estimate_mean(sum(values), sum(value * value for value in values), len(values))


def _play_everywhere(program: Program, kind: str, players: int, games: int, seed: int) -> list[Meeting]:
    """Play games with this kind of bot in all seats; return their results."""
    return play_meetings(GameSetup(program, (kind,) * players, (), seed), range(games))


def _play_in_turn(program: Program, kind: str, players: int, games: int, seed: int) -> Iterator[tuple[int, Meeting]]:
    """Play games of this bot against `random`, an equal number in each seat; yield the bot's seat and result."""
    for seat in range(players):
        kinds = tuple(kind if other == seat else RANDOM for other in range(players))
        for meeting in play_meetings(GameSetup(program, kinds, (), seed), range(seat, games, players)):
            yield seat, meeting
