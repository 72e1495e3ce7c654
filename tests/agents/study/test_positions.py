"""Positions for imitation learning: what each action's seat saw, could do and did, and what it gained."""

from __future__ import annotations

import json
from typing import Any

import pytest

import edict
from edict.agents.study import table_files
from edict.game.table.game_errors import GameError
from edict.runtime.simulation import native

pytestmark = [
    pytest.mark.skipif(not table_files.is_available(), reason="pyarrow is an extra, and not installed here"),
    pytest.mark.skipif(not native.is_available(), reason="llvmlite is an extra, and not installed here"),
]


def test_positions_of_one_action_each_are_the_decisions() -> None:
    arguments: dict[str, Any] = {"games": 20, "bots": ["greedy", "random"], "seed": 5}
    table = edict.positions("kuhn-poker", **arguments)
    names = {key.decode(): json.loads(value) for key, value in table.schema.metadata.items()}
    for row, decision in zip(table.to_pylist(), edict.decisions("kuhn-poker", **arguments).to_pylist(), strict=True):
        assert all(row[column] == decision[column] for column in ("game", "number", "seat", "bot"))
        assert names["actions"][row["action"]] == f"answer: {decision['answer']}"
        assert [names["actions"][action] for action in row["legal"]] == [
            f"answer: {key}" for key in decision["options"]
        ]
        assert row["outcome"] in (1, -1) and len(row["observation"]) == len(names["numbers"])


def test_answer_of_several_actions_is_several_positions() -> None:
    arguments: dict[str, Any] = {"games": 4, "bots": "random", "players": 3, "seed": 5}
    rows = edict.positions("kingsburg", **arguments).to_pylist()
    assert len(rows) > edict.decisions("kingsburg", **arguments).num_rows
    assert all(row["action"] in row["legal"] for row in rows)
    assert sum({(row["game"], row["seat"]): row["outcome"] for row in rows}.values()) == pytest.approx(0)


def test_hidden_cards_are_not_observed() -> None:
    table = edict.positions("kuhn-poker", games=20, bots="random", seed=1)
    names = json.loads(table.schema.metadata[b"numbers"])
    cards = [number for number, name in enumerate(names) if name.startswith("hand: ") and "seat +1" in name]
    assert cards and not any(row[card] for row in table["observation"].to_pylist() for card in cards)


def test_observation_in_python_equals_the_native_one(monkeypatch: pytest.MonkeyPatch) -> None:
    natively = edict.positions("foxes-at-court", games=2, bots="random", seed=3)
    monkeypatch.setattr(native, "is_available", lambda: False)
    assert edict.positions("foxes-at-court", games=2, bots="random", seed=3).equals(natively)


def test_outcomes_are_scores_if_asked_for() -> None:
    games = edict.play("pig", games=3, bots="random", players=2, seed=4).to_pylist()
    for row in edict.positions("pig", games=3, bots="random", players=2, seed=4, reward="score").to_pylist():
        game, seat = games[row["game"]], row["seat"]
        assert row["outcome"] == (game[f"score_{seat}"] - game[f"score_{1 - seat}"]) / 2


def test_unknown_reward_is_refused_before_games_are_played() -> None:
    with pytest.raises(GameError, match="invalid reward 'fame'"):
        edict.positions("pig", reward="fame")  # type: ignore[arg-type]
