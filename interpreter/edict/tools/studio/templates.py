"""Templates of games, which `new` copies: read with limits, because they may come from strangers.

Only regular text files within the folder are read, up to a number and a size. Files are written all or none.
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
from edict.tools.studio import StudioError

MAX_FILES = 100
MAX_CHARACTERS = 2_000_000  # of all files together, with placeholders filled in
MAX_DEPTH = 8  # nested folders


def read_template(folder: Path, home: Path) -> dict[Path, str]:
    """Return the texts of a template by path.

    Args:
        folder: The template.
        home: Folder of its game, for messages.

    Raises:
        StudioError: The template has links or is too large.
        RulesError: A file is not text.
    """
    if folder.is_symlink():
        raise _link_error(folder, home)
    texts: dict[Path, str] = {}
    for number, (path, is_file) in enumerate(_iter_entries(folder, home)):
        if number == MAX_FILES:
            raise _size_error(folder, home, f"more than {MAX_FILES} files and folders")
        if is_file:
            texts[path.relative_to(folder)] = read_text(home, path).unwrap().text
            check_size(sum(map(len, texts.values())), folder, home)
    return dict(sorted(texts.items()))


def check_size(characters: int, folder: Path, home: Path) -> None:
    """Raise `StudioError` if a template has too many characters."""
    if characters > MAX_CHARACTERS:
        raise _size_error(folder, home, f"more than {MAX_CHARACTERS:,} characters of text")


def _iter_entries(folder: Path, home: Path, depth: int = 1) -> Iterator[tuple[Path, bool]]:
    """Yield files and folders at any depth with True for files, following no links."""
    if depth > MAX_DEPTH:
        raise _size_error(folder, home, f"more than {MAX_DEPTH} folders within each other")
    with os.scandir(folder) as entries:
        for entry in entries:
            path = Path(entry.path)
            if entry.is_symlink():
                raise _link_error(path, home)
            if entry.is_dir(follow_symlinks=False):
                yield path, False
                yield from _iter_entries(path, home, depth + 1)
            elif entry.is_file(follow_symlinks=False):
                yield path, True
            else:
                reason = f"`{_shorten_path(path, home)}` is neither a regular file nor a folder"
                raise StudioError(reason, "remove it from the template")


def _shorten_path(path: Path, home: Path) -> str:
    """Return a path from its home folder's name on, cut to 100 characters and safe for a terminal."""
    name = path.relative_to(home).as_posix()
    return escape_terminal(f"{home.resolve().name}/{name if len(name) < 100 else name[:100] + '...'}")


def _link_error(path: Path, home: Path) -> StudioError:
    """Return the error for a symbolic link in a template."""
    reason = f"`{_shorten_path(path, home)}` is a link, which could lead to any file on this computer"
    return StudioError(reason, "put the file itself there")


def _size_error(path: Path, home: Path, what: str) -> StudioError:
    """Return the error for a template with too much of something, such as `more than 100 files`."""
    return StudioError(
        f"`{_shorten_path(path, home)}` has {what}", "a template has only a few small files: remove some"
    )


# --- writing -----------------------------------------------------------------------------------


def write_files(folder: Path, texts: Mapping[Path, str]) -> None:
    """Create a folder with all these files at once; nothing is left behind if that fails. Raises `OSError`."""
    missing_parents = [parent for parent in (folder.parent, *folder.parent.parents) if not parent.exists()]
    temporary = folder.absolute().parent / f".{folder.name}.{secrets.token_hex(4)}.part"
    try:
        for file, text in texts.items():
            (temporary / file).parent.mkdir(parents=True, exist_ok=True)
            (temporary / file).write_text(text, encoding="utf-8")
        if folder.is_dir():
            folder.rmdir()  # it is empty
        temporary.rename(folder)
    except BaseException as error:
        shutil.rmtree(temporary, ignore_errors=True)
        for parent in missing_parents:
            with contextlib.suppress(OSError):
                parent.rmdir()
        if isinstance(error, OSError):
            raise OSError(error.errno, error.strerror, str(folder)) from None
        raise


__all__ = ["check_size", "read_template", "write_files"]
