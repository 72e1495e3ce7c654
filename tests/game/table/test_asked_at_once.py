"""Simultaneous questions: later seats are asked before their turn and learn nothing of the others."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

import pytest

from edict.compiler.pipeline.pipeline import build_program
from edict.game.table.game import Game
from edict.game.table.journal import Answer
from edict.game.table.rules import Rules, load_rules
from edict.game.table.simultaneous import SimultaneousQuestions
from helpers import compile_program, make_module
from sealed_bids import RULES

ANN, BEN, CLEO = range(3)


@cache
def rules() -> Rules:
    return Rules(build_program((make_module(RULES),)).unwrap(), "sealed-bids")


def start_game(*answers: str) -> Game:
    game = rules().new_game(["Ann", "Ben", "Cleo"], seed=1)
    for answer in ("yes", *answers):
        game.answer(answer)
    return game


def answer_early(game: Game, seat: int, *keys: str) -> SimultaneousQuestions:
    """Return the simultaneous questions after a seat has given these answers before its turn."""
    held: list[Answer] = []
    for key in keys:
        asked = game_at(SimultaneousQuestions(game, {seat: held}), seat)
        held.append(Answer(seat, asked.ask.question, asked.ask.named(key).key))
    return SimultaneousQuestions(game, {seat: held})


def game_at(game: SimultaneousQuestions, seat: int) -> Game:
    """Return the game at a seat's question."""
    found = game.game_at_question(seat)
    assert found is not None
    return found


def test_all_seats_are_asked_from_the_current_one_unless_one_is_asked_alone() -> None:
    alone = rules().new_game(["Ann", "Ben", "Cleo"], seed=1)
    assert (
        SimultaneousQuestions(alone, {}).seats == () and SimultaneousQuestions(alone, {}).game_at_question(ANN) is None
    )
    assert SimultaneousQuestions(start_game(), {}).seats == (ANN, BEN, CLEO)
    assert SimultaneousQuestions(start_game("1", "no"), {}).seats == (BEN, CLEO)


def test_each_simultaneous_step_is_separate() -> None:
    game = start_game()
    before = SimultaneousQuestions(game, {}).start_depth
    assert before is not None
    for _ in range(3):
        game.answer("2")
        assert SimultaneousQuestions(game, {}).start_depth == before
        game.answer("no")
    assert SimultaneousQuestions(game, {}).start_depth == before + 6 and SimultaneousQuestions(game, {}).seats == (
        ANN,
        BEN,
        CLEO,
    )


def test_early_answers_lead_to_the_next_question_and_leave_the_game_unchanged() -> None:
    game = start_game()
    before = game.state
    assert game_at(answer_early(game, BEN), BEN).ask.prompt == "How much?"
    asked = game_at(answer_early(game, BEN, "3"), BEN)
    assert asked.ask.prompt == "Bluff?" and asked.view(BEN).value("stake", BEN) == 3
    done = answer_early(game, BEN, "3", "no")
    assert done.game_at_question(BEN) is None and done.pending_seats == (ANN, CLEO)
    assert [(one.prompt, one.text) for one in done.early_answers(BEN)] == [("How much?", "3"), ("Bluff?", "No")]
    assert game.state == before and len(game.answers) == 1


def test_invalid_early_answer_is_ignored() -> None:
    wrong = SimultaneousQuestions(
        start_game(), {BEN: [Answer(BEN, "no-such-question", "3"), Answer(BEN, "choose-bid", "2")]}
    )
    assert game_at(wrong, BEN).ask.prompt == "How much?" and wrong.early_answers(BEN) == ()


def test_lookahead_hides_answers_of_others() -> None:
    here, game = start_game(), game_at(answer_early(start_game(), CLEO, "3"), CLEO)
    assert game.view(CLEO).knows("stake", CLEO) and not game.view(CLEO).knows("stake", ANN)
    assert [entry.text for entry in game.log[len(here.log) :]] == ["Cleo: How much? 3", "Cleo's stake: 3"]


LONG_WISHES = """
kind wish "wish/wishes"
{wishes}
keep wanted of player as set of wish, secret
phase trial-run
  each player at once
    choose up to 90 wishes as chosen "What do you want?"
    set wanted of you to chosen
"""


def test_seats_after_long_optional_choices_are_asked_too() -> None:
    """Those before them could answer more often than is played on, but may stop at once."""
    wishes = "".join(f'wish w-{number} "W {number}"\n' for number in range(90))
    text = LONG_WISHES.format(wishes=wishes)
    game = Rules(compile_program(text), "trial").new_game(["Ann", "Ben", "Cleo", "Dan"], seed=1)
    assert SimultaneousQuestions(game, {}).seats == (0, 1, 2, 3)
    assert game_at(SimultaneousQuestions(game, {}), 3).ask.prompt == "What do you want?"


def test_seats_behind_a_question_whose_first_answer_fails_wait_for_their_turn() -> None:
    text = """
keep part of player as number from 0 to 6, secret
phase trial-run
  each player at once
    choose a number from 0 to 2 as bid "How much?"
    set part of you to 6 / bid
"""
    game = Rules(compile_program(text), "trial").new_game(["Ann", "Ben"], seed=1)
    assert SimultaneousQuestions(game, {}).seats == (ANN,)
    game.answer("2")
    assert SimultaneousQuestions(game, {}).seats == (BEN,)


# --- in games that ship -----------------------------------------------------------------------------------

RECIPES = Path(__file__).parents[3] / "examples" / "recipes"
ASKED = {"four-lanes": "choose-chosen", "harbour-lots": "choose-chosen", str(RECIPES / "vote"): "choose-chosen"}
STEPS = 3  # in each game, of those in which all are asked


def questions_of_others(game: Game, key: str, luck: Random) -> list[tuple[int, tuple[str, ...]]]:
    """Return the questions to all others in the same step after an answer with random answers of theirs."""
    trial, found = game.copy(), list[tuple[int, tuple[str, ...]]]()
    trial.answer(key)
    for _ in game.players[1:]:
        found.append((trial.ask.seat, tuple(trial.ask.keys)))
        trial.answer(luck.choice(trial.ask.options).key)
    return found


@pytest.mark.parametrize("name", ASKED)
def test_questions_of_later_players_do_not_depend_on_answers(name: str) -> None:
    luck, met = Random(5), 0
    game = load_rules(name).new_game(["Ann", "Ben", "Cem"], seed=11)
    while not game.over and met < STEPS:
        if game.ask.question != ASKED[name]:
            game.answer(luck.choice(game.ask.options).key)
            continue
        first, *others = [questions_of_others(game, key, luck) for key in game.ask.keys]
        assert {seat for seat, _ in first} == {0, 1, 2} - {game.ask.seat}
        assert all(one == first for one in others)
        for _ in game.players:
            game.answer(luck.choice(game.ask.options).key)
        met += 1
    assert met == STEPS
