"""File contents that would survive a power cut: those of the last fsync."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

OnDisk = Callable[[Path], bytes]


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> OnDisk:
    """Return a function that gives the bytes of an append-only file that were synced to disk."""
    synced_sizes: dict[int, int] = {}
    original_fsync = os.fsync

    def record_fsync(file: int) -> None:
        original_fsync(file)
        found = os.fstat(file)
        synced_sizes[found.st_ino] = found.st_size

    monkeypatch.setattr(os, "fsync", record_fsync)
    return lambda path: path.read_bytes()[: synced_sizes.get(path.stat().st_ino, 0)]
