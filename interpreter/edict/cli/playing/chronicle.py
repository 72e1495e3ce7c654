"""`campaign`: the campaigns there are, the games of one, and going back in it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.text import Text

from edict.cli.errors import UsageError
from edict.cli.forms import JSON, checked_form, print_json
from edict.cli.playing import campaigns, saves
from edict.cli.playing.columns import table
from edict.cli.playing.screen import error
from edict.rendering import plain
from edict.table.campaign import Campaign, CampaignEntry
from edict.table.errors import JournalError
from edict.table.wording import listed
from edict.text import so_many

WIDEST = 100_000  # columns of a table: nothing of it is cut


def campaign(name: str, undo: bool, forget: str, form: str) -> int:
    """List campaigns, show one, or go back in it; returns the exit code."""
    checked_form(form)
    if not name:
        if undo or forget:
            raise UsageError("no campaign is named", "write its name; `campaign` alone lists them")
        return _list(form)
    found = campaigns.find(name)
    if undo and forget:
        raise UsageError("`--undo` and `--forget` cannot be combined", "use one of them")
    if undo:
        _tell_undone(found.undo(), found.name)
    elif forget:
        found.forget(forget)
        back = f"{saves.program()} {found.command} --undo"
        print(plain(f"`{forget}` starts afresh in the next game. `{back}` takes that back."))
    else:
        _show(found, form)
    return 0


def _list(form: str) -> int:
    found = [one for path in campaigns.kept() if (one := _read(path)) is not None]
    if form == JSON:
        print_json([_data(one) for one in found])
    elif found:
        _print([("Campaign", "Game", "Games", "Last players", "Last played"), *map(_summary, found)])
    else:
        print(plain(f"There are no campaigns. `{saves.program()} play GAME --campaign NAME` starts one."))
    return 0


def _read(path: Path) -> Campaign | None:
    """None for a damaged one, which is said and does not stand in the way of the others."""
    try:
        return campaigns.read(path)
    except JournalError as problem:
        error(f"{path.stem} is skipped: {problem.reason}", problem.remedy)
        return None


def _summary(one: Campaign) -> tuple[str, ...]:
    last = one.games[-1] if one.games else None
    return (
        one.name, one.game, str(len(one.games)), listed(last.players) if last else "-", last.written if last else "-",
    )  # fmt: skip


def _show(one: Campaign, form: str) -> None:
    if form == JSON:
        print_json(_data(one))
        return
    print(plain(f"{one.name}: {one.game}, {so_many(len(one.games), 'game')}"))
    if one.entries:
        print()
        _print([("", "Played", "Result", "Won by"), *(_row(one.games, entry) for entry in one.entries)])
    print("\nThe next game begins with:" if one.told else "\nNothing has been carried over yet.")
    for line in campaigns.lines(one.told):
        print(plain(line))


def _row(games: Sequence[CampaignEntry], entry: CampaignEntry) -> tuple[str, ...]:
    if entry.forgot:
        return "-", entry.written, f"`{entry.forgot}` starts afresh", ""
    scores = ", ".join(f"{name} {score}" for name, score in entry.scores.items())
    return str(games.index(entry) + 1), entry.written, scores, listed(entry.winners) or "nobody"


def _print(rows: Sequence[Sequence[str]]) -> None:
    """A table, its columns as wide as they need be."""
    for line in table([[Text(cell) for cell in row] for row in rows], WIDEST, [False] * len(rows[0])):
        print(plain(line.plain.rstrip()))


def _tell_undone(entry: CampaignEntry, name: str) -> None:
    if entry.forgot:
        print(plain(f"`{entry.forgot}` is carried over again in the campaign {name}."))
    else:
        print(plain(f"The game that {listed(entry.players)} finished on {entry.written} no longer counts in {name}."))


def _data(one: Campaign) -> dict[str, Any]:
    entries = [{key: value for key, value in entry.to_data().items() if key != "told"} for entry in one.entries]
    return {"name": one.name, "file": str(one.path), "game": one.game, "games": len(one.games), "entries": entries}
