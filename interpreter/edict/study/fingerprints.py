"""How games go, in sixteen digits: by it one sees whether figures are older than the rules, the bots or the engine.

A hash of the rules changes with a title, and one of the program with a better compiler. Games change only when somebody
who counts them would notice.
"""

from __future__ import annotations

import json
import re
from hashlib import sha256

from edict.study.games import GameRange, Setup, play
from edict.study.tables import game_rows, listed

GAMES = 12  # the first of a study, which stand for all
NAMES = re.compile("rules|modules|bot_[0-9]+")  # columns that say by which rules and who, not how the games went


def fingerprint(setup: Setup, games: int = GAMES) -> str:
    """Of the first games of a setup: their lengths, scores, winners, holdings, and where each point came from.

    Raises `RulesError` for a game that would never end.
    """
    stretch = GameRange(0, games)
    found = game_rows(setup, stretch, play(setup, stretch, keep=True).counted)
    values = [listed(column) for name, column in found.items() if not NAMES.fullmatch(name)]
    return sha256(json.dumps(values).encode()).hexdigest()[:16]
