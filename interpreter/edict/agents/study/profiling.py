"""A profile of games by machine operation and by rule: how often each instruction runs, and its share of the time.

The counts are exact. The times are those of CPython with an instrumented code array, and hold only as shares.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any

from edict.game.table.faults import fault_error
from edict.runtime.machine.observed_code import ObservedCode, ReadCounts
from edict.runtime.program import Cause, Program
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import GAME_OVER, NAMES, STATUS
from edict.runtime.simulation.native import play_one
from edict.runtime.simulation.plans import Policy

MAX_DURATION = 1_000_000


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of an operation or a rule."""

    name: str
    place: str
    ran: float  # instructions in a game
    share: float  # of all instructions
    time: float  # share of the time


@dataclass(frozen=True, slots=True)
class Profile:
    """The mean costs of games; `instructions` and `questions` are per game."""

    games: int
    instructions: float
    questions: float
    operations: tuple[Cost, ...]
    rules: tuple[Cost, ...]


def profile_games(program: Program, seats: list[Policy], games: int, settings: dict[str, int] | None = None) -> Profile:
    """Play games in plain Python and measure them. Raises `RulesError` for a fault."""
    reads, clock = ReadCounts(program.code), InstructionClock(program.code, find_instructions(program)[1])
    questions = sum(_play_game(program, reads, seats, seed, settings) for seed in range(games))
    for seed in range(max(1, games // 3)):
        _play_game(program, clock, seats, seed, settings)
    ran = Counter({pc: reads.counts[pc] for pc in sorted(clock.starts) if reads.counts[pc]})
    return Profile(
        games,
        sum(ran.values()) / games,
        questions / games,
        _costs(ran, clock.spent, games, lambda pc: (NAMES[program.code[pc]], "")),
        _costs(ran, clock.spent, games, _rule_namer(program)),
    )


def _play_game(
    program: Program, code: ObservedCode, seats: list[Policy], seed: int, settings: dict[str, int] | None
) -> int:
    """Play a game by this code and return the number of its questions."""
    state, questions = play_one(program, len(seats), seed, settings, seats, code)
    if state[STATUS] != GAME_OVER:
        raise fault_error(program, state, f"this happened in game {seed}")
    return questions


class InstructionClock(ObservedCode):
    """A code array that measures the time `spent` from the start of each instruction to that of the next.

    Reading the clock adds the same cost to all. Long gaps, between games or caused by other processes, are ignored.
    """

    def __init__(self, code: Sequence[int], starts: Collection[int]) -> None:
        super().__init__(code)
        self.spent = Counter[int]()
        self.starts = starts
        self._at, self._since = -1, 0

    def __getitem__(self, place: Any) -> Any:
        if place in self.starts:
            now = time.perf_counter_ns()
            if self._at >= 0 and now - self._since < MAX_DURATION:
                self.spent[self._at] += now - self._since
            self._at, self._since = place, time.perf_counter_ns()
        return self.code[place]


def _rule_namer(program: Program) -> Callable[[int], tuple[str, str]]:
    """Return a function that maps a program counter to its rule's title and `file:line`."""
    starts = [start for start, _ in program.places]

    def rule(pc: int) -> tuple[str, str]:
        """Return the title of the rule that an instruction comes from, and its `file:line`."""
        cause: Cause = program.causes[program.places[bisect_right(starts, pc) - 1][1]]
        return cause.title or cause.name, f"{cause.file}:{cause.line}"

    return rule


def _costs(
    ran: Counter[int], spent: Counter[int], games: int, name_of: Callable[[int], tuple[str, str]]
) -> tuple[Cost, ...]:
    """Add up runs and nanoseconds of instructions by rule; return the cost of each rule, most runs first."""
    counts, durations = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for pc, times in ran.items():
        counts[name_of(pc)] += times
    for pc, nanoseconds in spent.items():
        durations[name_of(pc)] += nanoseconds
    total, duration = sum(ran.values()) or 1, sum(spent.values()) or 1
    return tuple(
        Cost(*name, times / games, times / total, durations[name] / duration) for name, times in counts.most_common()
    )
