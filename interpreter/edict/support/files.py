"""Atomic file writes, and output files of commands that overwrite nothing without `--force`."""

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
CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
DISK_FULL_ERRNOS = (errno.ENOSPC, errno.EFBIG, getattr(errno, "EDQUOT", errno.ENOSPC))


def write_atomically(path: Path, text: str | bytes, newline: str = "\n") -> None:
    """Replace a file atomically, and return when the content is on the disk.

    A pipe or a device is written to directly; a link is followed, and its target replaced.

    Args:
        path: The file.
        text: Text or bytes.
        newline: Line ending for text.

    Raises:
        OSError: If it cannot be written; names the file.
    """
    path, raw = path.resolve(), text if isinstance(text, bytes) else text.replace("\n", newline).encode("utf-8")
    try:
        if path.exists() and not path.is_file():
            path.write_bytes(raw)
        else:
            mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else None
            _replace(path, raw, mode, sync=True)
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from None


def detect_newline(path: Path) -> str:
    """Return the line ending that a file uses."""
    return "\r\n" if b"\r\n" in path.read_bytes() else "\n"


def suggest_file_remedy(problem: BaseException) -> str:
    """Return advice on a file that cannot be read or written."""
    disk_full = isinstance(problem, OSError) and problem.errno in DISK_FULL_ERRNOS
    if disk_full:
        return "make room on that disk"
    return "check the name and its permissions"


def write_private(path: Path, content: bytes) -> None:
    """Replace whatever is at a path, even a link or a pipe, by a file that only its owner may read.

    It does not wait for the disk, so a power failure may corrupt the file.

    Raises:
        OSError: If it cannot be written.
    """
    _replace(path, content, mode=0o600, sync=False)


def _open_private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o600)


def _replace(path: Path, content: bytes, mode: int | None, sync: bool) -> None:
    """Write content to a temporary file and rename it to `path`, so that readers see the old or new file in full."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb", opener=_open_private if mode is not None else None) as file:
            file.write(content)
            file.flush()
            if sync:
                os.fsync(file.fileno())
        if mode is not None:
            os.chmod(temporary, mode)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise


def write_new(path: Path, text: str | bytes) -> None:
    """Write a file that must not exist yet.

    Raises:
        FileAlreadyExists: If it exists, even if it was created just now.
    """
    target = path.resolve()
    try:
        target.touch(exist_ok=False)  # of two processes that want the name, only one gets it
    except FileExistsError:
        raise FileAlreadyExists(path) from None
    try:
        write_atomically(target, text)
    except BaseException:
        with contextlib.suppress(OSError):
            target.unlink()
        raise


# --- output of commands ---------------------------------------------------------------------------


class FileAlreadyExists(FileExistsError):
    """The output file exists, and overwriting it was not allowed."""

    def __init__(self, path: Path) -> None:
        super().__init__(errno.EEXIST, "a file with that name already exists", str(path))


@dataclass(frozen=True, slots=True)
class OutputTarget:
    """The output of a command."""

    path: Path  # `-` is standard output
    force: bool  # an existing file may be overwritten

    @staticmethod
    def from_option(path: Path | None, force: bool) -> OutputTarget | None:
        """Return the target for an option of a command, or None if no path was given."""
        return None if path is None else OutputTarget(path, force)

    @property
    def is_standard_output(self) -> bool:
        """Return True for standard output."""
        return self.path in STANDARD_OUTPUT

    def check(self) -> None:
        """Raise if the target cannot be written; call it before the work whose result is to be written.

        Raises:
            OSError: If it is a folder, its folder is missing, or it exists and `force` is not set.
        """
        if self.is_standard_output:
            return
        if self.path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "is a folder", str(self.path))
        if not self.path.absolute().parent.is_dir():
            raise FileNotFoundError(errno.ENOENT, f"there is no folder `{self.path.parent}`", str(self.path))
        if not self.force and self.path.is_file():
            raise FileAlreadyExists(self.path)

    def write(self, text: str | bytes) -> None:
        """Write the content; characters that cannot be encoded, as from file names, become `?`.

        Raises:
            OSError: If it cannot be written; names the file.
        """
        if isinstance(text, str):
            text = text.encode("utf-8", "replace").decode("utf-8")
        if self.is_standard_output:
            sys.stdout.write(text) if isinstance(text, str) else sys.stdout.buffer.write(text)
        elif self.path.exists() and not self.path.is_file():
            _write_device(self.path, text)
        elif self.force:
            write_atomically(self.path, text)
        else:
            write_new(self.path, text)


def _write_device(path: Path, text: str | bytes) -> None:
    """Write to a device or a pipe by the path that was typed, because its resolved path may have no name."""
    try:
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8"))
    except OSError as problem:
        raise OSError(problem.errno, problem.strerror, str(path)) from None


def write_secret(path: Path, raw: bytes) -> None:
    """Create a file that only its owner may read, and return when it is on the disk.

    Raises:
        OSError: If it exists already or cannot be written.
    """
    try:
        with open(os.open(path, CREATE_FLAGS, 0o600), "wb") as file:
            file.write(raw)
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise
    except OSError:
        with contextlib.suppress(OSError):
            path.unlink()
        raise


def replace_with_backup(path: Path, raw: bytes, ending: str) -> Path:
    """Replace a file atomically, and keep the old one beside it as `NAME.ENDING`, or with a number.

    Returns:
        The path of the backup.

    Raises:
        OSError: If that is not possible; the file is then unchanged.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    write_secret(temporary, raw)
    try:
        backup = _make_backup(path, ending)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    return backup


def make_hard_link(path: Path, link: Path) -> None:
    """Create a hard link to a file.

    Raises:
        OSError: If `link` exists, or hard links are not supported.
    """
    if not hasattr(os, "link"):
        raise OSError(errno.ENOTSUP, "this system does not support links to files", str(link))
    os.link(path, link)


def _make_backup(path: Path, ending: str) -> Path:
    """Create a hard link with an unused name, or a copy where links are not supported; return its path."""
    for number in range(1, 10_000):
        backup = path.with_name(f"{path.name}.{ending}{f'-{number}' if number > 1 else ''}")
        with contextlib.suppress(FileExistsError):
            try:
                make_hard_link(path, backup)
            except FileExistsError:
                raise
            except OSError:
                write_secret(backup, path.read_bytes())
            return backup
    raise OSError(errno.EEXIST, "there are too many copies of it already", str(path))
