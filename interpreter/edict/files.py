"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
from pathlib import Path

NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)


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


def read_bounded(path: Path, most: int) -> bytes:
    """All of an ordinary file of at most so many bytes. Nothing else is opened, so a pipe or device cannot hang.

    Raises `OSError`, whose `strerror` says what is wrong.
    """
    try:
        kind = os.stat(path).st_mode
    except ValueError:  # a NUL in its name
        raise OSError(errno.EINVAL, "there can be no file of that name", os.fspath(path)) from None
    if not stat.S_ISREG(kind):
        reason = "it is a folder" if stat.S_ISDIR(kind) else "it is not an ordinary file"
        raise OSError(errno.EINVAL, reason, str(path))
    with open(os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)), "rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most:,} bytes", str(path))
    return raw


def write_secret(path: Path, raw: bytes) -> None:
    """A new file that nobody else may read, on the disk when this returns. Raises `OSError`, also if there is one."""
    try:
        with open(os.open(path, NEW, 0o600), "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def replace_keeping(path: Path, raw: bytes, ending: str) -> Path:
    """Put these bytes in a file's place at once, and keep the old file beside it: `NAME.ENDING`, or with a number.

    Gives where it is kept. Raises `OSError`; the file is then as it was.
    """
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    write_secret(beside, raw)
    try:
        kept = _linked(path, ending)
        os.replace(beside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            beside.unlink()
        raise
    return kept


def _linked(path: Path, ending: str) -> Path:
    """A second name for a file, or a copy where files have only one; never that of another one."""
    for number in range(1, 10_000):
        kept = path.with_name(f"{path.name}.{ending}{f'-{number}' if number > 1 else ''}")
        with contextlib.suppress(FileExistsError):
            try:
                os.link(path, kept)
            except FileExistsError:
                raise
            except OSError:
                write_secret(kept, path.read_bytes())
            return kept
    raise OSError(errno.EEXIST, "there are too many copies of it already", str(path))
