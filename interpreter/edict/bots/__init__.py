"""Bots by name: `BOTS["greedy"](program, seed)` makes one; `choose` and `pick` answer for a seat."""

from __future__ import annotations

from edict.bots.base import Bot, Maker
from edict.bots.greedy import GreedyBot
from edict.bots.matches import play_match
from edict.bots.rand import RandomBot

BOTS: dict[str, Maker] = {"random": RandomBot, "greedy": GreedyBot}

__all__ = ["BOTS", "Bot", "GreedyBot", "Maker", "RandomBot", "play_match"]
