"""The state in which a game begins."""

from __future__ import annotations

from collections.abc import Mapping

from edict.runtime.program import Program
from edict.runtime.program.opcodes import EVERYONE, LOGGING, PC, PLAYERS, SP, STACK


def create_state(program: Program, players: int, settings: Mapping[str, int], logging: bool = True) -> list[int]:
    """Create the state of a new game.

    Args:
        program: The program.
        players: The number of players.
        settings: Checked values of settings; the others have their defaults.
        logging: Let the machine emit events.
    """
    state = list(program.initial)
    state[PC] = program.entry
    state[PLAYERS] = players
    state[EVERYONE] = (1 << players) - 1
    state[LOGGING] = int(logging)
    state[SP] = state[STACK] = program.stack
    for setting in program.settings:
        state[setting.cell] = settings.get(setting.name, setting.value)
    return state
