"""Proximal policy optimization in one file, as CleanRL writes it, over many games side by side. Needs PyTorch.

    pip install 'kingsburg[gym]' torch
    python examples/learners/ppo.py                                         Kuhn poker, against random, a minute
    python examples/learners/ppo.py --id edict/Kingsburg-v1 --players 2 --bots greedy --minutes 60 --curve curve.csv

Nothing here knows a game: what is seen, which actions there are and which of them are legal comes from the environment.
With `--curve`, the player is measured against bots at equal distances of processor time.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import torch
from torch import nn

import edict.gym  # noqa: F401 - registers the ids with Gymnasium

STEPS = 32  # answers of each game in a rollout
MINIBATCHES, EPOCHS = 4, 4
DISCOUNT, TRACE, CLIP, ENTROPY, VALUE_WEIGHT, MAX_GRADIENT = 1.0, 0.95, 0.2, 0.01, 0.5, 0.5
MEASURED_GAMES = 400  # for each point of a curve and each kind of opponent
POINTS = 20  # of a curve


class Player(nn.Module):
    """A policy and a value over observations."""

    def __init__(self, observed: int, actions: int, units: int) -> None:
        super().__init__()
        self.body = nn.Sequential(nn.Linear(observed, units), nn.ReLU(), nn.Linear(units, units), nn.ReLU())
        self.policy, self.value = nn.Linear(units, actions), nn.Linear(units, 1)

    def forward(self, seen: torch.Tensor, mask: torch.Tensor) -> tuple[torch.distributions.Categorical, torch.Tensor]:
        """Return the distribution over legal actions, and the value of each game."""
        body = self.body(torch.log1p(seen.abs()) * seen.sign())  # numbers may be large
        logits = self.policy(body).masked_fill(~mask, -1e9)
        return torch.distributions.Categorical(logits=logits), self.value(body).squeeze(-1)


class Rollout:
    """What happened in some answers of each game: tensors of shape (steps, games)."""

    def __init__(self, games: int, observed: int, actions: int) -> None:
        self.seen = torch.zeros(STEPS, games, observed)
        self.mask = torch.zeros(STEPS, games, actions, dtype=torch.bool)
        self.action = torch.zeros(STEPS, games, dtype=torch.long)
        self.log_prob, self.value, self.reward, self.over = (torch.zeros(STEPS, games) for _ in range(4))

    def compute_advantages(self, next_value: torch.Tensor) -> torch.Tensor:
        """Return how much better each answer was than expected, given the value of each game after the last one."""
        advantages, trace = torch.zeros_like(self.reward), torch.zeros_like(next_value)
        for step in reversed(range(STEPS)):
            goes_on = 1 - self.over[step]
            error = self.reward[step] + DISCOUNT * next_value * goes_on - self.value[step]
            trace = error + DISCOUNT * TRACE * goes_on * trace
            advantages[step], next_value = trace, self.value[step]
        return advantages


def create_player(envs: Any, units: int) -> Player:
    """Return an untrained player for these games."""
    return Player(envs.single_observation_space["observation"].shape[0], int(envs.single_action_space.n), units)


def as_tensors(seen: dict[str, Any]) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.as_tensor(seen["observation"], dtype=torch.float32), torch.as_tensor(seen["action_mask"]).bool()


def train(player: Player, envs: Any, seed: int, rate: float) -> Iterator[list[float]]:
    """Play and learn without end; after each rollout, yield the rewards of the games that ended in it."""
    optimizer = torch.optim.Adam(player.parameters(), lr=rate, eps=1e-5)
    rollout = Rollout(envs.num_envs, envs.single_observation_space["observation"].shape[0], envs.single_action_space.n)
    now = as_tensors(envs.reset(seed=seed)[0])
    while True:
        rewards: list[float] = []
        for step in range(STEPS):
            with torch.no_grad():
                policy, value = player(*now)
            action = policy.sample()
            rollout.seen[step], rollout.mask[step] = now
            rollout.action[step], rollout.value[step], rollout.log_prob[step] = action, value, policy.log_prob(action)
            seen, reward, over, cut, _ = envs.step(action.numpy())
            rollout.reward[step] = torch.as_tensor(reward, dtype=torch.float32)
            rollout.over[step] = torch.as_tensor(over | cut, dtype=torch.float32)
            now = as_tensors(seen)
            rewards += reward[over].tolist()
        with torch.no_grad():
            advantages = rollout.compute_advantages(player(*now)[1])
        learn(player, optimizer, rollout, advantages)
        yield rewards


def learn(player: Player, optimizer: torch.optim.Optimizer, rollout: Rollout, advantages: torch.Tensor) -> None:
    """Update the player by a rollout."""
    parts = (rollout.seen, rollout.mask, rollout.action, rollout.log_prob, advantages)
    flat = [part.flatten(0, 1) for part in parts]
    returns = (advantages + rollout.value).flatten()
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(returns)).chunk(MINIBATCHES):
            seen, mask, action, old_log_prob, advantage = (part[rows] for part in flat)
            policy, value = player(seen, mask)
            ratio = (policy.log_prob(action) - old_log_prob).exp()
            advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
            policy_loss = -torch.min(advantage * ratio, advantage * ratio.clamp(1 - CLIP, 1 + CLIP)).mean()
            value_loss = (value - returns[rows]).square().mean()
            loss = policy_loss + VALUE_WEIGHT * value_loss - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(player.parameters(), MAX_GRADIENT)
            optimizer.step()


def measure_win_share(player: Player, env_id: str, bots: str, players: int | None, seed: int) -> float:
    """Return the share of games won against bots in all other seats, in games that no training has seen."""
    envs = gymnasium.make_vec(
        env_id, num_envs=MEASURED_GAMES, bots=bots, players=players, reward="victory", autoreset="Disabled"
    )
    seen, infos = envs.reset(seed=seed)
    wins = np.zeros(MEASURED_GAMES)
    finished = np.zeros(MEASURED_GAMES, dtype=bool)
    seats = infos["rewards"].shape[1]
    while not finished.all():
        with torch.no_grad():
            action = player(*as_tensors(seen))[0].probs.argmax(-1)
        seen, reward, over, cut, _ = envs.step(action.numpy())
        ended = (over | cut) & ~finished
        wins[ended] = (reward[ended] * (seats - 1) + 1) / seats  # a victory pays 1, a defeat -1 / (seats - 1)
        finished |= ended
    return float(wins.mean())


class Curve:
    """How a player does against bots, measured at equal distances of training and written to a CSV."""

    def __init__(self, path: Path, player: Player, env_id: str, players: int | None) -> None:
        self._path, self._player, self._env_id, self._players = path, player, env_id, players
        self._points: list[dict[str, float]] = []
        self.seconds = 0.0  # of processor time spent on measuring

    def add_if_due(self, progress: float, **fields: float) -> None:
        """Measure and write a point if the progress of training, from 0 to 1, has reached the next one."""
        if progress * POINTS < len(self._points) + 1:
            return
        start = time.process_time()
        for bot in ("random", "greedy"):
            fields[bot] = measure_win_share(self._player, self._env_id, bot, self._players, seed=len(self._points))
        self._points.append(fields)
        print(fields, flush=True)
        with self._path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, list(fields))
            writer.writeheader()
            writer.writerows(self._points)
        self.seconds += time.process_time() - start


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--id", default="edict/KuhnPoker-v1", help="an environment by its id")
    parser.add_argument("--bots", default="random", help="who sits in the other seats")
    parser.add_argument("--players", type=int)
    parser.add_argument("--games", type=int, default=64, help="side by side")
    parser.add_argument("--answers", type=int, default=60_000, help="of the player, in all games")
    parser.add_argument("--minutes", type=float, help="of processor time to learn for, in place of --answers")
    parser.add_argument("--reward", default="score", choices=["score", "victory"])
    parser.add_argument("--units", type=int, default=128)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--curve", type=Path, help="write the shares of wins against random and greedy to this CSV")
    chosen = parser.parse_args()

    torch.manual_seed(chosen.seed)
    torch.set_num_threads(1)  # the networks are small
    envs = gymnasium.make_vec(
        chosen.id, num_envs=chosen.games, bots=chosen.bots, players=chosen.players, reward=chosen.reward
    )
    player = create_player(envs, chosen.units)
    curve = Curve(chosen.curve, player, chosen.id, chosen.players) if chosen.curve else None
    rewards: list[float] = []
    start, answers = time.process_time(), 0
    for new_rewards in train(player, envs, chosen.seed, chosen.rate):
        rewards += new_rewards
        answers += STEPS * chosen.games
        seconds = time.process_time() - start - (curve.seconds if curve else 0)
        progress = seconds / 60 / chosen.minutes if chosen.minutes else answers / chosen.answers
        if curve:
            curve.add_if_due(progress, minutes=round(seconds / 60, 2), answers=answers, games=len(rewards))
        if progress >= 1:
            break
    part = max(1, len(rewards) // 10)
    first, last = np.mean(rewards[:part]), np.mean(rewards[-part:])
    print(f"{len(rewards)} games: {first:+.2f} a game at first, {last:+.2f} in the end")
    return 0


if __name__ == "__main__":
    sys.exit(main())
