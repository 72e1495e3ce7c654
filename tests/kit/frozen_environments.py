"""Gives the games that ship the ids under which Gymnasium makes them, in `rules/environments.json`.

    PYTHONPATH=tests/kit python tests/kit/frozen_environments.py
    PYTHONPATH=tests/kit python tests/kit/frozen_environments.py --again

Games without an id get one, and those that play otherwise now get the next. With `--again` these keep theirs, with
another fingerprint: as long as no release has had it.
"""

from __future__ import annotations

import json
import sys

from edict.agents.gym.registered import FILE, Frozen, fingerprint, frozen, named
from edict.compiler.sources.module_lookup import catalogue
from edict.game.table.rules import load_rules
from edict.support.files import write_atomically


def environments(again: bool) -> dict[str, Frozen]:
    """The ids as they are to be: one more for each game that plays otherwise than its last id says, or, `again`, the
    same with other fingerprints."""
    found = dict(frozen())
    for game in games():
        rules = load_rules(game)
        what = {"rules": game, "version": rules.program.version, "plays": fingerprint(rules)}
        number = sum(old["rules"] == game for old in found.values())
        last = found.get(named(game, number))
        if last is None or last["plays"] != what["plays"]:
            found[named(game, max(1, number) if again else number + 1)] = what
    return dict(sorted(found.items()))


def games() -> list[str]:
    """The games that ship, by name."""
    return sorted(name for name, (_, manifest) in catalogue().items() if manifest.kind == "game")


if __name__ == "__main__":
    write_atomically(FILE, json.dumps(environments("--again" in sys.argv), indent=1) + "\n")
