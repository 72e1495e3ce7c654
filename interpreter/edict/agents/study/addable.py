"""Results of games as sums, which can be added field by field in any order."""

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


def add_up(target: Any, other: Any) -> Any:
    """Return the sum of two counters, sets, dicts, lists or numbers; may change `target`. An empty list is zeros."""
    if isinstance(target, (Counter, set)):
        target.update(other)
    elif isinstance(target, dict):
        for key, value in other.items():
            target[key] = add_up(target[key], value) if key in target else copy(value)
    elif not isinstance(target, list):
        return target + other
    elif not target or not other:
        return target or [copy(value) for value in other]
    else:
        return [add_up(left, right) for left, right in zip(target, other, strict=True)]
    return target
