"""Where everybody is asked at once, those whose turn is still to come are asked too, and know nothing of the others.

What a later player is asked is the same whatever an earlier one answers: so all can be asked together.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from edict.compiler.pipeline.pipeline import build
from edict.game.table.at_once import AskedAtOnce
from edict.game.table.game import Game
from edict.game.table.journal import Answer
from edict.game.table.rules import Rules, load_rules
from helpers import module
from sealed_bids import RULES

ANN, BEN, CLEO = range(3)


@cache
def rules() -> Rules:
    return Rules(build((module(RULES),)).unwrap(), "sealed-bids")


def begun(*answers: str) -> Game:
    game = rules().new_game(["Ann", "Ben", "Cleo"], seed=1)
    for answer in ("yes", *answers):
        game.answer(answer)
    return game


def early(game: Game, seat: int, *keys: str) -> AskedAtOnce:
    """As it is when a seat has given these answers before its turn."""
    held: list[Answer] = []
    for key in keys:
        asked = at(AskedAtOnce(game, {seat: held}), seat)
        held.append(Answer(seat, asked.ask.question, asked.ask.named(key).key))
    return AskedAtOnce(game, {seat: held})


def at(game: AskedAtOnce, seat: int) -> Game:
    """The game at a seat's question."""
    found = game.asked(seat)
    assert found is not None
    return found


def test_all_are_asked_from_whoevers_turn_it_is_and_whoever_is_asked_alone_is_asked_alone() -> None:
    alone = rules().new_game(["Ann", "Ben", "Cleo"], seed=1)
    assert AskedAtOnce(alone, {}).seats == () and AskedAtOnce(alone, {}).asked(ANN) is None
    assert AskedAtOnce(begun(), {}).seats == (ANN, BEN, CLEO)
    assert AskedAtOnce(begun("1", "no"), {}).seats == (BEN, CLEO)


def test_each_time_is_a_time_of_its_own() -> None:
    game = begun()
    before = AskedAtOnce(game, {}).began
    assert before is not None
    for _ in range(3):
        game.answer("2")
        assert AskedAtOnce(game, {}).began == before
        game.answer("no")
    assert AskedAtOnce(game, {}).began == before + 6 and AskedAtOnce(game, {}).seats == (ANN, BEN, CLEO)


def test_a_seat_is_asked_one_thing_after_another_and_the_game_itself_stays_where_it_is() -> None:
    game = begun()
    before = game.state
    assert at(early(game, BEN), BEN).ask.prompt == "How much?"
    asked = at(early(game, BEN, "3"), BEN)
    assert asked.ask.prompt == "Bluff?" and asked.view(BEN).value("stake", BEN) == 3
    done = early(game, BEN, "3", "no")
    assert done.asked(BEN) is None and done.waiting == (ANN, CLEO)
    assert [(one.prompt, one.text) for one in done.given(BEN)] == [("How much?", "3"), ("Bluff?", "No")]
    assert game.state == before and len(game.answers) == 1


def test_what_is_no_answer_does_not_count() -> None:
    wrong = AskedAtOnce(begun(), {BEN: [Answer(BEN, "no-such-question", "3"), Answer(BEN, "choose-bid", "2")]})
    assert at(wrong, BEN).ask.prompt == "How much?" and wrong.given(BEN) == ()


def test_nothing_that_others_might_answer_is_told() -> None:
    here, game = begun(), at(early(begun(), CLEO, "3"), CLEO)
    assert game.view(CLEO).knows("stake", CLEO) and not game.view(CLEO).knows("stake", ANN)
    assert [entry.text for entry in game.log[len(here.log) :]] == ["Cleo: How much? 3", "Cleo's stake: 3"]


# --- in games that ship -----------------------------------------------------------------------------------

RECIPES = Path(__file__).parents[3] / "examples" / "recipes"
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


@pytest.mark.parametrize("name", ASKED)
def test_what_later_players_are_asked_is_the_same_whatever_is_answered(name: str) -> None:
    luck, met = Random(5), 0
    game = load_rules(name).new_game(["Ann", "Ben", "Cem"], seed=11)
    while not game.over and met < STEPS:
        if game.ask.question != ASKED[name]:
            game.answer(luck.choice(game.ask.options).key)
            continue
        first, *others = [asked_of_others(game, key, luck) for key in game.ask.keys]
        assert {seat for seat, _ in first} == {0, 1, 2} - {game.ask.seat}
        assert all(one == first for one in others)
        for _ in game.players:
            game.answer(luck.choice(game.ask.options).key)
        met += 1
    assert met == STEPS
