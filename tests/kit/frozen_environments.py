"""Script that gives shipped games their Gymnasium ids, in `rules/environments.json`.

    PYTHONPATH=tests/kit python tests/kit/frozen_environments.py
    PYTHONPATH=tests/kit python tests/kit/frozen_environments.py --again

Games without an id get one, and games that play differently now get the next one. With `--again` these keep their id
with a new fingerprint, which is right as long as no release has had the id.
"""

from __future__ import annotations

import json
import sys

from edict.agents.gym.registration import FROZEN_FILE, FrozenGame, compute_fingerprint, format_id, load_frozen_games
from edict.compiler.sources.module_lookup import load_catalogue
from edict.game.table.rules import load_rules
from edict.support.files import write_atomically


def update_environments(again: bool) -> dict[str, FrozenGame]:
    """Return the updated ids.

    Each game that plays differently from its last id gets a new id or, with `again`, a new fingerprint for the same.
    """
    ids = dict(load_frozen_games())
    for game in list_games():
        rules = load_rules(game)
        what = {"rules": game, "version": rules.program.version, "plays": compute_fingerprint(rules)}
        number = sum(old["rules"] == game for old in ids.values())
        last = ids.get(format_id(game, number))
        if last is None or last["plays"] != what["plays"]:
            ids[format_id(game, max(1, number) if again else number + 1)] = what
    return dict(sorted(ids.items()))


def list_games() -> list[str]:
    """Return the shipped games by name."""
    return sorted(name for name, (_, manifest) in load_catalogue().items() if manifest.kind == "game")


if __name__ == "__main__":
    write_atomically(FROZEN_FILE, json.dumps(update_environments("--again" in sys.argv), indent=1) + "\n")
