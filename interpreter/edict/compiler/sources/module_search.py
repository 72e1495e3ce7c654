"""Searching a folder, and all folders below it, for rules."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST, WITH, called
from edict.compiler.sources.input_limits import MOST_NAMES
from edict.support.report import Diagnostic, Outcome

SKIPPED = frozenset({"build", "dist", "node_modules", "site-packages", "venv"})
"""Folders that tools fill; hidden ones, and those that begin with two underscores, are skipped too."""
ENVIRONMENT = "pyvenv.cfg"  # marks a virtual environment of Python, whatever its folder is called
TEMPLATE = "template"  # within a module: what `new` copies, which is not a module yet


class TooManyFiles(Exception):
    """A folder has more files below it than are looked through."""


def find_files(folder: Path, *, templates: bool = True) -> Iterator[Path]:
    """Yield every file in a folder and below it, in order; hidden files and what tools have written are left out.

    Args:
        folder: Where to begin. It is searched whatever its own name is.
        templates: Whether to enter the folder of a module's template.

    Raises:
        TooManyFiles: There are more than `MOST_NAMES` files and folders.
    """
    count, waiting = 0, [folder]
    while waiting:
        place = waiting.pop()
        entries = _entries(place, MOST_NAMES - count + 1)
        count += len(entries)
        if count > MOST_NAMES:
            raise TooManyFiles
        files = sorted(entry.name for entry in entries if not entry.name.startswith(".") and _is_file(entry))
        if ENVIRONMENT in files and place != folder:
            continue
        yield from (place / name for name in files)
        skipped = SKIPPED if place.name != WITH else frozenset[str]()  # `with/build` is about a module `build`
        skipped |= {TEMPLATE} if MANIFEST in files and not templates else frozenset()
        folders = (entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        names = (name for name in folders if not name.startswith((".", "__")) and name not in skipped)
        waiting += [place / name for name in sorted(names, reverse=True)]


def _entries(place: Path, most: int) -> list[os.DirEntry[str]]:
    """Return up to `most` entries of a folder; none if it cannot be read."""
    try:
        with os.scandir(place) as entries:
            return list(islice(entries, most))
    except OSError:
        return []


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a link that leads in a circle
        return False


def find_modules(folder: Path) -> Outcome[list[Path]]:
    """Return the folder of every module in a folder and below it, or why it cannot be searched."""
    try:
        return Outcome([file.parent for file in find_files(folder, templates=False) if file.name == MANIFEST])
    except TooManyFiles:
        return Outcome(
            None,
            (
                Diagnostic(
                    "E0152",
                    f"the folder `{called(folder)}` holds too much to search for rules",
                    note=f"It has more than {MOST_NAMES:,} files and folders.",
                    help="name the folder of the rules itself",
                ),
            ),
        )
