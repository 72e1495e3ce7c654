"""The interface of bots, which answer for a seat by what it may know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from edict.game.table.options import Ask
from edict.game.table.view import View
from edict.runtime.program import Program


class Bot(Protocol):
    """A player of one seat: at a table by `choose`, in a simulation (without texts, and so faster) by `pick`."""

    def choose(self, view: View, ask: Ask) -> int:
        """Return the index of an option of the question put to the view's seat."""
        ...

    def pick(self, state: list[int]) -> int:
        """Return the index for a state that waits for an answer, using only what the seat may know."""
        ...


# creates a bot from a program and a seed; the same seed yields the same answers
BotFactory = Callable[[Program, int], Bot]
