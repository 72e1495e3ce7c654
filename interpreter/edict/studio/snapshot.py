"""A variant as it is at one moment: its folder, and the texts that are not saved yet."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path

from edict.sources.folders import laid_over


@dataclass(frozen=True)
class Snapshot:
    """`unsaved` holds texts by resolved path, which count in place of what the files hold. Can be sent to a process."""

    folder: Path
    unsaved: Mapping[Path, str] = field(default_factory=dict, repr=False)

    def laid(self) -> AbstractContextManager[None]:
        """In here whatever reads rules and scenes reads the unsaved texts."""
        return laid_over(self.unsaved)
