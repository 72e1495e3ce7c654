"""Keys of options, their names in saved games and scripts.

They are derived from the texts in the rules, so better words or a translation shown to players change no key.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import count

DECLINED = "no"  # key to decline where the rules have no words for it
MAX_KEY_LENGTH = 48  # characters


def to_stable_slug(text: str) -> str:
    """Convert a text to a short stable name: `Gain 1 (or 2)` to `gain-1-or-2`, `+2 token` to `plus-2-token`."""
    text = re.sub(r"(?<!\w)\+(?=\d)", "plus ", text)
    text = re.sub(r"(?<!\w)[-\u2212](?=\d)", "minus ", text)
    stripped = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    return re.sub(r"[\W_]+", "-", stripped.casefold()).strip("-")


def option_keys(texts: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of a question's options from their texts in the rules, offered or not."""
    return make_distinct(map(_truncate_key, texts))


def decline_key(text: str) -> str:
    """Return the key for declining; words of the rules that are a number would look like a number's key."""
    key = _truncate_key(text)
    return key if key and not key.isdecimal() else DECLINED


def make_distinct(keys: Iterable[str]) -> tuple[str, ...]:
    """Make keys unique by numbers behind repeated ones, and replace empty ones."""
    originals = [key or "option" for key in keys]
    reserved, unique = set(originals), dict[str, None]()
    for key in originals:
        if key in unique:
            key = next(other for number in count(2) if (other := f"{key}-{number}") not in reserved)
            reserved.add(key)
        unique[key] = None
    return tuple(unique)


def _truncate_key(text: str) -> str:
    """Return the slug of a text, cut at a word boundary."""
    key = to_stable_slug(text)
    if len(key) <= MAX_KEY_LENGTH:
        return key
    return key[: MAX_KEY_LENGTH + 1].rpartition("-")[0] or key[:MAX_KEY_LENGTH]
