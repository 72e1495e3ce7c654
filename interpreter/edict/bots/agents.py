"""A bot of your own: a class, named as `module:Class` or `file.py:Class`.

    class Mine:
        def __init__(self, seed: int) -> None: ...
        def choose(self, view: View, ask: Ask, clock: Clock) -> Option | str | int: ...

One instance is made for each seat and game, so its memory is its own. `@2s` after the name is its time limit for an
answer, `+process` lets it think in a separate process: `mine:Mine@2s+process`.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

from edict.bots.loading import load
from edict.table.options import Ask, Option
from edict.table.view import View

USUAL_LIMIT = 10.0  # seconds for an answer
LONGEST_LIMIT = 3600.0
PROCESS = "+process"


class Clock:
    """The time for one answer, in seconds: `limit` in all, `left` of it now (less than 0 when it is over)."""

    def __init__(self, limit: float) -> None:
        self.limit = limit
        self._end = time.monotonic() + limit

    @property
    def left(self) -> float:
        return self._end - time.monotonic()


class Agent(Protocol):
    """What a bot must be able to do. It may also keep `values`: what it thought of each option of the last question,
    a number for each, which goes into the tables of decisions."""

    def choose(self, view: View, ask: Ask, clock: Clock) -> Option | str | int:
        """An option of the question put to the view's seat, its key, or its index.

        `view` shows what the seat may know, and `view.log` what it has seen happen; neither holds anything else.
        """
        ...


@dataclass(frozen=True, slots=True)
class Spec:
    """A bot as it was named: where its class is, seconds for an answer, and whether it gets a separate process."""

    text: str
    module: str
    name: str
    limit: float = USUAL_LIMIT
    apart: bool = False

    @staticmethod
    def read(text: str) -> Spec:
        """Raises `ValueError` with the reason."""
        module, _, rest = text.removesuffix(PROCESS).rpartition(":")
        name, at, option = rest.partition("@")
        if not module or not name.isidentifier():
            raise ValueError("a bot of your own is written as module:Class or file.py:Class")
        return Spec(text, module, name, _seconds(option) if at else USUAL_LIMIT, text.endswith(PROCESS))

    def load(self) -> Any:
        """The class. Raises `Unfit`, whatever the bot's own code raises."""
        return load(self.module, self.name)


def _seconds(text: str) -> float:
    try:
        seconds = float(text.removesuffix("s"))
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= LONGEST_LIMIT:
        raise ValueError(f"`{text}` is not a time limit: write seconds, like 2s (at most {LONGEST_LIMIT:.0f}s)")
    return seconds
