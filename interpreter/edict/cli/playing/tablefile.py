"""Table files: who sits down, and what is played, written in YAML."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from edict.cli.errors import UsageError
from edict.sources.folders import read_text
from edict.sources.schema_findings import schema_findings
from edict.sources.strict_yaml import Written, read_yaml
from edict.report import Outcome
from edict.text import Source

SPEEDS = {"slow": 2.0, "normal": 0.7, "fast": 0.2}
LONGEST = 60.0  # seconds


@dataclass(frozen=True)
class TableFile:
    """What a table file says; `bots` by seat, nothing for a person; None and empty where it says nothing."""

    players: tuple[str, ...]
    bots: tuple[str, ...]
    game: str = ""
    modules: tuple[str, ...] = ()
    seed: str = ""
    settings: dict[str, object] = field(default_factory=dict)
    dice: str = ""
    speed: str = ""


def read_table(path: Path) -> Outcome[TableFile]:
    """The table file at a path, with the findings where it cannot be understood."""
    home = path.absolute().parent
    return read_text(home, path.absolute()).then(read_yaml).then(lambda written: _table(written, home))


def source_of(path: Path) -> dict[str, Source]:
    """The text of the file by name, for showing where it is wrong."""
    source = read_text(path.absolute().parent, path.absolute()).value
    return {source.name: source} if source else {}


def _table(written: Written, home: Path) -> Outcome[TableFile]:
    wrong = schema_findings("table", written)
    if wrong:
        return Outcome(None, tuple(wrong))
    data: dict[str, Any] = written.data
    return Outcome(
        TableFile(
            players=tuple(str(player["name"]) for player in data["players"]),
            bots=tuple(str(player.get("bot", "")) for player in data["players"]),
            game=_from(home, str(data.get("game", ""))),
            modules=tuple(_from(home, name) for name in data.get("modules", ())),
            seed=str(data.get("seed", "")),
            settings=dict(data.get("settings", {})),
            dice=str(data.get("dice", "")),
            speed=_milliseconds(data.get("speed", "")),
        )
    )


def _from(home: Path, name: str) -> str:
    """Folders named in a table file are meant from where the file stands."""
    return str(home / name) if name.startswith(".") else name


def _milliseconds(speed: object) -> str:
    return str(speed / 1000) if isinstance(speed, int) else str(speed)


def seconds(speed: str) -> float:
    """A speed as a person writes it: a word, or seconds. Raises `UsageError`."""
    if speed in SPEEDS:
        return SPEEDS[speed]
    try:
        value = float(speed)
    except ValueError:
        value = -1.0
    if not 0 <= value <= LONGEST:
        words = ", ".join(SPEEDS)
        raise UsageError(f"invalid speed `{speed}`", f"write seconds for each move from 0 to 60, or {words}")
    return value
