"""Data from a YAML file with the place of each value, apart from the reader, which is not needed for kept data."""

from __future__ import annotations

from typing import Any

from edict.support.records import dataclass
from edict.support.text import NOWHERE, Span

Path = tuple[str | int, ...]


@dataclass(frozen=True)
class WrittenData:
    """Plain data (`dict`, `list`, `str`, `int`) with the place of every value and key."""

    data: Any
    places: dict[Path, Span]  # spans of values by their path
    keys: dict[Path, Span]  # spans of keys by their path

    def span_of(self, path: Path) -> Span:
        """Return the span of a value, or of the nearest value around it."""
        return self.places.get(path) or (self.span_of(path[:-1]) if path else NOWHERE)
