"""What games cost, by operation of the machine and by rule: how often each instruction runs, and how long that takes.

The machine's loop is not touched: its source is compiled once more with a line that counts, and for the time with a
line that reads the clock. So the counts are exact; the times are CPython's and hold only as shares.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from edict.agents.study.watching import Run, watched
from edict.game.table.faults import fault
from edict.runtime.program import Cause, Program
from edict.runtime.program.opcodes import GAME_OVER, NAMES, STATUS
from edict.runtime.simulation import policies
from edict.runtime.simulation.native import play_one
from edict.runtime.simulation.plans import Policy


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
    ran, spent = Counter[int](), Counter[int]()
    questions = 0
    with_counts, with_times = _counting(ran), _timing(spent)
    for seed in range(games):
        questions += _played(with_counts, program, seats, seed, settings)
    for seed in range(max(1, games // 3)):
        _played(with_times, program, seats, seed, settings)
    return Profile(
        games,
        sum(ran.values()) / games,
        questions / games,
        _costs(ran, spent, games, lambda pc: (NAMES[program.code[pc]], "")),
        _costs(ran, spent, games, _rules(program)),
    )


def _played(run: Run, program: Program, seats: list[Policy], seed: int, settings: dict[str, int] | None) -> int:
    """A game by another loop; returns how many questions it asked."""
    kept = vars(policies)["run"]
    vars(policies)["run"] = run
    try:
        state, questions = play_one(program, len(seats), seed, settings, seats)
    finally:
        vars(policies)["run"] = kept
    if state[STATUS] != GAME_OVER:
        raise fault(program, state, f"this happened in game {seed}")
    return questions


def _with(count: Callable[[int], None]) -> Run:
    """The machine's loop, which calls `count` with the place of every instruction."""
    return watched("        noted(pc)\n", "", {"noted": count})


def _counting(ran: Counter[int]) -> Run:
    def count(pc: int) -> None:
        ran[pc] += 1

    return _with(count)


def _timing(spent: Counter[int]) -> Run:
    """The time from one instruction to the next belongs to the first; what a clock costs belongs to all alike."""
    clock = time.perf_counter_ns
    last = [-1, 0]

    def count(pc: int) -> None:
        now = clock()
        if last[0] >= 0 and now - last[1] < 1_000_000:  # not what lies between two games, or another process
            spent[last[0]] += now - last[1]
        last[0], last[1] = pc, clock()

    return _with(count)


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
