"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(path: Path, text: str, newline: str = "\n", lasting: bool = True) -> None:
    """Put the text in the file's place at once, so that the old one is there until the new one is.

    What is no ordinary file (a pipe, a device) is written to as it stands, and a link leads to what is replaced.
    newline: how lines end. lasting: wait until it is on the disk. Raises `OSError` that names the file.
    """
    path = path.resolve()
    try:
        if path.exists() and not path.is_file():
            path.write_text(text, encoding="utf-8", newline=newline)
        else:
            _replace(path, text, newline, lasting)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from None


def _replace(path: Path, text: str, newline: str, lasting: bool) -> None:
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(beside, "x", encoding="utf-8", newline=newline) as file:
            file.write(text)
            file.flush()
            if lasting:
                os.fsync(file.fileno())
        if path.exists():
            os.chmod(beside, path.stat().st_mode)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
