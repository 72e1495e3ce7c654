"""The tables of a study: rows that come with each piece of work, kept as they come in."""

from __future__ import annotations

from dataclasses import dataclass

from edict.study.columns import Columns, Decisions, game_rows
from edict.study.games import Setup, Stretch, play, stretches
from edict.study.parts import Parts
from edict.study.totals import Totals, totalled


SLOWER = 4  # times as slow is a game whose decisions are noted


@dataclass(frozen=True, slots=True)
class Recorded:
    """Which tables are wanted."""

    games: bool = False
    decisions: bool = False


@dataclass(frozen=True, slots=True)
class Piece:
    """What a stretch of games came to, and its rows of the tables that are wanted."""

    totals: Totals
    games: Columns | None = None
    decisions: Columns | None = None


def play_piece(setup: Setup, wanted: Recorded, stretch: Stretch) -> Piece:
    """A piece of work."""
    witness = Decisions(setup) if wanted.decisions else None
    played = play(setup, stretch, keep=wanted.games, witness=witness)
    games = game_rows(setup, stretch, played.counted) if wanted.games else None
    return Piece(totalled(setup, played), games, witness.columns if witness else None)


@dataclass(frozen=True)
class Recording:
    """The parts of the tables that are wanted; both None: nothing is recorded."""

    games: Parts | None = None
    decisions: Parts | None = None

    @property
    def wanted(self) -> Recorded:
        return Recorded(self.games is not None, self.decisions is not None)

    @property
    def tables(self) -> list[Parts]:
        return [parts for parts in (self.games, self.decisions) if parts is not None]

    def piece(self, usual: int) -> int:
        """How many games make a piece of work: decisions take longer to note than games to play."""
        return usual if self.decisions is None else max(1, usual // SLOWER)

    def add(self, stretch: Stretch, piece: Piece) -> None:
        """Keep the rows of a stretch; raises `OSError`."""
        for parts, rows in ((self.games, piece.games), (self.decisions, piece.decisions)):
            if parts is not None and rows is not None:
                parts.add(stretch, rows)

    def missing(self, games: int, known: list[Stretch], size: int) -> list[Stretch]:
        """Which of the games that a study knows must be played again for their rows, in pieces of this size.

        Parts of games that it does not know, and parts that not all tables have, are dropped.
        """
        common = set.intersection(*(set(parts.there()) for parts in self.tables)) if self.tables else set()
        gaps = list(stretches(games, max(1, games), known))
        good = {one for one in common if not any(_meet(one, gap) for gap in gaps)}
        for parts in self.tables:
            for stretch in parts.there():
                if stretch not in good:
                    parts.drop(stretch)
        return list(stretches(games, size, [*good, *gaps])) if self.tables else []


def _meet(one: Stretch, other: Stretch) -> bool:
    return one.first < other.first + other.games and other.first < one.first + one.games
