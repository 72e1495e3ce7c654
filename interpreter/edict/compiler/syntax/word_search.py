"""Search by the words that people use, in names and titles first, then in meanings."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher
from functools import cache, lru_cache
from math import log
from typing import Protocol, TypeVar

from edict.compiler.syntax.grammar_tables import load_grammar_table

STOP_WORDS = frozenset("a an and are at by for from in is it of on one or that the to what when which with".split())
LEAST_SHARE = 0.5  # least weighted share of the query that an entry must match
_LEAST_SIMILARITY = 0.8
MOST_NORMALIZED = 10_000  # names and titles whose normalized forms are kept


class Searchable(Protocol):
    """An entry that can be searched for."""

    @property
    def line(self) -> str:
        """The entry as it is written in rules."""

    @property
    def title(self) -> str:
        """The title that people read."""

    @property
    def sort(self) -> str:
        """The sort of the entry, such as moment."""

    @property
    def description(self) -> str:
        """The meaning in English."""


F = TypeVar("F", bound=Searchable)


def search(entries: Iterable[F], words: str) -> tuple[F, ...]:
    """Return the entries that match all the words, best first, or else those that match most of them.

    A word matches any that begins alike (`battles`, `battle`) or means the same (`won`, `victory`). Stop words count
    only if there are no others.
    """
    listed_entries = tuple(entries)
    query_words = [word for word in normalize(words).split() if word not in STOP_WORDS] or normalize(words).split()
    scored = [(_score(query_words, entry), entry) for entry in listed_entries]
    matches = sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: -pair[0])
    return tuple(entry for _, entry in matches or rank_by_names(listed_entries, query_words))


def rank_by_names(entries: Sequence[F], query_words: Sequence[str]) -> list[tuple[float, F]]:
    """Return the entries whose names and titles hold a good part of the words, best first, with a score from 0 to 1.

    Rare words count for more than common ones, and words that occur nowhere least.
    """
    name_words = [_split_words(f"{entry.line} {entry.title}") for entry in entries]
    indices_by_word = {
        word: [index for index, words in enumerate(name_words) if _contains_word(word, words)] for word in query_words
    }
    weight = {
        word: log(2 + len(name_words) / len(indices)) if indices else 1.0 for word, indices in indices_by_word.items()
    }
    total = sum(weight.values())
    if not any(indices_by_word.values()):
        return []
    shares = [0.0] * len(name_words)
    for word, indices in indices_by_word.items():
        for index in indices:
            shares[index] += weight[word] / total
    return sorted(
        ((share, entry) for share, entry in zip(shares, entries, strict=True) if share >= LEAST_SHARE),
        key=lambda pair: -pair[0],
    )


@lru_cache(MOST_NORMALIZED)
def normalize(text: str) -> str:
    """Return text in lower case, without article, apostrophes, hyphens and final punctuation."""
    words = text.casefold().replace("’", "'").replace("'", "").replace("-", " ").strip(" ?!.:").split()
    return " ".join(words[1:] if len(words) > 1 and words[0] in ("the", "a", "an") else words)


def _score(query_words: Sequence[str], entry: Searchable) -> float:
    """Return a score of an entry, 0 if a word is missing; words in names and titles count most."""
    name_words, meaning_words = (
        _split_words(f"{entry.line} {entry.title} {entry.sort}"),
        _split_words(entry.description),
    )
    score = 0.0
    for word in query_words:
        if _contains_word(word, name_words):
            score += 3
        elif _contains_word(word, meaning_words):
            score += 1
        else:
            return 0
    return score + (2 if entry.sort == "moment" else 0) - len(name_words) / 100


def _split_words(text: str) -> list[str]:
    """Return the words of a text in lower case, without punctuation and parentheses."""
    return normalize(text.replace("(", " ").replace(")", " ").replace(",", " ").replace(".", " ")).split()


def _contains_word(word: str, words: Sequence[str]) -> bool:
    """Return True if one of the words matches `word`, also as a variant or synonym."""
    return any(matches_word(word, other) for other in words)


def matches_word(word: str, other: str) -> bool:
    """Return True if two words begin alike, differ in a letter or two, or are forms or synonyms of each other."""
    if len(word) >= 3 and other.startswith(word) or len(other) >= 4 and word.startswith(other):
        return True
    if _load_word_families().get(word, frozenset()) & _load_word_families().get(other, frozenset()):
        return True
    return (
        len(word) > 4
        and abs(len(word) - len(other)) < 3
        and SequenceMatcher(None, word, other).ratio() > _LEAST_SIMILARITY
    )


@cache
def _load_word_families() -> dict[str, frozenset[int]]:
    """Return words with the numbers of the lines of `search.yaml` in which they occur."""
    families: dict[str, frozenset[int]] = {}
    for number, line in enumerate(load_grammar_table("alike", "search.yaml").splitlines()):
        for word in line.split():
            families[word] = families.get(word, frozenset()) | {number}
    return families
