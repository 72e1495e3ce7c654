"""The games that ship as environments that Gymnasium makes by an id, such as `edict/Pig-v1`.

An id is frozen: whoever names it gets a game that plays, looks and is answered as it did when the id was given. That is
a fingerprint of some games drawn by lot, beside the id in `rules/environments.json`; rules that play otherwise are
refused under that id. `tests/kit/frozen_environments.py` gives ids.
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
from edict.support.resources import shipped_folder

FILE = shipped_folder() / "rules" / "environments.json"
NAMESPACE = "edict"
GAMES, STEPS, SEED = 4, 300, 1
Frozen = Mapping[str, str]
"""What an id stands for: `rules` by name, their `version` then, and how they `play`."""


@cache
def frozen() -> Mapping[str, Frozen]:
    """What each id stands for."""
    found: dict[str, Frozen] = json.loads(FILE.read_text(encoding="utf-8"))
    return found


def register() -> None:
    """Have Gymnasium know the ids."""
    for name in frozen():
        if name not in gymnasium.registry:
            gymnasium.register(
                name, f"{__name__}:seat_env", vector_entry_point=f"{__name__}:vector_env", kwargs={"frozen_as": name}
            )


def seat_env(frozen_as: str, **options: Any) -> SeatEnv:
    """What `gymnasium.make` makes: one seat against bots. options: those of `SeatEnv`."""
    return SeatEnv(rules_of(frozen_as), **options)


def vector_env(frozen_as: str, bots: Any = "random", **options: Any) -> VectorEnv:
    """What `gymnasium.make_vec` makes: many games, in each the first seat against bots. options: as of `VectorEnv`."""
    return VectorEnv(rules_of(frozen_as), bots=bots, **options)


@cache
def rules_of(name: str) -> Rules:
    """The rules that an id stands for. Raises `GameError` if they play otherwise than when it was given."""
    what = frozen()[name]
    rules = load_rules(what["rules"])
    if fingerprint(rules) != what["plays"]:
        now = f"version {rules.program.version} of the rules of `{what['rules']}` plays otherwise"
        these = f"edict.gym.SeatEnv({what['rules']!r})"
        remedy = f"install a release with version {what['version']}, or play these: {these}"
        raise GameError(f"`{name}` stands for version {what['version']}, and {now}", remedy)
    return rules


def fingerprint(rules: Rules) -> str:
    """How rules play, what is seen and what can be answered: equal only if all of that is."""
    env = VectorEnv(rules, num_envs=GAMES, dtype="int32", threads=1)
    found = sha256("\n".join([*env.actions.names, *env.observer.names]).encode())
    seen, infos = env.reset(seed=SEED)
    for _ in range(STEPS):
        for numbers in (seen["observation"], seen["action_mask"], infos["seat"], infos["rewards"].astype("float32")):
            found.update(numbers.tobytes())
        seen, _, _, _, infos = env.step(env.sample())
    return found.hexdigest()[:16]


def named(game: str, version: int) -> str:
    """The id of a game by its name."""
    return f"{NAMESPACE}/{''.join(word.capitalize() for word in game.split('-'))}-v{version}"
