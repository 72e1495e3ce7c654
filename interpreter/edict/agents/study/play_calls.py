"""Many games in one call: the implementation of `edict.play`, `edict.decisions` and `edict.bot`."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from os import PathLike
from typing import Any

from edict.agents.bots import BOTS, Bot
from edict.agents.bots.agents import Agent
from edict.agents.bots.guest import warn, warned
from edict.agents.study import arrow
from edict.agents.study.bot_games import Setup, StudyError, game_ranges
from edict.agents.study.table_files import TablePiece, WantedTables, play_piece
from edict.agents.study.tables import DECISIONS, game_columns
from edict.game.table.game_errors import GameError
from edict.game.table.rules import Rules, load_rules
from edict.game.table.setup import check_settings
from edict.runtime.program import Program
from edict.runtime.simulation import native
from edict.support.processes.distribution import process_starter, run_distributed, start_inline
from edict.support.resources import install_command

MOST_TOLD = 10  # different faults of bots
USUAL = 4  # players, if nobody says otherwise
MOST_SEED = (1 << 64) - 1
Kind = str | type[Agent]
"""A bot as it is named, or a class of one's own."""


@dataclass(frozen=True, slots=True)
class PlayCall:
    """The arguments of `edict.play`."""

    rules: Rules | str | PathLike[str]
    games: int
    bots: Kind | Sequence[Kind]
    players: int | None
    modules: Sequence[str]
    settings: Mapping[str, object]
    seed: int
    workers: int

    def setup(self) -> Setup:
        """What is played; raises `GameError` for anything wrong with it."""
        if isinstance(self.rules, Rules) and self.modules:
            raise GameError("the rules are already loaded", "give their modules to `load`")
        _between("games", self.games, 0, 10**9)
        _between("seed", self.seed, 0, MOST_SEED)
        _between("workers", self.workers, 1, 1024)
        program = (self.rules if isinstance(self.rules, Rules) else load_rules(self.rules, self.modules)).program
        settings = check_settings(program, self.settings)
        return Setup(program, self._seats(program), tuple(sorted(settings.items())), self.seed)

    def _seats(self, program: Program) -> tuple[str, ...]:
        kinds = [named(kind) for kind in ([self.bots] if isinstance(self.bots, str | type) else self.bots)]
        usual = len(kinds) if len(kinds) > 1 else min(USUAL, program.most_players)
        players = usual if self.players is None else self.players
        if not program.least_players <= players <= program.most_players:
            allowed = f"{program.least_players} to {program.most_players}"
            raise GameError(f"{program.title} is for {allowed} players, not {players}", f"give {allowed} players")
        if len(kinds) not in (1, players):
            raise GameError(f"{len(kinds)} bots for {players} players", "name one for all seats, or one for each")
        return tuple(kinds) if len(kinds) > 1 else tuple(kinds * players)


def _between(name: str, number: object, low: int, high: int) -> None:
    if not isinstance(number, int) or isinstance(number, bool) or not low <= number <= high:
        raise GameError(f"invalid value for {name}: {number!r}", f"it must be a whole number from {low} to {high}")


def named(kind: object) -> str:
    """A kind of bot by its name, a class by its module and name. Raises `GameError` for an unknown kind."""
    if isinstance(kind, type):
        found: object = getattr(sys.modules.get(kind.__module__), kind.__name__, None)
        if found is not kind:
            raise GameError(f"`{kind.__qualname__}` cannot be found by its name", "define it at the top of a module")
        kind = f"{kind.__module__}:{kind.__name__}"
    if not isinstance(kind, str):
        raise GameError(f"a bot cannot be {kind!r}", "name a kind, as in `greedy`, or a class")
    problem = BOTS.problem(kind)
    if problem:
        raise GameError(*problem)
    return kind


@dataclass(frozen=True, slots=True)
class PlayedTables:
    """What was played: tables of Arrow; `decisions` is None if they were not wanted."""

    games: Any
    decisions: Any = None


def played(call: PlayCall, decisions: bool = False) -> PlayedTables:
    """Play, and give the tables in the order of the games."""
    if not arrow.available():
        raise StudyError("tables need pyarrow", install_command("data"))
    setup = call.setup()
    wanted = WantedTables(games=not decisions, decisions=decisions)
    start = process_starter(call.workers) if call.workers > 1 else start_inline
    pieces = run_distributed(partial(play_piece, setup, wanted), game_ranges(call.games, setup.piece), start)
    found: list[TablePiece] = [piece for _, piece in sorted(pieces, key=lambda one: one[0].first)]
    for what, often in sum((piece.totals.mishaps for piece in found), Counter[str]()).most_common(MOST_TOLD):
        warn(f"{what} ({often:,} times)")
    games = arrow.table_of(game_columns(setup), [piece.games for piece in found if piece.games])
    rows = arrow.table_of(DECISIONS, [piece.decisions for piece in found if piece.decisions]) if decisions else None
    return PlayedTables(games, rows)


def bot_for(kind: Kind, rules: Rules, seed: int) -> Bot:
    """A bot that thinks in native code, if that is compiled already; nothing is compiled for it."""
    name = named(kind)
    if native.is_available():
        native.load_native()
    return warned(BOTS[name](rules.program, seed))
