"""Paths that users type, and safe reading of untrusted files."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from edict.support.request_errors import RequestError


class BadPathError(RequestError, ValueError):
    """A path that names no file, or a file that cannot be read as one."""


def parse_path(text: str) -> Path:
    """Return the path that a user typed, with a leading `~` expanded.

    Raises:
        BadPathError: If it is empty, contains a null character, is not valid UTF-8, or names an unknown user.
    """
    if not text.strip():
        raise BadPathError("missing file name", "add a file name")
    if "\0" in text:
        raise BadPathError("a path cannot contain a null character", "leave it out")
    if not _is_encodable(text):
        raise BadPathError(
            f"`{text}` is not valid UTF-8", "rename it, so that it can be named in messages and saved games"
        )
    if not text.startswith("~"):
        path = Path(text)
        return path if not str(path).startswith("~") else path.absolute()  # `./~file` is not somebody's home
    try:
        return Path(text).expanduser()
    except RuntimeError:
        prefix = text.split("/")[0]
        if len(prefix) > 1:
            reason = f"there is no user `{prefix[1:]}`"
        else:
            reason = "your home folder is not known"
        raise BadPathError(
            f"`{text}`: {reason}", f"write the path in full, or `./{text}` if its name begins so"
        ) from None


def require_regular(path: Path) -> Path:
    """Return the path, unless it is a device, a pipe or another special file, which one could read for ever.

    Raises:
        BadPathError: If it is a special file.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        return path
    if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
        raise BadPathError(f"`{path}` is {_describe_file_type(mode)}, not a regular file", "name a file")
    return path


def read_regular(path: Path, max_bytes: int) -> bytes:
    """Read a regular file of at most `max_bytes` bytes, without blocking on anything else.

    Raises:
        BadPathError: If it is a special file, or larger.
        OSError: If it cannot be opened.
    """
    require_regular(path)
    with open(path, "rb", opener=lambda name, flags: os.open(name, flags | getattr(os, "O_NONBLOCK", 0))) as file:
        if not stat.S_ISREG(mode := os.fstat(file.fileno()).st_mode):
            raise BadPathError(f"`{path}` is {_describe_file_type(mode)}, not a regular file", "name a file")
        raw = file.read(max_bytes + 1)
    if len(raw) > max_bytes:
        raise BadPathError(f"`{path}` is larger than {max_bytes:,} bytes", "name a smaller file")
    return raw


def _is_encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _describe_file_type(mode: int) -> str:
    """Return `a pipe`, `a device` or `special` for the mode bits of something that is no regular file."""
    if stat.S_ISFIFO(mode):
        return "a pipe"
    if stat.S_ISCHR(mode) or stat.S_ISBLK(mode):
        return "a device"
    return "special"
