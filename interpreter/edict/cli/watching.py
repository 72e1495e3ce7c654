"""Waiting for files of rules to be saved. This is the one file that knows watchfiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from threading import Event

RULES = (".edict", ".yaml")
STEP = 50  # milliseconds of quiet after which what was saved together is told together


def saves(folders: Iterable[Path], stop: Event | None = None) -> Iterator[list[Path]]:
    """The rule files saved, made or deleted in these folders, whenever there are some, until `stop` is set.

    Ctrl-C raises `KeyboardInterrupt`.
    """
    from watchfiles import watch

    for changes in watch(*folders, watch_filter=_is_rules, step=STEP, stop_event=stop):
        yield sorted({Path(name) for _, name in changes})


def _is_rules(change: object, name: str) -> bool:
    """Rule files only: not what editors lay beside them while they write."""
    file = Path(name)
    return file.suffix in RULES and not file.name.startswith((".", "#"))
