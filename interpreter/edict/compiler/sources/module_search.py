"""Search for rules in a folder and all folders below it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from edict.compiler.sources.folders import MANIFEST, WITH, display_name
from edict.compiler.sources.input_limits import MOST_NAMES
from edict.support.report import Diagnostic, Outcome

# folders that tools generate; names that begin with `.` or `__` are skipped too
SKIPPED = frozenset({"build", "dist", "node_modules", "site-packages", "venv"})
ENVIRONMENT = "pyvenv.cfg"  # marks a virtual environment of Python, whatever its folder is called
TEMPLATE = "template"  # folder of a module that `new` copies and that is not a module yet


class TooManyFiles(Exception):
    """Raised for a folder with more files than are searched."""


def iter_files(folder: Path, *, templates: bool = True) -> Iterator[Path]:
    """Yield every file in a folder and below it, in order, without hidden files and what tools have written.

    Args:
        folder: The folder to search, whatever its own name is.
        templates: True to enter the folder of a module's template.

    Raises:
        TooManyFiles: There are more than `MOST_NAMES` files and folders.
    """
    count, pending = 0, [folder]
    while pending:
        current = pending.pop()
        entries = _list_entries(current, MOST_NAMES - count + 1)
        count += len(entries)
        if count > MOST_NAMES:
            raise TooManyFiles
        files = sorted(entry.name for entry in entries if not entry.name.startswith(".") and _is_file(entry))
        if ENVIRONMENT in files and current != folder:
            continue
        yield from (current / name for name in files)
        skipped_names = SKIPPED if current.name != WITH else frozenset[str]()  # `with/build` is about a module `build`
        skipped_names |= {TEMPLATE} if MANIFEST in files and not templates else frozenset()
        folders = (entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
        names = (name for name in folders if not name.startswith((".", "__")) and name not in skipped_names)
        pending += [current / name for name in sorted(names, reverse=True)]


def _list_entries(place: Path, most: int) -> list[os.DirEntry[str]]:
    """Return up to `most` entries of a folder, or none if it cannot be read."""
    try:
        with os.scandir(place) as entries:
            return list(islice(entries, most))
    except OSError:
        return []


def _is_file(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_file()
    except OSError:  # a circular link
        return False


def find_modules(folder: Path) -> Outcome[list[Path]]:
    """Return the folder of every module in a folder and below it, or why it cannot be searched."""
    try:
        return Outcome([file.parent for file in iter_files(folder, templates=False) if file.name == MANIFEST])
    except TooManyFiles:
        return Outcome(
            None,
            (
                Diagnostic(
                    "E0152",
                    f"the folder `{display_name(folder)}` is too large to search for rules",
                    note=f"It has more than {MOST_NAMES:,} files and folders.",
                    help="name the rules' own folder",
                ),
            ),
        )
