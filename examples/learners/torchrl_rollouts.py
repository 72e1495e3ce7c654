"""REINFORCE over rollouts of TorchRL, which takes an environment by its id as it is. Needs PyTorch.

pip install 'kingsburg[gym]' torchrl
python examples/learners/torchrl_rollouts.py
"""

from __future__ import annotations

import argparse
import sys

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import GymEnv, TransformedEnv
from torchrl.envs.transforms import ActionMask, Compose, DTypeCastTransform
from torchrl.modules import MaskedCategorical, ProbabilisticActor

import edict.gym  # noqa: F401 - has Gymnasium know the ids


def environment(name: str, seed: int) -> TransformedEnv:
    """The environment, of which TorchRL draws legal actions only."""
    base = GymEnv(name, categorical_action_encoding=True, reward="score")
    base.set_seed(seed)
    legal = DTypeCastTransform(torch.int8, torch.bool, in_keys=["action_mask"])
    return TransformedEnv(base, Compose(legal, ActionMask(action_key="action", mask_key="action_mask")))


def player(env: TransformedEnv) -> ProbabilisticActor:
    """A policy over what is seen."""
    seen, actions = env.observation_spec["observation"].shape[-1], env.action_spec.n
    body = nn.Sequential(nn.Linear(seen, 64), nn.ReLU(), nn.Linear(64, actions))
    module = TensorDictModule(body, in_keys=["observation"], out_keys=["logits"])
    return ProbabilisticActor(
        module,
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        return_log_prob=True,
        log_prob_key="chance",
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--id", default="edict/KuhnPoker-v1", help="an environment by its id")
    parser.add_argument("--lessons", type=int, default=120)
    parser.add_argument("--games", type=int, default=64, help="for a lesson")
    given = parser.parse_args()
    torch.manual_seed(1)
    torch.set_num_threads(1)  # the network is small
    env = environment(given.id, seed=1)
    policy = player(env)
    optimizer, paid = torch.optim.Adam(policy.parameters(), lr=0.03), list[float]()
    for _ in range(given.lessons):
        with torch.no_grad():
            games = [env.rollout(10_000, policy) for _ in range(given.games)]
        rewards = torch.stack([game["next", "reward"].sum() for game in games])
        better = (rewards - rewards.mean()) / (rewards.std() + 1e-8)
        chances = torch.stack([policy.log_prob(game).sum() for game in games])
        loss = -(better * chances).mean()
        paid += rewards.tolist()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    part = len(paid) // 10
    first, last = sum(paid[:part]) / part, sum(paid[-part:]) / part
    print(f"{len(paid)} games: {first:+.2f} a game at first, {last:+.2f} in the end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
