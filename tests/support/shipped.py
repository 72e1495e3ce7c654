"""The modules and scenarios that ship over the game."""

from __future__ import annotations

from edict.sources.module_set import catalogue

GAME = "kingsburg"

OVER_IT = {
    name: manifest
    for name, (folder, manifest) in catalogue().items()
    if GAME in manifest.requires and folder.parent.name == "modules"  # an example may conflict with any of them
}

MODULES = sorted(name for name, manifest in OVER_IT.items() if manifest.kind == "module")

SCENARIOS = sorted(name for name, manifest in OVER_IT.items() if manifest.kind == "scenario")
