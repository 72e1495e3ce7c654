"""Proximal policy optimization in one file, as CleanRL writes it, over many games side by side. Needs PyTorch.

    pip install 'kingsburg[gym]' torch
    python examples/learners/ppo.py                                                  Kuhn poker, against random
    python examples/learners/ppo.py --id edict/Kingsburg-v1 --players 2 --answers 2000000

Nothing here knows a game: what is seen, which actions there are and which of them are legal comes from the environment.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

import edict.gym  # noqa: F401 - has Gymnasium know the ids

STEPS = 32  # answers of each game between two lessons
BATCHES, ROUNDS = 4, 4  # parts of a lesson, and how often it is read
DISCOUNT, TRACE, CLIP, ENTROPY, VALUE, LONGEST = 1.0, 0.95, 0.2, 0.01, 0.5, 0.5


class Player(nn.Module):
    """A policy and a value over what is seen."""

    def __init__(self, seen: int, actions: int, units: int = 128) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(seen, units), nn.ReLU(), nn.Linear(units, units), nn.ReLU())
        self.policy, self.value = nn.Linear(units, actions), nn.Linear(units, 1)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        """The chances of all actions, none for those that are illegal, and what the game is worth."""
        body = self.body(torch.log1p(seen.abs()) * seen.sign())  # numbers may be large
        logits = self.policy(body).masked_fill(~mask, -1e9)
        return torch.distributions.Categorical(logits=logits), self.value(body).squeeze(-1)


class Rollout:
    """What happened in so many answers of each game: tensors of shape (steps, games)."""

    def __init__(self, steps: int, games: int, seen: int, actions: int) -> None:
        self.seen, self.mask = torch.zeros(steps, games, seen), torch.zeros(steps, games, actions, dtype=torch.bool)
        self.action = torch.zeros(steps, games, dtype=torch.long)
        self.chance, self.value, self.reward, self.over = (torch.zeros(steps, games) for _ in range(4))

    def advantages(self, last: torch.Tensor) -> torch.Tensor:
        """How much better each answer was than expected; `last`: what the games are worth now."""
        found, trace = torch.zeros_like(self.reward), torch.zeros_like(last)
        for step in reversed(range(len(found))):
            goes_on = 1 - self.over[step]
            error = self.reward[step] + DISCOUNT * last * goes_on - self.value[step]
            trace = error + DISCOUNT * TRACE * goes_on * trace
            found[step], last = trace, self.value[step]
        return found


def as_tensors(seen: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.as_tensor(seen["observation"], dtype=torch.float32), torch.as_tensor(seen["action_mask"]).bool()


def learn(envs: Any, answers: int, seed: int, rate: float = 1e-3) -> list[float]:
    """Play and learn; gives the rewards of all games in the order in which they ended."""
    torch.manual_seed(seed)
    torch.set_num_threads(1)  # the networks are small
    games, spaces = envs.num_envs, envs.single_observation_space
    player = Player(spaces["observation"].shape[0], int(envs.single_action_space.n))
    optimizer = torch.optim.Adam(player.parameters(), lr=rate, eps=1e-5)
    rollout = Rollout(STEPS, games, spaces["observation"].shape[0], int(envs.single_action_space.n))
    now, paid = as_tensors(envs.reset(seed=seed)[0]), list[float]()
    for _ in range(max(1, answers // (STEPS * games))):
        for step in range(STEPS):
            with torch.no_grad():
                chances, value = player(*now)
            action = chances.sample()
            rollout.seen[step], rollout.mask[step] = now
            rollout.action[step], rollout.value[step], rollout.chance[step] = action, value, chances.log_prob(action)
            seen, reward, over, cut, _ = envs.step(action.numpy())
            rollout.reward[step] = torch.as_tensor(reward, dtype=torch.float32)
            rollout.over[step] = torch.as_tensor(over | cut, dtype=torch.float32)
            now = as_tensors(seen)
            paid += reward[over].tolist()
        with torch.no_grad():
            better = rollout.advantages(player(*now)[1])
        lesson(player, optimizer, rollout, better)
    return paid


def lesson(player: Player, optimizer: torch.optim.Optimizer, rollout: Rollout, better: torch.Tensor) -> None:
    """Learn from a rollout."""
    flat = [part.flatten(0, 1) for part in (rollout.seen, rollout.mask, rollout.action, rollout.chance, better)]
    worth = (better + rollout.value).flatten()
    for _ in range(ROUNDS):
        for rows in torch.randperm(len(worth)).chunk(BATCHES):
            seen, mask, action, chance, gain = (part[rows] for part in flat)
            chances, value = player(seen, mask)
            ratio = (chances.log_prob(action) - chance).exp()
            gain = (gain - gain.mean()) / (gain.std() + 1e-8)
            policy = -torch.min(gain * ratio, gain * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            loss = policy + VALUE * (value - worth[rows]).square().mean() - ENTROPY * chances.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(player.parameters(), LONGEST)
            optimizer.step()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--id", default="edict/KuhnPoker-v1", help="an environment by its id")
    parser.add_argument("--bots", default="random", help="who sits in the other seats")
    parser.add_argument("--players", type=int)
    parser.add_argument("--games", type=int, default=64, help="side by side")
    parser.add_argument("--answers", type=int, default=60_000, help="of the learner, in all games")
    parser.add_argument("--reward", default="score", choices=["score", "victory"])
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    envs = gymnasium.make_vec(
        given.id, num_envs=given.games, bots=given.bots, players=given.players, reward=given.reward
    )
    paid = learn(envs, given.answers, given.seed)
    part = max(1, len(paid) // 10)
    print(f"{len(paid)} games: {np.mean(paid[:part]):+.2f} a game at first, {np.mean(paid[-part:]):+.2f} in the end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
