"""View data: it matches its schema in every game, and shows the actual state."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from calling import run_kingsburg
from edict.compiler.sources.file_schemas import load_schema
from edict.game.explanations.view_data import to_json_data
from edict.game.explanations.view_model import build_view_data
from edict.game.table.addresses import bits_of
from edict.game.table.game import Game
from secrecy import ALL, NAMES, load_rules

GAMES = [
    ("kingsburg",),
    ALL,
    ("kingsburg", "goblin-valley"),
    ("kingsburg", "long-winter"),
    ("kingsburg", "summer-tournament"),
    ("kingsburg", "settlements-and-deals"),
    ("kingsburg", "first-edition"),
    ("kingsburg", "steady-king"),
    ("kuhn-poker",),
    ("pig",),
]
LOOKS = 2  # of each game
LINES = 40  # of the log, at each look


@cache
def validator() -> Any:
    return Draft202012Validator(load_schema("view"))


def view_as_json(game: Game, seat: int | None, first: int = 0) -> dict[str, Any]:
    """Return the view data after a round trip through JSON."""
    found: dict[str, Any] = json.loads(json.dumps(to_json_data(build_view_data(game, seat, first))))
    return found


@pytest.mark.parametrize("names", GAMES, ids="-".join)
@pytest.mark.sample(4)
def test_view_data_of_whole_games_matches_the_schema(names: tuple[str, ...]) -> None:
    laid, luck = load_rules(*names), Random(3)
    game = laid.new_game(NAMES[: min(3, laid.program.most_players)], 3)
    kinds, answers = set(), 0
    while not game.over:
        if answers % (200 // LOOKS) == 0:
            kinds |= check_views(game)
        game.answer(luck.randrange(game.count))
        answers += 1
    kinds |= check_views(game)
    assert kinds >= {"choice"}


def check_views(game: Game) -> set[str]:
    """Check the views of one seat and of the public against the schema and for causes.

    Return the kinds of log lines.
    """
    found: set[str] = set()
    for seat in (None, max(game.seat, 0)):
        data = view_as_json(game, seat, max(0, len(game.log) - LINES))
        assert not list(validator().iter_errors(data))
        for line in data["log"]:
            assert line["cause"]["rule"] and line["cause"]["file"] and line["cause"]["line"] > 0, line
            found.add(line["kind"])
        for score in data["scores"]:
            assert score["score"] == sum(source["amount"] for source in score["sources"])
            assert all(source["cause"]["rule"] for source in score["sources"])
        assert [score["score"] for score in data["scores"]] == list(game.scores().values())
        assert data["waiting_for"] == ("" if game.over else game.ask.player)
        assert (data["question"] is None) is (seat is None or game.over)
    return found


def play_answers(names: tuple[str, ...], answers: int) -> Game:
    game, luck = load_rules(*names).new_game(NAMES[:3], 7), Random(7)
    for _ in range(answers):
        game.answer(luck.randrange(game.count))
    return game


def test_values_are_names() -> None:
    game = play_answers(("kingsburg",), 70)
    data, view = view_as_json(game, 0), game.view(0)
    buildings = game.program.kind_by_name["building"].things
    owned = [buildings[i].name for i in bits_of(view.value("owned", 0) or 0)]
    assert data["values"]["owned"]["Ann"] == owned != []
    assert sorted(data["values"]["turn-order"]) == ["Ann", "Ben", "Cindy"]
    hand = [die["face"] for die in data["values"]["hand"]["Ben"]]
    assert " ".join(map(str, hand)) == (view.words("hand", 1) if hand else "")
    assert data["values"]["gold"]["Cindy"] == view.value("gold", 2)
    assert data["game"]["settings"]["years"] == 5 and data["game"]["modules"] == []


def test_hidden_values_are_marked_and_empty_ones_are_null() -> None:
    game = load_rules("kuhn-poker").new_game(["Ann", "Ben"], 1)
    mine, open_ = view_as_json(game, 0), view_as_json(game, None)
    cards = next(name for name, value in open_["values"].items() if value == dict.fromkeys(("Ann", "Ben"), HIDDEN))
    assert mine["values"][cards]["Ben"] == HIDDEN and isinstance(mine["values"][cards]["Ann"], str)


HIDDEN = {"hidden": True}


def test_question_has_previews_and_keys(subtests: pytest.Subtests) -> None:
    """The changes that an option previews are those that the log then has for that player."""
    game = next(game for n in range(120) if (game := play_answers(("kingsburg",), n)).ask.question == "choose-what")
    player, options = game.ask.player, view_as_json(game, game.seat)["question"]["options"]
    assert [option["key"] for option in options] == list(game.ask.keys)
    taken, lines = options[0], len(game.log)
    game.answer(taken["key"])
    told = [entry.text for entry in game.log[lines:]]
    changes = [change for change in taken["prospect"]["changes"] if change["sort"] == "resource"]
    assert any(change["loss"] for change in changes)
    for change in changes:
        with subtests.test(change=change):
            verb = "spends" if change["amount"] < 0 else "gains"
            assert f"{player} {verb} {change['text'].lstrip('+-')}" in told


def test_command_prints_view_data(tmp_path: Path) -> None:
    game, file = play_answers(("kingsburg",), 0), tmp_path / "game.jsonl"
    kept = load_rules("kingsburg").new_game(NAMES[:3], 7, journal=file)
    kept.close()
    whole = run_kingsburg(tmp_path, "games", "view", str(file), "--seat", "ben")
    assert whole.returncode == 0 and json.loads(whole.stdout) == view_as_json(game, 1)
    assert json.loads(run_kingsburg(tmp_path, "games", "view", str(file)).stdout)["seat"] is None
    wrong = run_kingsburg(tmp_path, "games", "view", str(file), "--seat", "Zoe")
    assert wrong.returncode == 2 and "no player of this game is named `Zoe`" in wrong.stderr
    assert "`Ann`, `Ben` and `Cindy`" in wrong.stderr
    missing = run_kingsburg(tmp_path, "games", "view", "none.jsonl")
    assert missing.returncode == 2 and "none.jsonl" in missing.stderr
