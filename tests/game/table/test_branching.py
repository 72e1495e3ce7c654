"""Branched games, which look to their seat like the original and contain nothing hidden from it."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pytest

from edict.game.table.belief import History
from edict.game.table.campaigns import Campaign
from edict.game.table.game import Game, build_branch, has_hidden_values
from edict.game.table.game_errors import GameError, JournalError
from edict.game.table.journal import parse_header, parse_journal
from edict.game.table.rules import load_rules


def play_answers(game: str, answers: int, dice: str = "seeded") -> Game:
    luck = Random(5)
    found = load_rules(game).new_game(["Ann", "Ben"], seed=11, dice=dice)
    for _ in range(answers):
        found.answer(luck.choice(found.ask.options).key)
    return found


@pytest.mark.parametrize(
    "game, answers, dice",
    [
        ("kingsburg", 30, "seeded"),
        ("kuhn-poker", 1, "seeded"),
        ("high-water", 4, "seeded"),
        ("four-lanes", 3, "seeded"),
        ("pig", 5, "typed"),
    ],
)
def test_branch_looks_the_same_to_its_seat_and_has_its_own_luck(
    game: str, answers: int, dice: str, subtests: pytest.Subtests
) -> None:
    before = play_answers(game, answers, dice)
    for seat in (0, 1):
        with subtests.test(seat=seat):
            journal = build_branch(before, seat, Random(1))
            after = load_rules(game).replay(parse_journal(journal.to_bytes()))
            mine, now = before.view(seat), after.view(seat)
            assert now.panels() == mine.panels() and [one.text for one in now.log] == [one.text for one in mine.log]
            assert journal.header.seed != before.table.seed


def test_hidden_cards_are_redrawn_for_a_branch() -> None:
    before = play_answers("kuhn-poker", 0)
    rules = load_rules("kuhn-poker")
    assert has_hidden_values(before)
    held = {str(rules.replay(build_branch(before, 0, Random(n))).view(1).words("hand", 1)) for n in range(12)}
    assert len(held) == 2  # the two cards that Ann does not hold


def test_finished_game_cannot_be_branched() -> None:
    game = play_answers("kuhn-poker", 0)
    while not game.over:
        game.answer(0)
    with pytest.raises(GameError) as caught:
        build_branch(game, 0)
    assert caught.value.reason == "the game is over, so there is nothing to continue"
    assert caught.value.remedy == "begin a new one under other rules"


def test_branch_is_refused_if_no_world_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(History, "resample_all", lambda *given: None)
    with pytest.raises(GameError) as caught:
        build_branch(play_answers("kuhn-poker", 0), 0)
    assert caught.value.reason == "too much is hidden from you for another game to continue from here"
    assert caught.value.remedy == "try it again when the cards are on the table"


def test_branch_of_a_campaign_game_has_carried_values_but_does_not_count(tmp_path: Path) -> None:
    rules = Campaign.read(tmp_path / "feud.jsonl").next(load_rules("kingsburg", ("long-reign",)))
    assert rules.chapter is not None
    lasting = {one.name for one in rules.program.variables if one.lasting}
    game = rules.new_game(["Ann", "Ben"], seed=3)
    game.answer(0)
    journal = build_branch(game, 0, Random(1))
    assert journal.header.chapter is None and journal.header.opening is not None and journal.header.opening.at == ""
    after = rules.replay(parse_journal(journal.to_bytes()))
    assert lasting and after.view(0).panels() == game.view(0).panels()
    assert len(journal.answers) == 1 and journal.header.seed != 3


def test_invalid_recorded_draws_are_refused() -> None:
    data = json.loads(json.dumps(build_branch(play_answers("pig", 4), 0).header.to_data()))
    assert parse_header(data, "journal").drawn
    for drawn in ([["roll"]], [["roll", 6]], "roll", [["roll", "6", "6"]]):
        with pytest.raises(JournalError, match="`drawn` is invalid"):
            parse_header(data | {"drawn": drawn}, "journal")
