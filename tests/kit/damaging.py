"""What a cache may come to: torn, swapped, stuffed with something that never ends, or made to run code."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

RAN = "code-was-run"
"""The folder, beside the damaged file, that a bomb makes when it goes off."""


class _Bomb:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.marker),)


def _bomb(begins_as_before: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(path.read_bytes()[:begins_as_before] + pickle.dumps(_Bomb(path.parent / RAN)))

    return write


def _content(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return write


def _instead(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        path.unlink()
        make(path)

    return replace


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100_000_000_000)  # of which nothing takes room on the disk


DAMAGES: dict[str, Callable[[Path], None]] = {
    "empty": _content(lambda _: b""),
    "truncated": _content(lambda old: old[:-1]),
    "flipped": _content(lambda old: old[:-1] + bytes([old[-1] ^ 1])),
    "longer": _content(lambda old: old + b"\n"),
    "garbage": _content(lambda _: os.urandom(1000)),
    "deep": _content(lambda _: b"[" * 1_000_000),
    "deep, signed by nobody": _content(lambda old: old[:65] + b"[" * 1_000_000),
    "other data": _content(lambda old: old[:65] + b'{"format":5,"data":{},"memo":[]}'),
    "bomb": _bomb(0),
    "bomb, signed by nobody": _bomb(65),
    "huge": _huge,
    "folder": _instead(Path.mkdir),
}
if hasattr(os, "mkfifo"):
    DAMAGES |= {
        "pipe": _instead(os.mkfifo),
        "link to a device": _instead(lambda path: path.symlink_to("/dev/zero")),
        "link to itself": _instead(lambda path: path.symlink_to(path)),
    }


def files_in(folder: Path) -> list[Path]:
    """All that is kept in a cache."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def copied(cache: Path, target: Path) -> Path:
    """The cache once more, with whatever its links lead to."""
    return Path(shutil.copytree(cache, target))


def ran(folder: Path) -> bool:
    """Whether a bomb went off."""
    return any(folder.rglob(RAN))
