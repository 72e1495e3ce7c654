"""Changes of words: patterns of a line's words, and what stands in their place."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from edict.report import Edit
from edict.text import Source, Span

_WORD = re.compile(r"""(?P<text>"[^"\n]*"?)|(?P<comment>\#.*)|[^\W_]+(?:-[^\W_]+)*|[<>!]=|[^\s]""")
_BEGINS, _ENDS = "^", "$"


@dataclass(frozen=True)
class Change:
    """What was written, and what is written now, word by word."""

    was: tuple[str, ...]
    now: str

    @classmethod
    def of(cls, entry: dict[str, str]) -> Change:
        return cls(tuple(entry["was"].split()), entry["now"])

    def edits(self, source: Source) -> Iterator[Edit]:
        """What this changes in a file."""
        wanted = [word for word in self.was if word not in (_BEGINS, _ENDS)]
        for number, line in enumerate(source.text.split("\n"), 1):
            words = [one for one in _WORD.finditer(line) if one.lastgroup != "comment"]
            starts = [0] if self.was[0] == _BEGINS else range(len(words))
            for start in starts:
                some = words[start : start + len(wanted)]
                at_end = self.was[-1] != _ENDS or start + len(wanted) == len(words)
                if at_end and len(some) == len(wanted) and all(map(_fits, wanted, some)):
                    yield self._edit(source.name, number, dict(zip(wanted, some, strict=True)), some)

    def _edit(self, file: str, line: int, meant: dict[str, re.Match[str]], some: list[re.Match[str]]) -> Edit:
        text = " ".join(meant[word][0] if word.isupper() else word for word in self.now.split())
        return Edit(Span(file, line, some[0].start() + 1, line, some[-1].end() + 1), text)


def _fits(wanted: str, word: re.Match[str]) -> bool:
    return wanted == word[0] or wanted.isupper() and word[0][0].isalpha()
