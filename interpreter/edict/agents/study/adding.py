"""The results of games as sums: those of some games and of others are added up field by field, in any order."""

from __future__ import annotations

from collections import Counter
from copy import copy
from dataclasses import fields
from typing import Any


class Addable:
    """A dataclass of numbers, counters, sets, and lists and dictionaries of these."""

    __slots__ = ()

    def add(self, other: Any) -> None:
        """Add another of the same class to this one."""
        for field in fields(self):  # type: ignore[arg-type]  # whoever inherits is a dataclass
            setattr(self, field.name, add_up(getattr(self, field.name), getattr(other, field.name)))


def add_up(one: Any, other: Any) -> Any:
    """Return the sum of two values of one shape, which may be the first, changed; an empty list counts as zeros."""
    if isinstance(one, (Counter, set)):
        one.update(other)
    elif isinstance(one, dict):
        for key, value in other.items():
            one[key] = add_up(one[key], value) if key in one else copy(value)
    elif not isinstance(one, list):
        return one + other
    elif not one or not other:
        return one or [copy(value) for value in other]
    else:
        return [add_up(mine, theirs) for mine, theirs in zip(one, other, strict=True)]
    return one
