"""`--scenario`: one that is named, or one drawn from those that ship for the game."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from edict.cli.errors import UsageError
from edict.cli.loading import default_game
from edict.sources.modules import catalogue, find, read_manifest
from edict.report import did_you_mean

DRAWN = "random"
SCENARIO = "scenario"


def explained(modules: Sequence[str]) -> list[str]:
    """What is laid over the game: title and summary of each, and of a scenario, which lies on the table, its sheet."""
    found = (find(name).value for name in modules)
    manifests = [m for folder in found if folder is not None if (m := read_manifest(folder).value) is not None]
    lines: list[str] = []
    for one in manifests:
        lines.append(f"{one.title}: {one.summary}" if one.summary else one.title)
        lines += one.sheet.splitlines() if one.kind == SCENARIO else []
    return lines


def scenario(wanted: str, game: str, seed: str) -> tuple[str, ...]:
    """The modules to add; the same seed draws the same scenario."""
    if not wanted:
        return ()
    over = game or default_game()
    found = sorted(n for n, (_, m) in catalogue().items() if m.kind == SCENARIO and over in m.requires)
    if wanted != DRAWN:
        if wanted not in found:
            remedy = did_you_mean(wanted, (*found, DRAWN)) or f"there are {', '.join(found) or 'none'}; or {DRAWN}"
            if wanted in catalogue():
                remedy = f"it is no scenario: add it with `--with {wanted}`"
            raise UsageError(f"no scenario is called `{wanted}`", remedy)
        return (wanted,)
    if not found:
        raise UsageError(f"no scenario ships for `{over}`", "leave --scenario out")
    return (Random(seed or None).choice(found),)
