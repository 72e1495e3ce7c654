"""A variant as it stands at one moment: its folder, and the texts that are not saved yet."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from edict.sources.folders import UNSAVED


@dataclass(frozen=True)
class Snapshot:
    """`unsaved` holds texts by resolved path, which count in place of what the files hold. Can be sent to a process."""

    folder: Path
    unsaved: Mapping[Path, str] = field(default_factory=dict, repr=False)

    @contextmanager
    def laid(self) -> Iterator[None]:
        """In here whatever reads rules and scenes reads the unsaved texts."""
        token = UNSAVED.set(self.unsaved)
        try:
            yield
        finally:
            UNSAVED.reset(token)
