"""What games are like in which every answer is drawn by lot.

Needs NumPy and llvmlite; import it only where `native.available()`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from edict.runtime.program import Program
from edict.runtime.program.opcodes import ASKING, CHANCE, STATUS
from edict.runtime.simulation.side_by_side import BatchSettings, Games
from edict.runtime.simulation.stepping import STAYS


@dataclass(frozen=True)
class Drawn:
    """Of some games: offered, how many different actions were; branching, actions offered at a time, and length,
    actions of players in a game, each as mean and most; draws: answers of chance in a game; shared: the share of games
    with several winners; stopped: the state of a game that ran into a fault, if one did."""

    offered: int
    branching: tuple[float, int]
    length: tuple[float, int]
    draws: float
    shared: float
    stopped: list[int] | None


def drawn_games(
    program: Program,
    players: int,
    settings: Mapping[str, int],
    actions: tuple[Sequence[int], int],
    games: int,
    seed: int,
) -> Drawn:
    """Play so many, game number i with the luck of seed + i. actions: as `side_by_side.Games` takes them."""
    manner = BatchSettings([None] * players, settings, chance=True, again=STAYS)
    played = Games(program, manner, games, actions, ((), 0, np.int8))
    played.begin([seed + number for number in range(games)])
    met, lengths, draws = np.zeros(actions[1], dtype=bool), np.zeros(games, np.int64), np.zeros(games, np.int64)
    offered, asked, most, turn = 0, 0, 0, 0
    while (asking := played.states[:, STATUS] == ASKING).any():
        played.look()
        by_players = asking & (played.seats != CHANCE)
        masks = played.masks[by_players]
        options = masks.sum(axis=1, dtype=np.int64)
        met |= masks.any(axis=0)
        offered += int(options.sum())
        asked += len(options)
        most = max(most, int(options.max(initial=0)))
        lengths += by_players
        draws += asking & ~by_players
        turn += 1
        played.actions[:] = played.drawn((seed + turn) * games)
        played.step()
    stopped = np.flatnonzero(played.states[:, STATUS] < 0)
    return Drawn(
        int(met.sum()),
        (offered / max(1, asked), most),
        (float(lengths.mean()), int(lengths.max())),
        float(draws.mean()),
        sum(int(winners).bit_count() > 1 for winners in played.winners) / games,
        played.states[stopped[0]].tolist() if len(stopped) else None,
    )
