"""Files that are written whole or not at all, and that write over nothing unless told to."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
from dataclasses import dataclass
from pathlib import Path

STANDARD_OUTPUT = (Path("-"), Path("/dev/stdout"))
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
NO_ROOM = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


def write_whole(path: Path, text: str | bytes, newline: str = "\n") -> None:
    """Put the text (or what is no text) in the file's place at once, so that the old one is there until the new one is.

    What is not an ordinary file (a pipe, a device) is written to as it is, and a link leads to what is replaced.
    newline: how lines end. Returns when all is on the disk. Raises `OSError` that names the file.
    """
    path, raw = path.resolve(), text if isinstance(text, bytes) else text.replace("\n", newline).encode("utf-8")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(raw)
        else:
            mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
            _replace(path, raw, mode, lasting=True)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from None


def line_ends(path: Path) -> str:
    """How the lines of a file end."""
    return "\r\n" if b"\r\n" in path.read_bytes() else "\n"


def remedy_for(problem: BaseException) -> str:
    """What to do about a file that cannot be read or written."""
    no_room = isinstance(problem, OSError) and problem.errno in NO_ROOM
    return "make room on that disk" if no_room else "check the name, and that it may be read and written"


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


def write_new(path: Path, text: str | bytes) -> None:
    """Write a file that must not be there yet; raises `AlreadyThere` if it is, also if it has come just now."""
    target = path.resolve()
    try:
        target.touch(exist_ok=False)  # of two who want the name at once, one gets it
    except FileExistsError:
        raise AlreadyThere(path) from None
    try:
        write_whole(target, text)
    except BaseException:
        with contextlib.suppress(OSError):
            target.unlink()
        raise


# --- what commands write --------------------------------------------------------------------------


class AlreadyThere(FileExistsError):
    """A file of that name is there, and nobody said that it may be overwritten."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EEXIST, "a file of that name already exists", str(path))


@dataclass(frozen=True, slots=True)
class Target:
    """Where a command writes: a new file, or with `force` also one that is there; `-` is standard output."""

    path: Path
    force: bool

    @staticmethod
    def of(path: Path | None, force: bool) -> Target | None:
        """None if nothing is to be written."""
        return None if path is None else Target(path, force)

    @property
    def is_output(self) -> bool:
        return self.path in STANDARD_OUTPUT

    def check(self) -> None:
        """Raises `OSError` if nothing can be written there: to be called before the work that leads to it."""
        if self.is_output:
            return
        if self.path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder", str(self.path))
        if not self.path.absolute().parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no folder `{self.path.parent}`", str(self.path))
        if not self.force and self.path.is_file():
            raise AlreadyThere(self.path)

    def write(self, text: str | bytes) -> None:
        """Raises `OSError` that names the file. Letters that are none (as in a file's name) become `?`."""
        if isinstance(text, str):
            text = text.encode("utf-8", "replace").decode("utf-8")
        if self.is_output:
            sys.stdout.write(text) if isinstance(text, str) else sys.stdout.buffer.write(text)
        elif self.path.exists() and not self.path.is_file():
            _into_device(self.path, text)
        elif self.force:
            write_whole(self.path, text)
        else:
            write_new(self.path, text)


def _into_device(path: Path, text: str | bytes) -> None:
    """Or into a pipe: the name that was typed is used, as what it leads to may have none."""
    try:
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from None


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

    Returns where it is kept. Raises `OSError`; the file is then as it was.
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


def second_name(path: Path, other: Path) -> None:
    """Another name for a file. Raises `OSError`, also where no file can have two."""
    if not hasattr(os, "link"):
        raise OSError(errno.ENOTSUP, "files have only one name here", str(other))
    os.link(path, other)


def _linked(path: Path, ending: str) -> Path:
    """A second name for a file, or a copy where files have only one; never that of another one."""
    for number in range(1, 10_000):
        kept = path.with_name(f"{path.name}.{ending}{f'-{number}' if number > 1 else ''}")
        with contextlib.suppress(FileExistsError):
            try:
                second_name(path, kept)
            except FileExistsError:
                raise
            except OSError:
                write_secret(kept, path.read_bytes())
            return kept
    raise OSError(errno.EEXIST, "there are too many copies of it already", str(path))
