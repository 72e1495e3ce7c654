"""Lines that changed between two versions of texts, and findings in lines that did not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from functools import lru_cache

from edict.compiler.sources.module_set import Modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.traversal import walk
from edict.support.records import dataclass
from edict.support.report import Diagnostic
from edict.support.text import Source, Span


@dataclass(frozen=True)
class LineMapping:
    """Mapping of unchanged lines between two versions of a text; changed lines are missing."""

    forward: dict[int, int]  # line numbers, old to new
    backward: dict[int, int]  # line numbers, new to old


@lru_cache(maxsize=64)
def map_lines(text: str, other: str) -> LineMapping:
    """Return a `LineMapping` with the numbers of equal lines in both directions; changed lines are missing."""
    old_lines, new_lines = text.split("\n"), other.split("\n")
    blocks = SequenceMatcher(None, old_lines, new_lines, autojunk=False).get_matching_blocks() if text != other else ()
    pairs = [(block.a + i + 1, block.b + i + 1) for block in blocks for i in range(block.size)]
    if text == other:
        pairs = [(i, i) for i in range(1, len(old_lines) + 1)]
    return LineMapping(dict(pairs), {block: a for a, block in pairs})


@dataclass(frozen=True)
class FindingsAt:
    """Findings of earlier texts."""

    sources: Mapping[str, Source]
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True)
class SourceChanges:
    """Changes between two versions of sources."""

    lines: Mapping[str, frozenset[int]]  # by source, the lines that changed or precede deleted ones
    line_numbers: Mapping[str, Mapping[int, int]]  # by changed source, the new numbers of unchanged lines

    @classmethod
    def compare(cls, before: Mapping[str, Source], after: Mapping[str, Source]) -> SourceChanges:
        """Compare two versions of sources."""
        changed = {name for name in before.keys() | after.keys() if before.get(name) != after.get(name)}
        empty = Source("", "")
        texts = {name: (before.get(name, empty).text, after.get(name, empty).text) for name in changed}
        mappings = {name: map_lines(*texts[name]) for name in changed}
        return cls(
            {name: _find_changed_lines(lines, texts[name][1].count("\n") + 1) for name, lines in mappings.items()},
            {name: lines.forward if name in after else {} for name, lines in mappings.items()},
        )

    def affects(self, definition: t.Definition) -> bool:
        """Return True if any part of a definition, in whichever file, begins in a changed line."""
        spans = (node.span for node in walk(definition))
        return any(span.file in self.lines and span.line in self.lines[span.file] for span in spans)

    def relocate(self, findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """Yield the findings whose lines all still exist, at their current places."""
        for finding in findings:
            span = self._relocate_span(finding.span)
            labels = [
                replace(label, span=label_span)
                for label in finding.labels
                if (label_span := self._relocate_span(label.span)) is not None
            ]
            if span is not None and len(labels) == len(finding.labels):
                yield replace(finding, span=span, labels=tuple(labels))

    def _relocate_span(self, span: Span) -> Span | None:
        """Return a span with the new numbers of its first and last line; None if either line changed or is gone."""
        numbers = self.line_numbers.get(span.file)
        if numbers is None:
            return span
        first, last = numbers.get(span.line), numbers.get(span.end_line)
        return replace(span, line=first, end_line=last) if first is not None and last is not None else None


def _find_changed_lines(lines: LineMapping, line_count: int) -> frozenset[int]:
    """Return the new numbers of lines that changed or precede deleted ones."""
    gaps = {
        line for line, old_line in lines.backward.items() if lines.backward.get(line + 1, old_line + 1) != old_line + 1
    }
    return frozenset(line for line in range(1, line_count + 1) if line not in lines.backward or line in gaps)


def sources_by_name(modules: Modules) -> dict[str, Source]:
    """Return the sources of modules by name."""
    return {source.name: source for module in modules for source in module.sources}
