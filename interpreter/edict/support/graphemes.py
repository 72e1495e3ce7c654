"""Grapheme clusters, the characters that people see: a joined emoji is one, and so is a letter with its accents.

The only importer of wcwidth, which is loaded only for texts that may contain such characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

JOINER = "\u200d"
# a black flag, and the range of tags that make it the flag of a region
FLAG, TAGS = "\U0001f3f4", ("\U000e0020", "\U000e007f")

# characters drawn as nothing although Unicode classes them as letters, marks or symbols
BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"


def split_graphemes(text: str) -> Sequence[str]:
    """Split a text into grapheme clusters."""
    if text.isascii():
        return text
    from wcwidth import iter_graphemes

    return [*iter_graphemes(text)]


def truncate_graphemes(text: str, limit: int) -> str:
    """Return at most `limit` grapheme clusters of a text."""
    return "".join(split_graphemes(text)[:limit])


def split_visible_characters(text: str) -> Sequence[str]:
    """Split a text into grapheme clusters if it contains joined emoji, else into code points."""
    return split_graphemes(text) if JOINER in text or FLAG in text else text


def strip_joiners(text: str) -> str:
    """Remove the invisible characters that join an emoji's parts; those that join nothing stay."""
    if JOINER not in text and FLAG not in text:
        return text
    return "".join(map(_strip_grapheme, split_graphemes(text)))


def is_hidden(char: str) -> bool:
    """Return True if a character cannot be seen, or could steer a terminal or the direction of a line."""
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def find_hidden_character(text: str) -> str:
    """Return the first hidden character of a text that joins no emoji; empty if there is none."""
    return next(filter(is_hidden, strip_joiners(text)), "")


def find_spoof(text: str) -> str:
    """Return the first character that could make a text look like another one, hidden or blank; empty if none."""
    return find_hidden_character(text) or next((char for char in text if char in BLANKS), "")


def _strip_grapheme(grapheme: str) -> str:
    """Remove zero-width joiners inside one grapheme cluster, except at its end, and the tags of a black flag."""
    inner = "".join(char for char in grapheme[:-1] if char != JOINER) + grapheme[-1]
    if grapheme.startswith(FLAG):
        return "".join(char for char in inner if not TAGS[0] <= char <= TAGS[1])
    return inner
