"""What games cost, by operation of the machine and by rule: how often each instruction runs, and how long that takes.

The counts are exact. The times are those of CPython on code that reads the clock, and hold only as shares.
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

LONGEST = 1_000_000  # nanoseconds that an instruction may take


@dataclass(frozen=True, slots=True)
class Cost:
    """Of an operation or a rule: how often its instructions ran in a game, and their share of the time."""

    name: str
    place: str
    ran: float
    share: float
    time: float


@dataclass(frozen=True, slots=True)
class Profile:
    """Costs of games on average; `instructions` and `questions` a game."""

    games: int
    instructions: float
    questions: float
    operations: tuple[Cost, ...]
    rules: tuple[Cost, ...]


def profile(program: Program, seats: list[Policy], games: int, settings: dict[str, int] | None = None) -> Profile:
    """Play games in plain Python and count. Raises `RulesError` for a fault."""
    reads, clock = ReadCounts(program.code), InstructionClock(program.code, find_instructions(program)[1])
    questions = sum(_play(program, reads, seats, seed, settings) for seed in range(games))
    for seed in range(max(1, games // 3)):
        _play(program, clock, seats, seed, settings)
    ran = Counter({pc: reads.counts[pc] for pc in sorted(clock.starts) if reads.counts[pc]})
    return Profile(
        games,
        sum(ran.values()) / games,
        questions / games,
        _costs(ran, clock.spent, games, lambda pc: (NAMES[program.code[pc]], "")),
        _costs(ran, clock.spent, games, _rules(program)),
    )


def _play(program: Program, code: ObservedCode, seats: list[Policy], seed: int, settings: dict[str, int] | None) -> int:
    """Play a game by this code, and return how many questions it asked."""
    state, questions = play_one(program, len(seats), seed, settings, seats, code)
    if state[STATUS] != GAME_OVER:
        raise fault_error(program, state, f"this happened in game {seed}")
    return questions


class InstructionClock(ObservedCode):
    """The code, which adds up the time `spent` from the start of each instruction to that of the next.

    The cost of reading the clock belongs to all alike; what lies between two games, or another process, to none.
    """

    def __init__(self, code: Sequence[int], starts: Collection[int]) -> None:
        super().__init__(code)
        self.spent = Counter[int]()
        self.starts = starts
        self._at, self._since = -1, 0

    def __getitem__(self, place: Any) -> Any:
        if place in self.starts:
            now = time.perf_counter_ns()
            if self._at >= 0 and now - self._since < LONGEST:
                self.spent[self._at] += now - self._since
            self._at, self._since = place, time.perf_counter_ns()
        return self.code[place]


def _rules(program: Program) -> Callable[[int], tuple[str, str]]:
    starts = [start for start, _ in program.places]

    def rule(pc: int) -> tuple[str, str]:
        cause: Cause = program.causes[program.places[bisect_right(starts, pc) - 1][1]]
        return cause.title or cause.name, f"{cause.file}:{cause.line}"

    return rule


def _costs(
    ran: Counter[int], spent: Counter[int], games: int, named: Callable[[int], tuple[str, str]]
) -> tuple[Cost, ...]:
    often, long = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    for pc, times in ran.items():
        often[named(pc)] += times
    for pc, nanoseconds in spent.items():
        long[named(pc)] += nanoseconds
    whole, duration = sum(ran.values()) or 1, sum(spent.values()) or 1
    return tuple(
        Cost(*name, times / games, times / whole, long[name] / duration) for name, times in often.most_common()
    )
