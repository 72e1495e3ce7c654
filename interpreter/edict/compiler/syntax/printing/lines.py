"""Printed lines, and how long ones are broken, inside parentheses only, as the language demands.

The content of the widest outermost parentheses goes on lines of its own, one step deeper:

    quantity hopes "what may be gained" of player is best of (hope of it) over (
      trees where it is not in owned of player
      and smaller of it is within owned of player
    )
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from edict.compiler.syntax import tree as t

WIDTH = 120
STEP = "  "
LEAST_BROKEN = 30

_TEXT_OR_PARENTHESIS = re.compile(r'"[^"\n]*"|[()]')
_BREAKING_WORDS = ("where", "with", "or", "and")  # from the weakest to the strongest


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A logical line."""

    depth: int  # steps of indentation
    text: str
    node: t.Node  # the node that stands on it

    @property
    def physical_lines(self) -> list[str]:
        """The line as written, indented, in several parts if it is too long."""
        return list(_break_line(self.text, self.depth))


def join_lines(lines: Iterable[PrintedLine]) -> str:
    """Return lines as text."""
    return "".join(part + "\n" for line in lines for part in line.physical_lines)


def _break_line(text: str, depth: int) -> Iterator[str]:
    """Yield a line as it is if it fits, else broken at its widest parentheses, whose content is indented."""
    full_line = STEP * depth + text
    group = _widest_group(text) if len(full_line) > WIDTH else None
    if group is None:
        yield full_line
        return
    start, end = group
    yield from _break_line(text[:start], depth)
    yield from _break_content(text[start:end].strip(), depth + 1)
    yield from _break_line(text[end:].strip(), depth)


def _break_content(text: str, depth: int) -> Iterator[str]:
    """Yield the content of parentheses, if too long with a line for each part that its weakest word joins."""
    parts = _split_at_words(text) if len(STEP * depth + text) > WIDTH else [text]
    for part in parts:
        yield from _break_content(part, depth) if len(parts) > 1 else _break_line(part, depth)


def _split_at_words(text: str) -> list[str]:
    """Split a text before each of its weakest joining words outside parentheses; one part if there is none."""
    outside = [True] * len(text)
    for start, end in _outermost_groups(text):
        outside[start:end] = [False] * (end - start)
    for word in _BREAKING_WORDS:
        cuts = [match.start() + 1 for match in re.finditer(f" {word} ", text) if outside[match.start()]]
        if cuts:
            return [text[begin:finish].rstrip() for begin, finish in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return [text]


def _widest_group(text: str) -> tuple[int, int] | None:
    """Return the start and end of the content of the widest outermost parentheses, or None."""
    candidates = [(start, end) for start, end in _outermost_groups(text) if end - start > LEAST_BROKEN]
    return max(candidates, key=lambda group: group[1] - group[0], default=None)


def _outermost_groups(text: str) -> list[tuple[int, int]]:
    """Return the start and end of the contents of outermost pairs; unpaired parentheses belong to other lines."""
    pairs, opened = list[tuple[int, int]](), list[int]()
    for mark in _TEXT_OR_PARENTHESIS.finditer(text):
        if mark[0] == "(":
            opened.append(mark.end())
        elif mark[0] == ")" and opened:
            pairs.append((opened.pop(), mark.start()))
    return [pair for pair in pairs if not any(other[0] < pair[0] and pair[1] < other[1] for other in pairs)]
