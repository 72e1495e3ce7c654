"""Icons in texts, found by the words that they stand for and joined with the numbers beside them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class IconSegment:
    """A segment of a text, shown as an icon if it has one."""

    text: str
    icon: str = ""  # name of the icon that stands for the words; empty for plain text
    before: str = ""  # number in front of the icon that stays on its line
    after: str = ""  # number behind the icon that stays on its line


class IconFinder:
    """Finds the words in texts that have an icon."""

    def __init__(self, icons_by_words: Mapping[str, str]) -> None:
        """Prepare the search.

        Args:
            icons_by_words: Names of icons by the words that they stand for.
        """
        self._icons = {words.casefold(): icon for words, icon in icons_by_words.items()}
        words = sorted(self._icons, key=len, reverse=True)
        alternatives = "|".join(map(re.escape, words))
        pattern = rf"([-+]?\d+ )?(?<!\w)({alternatives})(?!\w)((?(1)(?!)| \d+))?"
        self._pattern = re.compile(pattern, re.IGNORECASE) if words else None

    def split(self, text: str) -> list[IconSegment]:
        """Split a text into segments, of which each word with an icon is one."""
        if self._pattern is None:
            return [IconSegment(text)]
        segments, position = list[IconSegment](), 0
        for match in self._pattern.finditer(text):
            before, word, after = match[1] or "", match[2], match[3] or ""
            segments += [IconSegment(text[position : match.start()])] * (match.start() > position)
            segments.append(IconSegment(word, self._icons[word.casefold()], before, after))
            position = match.end()
        if position < len(text) or not segments:
            return [*segments, IconSegment(text[position:])]
        return segments
