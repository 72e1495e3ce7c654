"""What a policy thinks of each option of a question, one question at a time.

In native code if that is there already; nothing is compiled or loaded for this alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from edict.program import Program
from edict.program.opcodes import OPTIONS
from edict.simulation import batches, layout, native, policies
from edict.simulation.plans import Policy, plan


class Ahead:
    """Looks ahead by one policy, for any seat of a table of so many players. openly: with nothing hidden from it."""

    def __init__(self, program: Program, players: int, policy: Policy, openly: bool = False) -> None:
        self._native = native.loaded()
        orders = plan(program, [policy] * players, openly)
        room = [[0] * len(program.initial) for _ in range(layout.ROOM)]
        self._program = program
        self._plan: Any = native.integers(orders) if self._native else orders
        self._room: Any = native.integers(room) if self._native else room

    def values(self, state: Sequence[int]) -> list[int]:
        """By option, for the seat that is asked in the state, which stays as it is."""
        if self._native:
            with native.playing(self._program) as code:
                native.faster(batches.think)(code, native.integers(state), self._plan, self._room)
        else:
            section = self._plan[layout.SEATS]
            policies.look_ahead(self._program.code, list(state), self._plan, section, self._room)
        return [int(value) for value in self._room[layout.VALUES][: state[OPTIONS]]]
