"""What people type, understood: the label of an option, or the beginnings of its words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from string import ascii_lowercase

from edict.program.opcodes import DECLINE
from edict.table.options import Ask, Option

COUNTED = ("number", "die")  # domains whose options are numbers themselves


def labels(ask: Ask) -> tuple[str, ...]:
    """What to type for each option, such that no number ever means two things.

    Where options are numbers, or things that show a number of their own, that number; else their places, counted
    from 1; or letters, where a position could be taken for a number in an option.
    """
    if ask.domain in COUNTED:
        return tuple(option.text if option.text.lstrip("-").isdecimal() else "" for option in ask.options)
    if has_own_numbers(ask):
        return tuple(_by_own_numbers(ask.options))
    places = tuple(str(place) for place in range(1, len(ask.options) + 1))
    if any(shown not in ("", place) for place, shown in zip(places, map(_shown_number, ask.options), strict=True)):
        return tuple(_lettered(len(ask.options)))
    return places


def label(ask: Ask, option: Option) -> str:
    return labels(ask)[option.index]


def has_own_numbers(ask: Ask) -> bool:
    """Whether the options are things each of which shows nothing but a number."""
    things = [option for option in ask.options if option.value != DECLINE]
    return ask.domain == "thing" and bool(things) and all(option.caption.isdecimal() for option in things)


def _by_own_numbers(options: Sequence[Option]) -> Iterator[str]:
    """`5`, or `5a` and `5b` where two show the same; declining is `0`, if nothing else is."""
    often, met = Counter(option.caption for option in options), Counter[str]()
    for option in options:
        number = option.caption
        met[number] += 1
        if option.value == DECLINE:
            yield "" if often["0"] else "0"
        else:
            yield number if often[number] == 1 else f"{number}{next(_lettered(1, met[number] - 1))}"


def _lettered(count: int, start: int = 0) -> Iterator[str]:
    """`a` to `z`, then `aa` ..."""
    for number in range(start, start + count):
        yield ascii_lowercase[number % 26] * (number // 26 + 1)


def _shown_number(option: Option) -> str:
    """The number an option begins with, or shows and nothing else."""
    found = re.match(r"\d+", option.text)
    return found[0] if found else option.caption if option.caption.isdecimal() else ""


def matching(ask: Ask, typed: str) -> list[Option]:
    """The options that what was typed may mean: one if it is clear."""
    typed = " ".join(typed.casefold().split())
    exact = [option for option, one in zip(ask.options, labels(ask), strict=True) if typed and one == typed]
    exact = exact or [option for option in ask.options if typed in (option.text.casefold(), option.key.casefold())]
    if not exact and typed.isdecimal() and has_own_numbers(ask):
        return [option for option in ask.options if option.caption == typed]
    return exact or by_words(ask.options, typed)


def by_words(options: Sequence[Option], typed: str) -> list[Option]:
    """Options whose words begin as typed, in that order; those beginning at their first word before others.

    Nothing but numbers must be the option's first words: they mean amounts or dice, not whatever else is counted there.
    """
    parts = words_of(typed)
    if all(part.isdecimal() for part in parts):
        return [option for option in options if parts and words_of(option.text)[: len(parts)] == parts]
    found = [option for option in options if begins(words_of(option.text), parts)]
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
