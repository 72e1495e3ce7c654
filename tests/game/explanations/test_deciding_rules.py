"""The rule that decided a game where the scores do not show it."""

from __future__ import annotations

import random

import pytest

from edict.game.explanations.glossary import explain_victory, find_sign, is_decided_by_score
from edict.game.table.game import Game
from edict.game.table.rules import load_rules


@pytest.mark.parametrize(
    ("scores", "winners", "decided", "sign"),
    [
        ((5, 3), (0,), True, 1),
        ((5, 3), (1,), True, -1),
        ((5, 5), (0, 1), True, 0),
        ((5, 5), (0,), False, 0),
        ((5, 5, 1), (0, 1), True, 1),
        ((5, 5, 1), (0,), False, 1),
        ((5, 3, 4), (2,), False, 0),
        ((5, 3), (0, 1), False, 0),
        ((5, 3), (), True, 0),
        ((5,), (0,), True, 0),
        ((5,), (), True, 0),
    ],
)
def test_scores_decide_or_not(scores: tuple[int, ...], winners: tuple[int, ...], decided: bool, sign: int) -> None:
    named = {str(i): score for i, score in enumerate(scores)}
    won = [str(i) for i in winners]
    assert (is_decided_by_score(named, won), find_sign(named, won)) == (decided, sign)


def play_to_end(name: str, seed: int) -> Game:
    game, rng = load_rules(name).new_game(["Ann", "Ben"], seed=seed), random.Random(seed)
    while not game.over:
        game.answer(rng.randrange(game.count))
    return game


def test_deciding_rule_is_explained_if_the_score_does_not_decide() -> None:
    games = [play_to_end("causeway", seed) for seed in range(8)]
    told = {
        is_decided_by_score(game.result.scores, game.result.winners): explain_victory(game)
        for game in games
        if game.result is not None
    }
    assert told[False] and "cross" in " ".join(told[False])
    assert told.get(True, ()) == ()
    assert explain_victory(load_rules("causeway").new_game(["Ann", "Ben"])) == (), "the game is still on"
