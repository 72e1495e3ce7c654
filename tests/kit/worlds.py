"""Other possible worlds of a game, which look to one seat like the true one.

A world is a whole game with its own log and answers. Secret draws and others' secret choices are made again;
everything else is as it was, and at every question the table looks the same.
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
    """A source of other worlds, while its `draw` replaces the engine's. Draws that may differ are recorded."""

    def __init__(self) -> None:
        self.drawn: dict[tuple[int, int], int] = {}  # by seed and number of the draw
        self.count = 0

    def draw(self, seed: int, number: int, options: int) -> int:
        drawn = self.drawn.get((seed, number))
        return draw(seed % OTHER, number, options) if drawn is None else drawn % options

    def find_other(self, game: Game, seat: int, rng: Random) -> Game | None:
        """Return another world for a seat, different from some answer on; None if it came to look different."""
        chain = list_steps(game.last_step)
        held = [number for number, step in enumerate(chain) if has_secret_choice(game.table, step)]
        if not held or not any(True for _ in Secrets.from_program(game.program).iter_hidden_cells(game.state, seat)):
            return None
        first = rng.choice(held[-4:])
        self.count += 1
        table = replace(game.table, seed=game.table.seed + OTHER * self.count)
        true, world = self._start_before(game.table, chain, first, None), self._start_before(table, chain, first, rng)
        for step in chain[max(first, 1) :]:
            if not look_alike(true, world, seat):
                return None
            asked, values = game.program.questions[step.question], world.state[FIRST_OPTION:][: world.count]
            if not (asked.secret and step.seat != seat) and step.value not in values:
                return None
            self._change_draws(table.seed, world.draws, rng)
            hidden = asked.secret and step.seat != seat
            world.answer(rng.randrange(world.count) if hidden else values.index(step.value))
            true.answer(step.index)
        if world.state == true.state or not look_alike(true, world, seat):
            return None
        mine, other = game.view(seat).log, world.view(seat).log
        return world if [(e.text, e.cause) for e in mine] == [(e.text, e.cause) for e in other] else None

    def _start_before(self, table: GameTable, chain: Sequence[GameStep], first: int, luck: Random | None) -> Game:
        """Return the game as it was before answer number `first`; 0 is the start of the game."""
        if first == 0:
            if luck is not None:
                self._change_draws(table.seed, 0, luck)
            return Game.begin(table)
        begun = chain[first - 1]
        return Game(table, list(rebuild_state(table, begun)), begun.draws, begun)

    def _change_draws(self, seed: int, draws: int, rng: Random) -> None:
        """Change about half of the next draws."""
        for number in range(draws, draws + 12):
            if rng.random() < 0.5:
                self.drawn[seed, number] = rng.randrange(1000)


def look_alike(one: Game, two: Game, seat: int) -> bool:
    """Return True if two games look the same to a seat: its knowledge, the question and the options."""
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
