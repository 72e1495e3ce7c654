"""Damage to a cache: truncated, swapped or endless files, and files that would run code."""

from __future__ import annotations

import os
import pickle
import shutil
from collections.abc import Callable
from pathlib import Path

RAN = "code-was-run"  # folder that a bomb creates beside the damaged file when its code runs


class _Bomb:
    def __init__(self, marker: Path) -> None:
        self.marker = marker

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, (str(self.marker),)


def _plant_bomb(kept_bytes: int) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(path.read_bytes()[:kept_bytes] + pickle.dumps(_Bomb(path.parent / RAN)))

    return write


def _change_content(change: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(change(path.read_bytes()))

    return write


def _replace_with(make: Callable[[Path], object]) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        path.unlink()
        make(path)

    return replace


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(100_000_000_000)  # sparse, takes no space on disk


DAMAGES: dict[str, Callable[[Path], None]] = {
    "empty": _change_content(lambda _: b""),
    "truncated": _change_content(lambda old: old[:-1]),
    "flipped": _change_content(lambda old: old[:-1] + bytes([old[-1] ^ 1])),
    "longer": _change_content(lambda old: old + b"\n"),
    "garbage": _change_content(lambda _: os.urandom(1000)),
    "deep": _change_content(lambda _: b"[" * 1_000_000),
    "deep, signed by nobody": _change_content(lambda old: old[:65] + b"[" * 1_000_000),
    "other data": _change_content(lambda old: old[:65] + b'{"format":5,"data":{},"memo":[]}'),
    "bomb": _plant_bomb(0),
    "bomb, signed by nobody": _plant_bomb(65),
    "huge": _huge,
    "folder": _replace_with(Path.mkdir),
}
if hasattr(os, "mkfifo"):
    DAMAGES |= {
        "pipe": _replace_with(os.mkfifo),
        "link to a device": _replace_with(lambda path: path.symlink_to("/dev/zero")),
        "link to itself": _replace_with(lambda path: path.symlink_to(path)),
    }


def list_files(folder: Path) -> list[Path]:
    """Return all files of a cache."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def copy_cache(cache: Path, target: Path) -> Path:
    """Copy a cache with the targets of its links."""
    return Path(shutil.copytree(cache, target))


def has_run_code(folder: Path) -> bool:
    """Return True if a planted file ran its code."""
    return any(folder.rglob(RAN))
