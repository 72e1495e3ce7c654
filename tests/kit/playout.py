"""Playouts: games without texts, log or journal, for benchmarks, simulations and searches."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from edict.game.table.addresses import bits_of
from edict.game.table.faults import fault_error
from edict.game.table.knowledge import compute_query
from edict.game.table.setup import check_settings
from edict.runtime.machine.loop import run
from edict.runtime.program import Program, create_state
from edict.runtime.program.opcodes import ANSWER, ASKING, CHANCE, GAME_OVER, LOGGING, OPTIONS, SEAT, STATUS, WINNERS

# takes the state of a question (options s[FIRST_OPTION:][:s[OPTIONS]], seat s[SEAT]), returns the index of an option
Policy = Callable[[list[int]], int]


@dataclass(frozen=True, slots=True)
class Playout:
    """The result of a playout."""

    scores: tuple[int, ...]
    winners: tuple[int, ...]
    choices: int  # number of answers by players
    draws: int  # number of draws by chance
    state: list[int]


def play_random(
    program: Program,
    players: int,
    rng: Random,
    policy: Policy | None = None,
    settings: Mapping[str, object] | None = None,
) -> Playout:
    """Play a whole game: choices by the policy (None: at random), draws by `rng`. Raises `RulesError` for a fault."""
    state = create_state(program, players, check_settings(program, settings or {}), logging=False)
    choices, draws = play_out(program, state, rng, policy)
    scores = tuple(compute_query(program, state, program.score, seat) for seat in range(players))
    return Playout(scores, bits_of(state[WINNERS]), choices, draws, state)


def play_out(program: Program, state: list[int], rng: Random, policy: Policy | None = None) -> tuple[int, int]:
    """Play a state to its end in place, players by `policy` (None: random); return (choices, draws)."""
    code, log, chance = program.code, [0], rng.random
    choices = draws = 0
    status = run(code, state, log) if state[STATUS] != ASKING else ASKING
    while status == ASKING:
        if state[SEAT] == CHANCE:
            draws += 1
            state[ANSWER] = int(chance() * state[OPTIONS])
        else:
            choices += 1
            state[ANSWER] = int(chance() * state[OPTIONS]) if policy is None else policy(state)
        status = run(code, state, log)
    if status != GAME_OVER:
        raise fault_error(program, state)
    return choices, draws


def copy_after(program: Program, state: list[int], index: int) -> list[int]:
    """Return a copy of a state in which option `index` is taken, played to the next question of anybody."""
    following = state.copy()
    following[LOGGING] = 0
    following[ANSWER] = index
    if run(program.code, following, [0]) not in (ASKING, GAME_OVER):
        raise fault_error(program, following)
    return following
