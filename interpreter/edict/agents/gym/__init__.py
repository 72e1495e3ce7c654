"""Games for machine learning: PettingZoo, Gymnasium, and thousands of games at once over NumPy.

    from edict.agents import gym
    env = gym.env("kingsburg", players=4)                # PettingZoo AEC: whoever is asked acts
    env = gym.parallel_env("kingsburg", players=4)       # PettingZoo parallel: all act, those not asked wait
    env = gym.SeatEnv("kingsburg", bots=["greedy"] * 3)  # Gymnasium: one seat against bots
    games = gym.VectorEnv("kingsburg", players=4)        # Gymnasium: thousands of games side by side
    env = gymnasium.make("edict/KuhnPoker-v1")          # by ids that stay as they are, once `edict.gym` is imported

All of them are played in native code, by one implementation.

An observation is `{"observation": numbers, "action_mask": 0 or 1 for each action}`. Both follow from what the rules
declare, and have one shape for all states and any number of players. They contain nothing that a seat may not know.
An environment belongs to one thread at a time.
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

# Names by the module that defines them, imported when first used: who wants Gymnasium alone needs no PettingZoo.
_HOMES = {
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
    if name not in _HOMES:
        raise AttributeError(f"module `edict.gym` has no `{name}`")
    try:
        return getattr(import_module(_HOMES[name]), name)
    except ModuleNotFoundError as missing:
        if missing.name in ("numpy", "llvmlite"):
            raise ImportError(f"edict.gym.{name} needs native code: {install_command('fast')}") from missing
        if missing.name in ("pettingzoo", "gymnasium"):
            raise ImportError(f"edict.gym.{name} needs PettingZoo and Gymnasium: {install_command('gym')}") from missing
        raise


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


if find_spec("gymnasium") is not None and native.is_available():
    from edict.agents.gym.registered import register

    register()
