"""A bot with a memory of its own: it watches what the others answer, and does likewise.

It counts what it reads in the log, and takes the option that was talked about most in this game so far.

    kingsburg play --bot examples/bots/copycat.py:Copycat --bot greedy
"""

from __future__ import annotations

from collections import Counter

from edict import Ask, Clock, Option, View


class Copycat:
    """Remembers how often each option's text stood in the log."""

    def __init__(self, seed: int) -> None:
        self._heard: Counter[str] = Counter()
        self._read = 0
        self.values: list[float] = []

    def choose(self, view: View, ask: Ask, clock: Clock) -> Option:
        lines = view.log
        for entry in lines[self._read :]:
            self._heard.update(entry.text.split(": ")[-1].split(", "))
        self._read = len(lines)
        self.values = [float(self._heard[option.text]) for option in ask.options]
        return ask.options[self.values.index(max(self.values))]
