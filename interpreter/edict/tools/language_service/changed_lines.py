"""Which lines of texts were changed, and what was found in those that were not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache

from edict.compiler.sources.module_set import Modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.walking import walk
from edict.support.report import Diagnostic
from edict.support.text import Source, Span


@dataclass(frozen=True)
class Lines:
    """Which lines of a text are lines of another one, by number; a line that was changed is none of them."""

    there: dict[int, int]
    back: dict[int, int]


@lru_cache(maxsize=64)
def lines_between(text: str, other: str) -> Lines:
    """How the lines of a text lie in another version of it."""
    one, two = text.split("\n"), other.split("\n")
    blocks = SequenceMatcher(None, one, two, autojunk=False).get_matching_blocks() if text != other else ()
    pairs = [(b.a + i + 1, b.b + i + 1) for b in blocks for i in range(b.size)]
    if text == other:
        pairs = [(i, i) for i in range(1, len(one) + 1)]
    return Lines(dict(pairs), {b: a for a, b in pairs})


@dataclass(frozen=True)
class Last:
    """What was found last beyond names and types, and in which texts."""

    sources: Mapping[str, Source]
    found: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class Changed:
    """By file, the lines that were changed, or from behind which some were taken; and where the others are now."""

    lines: Mapping[str, frozenset[int]]
    there: Mapping[str, Mapping[int, int]]

    @classmethod
    def between(cls, before: Mapping[str, Source], now: Mapping[str, Source]) -> Changed:
        changed = {name for name in before.keys() | now.keys() if before.get(name) != now.get(name)}
        nothing = Source("", "")
        texts = {name: (before.get(name, nothing).text, now.get(name, nothing).text) for name in changed}
        between = {name: lines_between(*texts[name]) for name in changed}
        return cls(
            {name: _changed(lines, texts[name][1].count("\n") + 1) for name, lines in between.items()},
            {name: lines.there if name in now else {} for name, lines in between.items()},
        )

    def has(self, definition: t.Definition) -> bool:
        """Whether any part of a definition, wherever that is written, begins in such a line."""
        spans = (node.span for node in walk(definition))
        return any(span.file in self.lines and span.line in self.lines[span.file] for span in spans)

    def kept(self, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """The findings in lines that are still there, where they are now."""
        for one in found:
            span = self._now(one.span)
            labels = [replace(label, span=now) for label in one.labels if (now := self._now(label.span)) is not None]
            if span is not None and len(labels) == len(one.labels):
                yield replace(one, span=span, labels=tuple(labels))

    def _now(self, span: Span) -> Span | None:
        there = self.there.get(span.file)
        if there is None:
            return span
        first, last = there.get(span.line), there.get(span.end_line)
        return replace(span, line=first, end_line=last) if first is not None and last is not None else None


def _changed(lines: Lines, number: int) -> frozenset[int]:
    """Of so many lines."""
    gaps = {now for now, before in lines.back.items() if lines.back.get(now + 1, before + 1) != before + 1}
    return frozenset(now for now in range(1, number + 1) if now not in lines.back or now in gaps)


def sources_of(modules: Modules) -> dict[str, Source]:
    """The texts by the names that places have."""
    return {source.name: source for module in modules for source in module.sources}
