"""Games between bots, without a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from edict.bots.base import Bot
from edict.program import Program
from edict.program.opcodes import SEAT
from edict.table.playout import Playout, play_random


def play_match(
    program: Program, bots: Sequence[Bot], luck: Random, settings: Mapping[str, object] | None = None
) -> Playout:
    """A whole game, each seat played by its bot, dice and cards by `luck`. Raises `RulesError` for a fault."""
    return play_random(program, len(bots), luck, lambda state: bots[state[SEAT]].pick(state), settings)
