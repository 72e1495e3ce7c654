"""What `referencing` and `jsonschema` take from rpds, which is Rust: values that never change, in plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any


class HashTrieMap(dict[Any, Any]):
    @classmethod
    def convert(cls, value: Any = ()) -> HashTrieMap:
        return value if isinstance(value, cls) else cls(value)

    def insert(self, key: Any, value: Any) -> HashTrieMap:
        return HashTrieMap({**self, key: value})

    def remove(self, key: Any) -> HashTrieMap:
        """Raises `KeyError` if it is not there."""
        rest = HashTrieMap(self)
        del rest[key]
        return rest

    def update(self, *more: Mapping[Any, Any], **named: Any) -> HashTrieMap:  # type: ignore[override]
        return HashTrieMap(dict(self, **dict(*more, **named)))


class HashTrieSet(frozenset[Any]):
    def insert(self, value: Any) -> HashTrieSet:
        return HashTrieSet({*self, value})

    def update(self, *more: Iterable[Any]) -> HashTrieSet:
        return HashTrieSet(self.union(*more))


class List(tuple[Any, ...]):
    def push_front(self, value: Any) -> List:
        return List((value, *self))

    @property
    def first(self) -> Any:
        return self[0]

    @property
    def rest(self) -> List:
        return List(self[1:])
