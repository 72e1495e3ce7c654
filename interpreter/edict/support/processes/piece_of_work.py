"""One piece of work for another process: what it may take, how it reports, and how it fails."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

Report = TypeVar("Report")
Tell = Callable[[Report], None]
DIED = "the process that did it died"


class Failed(Exception):
    """The process died, took too long or wanted too much; the text says which."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What one piece of work may take: seconds, bytes of memory, seconds of processor time (0: as much as there is).

    Where the system has no such limits (Windows), only the seconds are bounded. nice: by how much others go first.
    """

    seconds: float = 0
    memory: int = 0
    busy: int = 0
    nice: int = 0
