"""Where everybody is asked at once, those whose turn is still to come are asked too, and know nothing of the others."""

from __future__ import annotations

from functools import cache

from sealed_bids import RULES

from helpers import module
from edict.front.pipeline import build
from edict.table.at_once import AtOnce
from edict.table.game import Game
from edict.table.journal import Answer
from edict.table.rules import Rules

ANN, BEN, CLEO = range(3)


@cache
def rules() -> Rules:
    return Rules(build((module(RULES),)).unwrap(), "sealed-bids")


def begun(*answers: str) -> Game:
    game = rules().new_game(["Ann", "Ben", "Cleo"], seed=1)
    for answer in ("yes", *answers):
        game.answer(answer)
    return game


def early(game: Game, seat: int, *keys: str) -> AtOnce:
    """As it is when a seat has given these answers before its turn."""
    held: list[Answer] = []
    for key in keys:
        asked = at(AtOnce(game, {seat: held}), seat)
        held.append(Answer(seat, asked.ask.question, asked.ask.named(key).key))
    return AtOnce(game, {seat: held})


def at(game: AtOnce, seat: int) -> Game:
    """The game at a seat's question."""
    found = game.asked(seat)
    assert found is not None
    return found


def test_all_are_asked_from_whoevers_turn_it_is() -> None:
    assert AtOnce(begun(), {}).seats == (ANN, BEN, CLEO)
    assert AtOnce(begun("1", "no"), {}).seats == (BEN, CLEO)


def test_whoever_is_asked_alone_is_asked_alone() -> None:
    game = rules().new_game(["Ann", "Ben", "Cleo"], seed=1)
    assert AtOnce(game, {}).seats == () and AtOnce(game, {}).asked(ANN) is None


def test_each_time_is_a_time_of_its_own() -> None:
    game = begun()
    before = AtOnce(game, {}).began
    assert before is not None
    for _ in range(3):
        game.answer("2")
        assert AtOnce(game, {}).began == before
        game.answer("no")
    assert AtOnce(game, {}).began == before + 6 and AtOnce(game, {}).seats == (ANN, BEN, CLEO)


def test_a_seat_is_asked_one_thing_after_another() -> None:
    assert at(early(begun(), BEN), BEN).ask.prompt == "How much?"
    asked = at(early(begun(), BEN, "3"), BEN)
    assert asked.ask.prompt == "Bluff?" and asked.view(BEN).value("stake", BEN) == 3
    done = early(begun(), BEN, "3", "no")
    assert done.asked(BEN) is None and done.waiting == (ANN, CLEO)
    assert [(one.prompt, one.text) for one in done.given(BEN)] == [("How much?", "3"), ("Bluff?", "No")]


def test_what_is_no_answer_does_not_count() -> None:
    wrong = AtOnce(begun(), {BEN: [Answer(BEN, "no-such-question", "3"), Answer(BEN, "choose-bid", "2")]})
    assert at(wrong, BEN).ask.prompt == "How much?" and wrong.given(BEN) == ()


def test_nothing_that_others_might_answer_is_told() -> None:
    here, game = begun(), at(early(begun(), CLEO, "3"), CLEO)
    assert game.view(CLEO).knows("stake", CLEO) and not game.view(CLEO).knows("stake", ANN)
    told = [entry.text for entry in game.view(CLEO).log[len(here.view(CLEO).log) :]]
    assert told and not any("Ann" in text or "Ben" in text for text in told)


def test_the_game_itself_stays_where_it_is() -> None:
    game = begun()
    before = game.state
    assert early(game, CLEO, "1", "no").waiting == (ANN, BEN)
    assert game.state == before and len(game.answers) == 1
