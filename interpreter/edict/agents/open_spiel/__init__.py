"""Games for OpenSpiel: importing this package registers the game `edict`, which plays any rules.

    import edict.agents.open_spiel, pyspiel
    game = pyspiel.load_game("edict(rules=kuhn-poker,reward=score)")
    game = pyspiel.load_game("edict", {"rules": "kingsburg", "modules": "governors destiny", "players": 3})

Parameters: rules (a name or path), modules (separated by spaces), players (0: as many as possible), reward
(`victory` or `score`, as in `edict.gym`). Chance is explicit: each die and card is a node of its own. An information
state is all that a seat has seen, in order. OpenSpiel's algorithms in Python can play it; most of those in C++
cannot.
"""

from __future__ import annotations

from edict.support.resources import install_command

try:
    from edict.agents.open_spiel.spiel_game import EdictGame, EdictState
except ModuleNotFoundError as missing:
    needed = {"pyspiel": "OpenSpiel", "llvmlite": "native code"}
    if missing.name not in needed:
        raise
    raise ImportError(f"edict.open_spiel needs {needed[missing.name]}: {install_command('openspiel')}") from missing

__all__ = ["EdictGame", "EdictState"]
