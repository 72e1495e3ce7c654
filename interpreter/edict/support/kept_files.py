"""What is kept between two runs to save time: read back only if this user wrote it, and never in the way.

A cache folder may be shared, copied, or restored by a build server, so nothing is believed because it lies there. Every
file begins with a signature of its name and content, made with a key that lies elsewhere. What is not signed so, or is
no ordinary file, counts as absent: callers regenerate it, and never see anything but what was written here.
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
from edict.support.files import put_private, second_name
from edict.support.locks import wait_for
from edict.support.private_files import (
    OTHERS_READ,
    OTHERS_WRITE,
    NotPrivate,
    make_folder,
    read_private,
    require_private,
)

MOST_BYTES = 64_000_000  # of one file; what is larger was not written here
SIGNED = 65  # bytes of a signature and its end of line
KEY = 32  # bytes
PATIENCE = 60.0  # seconds one waits at most for what another process makes
_told: list[str] = []


def read(name: str) -> bytes | None:
    """What was kept under this name, a path within the cache folder; None if it is not there as it was written."""
    place = _place(name)
    if place is None:
        return None
    path, key = place
    try:
        found = read_private(path, MOST_BYTES) or b""
    except NotPrivate as found_wrong:
        tell(f"Not using a file of the cache, which will be rebuilt: {found_wrong.reason}.")
        return None
    signature, content = found[:SIGNED], found[SIGNED:]
    return content if hmac.compare_digest(signature, _signature(key, name, content)) else None


def keep(name: str, content: bytes) -> None:
    """Keep this under the name, if anything can be kept."""
    place = _place(name)
    if place is None or len(content) > MOST_BYTES - SIGNED:
        return
    path, key = place
    with contextlib.suppress(OSError):
        make_folder(path.parent)
        put_private(path, _signature(key, name, content) + content)


def made(name: str, make: Callable[[], bytes]) -> bytes:
    """What is kept under the name; if that is nothing, what is made now, and kept. Who wants the same meanwhile, in
    another process, waits for it."""
    found = read(name)
    if found is None:
        with _alone(name):
            found = read(name)
            if found is None:
                found = make()
                keep(name, found)
    return found


@contextmanager
def _alone(name: str) -> Iterator[None]:
    """While no other process makes what goes by this name; or anyway, where that cannot be seen to."""
    lock, place = None, _place(name)
    if place is not None:
        with contextlib.suppress(OSError):
            make_folder(place[0].parent)
            lock = wait_for(place[0], PATIENCE)
    try:
        yield
    finally:
        if lock is not None:
            lock.release()


def names(folder: str, beginning: str) -> Iterator[str]:
    """The names in a folder that begin so; whether they can be read is another matter."""
    with contextlib.suppress(OSError, RuntimeError), os.scandir(resources.cache_folder() / folder) as entries:
        yield from (f"{folder}/{entry.name}" for entry in entries if entry.name.startswith(beginning))


def usable() -> bool:
    """Whether anything can be kept."""
    place = _place("any")
    if place is None:
        return False
    folder = place[0].parent
    with contextlib.suppress(OSError):
        make_folder(folder)
        return os.access(folder, os.W_OK)
    return False


def tell(words: str) -> None:
    """Say what stands in the cache's way: the first such thing, and only in the process that the user started."""
    import logging
    from multiprocessing import parent_process

    if parent_process() is None and not _told:
        logging.getLogger(__name__).warning(words)
    _told.append(words)


def _place(name: str) -> tuple[Path, bytes] | None:
    """Where a name is kept, and the key; None if nothing can be kept."""
    try:
        folder = Path(os.path.abspath(resources.cache_folder()))
        key = _key(folder, (folder / name).parent, Path(os.path.abspath(resources.state_folder())) / "cache.key")
    except RuntimeError:  # there is no home folder
        return None
    return None if key is None else (folder / name, key)


def _signature(key: bytes, name: str, content: bytes) -> bytes:
    return hmac.digest(key, name.encode("utf-8") + b"\0" + content, "sha256").hex().encode() + b"\n"


@cache
def _key(root: Path, folder: Path, file: Path) -> bytes | None:
    """The key for a folder of the cache; None if others could change that folder, which is said, or the key's."""
    variable = "EDICT_CACHE"
    try:
        require_private(root)
        require_private(folder)
        variable = "XDG_STATE_HOME"
        require_private(file.parent)
        return _key_in(file) or _new_key(file)
    except NotPrivate as found:
        ways = f"Run `{found.command}`, or set" if found.command else "Set"
        tell(f"Not using the cache in {root}: {found.reason}. {ways} {variable} to a folder of your own.")
    except OSError:
        pass  # nothing can be written there, which costs only time
    return None


def _key_in(file: Path) -> bytes | None:
    """The key in a file, unless others may know it."""
    try:
        found = read_private(file, KEY, OTHERS_READ | OTHERS_WRITE)
    except NotPrivate:
        return None
    return found if found and len(found) == KEY else None


def _new_key(file: Path) -> bytes | None:
    """A new key, in place of none or a bad one; the key of another process, if that was faster."""
    make_folder(file.parent)
    fresh = file.with_name(f"{file.name}.{secrets.token_hex(4)}")
    put_private(fresh, secrets.token_bytes(KEY))
    try:
        second_name(fresh, file)
    except OSError:  # there is one, or this file system has no links
        if _key_in(file) is None:
            os.replace(fresh, file)
    finally:
        fresh.unlink(missing_ok=True)
    return _key_in(file)
