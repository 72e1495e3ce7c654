"""Edict: an engine in which the rules of a board game are data.

    import edict
    rules = edict.load("kuhn-poker")
    game = rules.new_game(players=["Ann", "Brian"], seed=7)
    while not game.over:
        game.answer(game.ask.options[0])
    print(game.result, game.log[-5:])

    table = edict.play("kuhn-poker", games=1000, bots=["greedy", "random"])  # a row per game
    table = edict.decisions("kuhn-poker", games=1000, bots="greedy")         # a row per decision
    table = edict.positions("kuhn-poker", games=1000, bots="greedy")         # a row per action, to learn from
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

from edict.support.version import __version__ as __version__

if TYPE_CHECKING:
    from os import PathLike

    from edict.agents.bots.bot_views import as_text
    from edict.agents.bots.match import Bot
    from edict.agents.bots.user_bots import Agent, Clock
    from edict.agents.spaces.game_encoding import Reward
    from edict.agents.study.play_calls import Kind
    from edict.agents.study.table_files import Table
    from edict.game.table.campaigns import Campaign
    from edict.game.table.game import Game
    from edict.game.table.game_errors import GameError, JournalError
    from edict.game.table.journal import Journal
    from edict.game.table.log_entries import Entry
    from edict.game.table.options import Ask, Option
    from edict.game.table.rules import Rules
    from edict.game.table.view import Result, View
    from edict.support.report import Diagnostic, RulesError

# Names by the module that defines them, imported when first used: `import edict` costs next to nothing.
_MODULES_BY_NAME = {
    "Agent": "edict.agents.bots.user_bots",
    "Ask": "edict.game.table.options",
    "Bot": "edict.agents.bots.match",
    "Campaign": "edict.game.table.campaigns",
    "Clock": "edict.agents.bots.user_bots",
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
    "as_text": "edict.agents.bots.bot_views",
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
    "positions",
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
    """Replay the game in a journal, or in a journal's file, up to its last answer.

    Without `rules`, they are loaded by the names in the journal, or, if those rules have changed, from the copy that
    the journal holds. Raises `JournalError` if the journal cannot be read, was made under other rules, or holds an
    answer that is not possible.
    """
    from edict.game.table.journal import Journal as JournalType
    from edict.game.table.journal import read_journal
    from edict.game.table.rules import load_rules_for

    loaded = journal if isinstance(journal, JournalType) else read_journal(journal)
    return (rules or load_rules_for(loaded)).replay(loaded)


def resume(path: str | PathLike[str], rules: Rules | None = None) -> Game:
    """Continue the game in a journal's file; further answers are appended to the file.

    Until `Game.close`, no other process can resume it: it gets `GameInUse`, a `JournalError`.
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
    """Play many games between bots and return a `pyarrow.Table` with one row per game.

    Convert it with `table.to_pandas()` or `polars.from_arrow(table)`. Its columns are described in the metadata of
    their fields. Points and scores are integers; seats and places are counted from 0. Bots for which the machine has a
    policy play in native code if llvmlite is installed. Safe to call from several threads. Needs pyarrow.

    Args:
        rules: The rules, as returned by `load`, or their name.
        games: The number of games; the rows are in their order.
        bots: One bot for all seats, or one for each: any kind that `kingsburg study --bots` takes, or a class (see
            `Agent`).
        players: The number of players. None means as many as there are bots, or 4 if the game allows.
        modules: Modules to add if `rules` is a name.
        settings: Settings of the game, by name.
        seed: 0 to 2**64 - 1. The randomness of game `n` depends only on the seed and `n`, so the result does not depend
            on `workers`.
        workers: The number of processes; 1 plays in this process.

    Raises:
        RulesError: The rules are wrong.
        GameError: The game cannot be played like this.
        StudyError: An argument is invalid.
    """
    from edict.agents.study.play_calls import PlayCall, play_game_table

    return play_game_table(PlayCall(rules, games, bots, players, modules, settings or {}, seed, workers))


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
    """Play the games that `play` plays with these arguments, and return one row per decision as a `pyarrow.Table`.

    `options` holds the keys of all options, `chosen` the index and `answer` the key of the chosen one. `values` holds
    the bot's valuation of each option in the bot's own unit (greedy: its judgement of the position; search: the
    expected share of the win); it is missing for bots that give none. Raises the same errors as `play`.
    """
    from edict.agents.study.play_calls import PlayCall, play_decision_table

    return play_decision_table(PlayCall(rules, games, bots, players, modules, settings or {}, seed, workers))


def positions(
    rules: Rules | str | PathLike[str],
    games: int = 1000,
    bots: Kind | Sequence[Kind] = "greedy",
    *,
    players: int | None = None,
    modules: Sequence[str] = (),
    settings: Mapping[str, object] | None = None,
    seed: int = 0,
    workers: int = 1,
    reward: Reward = "victory",
) -> Table:
    """Play the games that `play` plays with these arguments, and return what a program learns to imitate them from.

    The `pyarrow.Table` has a row for each action: the `observation` of the seat that acted, the `legal` actions, the
    `action` taken, and the `outcome` of the game for that seat. They are numbered as in `edict.gym`; the schema's
    metadata has the names of `actions` and observed `numbers` as JSON. Nothing hidden from the seat is in its rows.

    Args:
        rules: The rules, as returned by `load`, or their name.
        games: The number of games.
        bots: One bot for all seats, or one for each, as for `play`.
        players: The number of players, as for `play`.
        modules: Modules to add if `rules` is a name.
        settings: Settings of the game, by name.
        seed: As for `play`.
        workers: The number of processes; 1 plays in this process.
        reward: "victory" or "score", as for the environments of `edict.gym`.

    Raises:
        RulesError: The rules are wrong.
        GameError: The game cannot be played like this, or there is no such reward.
        StudyError: An argument is invalid.
    """
    from edict.agents.study.play_calls import PlayCall, play_position_table

    call = PlayCall(rules, games, bots, players, modules, settings or {}, seed, workers)
    return play_position_table(call, reward)


def bot(kind: Kind, rules: Rules, seed: int = 0) -> Bot:
    """Create a bot for a single game: `game.answer(bot.choose(game.view(game.seat), game.ask))`.

    The same seed gives the same answers, except for bots that think for a fixed time. A bot plays one seat of one game,
    from one thread at a time.

    Args:
        kind: A kind as `kingsburg play --bot` takes it, or a class (see `Agent`).
        rules: The rules of the game.
        seed: The seed of the bot's own randomness.

    Raises:
        GameError: The kind is unknown.
    """
    from edict.agents.study.play_calls import create_bot

    return create_bot(kind, rules, seed)


def __getattr__(name: str) -> Any:
    if name in _MODULES_BY_NAME:
        return getattr(import_module(_MODULES_BY_NAME[name]), name)
    raise AttributeError(f"module `edict` has no `{name}`")


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES_BY_NAME})
