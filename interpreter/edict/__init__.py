"""Edict: an engine in which the rules of a board game are data.

    import edict
    rules = edict.load("kuhn-poker")
    game = rules.new_game(players=["Ann", "Brian"], seed=7)
    while not game.over:
        game.answer(game.ask.options[0])
    print(game.result, game.log[-5:])

    table = edict.play("kuhn-poker", games=1000, bots=["greedy", "random"])  # a row per game
    table = edict.decisions("kuhn-poker", games=1000, bots="greedy")         # a row per decision
    bot = edict.bot("greedy", rules)                                         # for a single game
    game = rules.new_game(players=["Ann", "Brian"])
    game.answer(bot.choose(game.view(game.seat), game.ask))

`load` raises `RulesError`, games raise `GameError`, journals `JournalError` (a `GameError`, which is a
`ValueError`); each says what is wrong and what to do about it.

The functions here may be called from several threads, and `Rules`, which never change, may be shared between them. A
`Game`, its views and its bots belong to one thread at a time; `Game.copy` gives another thread a game of its own.
Seats are counted from 0.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from os import PathLike

    from edict.agents.bots.agents import Agent, Clock
    from edict.agents.bots.bot_protocol import Bot
    from edict.agents.bots.seen import as_text
    from edict.agents.study.arrow import Table
    from edict.agents.study.play_calls import Kind
    from edict.game.table.campaigns import Campaign
    from edict.game.table.game import Game
    from edict.game.table.game_errors import GameError, JournalError
    from edict.game.table.journal import Journal
    from edict.game.table.log_entries import Entry
    from edict.game.table.options import Ask, Option
    from edict.game.table.rules import Rules
    from edict.game.table.view import Result, View
    from edict.support.report import Diagnostic, RulesError

__version__ = "1.0.0"

# Names by the module that defines them, imported when first used: `import edict` costs next to nothing.
_HOMES = {
    "Agent": "edict.agents.bots.agents",
    "Ask": "edict.game.table.options",
    "Bot": "edict.agents.bots.bot_protocol",
    "Campaign": "edict.game.table.campaigns",
    "Clock": "edict.agents.bots.agents",
    "Diagnostic": "edict.support.report",
    "Entry": "edict.game.table.log_entries",
    "Game": "edict.game.table.game",
    "GameError": "edict.game.table.game_errors",
    "Journal": "edict.game.table.journal",
    "JournalError": "edict.game.table.game_errors",
    "Option": "edict.game.table.options",
    "Result": "edict.game.table.view",
    "Rules": "edict.game.table.rules",
    "RulesError": "edict.support.report",
    "View": "edict.game.table.view",
    "as_text": "edict.agents.bots.seen",
}

__all__ = [
    "Agent",
    "Ask",
    "Bot",
    "Campaign",
    "Clock",
    "Diagnostic",
    "Entry",
    "Game",
    "GameError",
    "Journal",
    "JournalError",
    "Option",
    "Result",
    "Rules",
    "RulesError",
    "View",
    "as_text",
    "bot",
    "decisions",
    "load",
    "play",
    "replay",
    "resume",
]


def load(name: str | PathLike[str], modules: Sequence[str] = ()) -> Rules:
    """Load the rules of a game by name or by the path of its folder, with modules added.

    Raises `RulesError`, whose `diagnostics` say what is wrong, where, and what to do about it.
    """
    from edict.game.table.rules import load_rules

    return load_rules(name, modules)


def replay(journal: Journal | str | PathLike[str], rules: Rules | None = None) -> Game:
    """Play the game in a journal (or the file of one) again, up to its last answer.

    Without `rules` they are loaded as the journal names them, or, if those have changed, as it keeps them. Raises
    `JournalError` when the journal cannot be read, was made under other rules, or holds an answer that is not possible.
    """
    from edict.game.table.journal import Journal as Read
    from edict.game.table.journal import read_journal
    from edict.game.table.rules import load_rules_for

    read = journal if isinstance(journal, Read) else read_journal(journal)
    return (rules or load_rules_for(read)).replay(read)


def resume(path: str | PathLike[str], rules: Rules | None = None) -> Game:
    """Continue the game in a journal's file; further answers are added to the file.

    Until `Game.close`, no other process can resume it: it gets `InUse`, a `JournalError`.
    """
    from edict.game.table.journal import read_journal
    from edict.game.table.rules import load_rules_for

    return (rules or load_rules_for(read_journal(path))).resume(path)


def play(
    rules: Rules | str | PathLike[str],
    games: int = 1000,
    bots: Kind | Sequence[Kind] = "greedy",
    *,
    players: int | None = None,
    modules: Sequence[str] = (),
    settings: Mapping[str, object] | None = None,
    seed: int = 0,
    workers: int = 1,
) -> Table:
    """Play many games between bots; returns a `pyarrow.Table`, one row per game.

    Convert it with `table.to_pandas()` or `polars.from_arrow(table)`.

    rules: as returned by `load`, or their name, with `modules`. games: their number; the rows are in order. bots: one
    for all seats, or one for each; any that `kingsburg study --bots` takes, or a class (see `Agent`). players: their
    number (None: as many as there are bots, or 4 if the game allows). seed: 0 to 2**64 - 1; the luck of game `n`
    depends only on it and `n`, so the result is the same for any number of `workers` (processes; 1: this one).

    Columns are described in their fields' metadata. Points and scores are integers, seats and places are counted
    from 0. Bots that the machine has a policy for play in native code if llvmlite is installed. Safe to call from
    several threads. Needs pyarrow.

    Raises `RulesError`, `GameError`, or `StudyError` if an argument is invalid.
    """
    from edict.agents.study.play_calls import PlayCall, played

    return played(PlayCall(rules, games, bots, players, modules, settings or {}, seed, workers)).games


def decisions(
    rules: Rules | str | PathLike[str],
    games: int = 1000,
    bots: Kind | Sequence[Kind] = "greedy",
    *,
    players: int | None = None,
    modules: Sequence[str] = (),
    settings: Mapping[str, object] | None = None,
    seed: int = 0,
    workers: int = 1,
) -> Table:
    """The decisions of the same games as `play` plays with the same arguments: a `pyarrow.Table`, one row per decision.

    `options` holds the keys of all options, `chosen` the index and `answer` the key of the one chosen. `values` are
    what the bot thought of each option, in its own unit (greedy: its judgement of the position; search: the expected
    share of the win), missing if it does not say. Raises the same errors as `play`.
    """
    from edict.agents.study.play_calls import PlayCall, played

    call = PlayCall(rules, games, bots, players, modules, settings or {}, seed, workers)
    return played(call, decisions=True).decisions


def bot(kind: Kind, rules: Rules, seed: int = 0) -> Bot:
    """A bot for a single game: `game.answer(bot.choose(game.view(game.seat), game.ask))`.

    kind: as `kingsburg play --bot` takes it, or a class (see `Agent`). The same seed gives the same answers, except for
    bots that think for a time. One bot plays one seat of one game, and is asked by one thread at a time.

    Raises `GameError` for an unknown kind.
    """
    from edict.agents.study.play_calls import bot_for

    return bot_for(kind, rules, seed)


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module `edict` has no `{name}`")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
