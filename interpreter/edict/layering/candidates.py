"""The words that could stand in a place, to be looked up by what people write in place of them."""

from __future__ import annotations

from functools import cached_property

from edict.language import tree as t
from edict.language.declared_names import titles_of

Placed = tuple[int, int, str]
"""A name with the rank by which it comes before others."""


class Candidates(dict[str, t.Definition | None]):
    """Each word with what it was declared as. It is not changed any more: there may be thousands, each looked for
    by many mistakes, so what they can be found by is worked out once."""

    @cached_property
    def titles(self) -> dict[str, str]:
        """The first name of each title."""
        found: dict[str, str] = {}
        for name, one in self.items():
            for form in titles_of(one) if one is not None else ():
                found.setdefault(form, name)
        return found

    def sharing(self, word: str) -> str:
        """The shortest name of which the word is a part, or that is a part of the word."""
        parts = word.split("-") if "-" in word else []
        found = [(len(part), self._places[part], part) for part in parts if part in self._places]
        if word in self._parts:
            found.append(self._parts[word])
        return min(found, default=(0, 0, ""))[2]

    @cached_property
    def _places(self) -> dict[str, int]:
        return {name: place for place, name in enumerate(self)}

    @cached_property
    def _parts(self) -> dict[str, Placed]:
        """By the words of which names are made: the shortest of these names."""
        found: dict[str, Placed] = {}
        for place, name in enumerate(self):
            for part in name.split("-"):
                one = (len(name), place, name)
                found[part] = min(found.get(part, one), one)
        return found
