"""The public import path of `edict.agents.gym`, with games as PettingZoo and Gymnasium environments."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from edict.agents import gym

if TYPE_CHECKING:
    from edict.agents.gym import *  # noqa: F403

sys.modules[__name__] = gym
