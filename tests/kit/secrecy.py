"""Worlds that look the same to a seat, and whether they are told apart."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random

import edict
from edict.apps.cli.playing.screen import Screen
from edict.apps.cli.playing.session import Session
from edict.game.table.game import Game
from edict.game.table.rules import Rules
from worlds import Worlds

NAMES = ["Ann", "Ben", "Cindy", "Dov"]

ALL = (
    "kingsburg",
    "governors",
    "destiny",
    "advisor-tiles",
    "alternate-rows",
    "soldier-tokens",
    "more-buildings",
)
PAIRS = 4  # of one game, about


@cache
def rules(*names: str) -> Rules:
    return edict.load(names[0], names[1:])


def session(game: Game, seat: int) -> Session:
    made = Session(game, Screen(game.players, simple=True), {})
    made.holder = seat
    return made


Compare = Callable[[Game, Game, int, Random], None]


def compared(made: Worlds, laid: Rules, seed: int, often: float, compare: Compare) -> int:
    """How many pairs of worlds were compared in one game; `often`: at which share of the questions."""
    luck, found = Random(seed), 0
    game = laid.new_game(NAMES[: min(2 + seed % 3, laid.program.most_players)], seed)
    while not game.over and found < PAIRS:
        if luck.random() < often:
            for seat in range(len(game.players)):
                other = made.other(game, seat, luck)
                if other is not None:
                    found += 1
                    compare(game, other, seat, luck)
        game.answer(luck.randrange(game.count))
    return found
