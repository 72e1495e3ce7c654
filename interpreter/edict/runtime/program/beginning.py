"""The state in which the machine begins to play a program."""

from __future__ import annotations

from collections.abc import Mapping

from edict.runtime.program import Program
from edict.runtime.program.opcodes import EVERYONE, LOGGING, PC, PLAYERS, SP, STACK


def first_state(program: Program, players: int, settings: Mapping[str, int], logging: bool = True) -> list[int]:
    """Settings that are not named are as the rules have them; the values of those that are must be checked."""
    state = list(program.initial)
    state[PC] = program.entry
    state[PLAYERS] = players
    state[EVERYONE] = (1 << players) - 1
    state[LOGGING] = int(logging)
    state[SP] = state[STACK] = program.stack
    for setting in program.settings:
        state[setting.cell] = settings.get(setting.name, setting.value)
    return state
