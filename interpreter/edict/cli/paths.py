"""The one door for paths typed on the command line or at a prompt; every option that takes one names its door."""

from __future__ import annotations

from pathlib import Path

from edict.cli.errors import UsageError
from edict.paths import BadPath, checked_regular, typed_path


def a_path(text: str | Path) -> Path:
    """Any path: of a folder, or of a file to be written. Raises `UsageError`."""
    try:
        return typed_path(str(text))
    except BadPath as bad:
        raise UsageError(bad.reason, bad.remedy) from None


def a_file(text: str) -> Path:
    """A file to be read: not a device or a pipe, whose end nobody may live to see. Raises `UsageError`."""
    try:
        return checked_regular(typed_path(text))
    except BadPath as bad:
        raise UsageError(bad.reason, bad.remedy) from None


__all__ = ["a_file", "a_path"]
