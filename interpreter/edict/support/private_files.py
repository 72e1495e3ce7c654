"""Folders and files that no other user can change, checked like SSH checks its own; always passes without owners."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path

OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH
OTHERS_READ = stat.S_IRGRP | stat.S_IROTH
# Do not follow links or wait for pipes. Windows has only the last flag, and no other system has that.
_FLAGS = ("O_NONBLOCK", "O_NOFOLLOW", "O_CLOEXEC", "O_BINARY")
_OPENING = os.O_RDONLY | sum(getattr(os, name, 0) for name in _FLAGS)


class NotPrivateError(Exception):
    """A folder or file that other users own or can change.

    `command` is a command that fixes it, if there is one.
    """

    def __init__(self, reason: str, command: str = "") -> None:
        self.reason = reason
        self.command = command
        super().__init__(reason)


def make_private_folder(folder: Path) -> None:
    """Create a folder and its missing parents, accessible for this user alone.

    Raises:
        OSError: If that is not possible.
    """
    if not folder.is_dir():
        make_private_folder(folder.parent)
        folder.mkdir(mode=0o700, exist_ok=True)


def require_private(folder: Path) -> None:
    """Raise if another user can change what is in a folder, or replace the folder.

    The folder and its parents up to the user's home are checked, also those behind links. Missing ones are fine.

    Raises:
        NotPrivateError: If somebody else owns or can write to one of them.
    """
    real = Path(os.path.realpath(folder))
    for ancestor in dict.fromkeys((*_iter_ancestors(folder), *_iter_ancestors(real))):
        try:
            status = ancestor.lstat()
        except OSError:
            continue
        # sticky: each user may rename only their own files
        sticky = stat.S_ISDIR(status.st_mode) and status.st_mode & stat.S_ISVTX
        _require_safe_owner(ancestor, status, 0 if sticky and ancestor not in (folder, real) else OTHERS_WRITE)


def read_private(path: Path, max_bytes: int, forbidden: int = OTHERS_WRITE) -> bytes | None:
    """Read a regular file, or return None if it is missing, unreadable or larger than `max_bytes` bytes.

    Raises:
        NotPrivateError: If it belongs to another user, or its mode has a bit of `forbidden`.
    """
    try:
        if not stat.S_ISREG(path.lstat().st_mode):  # opening a device may have side effects
            return None
        with open(os.open(path, _OPENING), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode) or status.st_size > max_bytes:
                return None
            _require_safe_owner(path, status, forbidden)
            return file.read(status.st_size)  # allocates this size at once
    except OSError:
        return None


def _iter_ancestors(folder: Path) -> Iterator[Path]:
    """Yield the folder and its parents up to the user's home, or up to the root if it is not below the home."""
    try:
        homes = {Path.home(), Path.home().resolve()}
    except RuntimeError:
        homes = set()
    for ancestor in (folder, *folder.parents):
        yield ancestor
        if ancestor in homes:
            return


def _require_safe_owner(path: Path, status: os.stat_result, forbidden: int) -> None:
    """Raise `NotPrivateError` unless root or the user owns the path and no `forbidden` mode bit is set."""
    if not hasattr(os, "geteuid"):
        return
    if status.st_uid not in (0, os.geteuid()):
        raise NotPrivateError(f"{path} belongs to another user")
    if not stat.S_ISLNK(status.st_mode) and status.st_mode & forbidden:
        raise NotPrivateError(f"other users can write to {path}", _chmod_command(path, status))


def _chmod_command(path: Path, status: os.stat_result) -> str:
    """Return the command that revokes write access; empty if the user is not the owner, or for a folder like /tmp."""
    if status.st_uid != os.geteuid() or status.st_mode & stat.S_ISVTX:
        return ""
    import shlex

    return f"chmod go-w {shlex.quote(str(path))}"
