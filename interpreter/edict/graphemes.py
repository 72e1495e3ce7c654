"""Characters as people count them: an emoji joined of several is one, and so is a letter with its accents.

The one door to wcwidth, which is loaded only for texts that may hold such characters.
"""

from __future__ import annotations

from collections.abc import Sequence

JOINER = "\u200d"
FLAG, TAGS = "\U0001f3f4", ("\U000e0020", "\U000e007f")  # a black flag, and the signs that make it a country's


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


def _unjoined(one: str) -> str:
    inner = "".join(char for char in one[:-1] if char != JOINER) + one[-1]
    return "".join(char for char in inner if not TAGS[0] <= char <= TAGS[1]) if one.startswith(FLAG) else inner
