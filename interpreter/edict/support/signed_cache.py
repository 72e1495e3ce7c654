"""The signed cache, files that save time between two runs and are read back only if this user wrote them.

A cache folder may be shared, copied or restored by a build server, so its content is not trusted. Every file begins
with an HMAC of its name and content, made with a key stored elsewhere. A file with a wrong signature counts as
missing: callers regenerate it, and only ever see content that was written here.
"""

from __future__ import annotations

import contextlib
import hmac
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from edict.support import resources
from edict.support.files import (
    OTHERS_READ,
    OTHERS_WRITE,
    NotPrivateError,
    make_hard_link,
    make_private_folder,
    read_private,
    require_private,
    write_private,
)
from edict.support.locks import wait_for_lock

MAX_BYTES = 64_000_000  # of one file; larger ones were not written here
SIGNATURE_LENGTH = 65  # bytes of a signature with its newline
KEY_LENGTH = 32  # bytes
PATIENCE = 60.0  # seconds to wait at most for another process that makes the same file
_warnings: list[str] = []


def read(name: str) -> bytes | None:
    """Return the content stored under a name, or None if it is missing or not validly signed.

    Args:
        name: A path within the cache folder.
    """
    location = _locate(name)
    if location is None:
        return None
    path, key = location
    try:
        raw = read_private(path, MAX_BYTES) or b""
    except NotPrivateError as problem:
        warn_once(f"Not using a file of the cache, which will be rebuilt: {problem.reason}.")
        return None
    signature, content = raw[:SIGNATURE_LENGTH], raw[SIGNATURE_LENGTH:]
    if hmac.compare_digest(signature, _sign(key, name, content)):
        return content
    return None


def write(name: str, content: bytes) -> None:
    """Store content under a name, if the cache is usable."""
    location = _locate(name)
    if location is None or len(content) > MAX_BYTES - SIGNATURE_LENGTH:
        return
    path, key = location
    with contextlib.suppress(OSError):
        make_private_folder(path.parent)
        write_private(path, _sign(key, name, content) + content)


def get_or_create(name: str, make: Callable[[], bytes]) -> bytes:
    """Return the content stored under a name, or make and store it.

    Another process that wants the same content meanwhile waits for it.
    """
    content = read(name)
    if content is None:
        with _hold_name(name):
            content = read(name)
            if content is None:
                content = make()
                write(name, content)
    return content


@contextmanager
def _hold_name(name: str) -> Iterator[None]:
    """Hold the lock of a name while its content is made; proceed without a lock where that is not possible."""
    lock, location = None, _locate(name)
    if location is not None:
        with contextlib.suppress(OSError):
            make_private_folder(location[0].parent)
            lock = wait_for_lock(location[0], PATIENCE)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def iter_names(folder: str, prefix: str) -> Iterator[str]:
    """Yield the names in a folder that begin with a prefix, whether or not they can be read."""
    with contextlib.suppress(OSError, RuntimeError), os.scandir(resources.cache_folder() / folder) as entries:
        yield from (f"{folder}/{entry.name}" for entry in entries if entry.name.startswith(prefix))


def is_usable() -> bool:
    """Return True if files can be stored."""
    location = _locate("any")
    if location is None:
        return False
    folder = location[0].parent
    with contextlib.suppress(OSError):
        make_private_folder(folder)
        return os.access(folder, os.W_OK)
    return False


def warn_once(message: str) -> None:
    """Log the first problem with the cache, and only in the process that the user started."""
    import logging
    from multiprocessing import parent_process

    if parent_process() is None and not _warnings:
        logging.getLogger(__name__).warning(message)
    _warnings.append(message)


def _locate(name: str) -> tuple[Path, bytes] | None:
    """Return the path and the key for a name; None if the cache is not usable."""
    try:
        folder = Path(os.path.abspath(resources.cache_folder()))
        key = _load_key(folder, (folder / name).parent, Path(os.path.abspath(resources.state_folder())) / "cache.key")
    except RuntimeError:  # no home folder
        return None
    return None if key is None else (folder / name, key)


def _sign(key: bytes, name: str, content: bytes) -> bytes:
    """Return the HMAC-SHA-256 of name and content as a line of hexadecimal digits, which precedes cached content."""
    return hmac.digest(key, name.encode("utf-8") + b"\0" + content, "sha256").hex().encode() + b"\n"


@cache
def _load_key(root: Path, folder: Path, file: Path) -> bytes | None:
    """Return the key for a folder of the cache; warn and return None if other users could change either folder."""
    variable = "EDICT_CACHE"
    try:
        require_private(root)
        require_private(folder)
        variable = "XDG_STATE_HOME"
        require_private(file.parent)
        return _read_key(file) or _create_key(file)
    except NotPrivateError as problem:
        advice = f"Run `{problem.command}`, or set" if problem.command else "Set"
        warn_once(f"Not using the cache in {root}: {problem.reason}. {advice} {variable} to a folder of your own.")
    except OSError:
        pass  # without a cache everything works, only slower
    return None


def _read_key(file: Path) -> bytes | None:
    """Return the key in a file, unless other users may know it."""
    try:
        key = read_private(file, KEY_LENGTH, OTHERS_READ | OTHERS_WRITE)
    except NotPrivateError:
        return None
    return key if key and len(key) == KEY_LENGTH else None


def _create_key(file: Path) -> bytes | None:
    """Replace a missing or bad key; return the key of another process if that was faster."""
    make_private_folder(file.parent)
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    write_private(fresh, secrets.token_bytes(KEY_LENGTH))
    try:
        make_hard_link(fresh, file)
    except OSError:  # another process was faster, or this file system has no links
        if _read_key(file) is None:
            os.replace(fresh, file)
    finally:
        fresh.unlink(missing_ok=True)
    return _read_key(file)
