"""Environments for machine learning: PettingZoo, Gymnasium, and thousands of games in parallel over NumPy.

    from edict.agents import gym
    env = gym.env("kingsburg", players=4)                # PettingZoo AEC: the agent that is asked acts
    env = gym.parallel_env("kingsburg", players=4)       # PettingZoo parallel: all act, those not asked wait
    env = gym.SeatEnv("kingsburg", bots=["greedy"] * 3)  # Gymnasium: one seat against bots
    games = gym.VectorEnv("kingsburg", players=4)        # Gymnasium: thousands of games in parallel
    env = gymnasium.make("edict/KuhnPoker-v1")          # by frozen ids, once `edict.gym` is imported

One implementation in native code plays them all.

An observation is `{"observation": numbers, "action_mask": 0 or 1 for each action}`. Both are derived from the rules'
declarations and have the same shape for all states and any number of players. They contain nothing that a seat may
not know. An environment must not be shared between threads.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from edict.runtime.simulation import native
from edict.support.resources import install_command

if TYPE_CHECKING:
    from edict.agents.gym.aec import RawEnv, env, raw_env
    from edict.agents.gym.parallel import CycleEnv, parallel_env
    from edict.agents.gym.seat import SeatEnv
    from edict.agents.gym.vector import VectorEnv

# Modules are imported on first use, so that Gymnasium alone does not require PettingZoo.
_MODULES_BY_NAME = {
    "CycleEnv": "edict.agents.gym.parallel",
    "RawEnv": "edict.agents.gym.aec",
    "SeatEnv": "edict.agents.gym.seat",
    "VectorEnv": "edict.agents.gym.vector",
    "env": "edict.agents.gym.aec",
    "parallel_env": "edict.agents.gym.parallel",
    "raw_env": "edict.agents.gym.aec",
}

__all__ = ["CycleEnv", "RawEnv", "SeatEnv", "VectorEnv", "env", "parallel_env", "raw_env"]


def __getattr__(name: str) -> Any:
    if name not in _MODULES_BY_NAME:
        raise AttributeError(f"module `edict.gym` has no `{name}`")
    try:
        return getattr(import_module(_MODULES_BY_NAME[name]), name)
    except ModuleNotFoundError as error:
        if error.name in ("numpy", "llvmlite"):
            raise ImportError(f"edict.gym.{name} needs native code: {install_command('fast')}") from error
        if error.name in ("pettingzoo", "gymnasium"):
            raise ImportError(f"edict.gym.{name} needs PettingZoo and Gymnasium: {install_command('gym')}") from error
        raise


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES_BY_NAME})


if find_spec("gymnasium") is not None and native.is_available():
    from edict.agents.gym.registration import register

    register()
