"""Comparison of worlds that look the same to a seat, to prove that nothing tells them apart."""

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
PAIRS = 4  # compared in one game, about


@cache
def load_rules(*names: str) -> Rules:
    return edict.load(names[0], names[1:])


def open_session(game: Game, seat: int) -> Session:
    session_of_seat = Session(game, Screen(game.players, simple=True), {})
    session_of_seat.holder = seat
    return session_of_seat


Compare = Callable[[Game, Game, int, Random], None]


def compare_worlds(worlds: Worlds, rules_of_game: Rules, seed: int, share: float, compare: Compare) -> int:
    """Return the number of pairs of worlds compared in one game.

    Args:
        made: Source of other worlds.
        laid: The rules.
        seed: Seed of the game.
        often: Share of the questions at which worlds are compared.
        compare: Function that asserts that two worlds look the same.
    """
    rng, count = Random(seed), 0
    game = rules_of_game.new_game(NAMES[: min(2 + seed % 3, rules_of_game.program.most_players)], seed)
    while not game.over and count < PAIRS:
        if rng.random() < share:
            for seat in range(len(game.players)):
                other = worlds.find_other(game, seat, rng)
                if other is not None:
                    count += 1
                    compare(game, other, seat, rng)
        game.answer(rng.randrange(game.count))
    return count
