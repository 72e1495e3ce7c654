"""Replacement of words in lines by patterns, as editions of the language change."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from edict.support.records import dataclass
from edict.support.report import Edit
from edict.support.text import Source, Span

_WORD = re.compile(r"""(?P<text>"[^"\n]*"?)|(?P<comment>\#.*)|[^\W_]+(?:-[^\W_]+)*|[<>!]=|[^\s]""")
_BEGINS, _ENDS, _REST = "^", "$", "..."
Word = re.Match[str]


def iter_line_words(source: Source, *needed: str) -> Iterator[tuple[int, list[Word]]]:
    """Yield each line's number with its words and signs, without comments.

    Args:
        source: The file.
        needed: Texts that a line must contain to be yielded.
    """
    if not all(word in source.text for word in needed):
        return
    for number, line in enumerate(source.text.split("\n"), 1):
        if not all(word in line for word in needed):
            continue
        yield number, [match for match in _WORD.finditer(line) if match.lastgroup != "comment"]


@dataclass(frozen=True)
class WordChange:
    """A pattern of words, with the words that replace those before and after what stays (`...`)."""

    begins: bool  # the pattern starts a line
    ends: bool  # the pattern ends a line
    before: tuple[str, ...]
    behind: tuple[str, ...] | None
    replacement: tuple[str, str]

    @classmethod
    def from_entry(cls, entry: dict[str, Any]) -> WordChange:
        """Return the change that an entry of `grammar/editions` describes."""
        old_words = entry["was"].split()
        words = [word for word in old_words if word not in (_BEGINS, _ENDS)]
        split = words.index(_REST) if _REST in words else len(words)
        head, _, tail = entry["now"].partition(_REST)
        behind = tuple(words[split + 1 :]) if _REST in words else None
        return cls(
            old_words[0] == _BEGINS, old_words[-1] == _ENDS, tuple(words[:split]), behind, (head.strip(), tail.strip())
        )

    def iter_edits(self, source: Source) -> Iterator[Edit]:
        """Yield the edits that make this change in a file."""
        for number, words in iter_line_words(source, *self.before, *(self.behind or ())):
            for start in range(min(len(words), 1) if self.begins else len(words)):
                for begin, end, text in self._find_parts(words, start):
                    yield Edit(Span(source.name, number, begin + 1, number, end + 1), text)

    def _find_parts(self, words: Sequence[Word], start: int) -> list[tuple[int, int, str]]:
        """Return the stretches of a line to be replaced when the pattern starts at a word, as begin, end and text."""
        stop = start + len(self.before)
        if not _texts_match(self.before, words[start:stop]):
            return []
        head, tail = self.replacement
        parts = [(words[start].start(), words[stop - 1].end(), head)]
        if self.behind is None:
            return parts if not self.ends or stop == len(words) else []
        ends = range(stop + 1, len(words) - len(self.behind) + 1)
        for end in ends[-1:] if self.ends else ends:
            if _texts_match(self.behind, words[end : end + len(self.behind)]):
                begin = words[end - 1].end()
                finish = words[end + len(self.behind) - 1].end() if self.behind else begin
                return [*parts, (begin, finish, f" {tail}")]
        return []


def _texts_match(wanted: Sequence[str], words: Sequence[Word]) -> bool:
    """Return True if the texts of scanned words equal the wanted words, in order and number."""
    return len(wanted) == len(words) and all(text == word[0] for text, word in zip(wanted, words, strict=True))
