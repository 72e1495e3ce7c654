"""Games looked at while they are played: those of bots that think in Python, and those whose decisions are wanted.

Where the machine has a policy for each seat, they are the games that the native batch plays, answer for answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from edict.bots import BOTS
from edict.bots.match import Attending, Match, laid
from edict.bots.matches import attending, course, dismissed
from edict.bots.policy import Ahead
from edict.machine.mixing import GOLDEN, MASK, mixed
from edict.program import Program
from edict.program.opcodes import CHANCE, GAME_OVER, PC, STATUS, WITHOUT_END
from edict.simulation import native, tallying
from edict.simulation.counters import Plan
from edict.simulation.counting import Counted
from edict.simulation.plans import RANDOM, Policy
from edict.simulation.policies import best
from edict.study.seating import check_seats, policies_of
from edict.table.knowledge import attempt


class Witness(Protocol):
    """Somebody who looks at games as they are played."""

    def begin(self, number: int, match: Match) -> None: ...
    def look(self, match: Match) -> None:
        """At every question, chance's included, and at the end."""
        ...

    def decided(self, match: Match, seat: int, index: int, values: Sequence[float] | None) -> None:
        """A player's answer, before it is carried out."""
        ...


class ByPolicy:
    """A policy of the machine in a seat of a match; see `match.Attending`."""

    def __init__(self, program: Program, players: int, policy: Policy) -> None:
        self._ahead = None if policy == RANDOM else Ahead(program, players, policy)
        self.values: Sequence[float] | None = None

    def decide(self, match: Match) -> int:
        if self._ahead is None:
            return match.drawn()
        values = self._ahead.values(match.cells)
        self.values = values
        return best(values, len(values), match.seed, match.number)


class Company:
    """Who sits at the tables of one setup."""

    def __init__(self, program: Program, bots: Sequence[str]) -> None:
        self._program, self._bots = program, bots
        policies = policies_of(program, bots)
        self.native = policies is not None and native.available()
        if self.native:
            native.load()  # or else they would look ahead in plain Python
        self._policies = [ByPolicy(program, len(bots), policy) for policy in policies] if policies else None

    def seats(self, seed: int) -> Sequence[Attending]:
        """For a game's seed, who answers for each seat."""
        if self._policies is not None:
            return self._policies
        seeds = [mixed((seed ^ (seat + 1) * GOLDEN) & MASK) for seat in range(len(self._bots))]
        return [attending(BOTS[kind](self._program, number)) for kind, number in zip(self._bots, seeds, strict=True)]


@dataclass(frozen=True, slots=True)
class Played:
    """Games as they are counted, and what bots of somebody's own did wrong in them."""

    counted: Counted
    mishaps: Counter[str] = field(default_factory=Counter)


def watched(
    plan: Plan, numbers: Sequence[int], seeds: Sequence[int], settings: dict[str, int], bots: Sequence[str],
    witness: Witness | None = None,
) -> Played:  # fmt: skip
    """Play games of these numbers and seeds; their rows are kept."""
    check_seats(bots)
    company = Company(plan.program, bots)
    counted, mishaps = Counted([], [], [], [0] * plan.sums.length, []), Counter[str]()
    for number, seed in zip(numbers, seeds, strict=True):
        match = Match(laid(plan.program, plan.players, settings), seed & MASK, natively=company.native)
        if witness:
            witness.begin(number, match)
        row, wrong = _row(plan, match, company.seats(seed), witness)
        mishaps.update(wrong)
        if match.status == GAME_OVER:
            tallying.fold(plan.flat, row, counted.sums)
        counted.statuses.append(match.status)
        counted.places.append(int(match.cells[PC]))
        counted.heads.append(row[: plan.head])
        counted.rows.append(row)
        if match.status in WITHOUT_END:
            return Played(_stopped(counted, match), mishaps)
    return Played(counted, mishaps)


def _stopped(counted: Counted, match: Match) -> Counted:
    return Counted(
        counted.statuses, counted.places, counted.heads, counted.sums, counted.rows, stopped=match.state
    )


def _row(
    plan: Plan, match: Match, seats: Sequence[Attending], witness: Witness | None
) -> tuple[list[int], Counter[str]]:
    """What a game is counted in, and what bots did wrong."""
    flat, code, row = plan.flat, plan.program.code, [0] * plan.row.length
    for seat, index in course(match, seats):
        tallying.note_events(flat, code, [len(match.fresh), *match.fresh], row)
        tallying.note_question(flat, match.cells, row)
        if witness:
            witness.look(match)
            if seat != CHANCE:
                witness.decided(match, seat, index, seats[seat].values)
        match.answer(index)
    tallying.note_events(flat, code, [len(match.fresh), *match.fresh], row)
    if witness:
        witness.look(match)
    if match.status == GAME_OVER:
        tallying.note_end(flat, match.state, row)
        _score(plan, match, row)
    return row, dismissed(seats)


def _score(plan: Plan, match: Match, row: list[int]) -> None:
    """Every seat's score into the row; a fault while computing it is one of the game."""
    for seat in range(plan.players):
        scratch = match.state
        score = attempt(plan.program, scratch, plan.program.score, seat)
        if score is None:
            match.status, match.cells = scratch[STATUS], scratch
            return
        row[plan.row.at("scores", seat)] = score
