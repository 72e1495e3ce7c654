"""Other courses of a game that look to one seat like the true one: what is hidden from it is another.

A world is a whole game of its own, with its log and its answers. What was drawn in secret, and what others chose in
secret, is drawn and chosen anew; everything else is as it was, and at every question the table looks the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random

import pytest

from edict.game.table import game_steps
from edict.game.table.game import Game
from edict.game.table.game_steps import GameStep, GameTable, list_steps, rebuild_state
from edict.game.table.knowledge import Secrets
from edict.game.table.seeded_draws import draw
from edict.game.table.tracing import has_secret_choice
from edict.runtime.program.opcodes import FIRST_OPTION, HEADER, QUESTION

OTHER = 1 << 256  # seeds of other worlds: the true one, and the number of the world above it; more than any seed


class Worlds:
    """Makes such worlds, while its `drawing` is in force. Luck that may be otherwise is noted as it is drawn."""

    def __init__(self) -> None:
        self.drawn: dict[tuple[int, int], int] = {}  # by seed and number of the draw
        self.count = 0

    def draw(self, seed: int, number: int, options: int) -> int:
        drawn = self.drawn.get((seed, number))
        return draw(seed % OTHER, number, options) if drawn is None else drawn % options

    def other(self, game: Game, seat: int, luck: Random) -> Game | None:
        """One other world for a seat, as it may have been from some answer on; None if that came to look different."""
        chain = list_steps(game.last_step)
        held = [number for number, step in enumerate(chain) if has_secret_choice(game.table, step)]
        if not held or not any(True for _ in Secrets.from_program(game.program).iter_hidden(game.state, seat)):
            return None
        first = luck.choice(held[-4:])
        self.count += 1
        table = replace(game.table, seed=game.table.seed + OTHER * self.count)
        true, world = self._begun(game.table, chain, first, None), self._begun(table, chain, first, luck)
        for step in chain[max(first, 1) :]:
            if not alike(true, world, seat):
                return None
            asked, values = game.program.questions[step.question], world.state[FIRST_OPTION:][: world.count]
            if not (asked.secret and step.seat != seat) and step.value not in values:
                return None
            self._stir(table.seed, world.draws, luck)
            hidden = asked.secret and step.seat != seat
            world.answer(luck.randrange(world.count) if hidden else values.index(step.value))
            true.answer(step.index)
        if world.state == true.state or not alike(true, world, seat):
            return None
        mine, other = game.view(seat).log, world.view(seat).log
        return world if [(e.text, e.cause) for e in mine] == [(e.text, e.cause) for e in other] else None

    def _begun(self, table: GameTable, chain: Sequence[GameStep], first: int, luck: Random | None) -> Game:
        """The game as it stood before answer `first`, the first one being the beginning of the game itself."""
        if first == 0:
            if luck is not None:
                self._stir(table.seed, 0, luck)
            return Game.begin(table)
        begun = chain[first - 1]
        return Game(table, list(rebuild_state(table, begun)), begun.draws, begun)

    def _stir(self, seed: int, draws: int, luck: Random) -> None:
        """Half of the next draws are others."""
        for number in range(draws, draws + 12):
            if luck.random() < 0.5:
                self.drawn[seed, number] = luck.randrange(1000)


def alike(one: Game, two: Game, seat: int) -> bool:
    """Whether two games look the same to a seat now: what it knows, who is asked what, and what it may answer."""
    if one.over or two.over or (one.seat, one.state[QUESTION]) != (two.seat, two.state[QUESTION]):
        return False
    secrets, cells = Secrets.from_program(one.program), slice(HEADER, one.program.working)
    if secrets.mask_state(one.state, seat)[cells] != secrets.mask_state(two.state, seat)[cells]:
        return False
    return one.view(seat).ask == two.view(seat).ask


@contextmanager
def worlds() -> Iterator[Worlds]:
    """While it lasts, games of other worlds draw what is said of them; all others draw as ever."""
    made = Worlds()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(game_steps, "draw", made.draw)
        yield made
