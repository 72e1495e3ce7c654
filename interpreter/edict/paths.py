"""Paths as people type them, and files of strangers read without trusting what they are."""

from __future__ import annotations

import os
import stat
from pathlib import Path


class BadPath(ValueError):
    """No file can be meant by this, or it cannot be read as a file; `remedy` says what would do."""

    def __init__(self, reason: str, remedy: str) -> None:
        self.reason = reason
        self.remedy = remedy
        super().__init__(reason)


def typed_path(text: str) -> Path:
    """The path somebody typed, with `~` for their home. Raises `BadPath` where it can be none."""
    if not text.strip():
        raise BadPath("no file is named", "write its name")
    if "\0" in text:
        raise BadPath("a path cannot contain a null character", "leave it out")
    if not _is_text(text):
        raise BadPath(f"`{text}` is not valid UTF-8", "rename it, so that it can be named in messages and saved games")
    if not text.startswith("~"):
        path = Path(text)
        return path if not str(path).startswith("~") else path.absolute()  # `./~file` is not somebody's home
    try:
        return Path(text).expanduser()
    except RuntimeError:
        who = text.split("/")[0]
        reason = f"there is no user `{who[1:]}`" if len(who) > 1 else "your home folder is not known"
        raise BadPath(f"`{text}`: {reason}", f"write the path in full, or `./{text}` if its name begins so") from None


def checked_regular(path: Path) -> Path:
    """The path itself. Raises `BadPath` if a device, a pipe or the like is there, of which one may read for ever."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return path
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise BadPath(f"`{path}` is {_sort(mode)}, not a regular file", "name a file")
    return path


def read_regular(path: Path, most: int) -> bytes:
    """A regular file of at most `most` bytes; nothing else is waited for or read.

    Raises `BadPath` if it is something else or larger, `OSError` if it cannot be opened.
    """
    checked_regular(path)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        if not stat.S_ISREG(mode := os.fstat(file.fileno()).st_mode):
            raise BadPath(f"`{path}` is {_sort(mode)}, not a regular file", "name a file")
        raw = file.read(most + 1)
    if len(raw) > most:
        raise BadPath(f"`{path}` is larger than {most:,} bytes", "name a smaller file")
    return raw


def _is_text(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _sort(mode: int) -> str:
    return "a pipe" if stat.S_ISFIFO(mode) else "a device" if stat.S_ISCHR(mode) or stat.S_ISBLK(mode) else "special"
