"""One game being played for an environment."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np
from gymnasium import spaces

from edict.table.spaces import Coding, payoffs
from edict.table.game import Game
from edict.table.panels import PanelView


@dataclass
class Play:
    """A game and its coding."""

    coding: Coding
    game: Game

    @staticmethod
    def begin(coding: Coding, seed: int) -> Play:
        """A new game with this seed."""
        return Play(coding, coding.rules.new_game(coding.names, seed=seed, settings=coding.settings))

    @property
    def over(self) -> bool:
        return self.game.over

    @property
    def seat(self) -> int:
        """Who is asked; -1 when the game is over."""
        return self.game.seat

    def option(self, action: int) -> int | None:
        """The option an action stands for; None if it is not offered."""
        if self.over:
            return None
        offered = self.coding.actions.offered(self.game.state)
        return offered.index(action) if action in offered else None

    def answer(self, option: int) -> None:
        """Answer with an option, by index."""
        self.game.answer(option)

    def observed(self, seat: int) -> dict[str, Any]:
        """What a seat may see, and which actions it is offered: none unless it is asked."""
        state = self.game.state
        mask = np.zeros(self.coding.actions.count, dtype=np.int8)
        if seat == self.seat:
            mask[self.coding.actions.offered(state)] = 1
        numbers = np.array(self.coding.observer.observe(state, seat), dtype=np.float32)
        return {"observation": numbers, "action_mask": mask}

    def payoffs(self) -> list[float]:
        """The rewards by seat; zeros before the game is over."""
        result = self.game.result
        if result is None:
            return [0.0] * len(self.coding.names)
        winners = [self.coding.names.index(name) for name in result.winners]
        return payoffs(self.coding.reward, list(result.scores.values()), winners)

    def text(self) -> str:
        """The table as whoever is asked sees it (at the end, the first seat), and what is asked."""
        lines = [line for panel in self.game.view(max(0, self.seat)).panels() for line in _lines(panel)]
        asked = "The game is over." if self.over else f"{self.game.ask.player}: {self.game.ask.prompt}"
        return "\n".join([*lines, asked])


def _lines(panel: PanelView) -> Iterator[str]:
    """A panel, line by line; of a grid the things that a player marks."""
    for row in panel.rows:
        cells = [f"{head} {cell}" for head, cell in zip_longest(panel.header, row.cells, fillvalue="")]
        yield " ".join([f"{row.title}:" if row.title else "", *cells]).strip()
    for grid in panel.grids:
        things = [cell.title for line in grid.cells for place in line for cell in place if cell.marked]
        yield f"{panel.title} of {grid.player}: {', '.join(things) or '-'}"


def fields(coding: Coding) -> dict[str, Any]:
    """The parts of a space for the observations of a game."""
    numbers = spaces.Box(-np.inf, np.inf, (coding.observer.size,), np.float32)
    return {"observation": numbers, "action_mask": spaces.Box(0, 1, (coding.actions.count,), np.int8)}


def shown(text: str, mode: str | None) -> str | None:
    """Text for a render mode: "ansi" returns it, "human" prints it."""
    if mode == "human":
        print(text)
        return None
    return text
