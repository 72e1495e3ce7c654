"""Whether conditions can hold at all, and whether they can fail: by what they compare, and how that is declared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from edict.checks.excluding import Allowed, Claim, Key, Reader, clashes, joined
from edict.meaning.possible_values import holds, range_of
from edict.language import tree as t
from edict.meaning.symbols import NUMBER
from edict.meaning.types import Typed

_OF_ITSELF = {"=": True, "<=": True, ">=": True, "within": True, "!=": False, "<": False, ">": False}


class Certain:
    """Knows what is certain of conditions that are looked at in one and the same situation."""

    def __init__(self, typed: Typed) -> None:
        self._typed = typed
        self._reader = _Ranged(typed)

    def cannot_be(self, claims: Sequence[Claim]) -> bool:
        """Whether these cannot all be so: each a condition, and whether it is said to hold."""
        if any(holds(self._typed, condition) is (not so) for condition, so in claims):
            return True
        found = self._reader.claimed(claims)
        return found is not None and all(clashes(way, self._reader.among(way)) for way in found)


class _Ranged(Reader):
    """Notes between which numbers the values lie that conditions compare."""

    def __init__(self, typed: Typed) -> None:
        super().__init__(typed.resolved)
        self._typed = typed
        self._bounds: dict[Key, Allowed] = {}

    def among(self, keys: Iterable[Key]) -> dict[Key, Allowed]:
        """The bounds of those of these values that have any; of all that was ever compared there may be thousands."""
        return {key: self._bounds[key] for key in keys if key in self._bounds}

    def compared(self, expr: t.Binary, so: bool) -> tuple[Key, Allowed]:
        left, right = self.key(expr.left), self.key(expr.right)
        if left == right and expr.op in _OF_ITSELF:
            return ("itself",), Allowed(among=None if _OF_ITSELF[expr.op] == so else frozenset())
        for key, value in ((left, expr.left), (right, expr.right)):
            if self._typed.of(value) == NUMBER:
                low, high = range_of(self._typed, value)
                self._bounds[key] = joined({key: Allowed(low, high)}, self.among((key,)))[key]
        return super().compared(expr, so)
