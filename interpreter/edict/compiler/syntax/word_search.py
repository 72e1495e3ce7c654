"""Looking something up by the words people use: what is called so, then what is said to be so."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache
from math import log
from typing import Protocol, TypeVar

from edict.compiler.syntax.grammar_tables import grammar_table

SMALL = frozenset("a an and at by for from in is it of on one or that the to what when which with".split())
GOOD = 0.5
"""How much of what is looked for must be found where not all of it can be."""
_ALIKE = 0.8


class Findable(Protocol):
    """What can be looked for: as a rule writes it, its title, its sort, and its meaning in English."""

    @property
    def line(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def sort(self) -> str: ...
    @property
    def description(self) -> str: ...


F = TypeVar("F", bound=Findable)


def find(all_: Iterable[F], words: str) -> tuple[F, ...]:
    """Those in whose names, titles and English the words are found, the best first; where none has all words, those
    that have most of them.

    Words match in any form that begins alike (`battles`, `battle`) or means the same (`won`, `victory`); small words
    count only if there is nothing else.
    """
    some = tuple(all_)
    wanted = [word for word in plain(words).split() if word not in SMALL] or plain(words).split()
    scored = [(_score(wanted, entry), entry) for entry in some]
    whole = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    return tuple(entry for _, entry in whole or fitting(some, wanted))


def fitting(all_: Sequence[F], wanted: Sequence[str]) -> list[tuple[float, F]]:
    """How much of what is wanted each has in its name or title, from 0 to 1: the good ones, the best first.

    A word that few have counts for more than one that many have, and least of all one that none has.
    """
    called = [_words(f"{entry.line} {entry.title}") for entry in all_]
    having = {word: [i for i, some in enumerate(called) if _has(word, some)] for word in wanted}
    weight = {word: log(2 + len(called) / len(found)) if found else 1.0 for word, found in having.items()}
    most = sum(weight.values())
    if not any(having.values()):
        return []
    shares = [0.0] * len(called)
    for word, found in having.items():
        for i in found:
            shares[i] += weight[word] / most
    return sorted(
        ((share, entry) for share, entry in zip(shares, all_, strict=True) if share >= GOOD), key=lambda pair: -pair[0]
    )


def plain(text: str) -> str:
    """A name as people type it: small letters, no article, no apostrophe, no mark at its end."""
    words = text.casefold().replace("’", "'").replace("'", "").replace("-", " ").strip(" ?!.:").split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("the", "a", "an") else words)


def _score(wanted: Sequence[str], entry: Findable) -> float:
    """How well something fits: each word must be found; in names and titles it counts for more than in sentences."""
    called, told = _words(f"{entry.line} {entry.title} {entry.sort}"), _words(entry.description)
    score = 0.0
    for word in wanted:
        if _has(word, called):
            score += 3
        elif _has(word, told):
            score += 1
        else:
            return 0
    return score + (2 if entry.sort == "moment" else 0) - len(called) / 100


def _words(text: str) -> list[str]:
    return plain(text.replace("(", " ").replace(")", " ").replace(",", " ").replace(".", " ")).split()


def _has(word: str, some: Sequence[str]) -> bool:
    return any(same(word, other) for other in some)


def same(word: str, other: str) -> bool:
    """Whether two words begin alike, differ in a letter or two, or are forms of the same or mean the same."""
    if len(word) >= 3 and other.startswith(word) or len(other) >= 4 and word.startswith(other):
        return True
    if _families().get(word, frozenset()) & _families().get(other, frozenset()):
        return True
    return len(word) > 4 and abs(len(word) - len(other)) < 3 and SequenceMatcher(None, word, other).ratio() > _ALIKE


@cache
def _families() -> dict[str, frozenset[int]]:
    """Words by the numbers of the lines of `alike` that they stand in."""
    families: dict[str, frozenset[int]] = {}
    for number, line in enumerate(grammar_table("alike", "search.yaml").splitlines()):
        for word in line.split():
            families[word] = families.get(word, frozenset()) | {number}
    return families
