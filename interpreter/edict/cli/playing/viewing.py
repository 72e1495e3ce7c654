"""`view`: a saved game as one player may see it, as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from edict.cli.errors import UsageError
from edict.cli.loading import rules_of
from edict.cli.playing import saves
from edict.report import did_you_mean, listed
from edict.table.rules import rules_for
from edict.table.journal import read_journal
from edict.table.view_data import as_json, view_data


def view(file: Path | None, player: str) -> int:
    """Print what a player may see of the game in a file; without a player, what everybody may see."""
    journal = read_journal(saves.find(file) if file is not None else saves.newest()[0])
    seat = _seat(player, journal.header.players) if player else None
    game = rules_for(journal, rules_of).replay(journal)
    print(json.dumps(as_json(view_data(game, seat)), indent=2))
    return 0


def _seat(player: str, players: tuple[str, ...]) -> int:
    found = [seat for seat, name in enumerate(players) if name.casefold() == player.casefold()]
    if not found:
        remedy = did_you_mean(player, players) or f"the players are {listed(players, 'and')}"
        raise UsageError(f"no player of this game is called `{player}`", remedy)
    return found[0]
