"""Shipped rules, read once for all tests: games, and modules and scenarios over the base game."""

from __future__ import annotations

from functools import cache

from edict.compiler.sources import module_lookup

catalogue = cache(module_lookup.load_catalogue)

GAME = "kingsburg"

GAMES = sorted(name for name, (_, manifest) in catalogue().items() if manifest.kind == "game")

OVER_GAME = {
    name: manifest
    for name, (folder, manifest) in catalogue().items()
    if GAME in manifest.requires and folder.parent.name == "modules"  # an example may conflict with any of them
}

MODULES = sorted(name for name, manifest in OVER_GAME.items() if manifest.kind == "module")

SCENARIOS = sorted(name for name, manifest in OVER_GAME.items() if manifest.kind == "scenario")
