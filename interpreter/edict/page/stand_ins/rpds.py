"""What `referencing` and `jsonschema` take from rpds, which is Rust: values that never change, in plain Python."""

from __future__ import annotations


class HashTrieMap(dict):
    @classmethod
    def convert(cls, value=()):
        return value if isinstance(value, cls) else cls(value)

    def insert(self, key, value):
        return HashTrieMap({**self, key: value})

    def remove(self, key):
        return HashTrieMap({name: value for name, value in self.items() if name != key or self[key] is None})

    def discard(self, key):
        return HashTrieMap({name: value for name, value in self.items() if name != key})

    def update(self, *more, **named):
        return HashTrieMap(dict(self, **dict(*more, **named)))


class HashTrieSet(frozenset):
    def insert(self, value):
        return HashTrieSet({*self, value})

    def update(self, *more):
        return HashTrieSet(self.union(*more))

    def discard(self, value):
        return HashTrieSet(self - {value})


class List(tuple):
    def push_front(self, value):
        return List((value, *self))

    @property
    def first(self):
        return self[0]

    @property
    def rest(self):
        return List(self[1:])

    drop_first = rest
