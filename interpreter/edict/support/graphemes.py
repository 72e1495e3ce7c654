"""Characters as people count them: an emoji joined of several is one, and so is a letter with its accents.

The one door to wcwidth, which is loaded only for texts that may hold such characters.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

JOINER = "\u200d"
FLAG, TAGS = "\U0001f3f4", ("\U000e0020", "\U000e007f")  # a black flag, and the signs that make it a country's

BLANKS = "\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0"
"""Characters drawn as nothing that Unicode counts among letters, marks and signs."""


def characters(text: str) -> Sequence[str]:
    """The characters that people see, in order."""
    if text.isascii():
        return text
    from wcwidth import iter_graphemes

    return [*iter_graphemes(text)]


def shortened(text: str, most: int) -> str:
    """At most so many characters of a text, none of them cut in two."""
    return "".join(characters(text)[:most])


def pieces(text: str) -> Sequence[str]:
    """The characters in a text that holds some that are joined; of any other, the signs it is made of."""
    return characters(text) if JOINER in text or FLAG in text else text


def without_joiners(text: str) -> str:
    """The text without the invisible signs that make one character of several; where they join nothing, they stay."""
    if JOINER not in text and FLAG not in text:
        return text
    return "".join(map(_unjoined, characters(text)))


def is_hidden(char: str) -> bool:
    """Return True if a character cannot be seen, or could steer a terminal or the direction of a line."""
    return unicodedata.category(char) in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


def find_hidden(text: str) -> str:
    """Return the first hidden character of a text that joins no emoji; empty if there is none."""
    return next(filter(is_hidden, without_joiners(text)), "")


def find_spoof(text: str) -> str:
    """Return the first character by which a text could pass for another one: hidden, or drawn as nothing."""
    return find_hidden(text) or next((char for char in text if char in BLANKS), "")


def _unjoined(one: str) -> str:
    inner = "".join(char for char in one[:-1] if char != JOINER) + one[-1]
    return "".join(char for char in inner if not TAGS[0] <= char <= TAGS[1]) if one.startswith(FLAG) else inner
