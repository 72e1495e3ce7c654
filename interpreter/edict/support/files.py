"""Files: paths that users type, safe reading of untrusted and private files, atomic writes, and output of commands.

A private file is one that no other user can change, checked like SSH checks its own; where files have no owners, every
file is private.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

from edict.support.records import dataclass
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
