"""Bots at tables think in separate processes, so that no table waits for another's.

Everything under `Thinkers` runs in such a process.
"""

from __future__ import annotations

from collections import OrderedDict

from edict.bots import BOTS
from edict.bots.budget import Budget
from edict.bots.search import SearchBot
from edict.machine import native
from edict.table.bundle import kept_rules
from edict.table.chance import bot_seed
from edict.table.game import Game
from edict.table.journal import Journal, parse_journal
from edict.table.rules import Rules
from edict.web.workers import Bounds, Workers

LONGEST = 120.0  # seconds for one answer, the reading of the rules included
MOST_RULES = 16  # sets of rules that a process remembers
HINT = 1.0  # seconds of thought
HINT_SLOWER = 3.0  # without native code

Advice = list[tuple[int, float, float, int]]
"""For each option its index, the share of the victory expected, the lead in score, and how often it was tried."""


class Thinkers:
    """So many processes."""

    def __init__(self, count: int) -> None:
        self._workers = Workers(count, Bounds(LONGEST))

    async def answer(self, raw: bytes, seat: int, kind: str) -> str:
        """The key of a bot's answer in the game of a journal. Raises `Failed`."""
        found: str = await self._workers.done(think, raw, seat, kind)
        return found

    async def advice(self, raw: bytes, seat: int) -> Advice:
        """What the search bot thinks of the options of the question put to a seat. Raises `Failed`."""
        found: Advice = await self._workers.done(advise, raw, seat)
        return found

    def close(self) -> None:
        self._workers.close()


# --- in a separate process -----------------------------------------------------------------------

_known: OrderedDict[str, Rules] = OrderedDict()


def think(raw: bytes, seat: int, kind: str) -> str:
    game = _game(raw)
    seed = bot_seed(game.table.seed + len(game.answers), seat)  # a new bot for each answer, with luck of its own
    index = BOTS[kind](game.program, seed).choose(game.view(seat), game.ask)
    return game.ask.options[index].key


def advise(raw: bytes, seat: int) -> Advice:
    game = _game(raw)
    seed = bot_seed(game.table.seed, len(game.players) + len(game.answers))
    bot = SearchBot(game.program, seed, Budget(seconds=HINT if native.available() else HINT_SLOWER))
    return [(one.index, one.share, one.lead, one.tries) for one in bot.advice(game.view(seat))]


def _game(raw: bytes) -> Game:
    journal = parse_journal(raw)
    return _rules(journal).replay(journal)


def _rules(journal: Journal) -> Rules:
    name = journal.header.rules
    found = _known.pop(name, None) or kept_rules(journal)
    _known[name] = found
    while len(_known) > MOST_RULES:
        _known.popitem(last=False)
    return found
