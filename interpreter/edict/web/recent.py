"""Parts of a table's pages, cached as long as the pages still show them."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any


class Recent:
    """Remembers what was made for the present version of a table, and for the last one at which anybody looked.

    What is not asked for again in between is forgotten, so no more is kept than is on somebody's screen.
    """

    def __init__(self) -> None:
        self._version = -1
        self._now: dict[Hashable, Any] = {}
        self._before: dict[Hashable, Any] = {}

    def at(self, version: int) -> Recent:
        """The same, for a version of the table."""
        if version != self._version:
            self._version, self._before, self._now = version, self._now, {}
        return self

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        """What was made under a key, which must say all that it depends on."""
        found = self._now.get(key)
        if found is None:
            found = self._before.get(key)
            self._now[key] = found = make() if found is None else found
        return found
