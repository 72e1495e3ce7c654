"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path


def write_whole(path: Path, text: str, newline: str = "\n") -> None:
    """Put the text in the file's place at once, so that the old one is there until the new one is.

    What is no ordinary file (a pipe, a device) is written to as it stands, and a link leads to what is replaced.
    newline: how lines end. Returns when all is on the disk. Raises `OSError` that names the file.
    """
    path = path.resolve()
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8", newline=newline)
        else:
            mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
            _replace(path, text.replace("\n", newline).encode("utf-8"), mode, lasting=True)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from None


def put_private(path: Path, content: bytes) -> None:
    """Put a file that only its owner may read in the place of whatever is there, a link or a pipe too.

    It does not wait for the disk, so a power cut may spoil the file. Raises `OSError`.
    """
    _replace(path, content, mode=0o600, lasting=False)


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _replace(path: Path, content: bytes, mode: int | None, lasting: bool) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(beside, "xb", opener=_private if mode is not None else None) as file:
            file.write(content)
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        if mode is not None:
            os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
