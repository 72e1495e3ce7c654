"""Lines, and how a long one is broken: inside its parentheses, the only place where the language allows it.

What stands in the widest of its outermost parentheses goes on lines of its own, one step deeper:

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
LEAST = 30  # what is narrower stays on the line: to break there would not help anybody

_MARK = re.compile(r'"[^"\n]*"|[()]')
_JOINTS = ("where", "with", "or", "and")  # from the weakest to the strongest


@dataclass(frozen=True, slots=True)
class Line:
    """A logical line, how deep it is indented, and the node that stands on it."""

    depth: int
    text: str
    node: t.Node

    @property
    def written(self) -> list[str]:
        """The line as it is written, indented, in several parts if it is too long."""
        return list(_broken(self.text, self.depth))


def text_of(lines: Iterable[Line]) -> str:
    return "".join(part + "\n" for line in lines for part in line.written)


def _broken(text: str, depth: int) -> Iterator[str]:
    whole = STEP * depth + text
    group = _widest(text) if len(whole) > WIDTH else None
    if group is None:
        yield whole
        return
    start, end = group
    yield from _broken(text[:start], depth)
    yield from _inside(text[start:end].strip(), depth + 1)
    yield from _broken(text[end:].strip(), depth)


def _inside(text: str, depth: int) -> Iterator[str]:
    """What stands in parentheses; if too long, a line for each part its weakest word joins."""
    parts = _parts(text) if len(STEP * depth + text) > WIDTH else [text]
    for part in parts:
        yield from _inside(part, depth) if len(parts) > 1 else _broken(part, depth)


def _parts(text: str) -> list[str]:
    outside = [True] * len(text)
    for start, end in _groups(text):
        outside[start:end] = [False] * (end - start)
    for word in _JOINTS:
        cuts = [m.start() + 1 for m in re.finditer(f" {word} ", text) if outside[m.start()]]
        if cuts:
            return [text[a:b].rstrip() for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    return [text]


def _widest(text: str) -> tuple[int, int] | None:
    """The place of what stands in the widest parentheses that are not within others, without these."""
    wide = [(start, end) for start, end in _groups(text) if end - start > LEAST]
    return max(wide, key=lambda group: group[1] - group[0], default=None)


def _groups(text: str) -> list[tuple[int, int]]:
    """The insides of the outermost pairs; what is opened or closed alone belongs to other lines."""
    pairs, opened = list[tuple[int, int]](), list[int]()
    for mark in _MARK.finditer(text):
        if mark[0] == "(":
            opened.append(mark.end())
        elif mark[0] == ")" and opened:
            pairs.append((opened.pop(), mark.start()))
    return [one for one in pairs if not any(other[0] < one[0] and one[1] < other[1] for other in pairs)]
