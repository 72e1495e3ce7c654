"""Lines that go on in the next one, as in a letter: what they are as the one line that they must be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from edict.language.facts import Facts, indent, statements
from edict.report import Diagnostic, Edit
from edict.text import Span

MOST_LINES = 20  # of a list that is written down the page
_BULLET = re.compile(r"\s*(?:[-*•]\s+)?")


def continued(facts: Facts) -> Iterator[Diagnostic]:
    """The line of a mistake and the one that goes on with it, or the list under it, in one line."""
    upper, lower = _around(facts)
    lines = facts.source.lines
    if not 0 < upper < lower <= len(lines) or any("#" in line for line in lines[upper - 1 : lower]):
        return
    block = _block(lines, upper, lower)
    if len(block) > 1:
        yield _joined(facts, [upper, *block], ",", "a list is written in one line, with commas between its members")
    if not lines[lower - 1].lstrip().startswith('"'):
        yield _joined(facts, [upper, lower], "", "this goes on with the line above, and is written in that line")


def _around(facts: Facts) -> tuple[int, int]:
    """The numbers of the line that stops and of the one that goes on; 0 if neither can be."""
    lines = facts.source.lines
    if facts.kind == "line-end":
        upper = facts.span.line
        return upper, next((n for n, line in enumerate(lines[upper:], upper + 1) if line.strip()), 0)
    if facts.kind == "deeper":
        return facts.above.line, facts.below.line
    if facts.before.strip() or facts.found in statements() or not indent(facts.line):
        return 0, 0
    number = facts.span.line - 1
    while number and not lines[number - 1].strip():
        number -= 1
    return number, facts.span.line


def _block(lines: list[str] | tuple[str, ...], upper: int, lower: int) -> list[int]:
    """The lines of a list that stands indented under its heading."""
    lead, found = indent(lines[lower - 1]), list[int]()
    if lead <= indent(lines[upper - 1]) or re.match(r"\s*(?:and|or)\b", lines[lower - 1]):
        return []
    for number, line in enumerate(lines[lower - 1 :], lower):
        if not line.strip() or indent(line) != lead:
            return found if not line.strip() or indent(line) < lead and len(found) <= MOST_LINES else []
        found.append(number)
    return found if len(found) <= MOST_LINES else []


def _joined(facts: Facts, numbers: list[int], sign: str, title: str) -> Diagnostic:
    lines, name = facts.source.lines, facts.source.name
    edits, text = list[Edit](), lines[numbers[0] - 1].strip()
    for (one, following), joint in zip(pairwise(numbers), [" ", *[f"{sign} "] * len(numbers)], strict=False):
        above, below = lines[one - 1].rstrip(" ,;\t\r"), lines[following - 1]
        bullet = _BULLET.match(below)
        start = bullet.end() if bullet else 0
        edits.append(Edit(Span(name, one, len(above) + 1, following, start + 1), joint))
        text = text.rstrip(" ,;") + joint + below[start:].strip()
    own = lines[numbers[1] - 1]
    place = Span(name, numbers[1], indent(own) + 1, numbers[1], len(own.rstrip()) + 1)
    return Diagnostic("E0116", title, place, help=f"write `{text.rstrip(' ,;')}`", edits=tuple(edits))
