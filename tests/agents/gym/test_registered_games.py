"""Gymnasium ids of shipped games: each stands for rules that play as when it was registered."""

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

import edict.gym  # noqa: E402
from edict.agents.gym import registration  # noqa: E402

AGAIN = "give it the next id: tests/kit/frozen_environments.py (`--again` before the first release that has it)"


def test_newest_ids_stand_for_unchanged_rules() -> None:
    """The newest of each game; those before it stand for rules that are there no more."""
    ids = registration.load_frozen_games()
    newest: dict[str, str] = {}
    for name in sorted(ids, key=lambda name: int(name.rpartition("-v")[2])):
        newest[ids[name]["rules"]] = name
    assert newest and all(map(registration.load_frozen_rules, newest.values())), AGAIN


def test_every_shipped_game_has_an_id() -> None:
    from frozen_environments import list_games

    assert {what["rules"] for what in registration.load_frozen_games().values()} == set(list_games())


def test_gymnasium_makes_single_and_vector_environments() -> None:
    env = gymnasium.make("edict/KuhnPoker-v1", bots=["random"])
    seen, _ = env.reset(seed=1)
    assert env.spec is not None and env.spec.id == "edict/KuhnPoker-v1" and seen in env.observation_space
    envs: Any = gymnasium.make_vec("edict/Kingsburg-v1", num_envs=3, players=4)
    envs.reset(seed=1)
    assert (envs.num_envs, envs.unwrapped.players) == (3, 4)
    assert (envs.step(envs.unwrapped.sample())[4]["seat"] == 0).all(), "the others are bots"


def test_id_refuses_rules_that_play_differently(monkeypatch: pytest.MonkeyPatch) -> None:
    changed = {"edict/Pig-v1": {"rules": "pig", "version": "0.9.0", "plays": "otherwise"}}
    monkeypatch.setattr(registration, "load_frozen_games", lambda: changed)
    registration.load_frozen_rules.cache_clear()
    with pytest.raises(GameError, match=r"`edict/Pig-v1` stands for version 0\.9\.0, and version .* plays otherwise"):
        gymnasium.make("edict/Pig-v1")
    registration.load_frozen_rules.cache_clear()


GYM = ("edict.gym", "edict.agents.gym")


@pytest.mark.parametrize(
    ("missing", "name", "said"),
    [
        ("gymnasium", "SeatEnv", "gym.SeatEnv needs PettingZoo and Gymnasium: "),
        ("pettingzoo", "env", "gym.env needs PettingZoo and Gymnasium: "),
        ("numpy", "VectorEnv", "gym.VectorEnv needs native code: "),
    ],
)
def test_missing_library_is_reported_on_first_use(
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
