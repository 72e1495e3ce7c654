"""Bots at tables, run in separate processes: no table waits for another's bot, or for a bot with untrusted rules.

Everything below `BotProcesses` runs in such a process.
"""

from __future__ import annotations

from collections import OrderedDict

from edict.agents.bots import BOTS
from edict.agents.bots.planned_bot import create_table_bot
from edict.agents.bots.search_bot import SearchBot, SearchBudget
from edict.apps.web.table_actions import BotTurn
from edict.game.table.game import Game
from edict.game.table.journal import Journal, parse_journal
from edict.game.table.rules import Rules, load_bundled_rules
from edict.game.table.seeded_draws import bot_seed
from edict.runtime.simulation import execution_backend
from edict.support.processes.executor import WorkerPool, get_executor
from edict.support.processes.tasks import TaskLimits
from edict.support.records import dataclass
from edict.support.report import RulesError
from edict.support.request_errors import RequestError

LONGEST = 120.0  # seconds for one answer, the reading of the rules included
MOST_MEMORY = 3_000_000_000  # bytes, of a process in which bots think about strangers' rules
NICE = 10  # other processes go first, the server above all
MOST_RULES = 16  # sets of rules that a process remembers
HINT = 1.0  # seconds of thought
HINT_SLOWER = 3.0  # in plain Python


@dataclass(frozen=True, slots=True)
class RankedOption:
    """An option with the search bot's estimate."""

    text: str
    key: str
    win: float  # chance to win, in per cent
    lead: float  # expected lead in score
    tries: int
    words: str = ""  # what the option does, as its thing tells it


class BotProcesses:
    """A pool of `count` processes for rules that ship, and one process for strangers' rules."""

    def __init__(self, count: int) -> None:
        self._pool = get_executor().create_pool(count, TaskLimits(LONGEST, nice=NICE))
        self._strange = get_executor().create_pool(1, TaskLimits(LONGEST, MOST_MEMORY, nice=NICE))

    async def answer(self, turn: BotTurn) -> str:
        """Return the key of a bot's answer. Raises `TaskFailed`."""
        key: str = await self._select_pool(turn).run(choose_answer, turn.raw, turn.seat, turn.kind)
        return key

    async def advice(self, turn: BotTurn) -> list[RankedOption]:
        """Return the search bot's estimates of a seat's options, best first. Raises `TaskFailed`."""
        estimates: list[RankedOption] = await self._select_pool(turn).run(rank_options, turn.raw, turn.seat)
        return estimates

    def close(self) -> None:
        """Shut down the processes."""
        self._pool.shutdown()
        self._strange.shutdown()

    def _select_pool(self, turn: BotTurn) -> WorkerPool:
        return self._strange if turn.untrusted else self._pool


# --- in a separate process -----------------------------------------------------------------------

_known: OrderedDict[str, Rules] = OrderedDict()


def choose_answer(raw: bytes, seat: int, kind: str) -> str:
    """Return the key of the option that a bot of this kind chooses for a seat, in the game of a journal."""
    game = _replay_game(raw)
    seed = bot_seed(game.table.seed + len(game.answers), seat)  # a new bot for each answer, with luck of its own
    try:
        bot = create_table_bot(game.table, seat, kind, seed)
    except (RequestError, RulesError):  # of an uploaded game; the plan of a new table was checked
        bot = BOTS[kind](game.program, seed)
    index = bot.choose(game.view(seat), game.ask)
    return game.ask.options[index].key


def rank_options(raw: bytes, seat: int) -> list[RankedOption]:
    """Return the search bot's estimates of the options of the current question, best first."""
    game = _replay_game(raw)
    seed = bot_seed(game.table.seed, len(game.players) + len(game.answers))
    bot = SearchBot(
        game.program, seed, SearchBudget(seconds=HINT if execution_backend.is_accelerated() else HINT_SLOWER)
    )
    options = game.ask.options
    ranked = sorted(
        bot.analyze_options(game.view(seat)), key=lambda estimate: (-estimate.tries, -estimate.share, -estimate.lead)
    )
    return [
        RankedOption(
            options[estimate.index].text,
            options[estimate.index].key,
            100 * estimate.share,
            estimate.lead,
            estimate.tries,
        )
        for estimate in ranked
        if estimate.tries
    ]


def _replay_game(raw: bytes) -> Game:
    """Return the game of an encoded journal, replayed under the rules bundled in it."""
    journal = parse_journal(raw)
    return _load_cached_rules(journal).replay(journal)


def _load_cached_rules(journal: Journal) -> Rules:
    """Return the compiled rules of a journal, from a cache of the `MOST_RULES` used last."""
    name = journal.header.rules
    rules = _known.pop(name, None) or load_bundled_rules(journal)
    _known[name] = rules
    while len(_known) > MOST_RULES:
        _known.popitem(last=False)
    return rules
