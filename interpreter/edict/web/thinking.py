"""Bots at tables think in processes of their own, so that no table waits for another's."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor

from edict.bots import BOTS
from edict.table.bundle import kept_rules
from edict.table.chance import bot_seed
from edict.table.journal import Journal, parse_journal
from edict.table.rules import Rules

_known: dict[str, Rules] = {}  # rules that this worker has compiled or read before, by their hash


def executor(workers: int) -> ProcessPoolExecutor:
    """Processes of their own, not forked from a server with threads."""
    from multiprocessing import get_context

    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


def think(raw: bytes, seat: int, kind: str) -> str:
    """The key of a bot's answer in the game of a journal. Runs in a worker."""
    journal = parse_journal(raw)
    game = _rules(journal).replay(journal)
    seed = bot_seed(game.table.seed + len(journal.answers), seat)  # a new bot for each answer, with luck of its own
    bot = BOTS[kind](game.program, seed)
    return bot.choose(game.view(seat), game.ask).key


def _rules(journal: Journal) -> Rules:
    name = journal.header.rules
    if name not in _known:
        _known[name] = kept_rules(journal)
    return _known[name]
