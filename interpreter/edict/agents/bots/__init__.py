"""Bots by name: `BOTS["greedy"](program, seed)` creates one; `choose` and `pick` answer for a seat."""

from __future__ import annotations

from edict.agents.bots.bot_registry import BOTS, find_policy
from edict.agents.bots.match import Bot, BotFactory
from edict.agents.bots.policy_bots import RandomBot
from edict.agents.bots.search_bot import SearchBot

__all__ = ["BOTS", "Bot", "BotFactory", "RandomBot", "SearchBot", "find_policy"]
