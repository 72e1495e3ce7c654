"""Registration of the shipped games with Gymnasium, by ids such as `edict/Pig-v1`.

An id is frozen: its game keeps the play, the observations and the actions it had when the id was given. A fingerprint
of some random games, stored beside the id in `rules/environments.json`, ensures this; rules that play differently are
refused under that id. `tests/kit/frozen_environments.py` creates ids.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from typing import Any

import gymnasium

from edict.agents.gym.seat import SeatEnv
from edict.agents.gym.vector import VectorEnv
from edict.game.table.game_errors import GameError
from edict.game.table.rules import Rules, load_rules
from edict.support.resources import get_shipped_folder

FROZEN_FILE = get_shipped_folder() / "rules" / "environments.json"
NAMESPACE = "edict"
GAMES, STEPS, SEED = 4, 300, 1  # random games of a fingerprint
FrozenGame = Mapping[str, str]  # `rules` (name), `version` at registration, `plays` (fingerprint)


@cache
def load_frozen_games() -> Mapping[str, FrozenGame]:
    """Return the registered games by environment id, from the file that fixes name, modules and fingerprint."""
    games: dict[str, FrozenGame] = json.loads(FROZEN_FILE.read_text(encoding="utf-8"))
    return games


def register() -> None:
    """Register the ids with Gymnasium."""
    for name in load_frozen_games():
        if name not in gymnasium.registry:
            gymnasium.register(
                name, f"{__name__}:seat_env", vector_entry_point=f"{__name__}:vector_env", kwargs={"frozen_as": name}
            )


def seat_env(frozen_as: str, **options: Any) -> SeatEnv:
    """Create the environment of `gymnasium.make`: one seat against bots.

    Args:
        frozen_as: The id.
        **options: Arguments of `SeatEnv`.
    """
    return SeatEnv(load_frozen_rules(frozen_as), **options)


def vector_env(frozen_as: str, bots: Any = "random", **options: Any) -> VectorEnv:
    """Create the environment of `gymnasium.make_vec`: many games, in each the first seat against bots.

    Args:
        frozen_as: The id.
        bots: The bots in the other seats.
        **options: Arguments of `VectorEnv`.
    """
    return VectorEnv(load_frozen_rules(frozen_as), bots=bots, **options)


@cache
def load_frozen_rules(name: str) -> Rules:
    """Load the rules of an id. Raises `GameError` if they play differently than when it was given."""
    frozen_game = load_frozen_games()[name]
    rules = load_rules(frozen_game["rules"])
    if compute_fingerprint(rules) != frozen_game["plays"]:
        now = f"version {rules.program.version} of the rules of `{frozen_game['rules']}` plays otherwise"
        constructor = f"edict.gym.SeatEnv({frozen_game['rules']!r})"
        remedy = f"install a release with version {frozen_game['version']}, or play these: {constructor}"
        raise GameError(f"`{name}` stands for version {frozen_game['version']}, and {now}", remedy)
    return rules


def compute_fingerprint(rules: Rules) -> str:
    """Return a hash of names, observations, masks and rewards over some steps of seeded games."""
    env = VectorEnv(rules, num_envs=GAMES, dtype="int32", threads=1)
    digest = sha256("\n".join([*env.actions.names, *env.observer.names]).encode())
    observations, infos = env.reset(seed=SEED)
    for _ in range(STEPS):
        for array in (
            observations["observation"],
            observations["action_mask"],
            infos["seat"],
            infos["rewards"].astype("float32"),
        ):
            digest.update(array.tobytes())
        observations, _, _, _, infos = env.step(env.sample())
    return digest.hexdigest()[:16]


def format_id(game: str, version: int) -> str:
    """Return the Gymnasium id of a game and version: `kuhn-poker`, 0 to `edict/KuhnPoker-v0`."""
    return f"{NAMESPACE}/{''.join(word.capitalize() for word in game.split('-'))}-v{version}"
