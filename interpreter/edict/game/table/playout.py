"""Games without a table: no texts, no log, nothing kept, for benchmarks, simulations and searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from edict.game.table.addresses import seats_in
from edict.game.table.faults import fault
from edict.game.table.knowledge import compute
from edict.game.table.setup import checked_settings
from edict.runtime.machine.loop import run
from edict.runtime.program import Program
from edict.runtime.program.beginning import first_state
from edict.runtime.program.opcodes import ANSWER, ASKING, CHANCE, GAME_OVER, LOGGING, OPTIONS, SEAT, STATUS, WINNERS

Policy = Callable[[list[int]], int]
"""Takes the state of a question (options s[FIRST_OPTION:][:s[OPTIONS]], seat s[SEAT]), gives an option's index."""


@dataclass(frozen=True, slots=True)
class Playout:
    """How a game went. `choices` were made by players, `draws` by chance."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    choices: int
    draws: int
    state: list[int]


def play_random(
    program: Program,
    players: int,
    rng: Random,
    policy: Policy | None = None,
    settings: Mapping[str, object] | None = None,
) -> Playout:
    """Play a whole game, every choice by the policy (None: at random), every draw of chance from `rng`.

    Raises `RulesError` for a fault.
    """
    state = first_state(program, players, checked_settings(program, settings or {}), logging=False)
    choices, draws = play_out(program, state, rng, policy)
    scores = tuple(compute(program, state, program.score, seat) for seat in range(players))
    return Playout(scores, seats_in(state[WINNERS]), choices, draws, state)


def play_out(program: Program, state: list[int], rng: Random, policy: Policy | None = None) -> tuple[int, int]:
    """Play a state to its end, writing on it; returns how many choices and how many draws that took."""
    code, log, chance = program.code, [0], rng.random
    asked = drawn = 0
    status = run(code, state, log) if state[STATUS] != ASKING else ASKING
    while status == ASKING:
        if state[SEAT] == CHANCE:
            drawn += 1
            state[ANSWER] = int(chance() * state[OPTIONS])
        else:
            asked += 1
            state[ANSWER] = int(chance() * state[OPTIONS]) if policy is None else policy(state)
        status = run(code, state, log)
    if status != GAME_OVER:
        raise fault(program, state)
    return asked, drawn


def after(program: Program, state: list[int], index: int) -> list[int]:
    """The state an answer leads to, up to the next question, chance's included; the given one stays as it is."""
    following = state.copy()
    following[LOGGING] = 0
    following[ANSWER] = index
    if run(program.code, following, [0]) not in (ASKING, GAME_OVER):
        raise fault(program, following)
    return following
