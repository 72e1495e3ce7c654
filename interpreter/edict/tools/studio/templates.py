"""The template of a game, which `new` copies: read as a stranger's, and written whole or not at all.

Only regular text files that really lie in the folder are read, only so many and so much of them.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

from edict.compiler.sources.folders import read_text
from edict.support.rendering import escape_terminal
from edict.tools.studio.studio_errors import StudioError

MOST_FILES = 100
MOST_CHARACTERS = 2_000_000  # of all files together, also once everything is filled in
DEEPEST = 8  # folders within each other


def read(folder: Path, home: Path) -> dict[Path, str]:
    """The texts of a template by their paths in it; `home` is the folder of its game, which messages name.

    Raises `StudioError`, or `RulesError` for a file that cannot be read as text.
    """
    if folder.is_symlink():
        raise _link(folder, home)
    texts: dict[Path, str] = {}
    for number, (path, is_file) in enumerate(_entries(folder, home)):
        if number == MOST_FILES:
            raise _too_much(folder, home, f"more than {MOST_FILES} files and folders")
        if is_file:
            texts[path.relative_to(folder)] = read_text(home, path).unwrap().text
            check_size(sum(map(len, texts.values())), folder, home)
    return dict(sorted(texts.items()))


def check_size(characters: int, folder: Path, home: Path) -> None:
    """Raises `StudioError` if a template with so many characters is too much."""
    if characters > MOST_CHARACTERS:
        raise _too_much(folder, home, f"more than {MOST_CHARACTERS:,} characters of text")


def _entries(folder: Path, home: Path, depth: int = 1) -> Iterator[tuple[Path, bool]]:
    """What lies in a folder and those below it, each with whether it is a file; links are followed nowhere."""
    if depth > DEEPEST:
        raise _too_much(folder, home, f"more than {DEEPEST} folders within each other")
    with os.scandir(folder) as entries:
        for entry in entries:
            path = Path(entry.path)
            if entry.is_symlink():
                raise _link(path, home)
            if entry.is_dir(follow_symlinks=False):
                yield path, False
                yield from _entries(path, home, depth + 1)
            elif entry.is_file(follow_symlinks=False):
                yield path, True
            else:
                reason = f"`{_place(path, home)}` is neither a regular file nor a folder"
                raise StudioError(reason, "remove it from the template")


def _place(path: Path, home: Path) -> str:
    name = path.relative_to(home).as_posix()
    return escape_terminal(f"{home.resolve().name}/{name if len(name) < 100 else name[:100] + '...'}")


def _link(path: Path, home: Path) -> StudioError:
    reason = f"`{_place(path, home)}` is a link, which could lead to any file on this computer"
    return StudioError(reason, "put the file itself there")


def _too_much(path: Path, home: Path, what: str) -> StudioError:
    return StudioError(f"`{_place(path, home)}` has {what}", "a template is a few small files: take some out")


# --- writing -----------------------------------------------------------------------------------


def write(folder: Path, texts: Mapping[Path, str]) -> None:
    """The folder with all these files at once; nothing is left behind if that fails. Raises `OSError`."""
    made = [parent for parent in (folder.parent, *folder.parent.parents) if not parent.exists()]
    beside = folder.absolute().parent / f".{folder.name}.{secrets.token_hex(4)}.part"
    try:
        for file, text in texts.items():
            (beside / file).parent.mkdir(parents=True, exist_ok=True)
            (beside / file).write_text(text, encoding="utf-8")
        if folder.is_dir():
            folder.rmdir()  # it is empty
        beside.rename(folder)
    except BaseException as problem:
        shutil.rmtree(beside, ignore_errors=True)
        for parent in made:
            with contextlib.suppress(OSError):
                parent.rmdir()
        if isinstance(problem, OSError):
            raise OSError(problem.errno, problem.strerror, str(folder)) from None
        raise


__all__ = ["check_size", "read", "write"]
