"""Icons in texts: the words for what has an icon, found where they stand, with the numbers beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Sign:
    """A part of a text: words, and the name of the icon that stands for them, or nothing.

    `before` and `after` are numbers beside an icon, which stay on its line.
    """

    text: str
    icon: str = ""
    before: str = ""
    after: str = ""


class Signs:
    """`called`: what has an icon is named so, each with the name of the icon."""

    def __init__(self, called: Mapping[str, str]) -> None:
        self._icons = {words.casefold(): icon for words, icon in called.items()}
        words = sorted(self._icons, key=len, reverse=True)
        any_of = "|".join(map(re.escape, words))
        pattern = rf"([-+]?\d+ )?(?<!\w)({any_of})(?!\w)((?(1)(?!)| \d+))?"
        self._pattern = re.compile(pattern, re.IGNORECASE) if words else None

    def within(self, text: str) -> list[Sign]:
        """A text in which the words for what has an icon stand apart."""
        if self._pattern is None:
            return [Sign(text)]
        found, last = list[Sign](), 0
        for match in self._pattern.finditer(text):
            before, word, after = match[1] or "", match[2], match[3] or ""
            found += [Sign(text[last : match.start()])] * (match.start() > last)
            found.append(Sign(word, self._icons[word.casefold()], before, after))
            last = match.end()
        return [*found, Sign(text[last:])] if last < len(text) or not found else found
