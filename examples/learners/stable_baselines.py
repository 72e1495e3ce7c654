"""`MaskablePPO` of sb3-contrib, as it comes, over one seat against bots. Needs PyTorch.

pip install 'kingsburg[gym]' sb3-contrib
python examples/learners/stable_baselines.py
python examples/learners/stable_baselines.py --id edict/Kingsburg-v1 --bots greedy --answers 500000
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import gymnasium
import numpy as np
import torch
from sb3_contrib import MaskablePPO

import edict.gym  # noqa: F401 - has Gymnasium know the ids


def mean(env: Any, model: MaskablePPO | None, games: int, seed: int) -> float:
    """What the learner gets in a game, as it is taught (None: any legal action), on average."""
    luck, total = np.random.default_rng(seed), 0.0
    for game in range(games):
        seen, _ = env.reset(seed=seed + game)
        over = False
        while not over:
            mask = env.unwrapped.action_masks()
            action = model.predict(seen, action_masks=mask)[0] if model else luck.choice(np.flatnonzero(mask))
            seen, reward, over, _, _ = env.step(action)
        total += reward
    return total / games


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--id", default="edict/KuhnPoker-v1", help="an environment by its id")
    parser.add_argument("--bots", default="random", help="who sits in the other seats")
    parser.add_argument("--answers", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    torch.set_num_threads(1)  # the network is small
    env = gymnasium.make(given.id, bots=given.bots, reward="score")
    model = MaskablePPO("MultiInputPolicy", env, n_steps=512, learning_rate=1e-3, ent_coef=0.01, seed=given.seed)
    before = mean(env, None, 500, 10_000)
    model.learn(given.answers)
    print(f"{before:+.2f} a game by lot, {mean(env, model, 500, 10_000):+.2f} after {given.answers} answers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
