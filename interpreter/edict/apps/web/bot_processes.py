"""Bots at tables think in separate processes, so that no table waits for another's, and none for strangers' rules.

Everything below `BotProcesses` runs in such a process.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass

from edict.agents.bots import BOTS
from edict.agents.bots.search import Budget, SearchBot
from edict.apps.web.table_actions import Turn
from edict.game.table.game import Game
from edict.game.table.journal import Journal, parse_journal
from edict.game.table.rules import Rules, load_bundled_rules
from edict.game.table.seeded_draws import bot_seed
from edict.runtime.simulation import execution_backend
from edict.support.processes.executor import WorkerPool, get_executor
from edict.support.processes.tasks import TaskLimits

LONGEST = 120.0  # seconds for one answer, the reading of the rules included
MOST_MEMORY = 3_000_000_000  # bytes, of a process in which bots think about strangers' rules
NICE = 10  # whatever else the machine has to do goes first, the server above all
MOST_RULES = 16  # sets of rules that a process remembers
HINT = 1.0  # seconds of thought
HINT_SLOWER = 3.0  # in plain Python


@dataclass(frozen=True, slots=True)
class Advised:
    """An option and what the search bot expects: the chance to win in per cent, the lead in score."""

    text: str
    key: str
    win: float
    lead: float
    tries: int


class BotProcesses:
    """So many processes, and one for strangers' rules."""

    def __init__(self, count: int) -> None:
        self._pool = get_executor().create_pool(count, TaskLimits(LONGEST, nice=NICE))
        self._strange = get_executor().create_pool(1, TaskLimits(LONGEST, MOST_MEMORY, nice=NICE))

    async def answer(self, turn: Turn) -> str:
        """The key of a bot's answer. Raises `Failed`."""
        found: str = await self._for(turn).run(think, turn.raw, turn.seat, turn.kind)
        return found

    async def advice(self, turn: Turn) -> list[Advised]:
        """What the search bot thinks of the options of the question put to a seat, the best first. Raises `Failed`."""
        found: list[Advised] = await self._for(turn).run(advise, turn.raw, turn.seat)
        return found

    def close(self) -> None:
        self._pool.shutdown()
        self._strange.shutdown()

    def _for(self, turn: Turn) -> WorkerPool:
        return self._strange if turn.strange else self._pool


# --- in a separate process -----------------------------------------------------------------------

_known: OrderedDict[str, Rules] = OrderedDict()


def think(raw: bytes, seat: int, kind: str) -> str:
    game = _game(raw)
    seed = bot_seed(game.table.seed + len(game.answers), seat)  # a new bot for each answer, with luck of its own
    index = BOTS[kind](game.program, seed).choose(game.view(seat), game.ask)
    return game.ask.options[index].key


def advise(raw: bytes, seat: int) -> list[Advised]:
    game = _game(raw)
    seed = bot_seed(game.table.seed, len(game.players) + len(game.answers))
    bot = SearchBot(game.program, seed, Budget(seconds=HINT if execution_backend.is_accelerated() else HINT_SLOWER))
    options = game.ask.options
    ranked = sorted(bot.advice(game.view(seat)), key=lambda one: (-one.tries, -one.share, -one.lead))
    return [
        Advised(options[one.index].text, options[one.index].key, 100 * one.share, one.lead, one.tries)
        for one in ranked
        if one.tries
    ]


def _game(raw: bytes) -> Game:
    journal = parse_journal(raw)
    return _rules(journal).replay(journal)


def _rules(journal: Journal) -> Rules:
    name = journal.header.rules
    found = _known.pop(name, None) or load_bundled_rules(journal)
    _known[name] = found
    while len(_known) > MOST_RULES:
        _known.popitem(last=False)
    return found
