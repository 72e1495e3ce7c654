"""What a thing does, said shortly where there is little room: as English is shortened on a card."""

from __future__ import annotations

import re

SHORTER = (
    (r"\.$", ""),
    (r"^Gain (?=\d)", ""),
    (r"(?<=; )gain (?=\d)", ""),
    (r" of your choice\b", ""),
    (r" and (?=\d)", ", "),
    (r"\bat the (start|end) of (every|the) ", r"\1 of "),
    (r"\byou may (\w)", r"\1"),
)


def terse(words: str, room: int) -> str:
    """The words if they fit, else shortened step by step; what is still too long is cut where it is drawn."""
    for pattern, instead in SHORTER:
        if len(words) <= room:
            break
        words = re.sub(pattern, instead, words, flags=re.IGNORECASE if pattern.startswith(r"\b") else 0)
    return words
