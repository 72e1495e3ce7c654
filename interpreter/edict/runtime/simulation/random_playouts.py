"""Statistics of games in which every answer is drawn at random.

Needs NumPy and llvmlite; import it only where `native.is_available()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from edict.runtime.program import Program
from edict.runtime.program.opcodes import ASKING, CHANCE, STATUS
from edict.runtime.simulation.game_batch import BatchSettings, GameBatch
from edict.runtime.simulation.stepping import DISABLED


@dataclass(frozen=True)
class PlayoutStats:
    """Statistics of random games."""

    distinct_actions: int  # different actions that were offered
    branching: tuple[float, int]  # actions offered at a time: mean, maximum
    length: tuple[float, int]  # actions of players in a game: mean, maximum
    draws: float  # mean answers of chance in a game
    shared_wins: float  # share of games with several winners
    fault_state: list[int] | None  # state of a game that ran into a fault, if one did


def play_random_games(
    program: Program,
    players: int,
    settings: Mapping[str, int],
    actions: tuple[Sequence[int], int],
    games: int,
    seed: int,
) -> PlayoutStats:
    """Play random games and summarize them; game number i has the seed `seed` + i.

    Args:
        program: The program.
        players: The number of players.
        settings: Checked values of settings.
        actions: The action table and the number of actions, as `GameBatch` takes them.
        games: The number of games.
        seed: The first seed.
    """
    batch_settings = BatchSettings([None] * players, settings, chance=True, autoreset=DISABLED)
    batch = GameBatch(program, batch_settings, games, actions, ((), 0, np.int8))
    batch.begin([seed + number for number in range(games)])
    seen_actions, lengths, draws = (
        np.zeros(actions[1], dtype=bool),
        np.zeros(games, np.int64),
        np.zeros(games, np.int64),
    )
    offered, asked, max_branching, turn = 0, 0, 0, 0
    while (waiting := batch.states[:, STATUS] == ASKING).any():
        batch.look()
        by_players = waiting & (batch.seats != CHANCE)
        masks = batch.masks[by_players]
        counts = masks.sum(axis=1, dtype=np.int64)
        seen_actions |= masks.any(axis=0)
        offered += int(counts.sum())
        asked += len(counts)
        max_branching = max(max_branching, int(counts.max(initial=0)))
        lengths += by_players
        draws += waiting & ~by_players
        turn += 1
        batch.actions[:] = batch.draw_actions((seed + turn) * games)
        batch.step()
    stopped = np.flatnonzero(batch.states[:, STATUS] < 0)
    return PlayoutStats(
        int(seen_actions.sum()),
        (offered / max(1, asked), max_branching),
        (float(lengths.mean()), int(lengths.max())),
        float(draws.mean()),
        sum(int(winners).bit_count() > 1 for winners in batch.winners) / games,
        batch.states[stopped[0]].tolist() if len(stopped) else None,
    )
