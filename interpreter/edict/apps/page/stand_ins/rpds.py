"""Immutable collections in pure Python, as far as `referencing` and `jsonschema` use them of the Rust library rpds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class HashTrieMap(dict[Any, Any]):
    """An immutable mapping; changes return a new one."""

    @classmethod
    def convert(cls, value: Any = ()) -> HashTrieMap:
        """Return the value itself if it is a `HashTrieMap`, else a map of its items."""
        return value if isinstance(value, cls) else cls(value)

    def insert(self, key: Any, value: Any) -> HashTrieMap:
        """Return a copy in which a key has this value."""
        return HashTrieMap({**self, key: value})

    def remove(self, key: Any) -> HashTrieMap:
        """Return a copy without a key.

        Raises:
            KeyError: The map does not have the key.
        """
        copy = HashTrieMap(self)
        del copy[key]
        return copy

    def update(self, *more: Mapping[Any, Any], **named: Any) -> HashTrieMap:  # type: ignore[override]
        """Return a copy with further items."""
        return HashTrieMap(dict(self, **dict(*more, **named)))


class HashTrieSet(frozenset[Any]):
    """An immutable set; changes return a new one."""

    def insert(self, value: Any) -> HashTrieSet:
        """Return a copy with a further value."""
        return HashTrieSet({*self, value})

    def update(self, *more: Iterable[Any]) -> HashTrieSet:
        """Return a copy with further values."""
        return HashTrieSet(self.union(*more))


class List(tuple[Any, ...]):
    """An immutable list; changes return a new one."""

    def push_front(self, value: Any) -> List:
        """Return a copy with a further value at its start."""
        return List((value, *self))

    @property
    def first(self) -> Any:
        """Return the first value."""
        return self[0]

    @property
    def rest(self) -> List:
        """Return the list without its first value."""
        return List(self[1:])
