"""What people type, understood: the number of an option, or the beginnings of its words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from edict.table.options import Ask, Option

COUNTED = ("number", "die")  # domains whose options are numbers themselves


def label(ask: Ask, option: Option) -> str:
    """What to type for an option: its own number where options are numbers, else its place, counted from 1."""
    if ask.domain in COUNTED:
        return option.text if option.text.lstrip("-").isdecimal() else ""
    return str(option.index + 1)


def matching(ask: Ask, typed: str) -> list[Option]:
    """The options that what was typed may mean: one if it is clear."""
    typed = " ".join(typed.casefold().split())
    by_label = [option for option in ask.options if typed and label(ask, option) == typed]
    exact = by_label or [option for option in ask.options if typed in (option.text.casefold(), option.key.casefold())]
    return exact or by_words(ask.options, typed)


def by_words(options: Sequence[Option], typed: str) -> list[Option]:
    """Options whose words begin as typed, in that order; those beginning at their first word before others."""
    if not typed or typed.isdecimal() and not any(typed in words_of(option.text) for option in options):
        return []
    found = [option for option in options if begins(words_of(option.text), words_of(typed))]
    first = [option for option in found if option.text.casefold().startswith(typed)]
    return first or found


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.casefold())


def begins(words: Sequence[str], typed: Sequence[str]) -> bool:
    """Whether each typed word begins one of the words, in their order; numbers only as a whole."""
    rest = iter(words)
    return bool(typed) and all(
        any(word == part or not part.isdecimal() and word.startswith(part) for word in rest) for part in typed
    )


def choices(options: Sequence[Option]) -> str:
    """`Statue or Stables`, for asking which is meant."""
    texts = [option.text for option in options]
    shown = texts if len(texts) <= 5 else [*texts[:4], f"{len(texts) - 4} others"]
    return " or ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)
