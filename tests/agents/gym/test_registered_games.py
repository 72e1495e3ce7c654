"""Ids under which Gymnasium makes the games that ship: each stands for rules that play as they did."""

from __future__ import annotations

import importlib
import sys
from typing import Any

import pytest

import edict
from edict.game.table.game_errors import GameError
from edict.runtime.simulation import native

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is an extra (gym), and not installed here")
if not native.is_available():
    pytest.skip("llvmlite is an extra (gym), and not installed here", allow_module_level=True)

from edict.agents.gym import registered  # noqa: E402

AGAIN = "give it the next id: tests/kit/frozen_environments.py (`--again` before the first release that has it)"


def test_ids_play_as_when_they_were_given() -> None:
    """The newest of each game; those before it stand for rules that are there no more."""
    ids = registered.frozen()
    newest: dict[str, str] = {}
    for name in sorted(ids, key=lambda name: int(name.rpartition("-v")[2])):
        newest[ids[name]["rules"]] = name
    assert newest and all(map(registered.rules_of, newest.values())), AGAIN


def test_every_game_that_ships_has_an_id() -> None:
    from frozen_environments import games

    assert {what["rules"] for what in registered.frozen().values()} == set(games())


def test_gymnasium_makes_one_game_and_many() -> None:
    env = gymnasium.make("edict/KuhnPoker-v1", bots=["random"])
    seen, _ = env.reset(seed=1)
    assert env.spec is not None and env.spec.id == "edict/KuhnPoker-v1" and seen in env.observation_space
    envs: Any = gymnasium.make_vec("edict/Kingsburg-v1", num_envs=3, players=4)
    envs.reset(seed=1)
    assert (envs.num_envs, envs.unwrapped.players) == (3, 4)
    assert (envs.step(envs.unwrapped.sample())[4]["seat"] == 0).all(), "the others are bots"


def test_rules_that_play_otherwise_are_refused_under_an_id(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {"edict/Pig-v1": {"rules": "pig", "version": "0.9.0", "plays": "otherwise"}}
    monkeypatch.setattr(registered, "frozen", lambda: changed)
    registered.rules_of.cache_clear()
    with pytest.raises(GameError, match=r"`edict/Pig-v1` stands for version 0\.9\.0, and version .* plays otherwise"):
        gymnasium.make("edict/Pig-v1")
    registered.rules_of.cache_clear()


GYM = ("edict.gym", "edict.agents.gym")


@pytest.mark.parametrize(
    ("missing", "name", "said"),
    [
        ("gymnasium", "SeatEnv", "gym.SeatEnv needs PettingZoo and Gymnasium: "),
        ("pettingzoo", "env", "gym.env needs PettingZoo and Gymnasium: "),
        ("numpy", "VectorEnv", "gym.VectorEnv needs native code: "),
    ],
)
def test_what_is_missing_is_told_once_it_is_needed(
    missing: str, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And nothing is registered with a library that is not there, or without native code."""
    monkeypatch.setattr(edict, "gym", edict.gym)
    loaded = [*sys.modules] if missing != "numpy" else [one for one in sys.modules if one.startswith(GYM)]
    for one in loaded:
        if one.startswith(GYM) or one.partition(".")[0] == missing:
            monkeypatch.delitem(sys.modules, one)
    monkeypatch.setattr(native, "is_available", lambda: missing != "numpy")
    monkeypatch.setitem(sys.modules, missing, None)
    gym = importlib.import_module("edict.gym")
    with pytest.raises(ImportError, match=said):
        getattr(gym, name)
