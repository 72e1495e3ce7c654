"""Rules that can be read in two ways, played both ways at once: the same answers and the same luck, until they part.

Up to there nothing differs that anybody could notice, so where they part is where it matters how they are read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import count
from typing import Any

from edict.bots.match import Match, laid
from edict.bots.matches import course, dismissed
from edict.machine.mixing import MASK
from edict.program import Program
from edict.program.opcodes import (
    ASKING, CHANCE, EVENT_SIZE, EV_SAY, FIRST_OPTION, GAME_OVER, OPTIONS, QUESTION, SEAT, WINNERS,
)  # fmt: skip
from edict.study.games import GameRange, Players, seeds_of
from edict.study.never import BOTS, tables
from edict.table.chance import draw

MOST_GAMES = 200
MOST_QUESTIONS = 30_000  # in all games together, chance's included
FURTHER = 20  # games in which an earlier parting is looked for, once there is one


@dataclass(frozen=True, slots=True)
class Parting:
    """Where two readings part: in a game of so many players and this luck, after these answers of theirs."""

    players: int
    seed: int
    answers: tuple[int, ...]


@dataclass
class Search:
    """A search through games of all numbers of players, by several kinds of bots. Afterwards `found` is the parting
    after the fewest answers, `games` how many games were played for it."""

    first: Program
    second: Program
    found: Parting | None = None
    games: int = 0
    questions: int = 0

    def run(self, told: Callable[[int], object]) -> Parting | None:
        left = MOST_GAMES
        for players, seed, seats in self._tables():
            if not left or self.questions > MOST_QUESTIONS:
                break
            left -= 1
            self.games += 1
            parting = self._game(players, seed, seats)
            told(self.games)
            if parting is not None:
                left = FURTHER if self.found is None else left
                self.found = parting
                if not parting.answers:
                    break
        return self.found

    def _tables(self) -> Iterator[tuple[int, int, Players]]:
        """One game at each table in turn, so that the few that are played are of all kinds."""
        setups = tables(self.first, BOTS, 0, (), 0)
        bots = [Players(self.first, setup.bots) for setup in setups]
        for number in count():
            for setup, seats in zip(setups, bots, strict=True):
                yield setup.players, seeds_of(setup, GameRange(number, 1))[0] & MASK, seats

    def _game(self, players: int, seed: int, bots: Players) -> Parting | None:
        """Where this game parts, if it does before the one that is known."""
        one, other = (_match(program, players, seed, bots.native) for program in (self.first, self.second))
        seats, answers = bots.seats(seed), list[int]()
        try:
            for seat, index in course(one, seats):
                self.questions += 1
                other.advance()
                if _failed(one) or _failed(other):
                    return None
                if _seen(one) != _seen(other):
                    return Parting(players, seed, tuple(answers))
                if seat != CHANCE:
                    answers.append(index)
                if self.found is not None and len(answers) >= len(self.found.answers):
                    return None
                one.answer(index)
                other.answer(index)
            other.advance()
            over = one.status == GAME_OVER and not _failed(other)
            return Parting(players, seed, tuple(answers)) if over and _seen(one) != _seen(other) else None
        finally:
            dismissed(seats)


def _match(program: Program, players: int, seed: int, natively: bool) -> Match:
    """With the luck of a table of this seed."""
    drawn = count()
    return Match(laid(program, players), seed, lambda _, options: draw(seed, next(drawn), options), natively)


def _failed(match: Match) -> bool:
    return match.status not in (ASKING, GAME_OVER)


def _seen(match: Match) -> tuple[Any, ...]:
    """All that could be noticed: what is asked or how it ended, what was announced, and what everything is now."""
    program, cells = match.program, match.state
    noticed = (announced(program, match.fresh), [cells[kept] for kept in _kept(program)])
    if match.status != ASKING:
        return (match.status, cells[WINNERS], *noticed)
    question, options = program.questions[cells[QUESTION]], cells[OPTIONS]
    return (question.name, question.prompt, cells[SEAT], cells[FIRST_OPTION : FIRST_OPTION + options], *noticed)


@lru_cache(maxsize=2)
def _kept(program: Program) -> tuple[slice, ...]:
    """Where everything stands that rules remember."""
    return tuple(slice(one.base, one.cells.stop) for one in program.variables)


def announced(program: Program, events: Sequence[int]) -> list[str]:
    """What was announced, part by part, without the values in it."""
    return [program.says[events[at + 2]].text for at in range(0, len(events), EVENT_SIZE) if events[at] == EV_SAY]
