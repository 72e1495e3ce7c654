"""A bot that looks at what it could pay for: it prefers what costs it most, and never declines unless it must.

kingsburg play --bot examples/bots/eager.py:Eager --bot greedy
"""

from __future__ import annotations

from random import Random

from edict import Ask, Clock, Option, View

DECLINES = ("no", "pass", "done")


class Eager:
    """Takes the option with the most to it; of several, any."""

    def __init__(self, seed: int) -> None:
        self._luck = Random(seed)
        self.values: list[float] = []

    def choose(self, view: View, ask: Ask, clock: Clock) -> Option:
        self.values = [self._worth(option) for option in ask.options]
        best = max(self.values)
        wanted = [option for option, value in zip(ask.options, self.values, strict=True) if value == best]
        return self._luck.choice(wanted)

    def _worth(self, option: Option) -> float:
        if option.key in DECLINES:
            return -1.0
        return float(sum(int(word) for word in option.caption.replace("+", " ").split() if word.isdigit()))
