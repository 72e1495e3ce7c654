"""Decisions a second of one game in the hands of a learning program, through each library that has one.

    python benchmarks/environments.py                          the base game and Kuhn poker
    python benchmarks/environments.py --rules pig --runs 20

Each decision is an observation with its mask, an answer drawn from what is offered, and a step; new games are in it.
What is measured takes turns, in short runs, and the best counts: the computer may be busy with other work. So it says
not only how many decisions there were in a second, but also how many in a second of one processor's work. In OpenSpiel
answers of chance count as well, since they take as much.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from functools import partial
from importlib.util import find_spec
from random import Random
from typing import Any

from gymnasium.vector import AutoresetMode
from machine import machine

from edict.game.table.rules import load_rules
from edict.runtime.simulation import native

RUN = 0.3  # seconds
LUCK = Random(1)
Run = Callable[[int], int]  # plays a whole game from a seed and returns its number of decisions


def drawn(mask: Any) -> int:
    """Any of the actions that are offered."""
    offered = mask.nonzero()[0]
    return int(offered[int(LUCK.random() * len(offered))])


def aec(env: Any, seed: int) -> int:
    env.reset(seed=seed)
    for decisions, _ in enumerate(env.agent_iter()):
        seen, _, over, cut, _ = env.last()
        if over or cut:
            return decisions
        env.step(drawn(seen["action_mask"]))
    return 0


def seat(env: Any, seed: int) -> int:
    seen, _ = env.reset(seed=seed)
    decisions, over = 0, False
    while not over:
        seen, _, over, _, _ = env.step(drawn(seen["action_mask"]))
        decisions += 1
    return decisions


def spiel(game: Any, looking: Any, seed: int) -> int:
    state, answers = game.new_initial_state(), 0
    while not state.is_terminal():
        player, actions = state.current_player(), state.legal_actions()
        if player >= 0:
            looking.set_from(state, player)
        state.apply_action(actions[int(LUCK.random() * len(actions))])
        answers += 1
    return answers


def vector(env: Any, seed: int) -> int:
    """Plays a hundred steps; a step that only begins a new game is no decision."""
    decisions, next_step = 0, env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    env.reset(seed=seed)
    for _ in range(100):
        _, _, over, cut, _ = env.step(env.sample())
        decisions += env.num_envs - int((over | cut).sum()) * next_step
    return decisions


def ways(rules: str, players: int) -> dict[str, Run]:
    """What there is to measure here: by name, how a game is played."""
    from edict import gym

    found: dict[str, Run] = {
        "PettingZoo, raw_env": partial(aec, gym.raw_env(rules, players=players)),
        "Gymnasium, SeatEnv against random": partial(seat, gym.SeatEnv(rules, bots=["random"] * (players - 1))),
        "Gymnasium, SeatEnv against greedy": partial(seat, gym.SeatEnv(rules, bots=["greedy"] * (players - 1))),
    }
    for mode in (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP):
        for observe, title in ((True, "observed"), (False, "not observed")):
            games = gym.VectorEnv(rules, players=players, num_envs=1024, autoreset=mode, observe=observe)
            found[f"VectorEnv, {mode.value}, {title}"] = partial(vector, games)
    if find_spec("pyspiel"):
        import pyspiel

        import edict.open_spiel  # noqa: F401 - registers the game

        game = pyspiel.load_game("edict", {"rules": rules, "players": players})
        found["OpenSpiel, answers"] = partial(spiel, game, game.make_py_observer())
    return found


def rate(run: Run, seed: int) -> tuple[float, float]:
    """Decisions a second, and decisions a second of one processor."""
    decisions, start, before = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() - start < RUN:
        decisions += run(seed + decisions)
    return decisions / (time.perf_counter() - start), decisions / (time.process_time() - before)


def measure(rules: str, players: int, runs: int) -> None:
    native.translate(load_rules(rules).program)
    print(f"{rules}, {players} players")
    found = ways(rules, players)
    for run in found.values():
        rate(run, 0)
    rates = [{name: rate(run, 1000 * number) for name, run in found.items()} for number in range(runs)]
    for name in found:
        best = [max(one[name][i] for one in rates) for i in (0, 1)]
        print(f"  {name:36} {best[0]:10,.0f} decisions/s {best[1]:10,.0f} in a second of one processor")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rules", help="one game by name or path")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--runs", type=int, default=8, help="of each, one of which counts")
    chosen = parser.parse_args()
    print(machine())
    for rules, players in [(chosen.rules, chosen.players)] if chosen.rules else [("kingsburg", 4), ("kuhn-poker", 2)]:
        measure(rules, players, chosen.runs)
    return 0


if __name__ == "__main__":
    sys.exit(main())
