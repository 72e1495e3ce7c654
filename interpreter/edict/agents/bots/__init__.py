"""Bots by name: `BOTS["greedy"](program, seed)` makes one; `choose` and `pick` answer for a seat."""

from __future__ import annotations

from edict.agents.bots.bot_protocol import Bot, Maker
from edict.agents.bots.kinds import BOTS, policy_of
from edict.agents.bots.policy import RandomBot
from edict.agents.bots.search import SearchBot

__all__ = ["BOTS", "Bot", "Maker", "RandomBot", "SearchBot", "policy_of"]
