"""Waiting for files of rules to be saved. This is the one file that knows watchfiles."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from threading import Event

RULES = (".edict", ".yaml")
STEP = 50  # milliseconds of quiet after which what was saved together is reported together
LOOK = 500  # milliseconds after which one looks oneself, whatever the system tells

Stamps = Mapping[Path, tuple[int, int]]
"""When each file was last written, and how large it is."""


def stamps(folders: Iterable[Path]) -> Stamps:
    """The rule files in these folders as they are now."""
    found = {}
    for file in (file for folder in folders for suffix in RULES for file in folder.rglob(f"*{suffix}")):
        try:
            state = file.stat()
        except OSError:  # gone meanwhile
            continue
        if _is_rules(None, file.name):
            found[file] = (state.st_mtime_ns, state.st_size)
    return found


def saves(folders: Sequence[Path], before: Stamps, stop: Event | None = None) -> Iterator[list[Path]]:
    """The rule files saved, made or deleted since `before`, whenever there are some, until `stop` is set.

    Ctrl-C raises `KeyboardInterrupt`.
    """
    from watchfiles import watch

    told = watch(
        *folders, watch_filter=_is_rules, step=STEP, stop_event=stop, yield_on_timeout=True, rust_timeout=LOOK
    )
    for _ in told:
        now = stamps(folders)
        changed = sorted(file for file in before.keys() | now.keys() if before.get(file) != now.get(file))
        if changed:
            before = now
            yield changed


def _is_rules(change: object, name: str) -> bool:
    """Rule files only: not what editors lay beside them while they write."""
    file = Path(name)
    return file.suffix in RULES and not file.name.startswith((".", "#"))
