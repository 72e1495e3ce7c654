"""Games between bots, without a table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

from edict.bots.base import Bot
from edict.machine.loop import run
from edict.program import Program
from edict.program.beginning import first_state
from edict.program.opcodes import ANSWER, ASKING, CHANCE, GAME_OVER, OPTIONS, SEAT, WINNERS
from edict.table.faults import fault
from edict.table.history import History
from edict.table.layout import seats_in
from edict.table.playout import Playout
from edict.table.queries import compute
from edict.table.start import checked_settings


def play_match(
    program: Program, bots: Sequence[Bot], luck: Random, settings: Mapping[str, object] | None = None
) -> Playout:
    """A whole game, each seat played by its bot, dice and cards by `luck`. Raises `RulesError` for a fault."""
    state = first_state(program, len(bots), checked_settings(program, settings or {}), logging=False)
    history = _followed(program, bots)
    code, log, counts = program.code, [0], [0, 0]
    status = run(code, state, log)
    while status == ASKING:
        if history:
            history.asked(state)
        chance = state[SEAT] == CHANCE
        counts[chance] += 1
        state[ANSWER] = int(luck.random() * state[OPTIONS]) if chance else bots[state[SEAT]].pick(state)
        if history:
            history.answered(state[ANSWER])
        status = run(code, state, log)
    if status != GAME_OVER:
        raise fault(program, state, "this happened in a game between bots")
    scores = tuple(compute(program, state, program.score, seat) for seat in range(len(bots)))
    return Playout(scores, seats_in(state[WINNERS]), counts[0], counts[1], state)


def _followed(program: Program, bots: Sequence[Bot]) -> History | None:
    """What bots that think back are shown as it goes on; nothing is kept if there are none."""
    follows = [bot.follow for bot in bots if hasattr(bot, "follow")]
    history = History(program) if follows else None
    for follow in follows:
        follow(history)
    return history
