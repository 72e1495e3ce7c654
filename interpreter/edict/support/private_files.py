"""Folders and files that nobody else can change, as SSH asks of its own; where a system has no owners, all pass."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OTHERS_READ = stat.S_IRGRP | stat.S_IROTH
# No link is followed, and no pipe waited for. Windows has none of these flags but the last, which nobody else has.
_FLAGS = ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY")
_OPENING = os.O_RDONLY | sum(getattr(os, name, 0) for name in _FLAGS)


class NotPrivate(Exception):
    """A folder or file that is not this user's alone: what is wrong, and the command that mends it, if one does."""

    def __init__(self, reason: str, command: str = "") -> None:
        self.reason = reason
        self.command = command
        super().__init__(reason)


def make_folder(folder: Path) -> None:
    """The folder and those it lies in, where they are missing, for this user alone. Raises `OSError`."""
    if not folder.is_dir():
        make_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def require_private(folder: Path) -> None:
    """Raise `NotPrivate` if anybody else can change what lies in a folder, or put another one in its place.

    Looked at are the folder and those it lies in, up to the user's home, also through links. What is missing is fine.
    """
    real = Path(os.path.realpath(folder))
    for place in dict.fromkeys((*_way_up(folder), *_way_up(real))):
        try:
            found = place.lstat()
        except OSError:
            continue
        shared = stat.S_ISDIR(found.st_mode) and found.st_mode & stat.S_ISVTX  # each may move only what is theirs
        _require(place, found, 0 if shared and place not in (folder, real) else OTHERS_WRITE)


def read_private(path: Path, most: int, forbidden: int = OTHERS_WRITE) -> bytes | None:
    """The content of an ordinary file; None if there is none, it is larger than `most` bytes, or cannot be read.

    Raises `NotPrivate` if it belongs to somebody else or has a bit of `forbidden` in its mode.
    """
    try:
        if not stat.S_ISREG(path.lstat().st_mode):  # merely opening a device may do something
            return None
        with open(os.open(path, _OPENING), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode) or found.st_size > most:
                return None
            _require(path, found, forbidden)
            return file.read(found.st_size)  # so much memory is set aside at once
    except OSError:
        return None


def _way_up(folder: Path) -> Iterator[Path]:
    """The folder and those it lies in, up to the user's home if it lies there, else all."""
    try:
        homes = {Path.home(), Path.home().resolve()}
    except RuntimeError:
        homes = set()
    for place in (folder, *folder.parents):
        yield place
        if place in homes:
            return


def _require(place: Path, found: os.stat_result, forbidden: int) -> None:
    if not hasattr(os, "geteuid"):
        return
    if found.st_uid not in (0, os.geteuid()):
        raise NotPrivate(f"{place} belongs to another user")
    if not stat.S_ISLNK(found.st_mode) and found.st_mode & forbidden:
        raise NotPrivate(f"other users can write to {place}", _closing(place, found))


def _closing(place: Path, found: os.stat_result) -> str:
    """The command that shuts others out; none for what is not the user's own, or shared on purpose like /tmp."""
    if found.st_uid != os.geteuid() or found.st_mode & stat.S_ISVTX:
        return ""
    import shlex

    return f"chmod go-w {shlex.quote(str(place))}"
