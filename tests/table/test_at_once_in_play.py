"""At once, what a later player is asked is the same whatever an earlier one answers: so all can be asked together."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from edict.table.game import Game
from edict.table.rules import load_rules

RECIPES = Path(__file__).parents[2] / "examples" / "recipes"
ASKED = {"four-lanes": "choose-chosen", "harbour-lots": "choose-chosen", str(RECIPES / "vote"): "choose-chosen"}
STEPS = 3  # in each game, of those in which all are asked


def asked_of_others(game: Game, key: str, luck: Random) -> list[tuple[int, tuple[str, ...]]]:
    """What all others are asked in the same step after an answer, whatever they answer themselves."""
    trial, found = game.copy(), list[tuple[int, tuple[str, ...]]]()
    trial.answer(key)
    for _ in game.players[1:]:
        found.append((trial.ask.seat, tuple(trial.ask.keys)))
        trial.answer(luck.choice(trial.ask.options).key)
    return found


@pytest.mark.parametrize("rules", ASKED)
def test_what_later_players_are_asked_is_the_same_whatever_is_answered(rules: str) -> None:
    luck, met = Random(5), 0
    game = load_rules(rules).new_game(["Ann", "Ben", "Cem"], seed=11)
    while not game.over and met < STEPS:
        if game.ask.question != ASKED[rules]:
            game.answer(luck.choice(game.ask.options).key)
            continue
        first, *others = [asked_of_others(game, key, luck) for key in game.ask.keys]
        assert {seat for seat, _ in first} == {0, 1, 2} - {game.ask.seat}
        assert all(one == first for one in others)
        for _ in game.players:
            game.answer(luck.choice(game.ask.options).key)
        met += 1
    assert met == STEPS
