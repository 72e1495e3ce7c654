"""The beginning of a game: who sits down, and which settings hold."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from edict.program import Program, Setting
from edict.report import did_you_mean
from edict.table.errors import GameError

LONGEST_NAME = 40
WORDS = {"on": 1, "yes": 1, "true": 1, "off": 0, "no": 0, "false": 0}


def checked_players(program: Program, names: Sequence[str]) -> tuple[str, ...]:
    """The players' names, optimized; raises `GameError` if they cannot sit down to this game."""
    if isinstance(names, str):
        raise GameError("players must be a list of names, not one text", 'write ["Ann", "Brian"]')
    players = tuple(checked_name(name) for name in names)
    low, high = program.least_players, program.most_players
    if not low <= len(players) <= high:
        wanted = str(low) if low == high else f"{low} to {high}"
        raise GameError(f"{program.title} is for {wanted} players, not {len(players)}", f"name {wanted} players")
    seen: dict[str, str] = {}
    for name in players:
        if name.casefold() in seen:
            raise GameError(f"two players are called {name}", "give each a name of their own")
        seen[name.casefold()] = name
    return players


def checked_name(name: object) -> str:
    """One name, with the space around it taken off."""
    if not isinstance(name, str):
        raise GameError(f"a player's name must be text, not {name!r}", "put it in quotes")
    tidy = unicodedata.normalize("NFC", name.strip())
    if not tidy:
        raise GameError("a player has no name", "give each player a name")
    if len(tidy) > LONGEST_NAME:
        raise GameError(f"a player's name is {len(tidy)} characters long", f"at most {LONGEST_NAME} fit on the table")
    if any(unicodedata.category(c)[0] == "C" or c in "\u2028\u2029" for c in tidy):
        raise GameError(f"the name {tidy!r} holds a character that cannot be shown", "leave it out")
    return tidy


def checked_settings(program: Program, settings: Mapping[str, object]) -> dict[str, int]:
    """The value of every setting: the given ones, and the rules' own for the rest."""
    known = {setting.name: setting for setting in program.settings}
    values = {setting.name: setting.value for setting in program.settings}
    renamed = dict(program.renamed)
    for written, value in settings.items():
        name = written if written in known else renamed.get(written, written)
        if name not in known:
            near = did_you_mean(name, known)
            raise GameError(f"there is no setting `{name}`", near or f"the settings are: {', '.join(known) or 'none'}")
        values[name] = setting_value(known[name], value)
    return values


def setting_value(setting: Setting, value: object) -> int:
    """A setting's value as a number, from a truth, a number, or either as text."""
    raw = str(value).strip().casefold()
    if setting.truth:
        if raw in WORDS or raw in ("0", "1"):
            return WORDS.get(raw, 1 if raw == "1" else 0)
        raise GameError(f"invalid value for the setting `{setting.name}`: {value!r}", "it must be on or off")
    if isinstance(value, bool) or not raw.lstrip("-").isdecimal() or raw.count("-") > 1 or len(raw) > 9:
        raise GameError(f"invalid value for the setting `{setting.name}`: {value!r}", "it must be a whole number")
    number = int(raw)
    if setting.low is not None and setting.high is not None and not setting.low <= number <= setting.high:
        raise GameError(
            f"invalid value for the setting `{setting.name}`: {number}",
            f"it must be a number from {setting.low} to {setting.high}",
        )
    return number
