"""Changes of words: patterns of a line's words, and what stands in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from edict.support.report import Edit
from edict.support.text import Source, Span

_WORD = re.compile(r"""(?P<text>"[^"\n]*"?)|(?P<comment>\#.*)|[^\W_]+(?:-[^\W_]+)*|[<>!]=|[^\s]""")
_BEGINS, _ENDS, _REST = "^", "$", "..."
Word = re.Match[str]


def words_of(source: Source, *needed: str) -> Iterator[tuple[int, list[Word]]]:
    """The words and signs of each line, without comments, with the line's number; of lines that have what is needed."""
    if not all(word in source.text for word in needed):
        return
    for number, line in enumerate(source.text.split("\n"), 1):
        if not all(word in line for word in needed):
            continue
        yield number, [one for one in _WORD.finditer(line) if one.lastgroup != "comment"]


@dataclass(frozen=True)
class WordChange:
    """What was written, and what is written now: words before whatever stays (`...`), and behind it."""

    begins: bool
    ends: bool
    before: tuple[str, ...]
    behind: tuple[str, ...] | None  # None: nothing stays
    now: tuple[str, str]

    @classmethod
    def of(cls, entry: dict[str, Any]) -> WordChange:
        was = entry["was"].split()
        words = [word for word in was if word not in (_BEGINS, _ENDS)]
        at = words.index(_REST) if _REST in words else len(words)
        head, _, tail = entry["now"].partition(_REST)
        behind = tuple(words[at + 1 :]) if _REST in words else None
        return cls(was[0] == _BEGINS, was[-1] == _ENDS, tuple(words[:at]), behind, (head.strip(), tail.strip()))

    def edits(self, source: Source) -> Iterator[Edit]:
        """What this changes in a file."""
        for number, words in words_of(source, *self.before, *(self.behind or ())):
            for start in range(min(len(words), 1) if self.begins else len(words)):
                for first, last, text in self._parts(words, start):
                    yield Edit(Span(source.name, number, first + 1, number, last + 1), text)

    def _parts(self, words: Sequence[Word], start: int) -> list[tuple[int, int, str]]:
        """What is replaced of a line from a word on: where it begins and ends, and by what."""
        at = start + len(self.before)
        if not _fit(self.before, words[start:at]):
            return []
        head, tail = self.now
        parts = [(words[start].start(), words[at - 1].end(), head)]
        if self.behind is None:
            return parts if not self.ends or at == len(words) else []
        ends = range(at + 1, len(words) - len(self.behind) + 1)
        for end in ends[-1:] if self.ends else ends:
            if _fit(self.behind, words[end : end + len(self.behind)]):
                where = words[end - 1].end()
                until = words[end + len(self.behind) - 1].end() if self.behind else where
                return [*parts, (where, until, f" {tail}")]
        return []


def _fit(wanted: Sequence[str], words: Sequence[Word]) -> bool:
    return len(wanted) == len(words) and all(one == word[0] for one, word in zip(wanted, words, strict=True))
