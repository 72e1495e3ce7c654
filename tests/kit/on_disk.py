"""What would be left after a power cut: a file as it was when somebody last waited for the disk."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

OnDisk = Callable[[Path], bytes]


@pytest.fixture
def on_disk(monkeypatch: pytest.MonkeyPatch) -> OnDisk:
    """Gives what a file is sure to hold, if it was only ever added to; nothing, if nobody has waited for it."""
    sure: dict[int, int] = {}
    real = os.fsync

    def waited(file: int) -> None:
        real(file)
        found = os.fstat(file)
        sure[found.st_ino] = found.st_size

    monkeypatch.setattr(os, "fsync", waited)
    return lambda path: path.read_bytes()[: sure.get(path.stat().st_ino, 0)]
