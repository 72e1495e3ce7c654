"""Keys: what options are called in saved games and scripts, in whatever words they are shown.

They are made from what the rules themselves say, so that better words, or words of another language, change none.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from itertools import count

DECLINED = "no"  # to decline, where the rules have no words for it
LONGEST = 48  # characters of a key


def slug(text: str) -> str:
    """A short stable name for a text: `Gain 1 (or 2)` is `gain-1-or-2`, `+2 token` is `plus-2-token`."""
    text = re.sub(r"(?<!\w)\+(?=\d)", "plus ", text)
    text = re.sub(r"(?<!\w)[-\u2212](?=\d)", "minus ", text)
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return re.sub(r"[\W_]+", "-", plain.casefold()).strip("-")


def keys_of(texts: Iterable[str]) -> tuple[str, ...]:
    """The keys of the options of a question, whose texts in the rules these are; all of them, offered or not."""
    return distinct(map(_shortened, texts))


def decline_key(text: str) -> str:
    """The key for declining, which the rules may have words for; a number is the key of a number."""
    key = _shortened(text)
    return key if key and not key.isdecimal() else DECLINED


def distinct(keys: Iterable[str]) -> tuple[str, ...]:
    """Those keys, equal ones from the second on with a number behind them. None is empty."""
    wanted = [key or "option" for key in keys]
    taken, made = set(wanted), dict[str, None]()
    for key in wanted:
        if key in made:
            key = next(other for number in count(2) if (other := f"{key}-{number}") not in taken)
            taken.add(key)
        made[key] = None
    return tuple(made)


def _shortened(text: str) -> str:
    """Whole words of it, as many as fit."""
    key = slug(text)
    return key if len(key) <= LONGEST else key[: LONGEST + 1].rpartition("-")[0] or key[:LONGEST]
