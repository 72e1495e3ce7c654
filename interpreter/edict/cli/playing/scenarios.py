"""`--scenario`: one that is named, or one drawn from those that ship for the game."""

from __future__ import annotations

from random import Random

from edict.cli.errors import UsageError
from edict.cli.loading import default_game
from edict.front.modules import catalogue
from edict.report import did_you_mean

DRAWN = "random"


def scenario(wanted: str, game: str, seed: str) -> tuple[str, ...]:
    """The modules to add; the same seed draws the same scenario."""
    if not wanted:
        return ()
    over = game or default_game()
    found = sorted(n for n, (_, m) in catalogue().items() if m.kind == "scenario" and over in m.requires)
    if wanted != DRAWN:
        if wanted not in found:
            remedy = did_you_mean(wanted, (*found, DRAWN)) or f"there are {', '.join(found) or 'none'}; or {DRAWN}"
            raise UsageError(f"no scenario is called `{wanted}`", remedy)
        return (wanted,)
    if not found:
        raise UsageError(f"no scenario ships for `{over}`", "leave --scenario out")
    return (Random(seed or None).choice(found),)
