"""What a bot is: somebody who answers for a seat, knowing what that seat may know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from edict.game.table.options import Ask
from edict.game.table.view import View
from edict.runtime.program import Program


class Bot(Protocol):
    """Answers questions, at a table by `choose`, in a simulation (without texts, and so faster) by `pick`."""

    def choose(self, view: View, ask: Ask) -> int:
        """The index of an option of the question put to the view's seat."""
        ...

    def pick(self, state: list[int]) -> int:
        """The same for a state in which the machine asks; the bot looks only at what that seat may know."""
        ...


Maker = Callable[[Program, int], Bot]
"""Makes a bot for a game's program and a seed; the same seed gives the same answers."""
