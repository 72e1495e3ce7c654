"""Steps that stand where a definition has other lines, and the line under which they belong."""

from __future__ import annotations

from collections.abc import Iterator

from edict.language.facts import Facts, indent, statements
from edict.report import Diagnostic, Edit
from edict.text import Span

_ABOVE = ("then", "instead", "course")  # lines that have nothing but steps under them


def wrapped(facts: Facts) -> Iterator[Diagnostic]:
    """The step of a mistake, and those that follow it, under each line that may hold steps."""
    lines, number = facts.source.lines, facts.span.line
    if not 0 < number <= len(lines):
        return
    line = lines[number - 1]
    own, first = indent(line), line.split()[0] if line.strip() else ""
    if not own or first not in statements() or facts.before.strip():
        return
    last = number
    while last < len(lines) and _goes_on(lines[last], own):
        last += 1
    place = Span(facts.source.name, number, own + 1, number, len(line.rstrip()) + 1)
    for word in _ABOVE:
        more = (_inwards(facts, n, own) for n in range(number + 1, last + 1) if lines[n - 1].strip())
        begin = Edit(Span(facts.source.name, number, 1, number, own + 1), f"{' ' * own}{word}\n{' ' * own}  ")
        yield Diagnostic(
            "E0116", f"`{first}` is a step, and steps stand under `{word}` here", place,
            help=f"write `{word}` in a line above it, and the steps indented under that", edits=(begin, *more),
        )  # fmt: skip


def _goes_on(line: str, own: int) -> bool:
    """Whether a line is under the steps, or one more of them."""
    within = not line.strip() or indent(line) > own
    return within or indent(line) == own and line.split()[0] in (*statements(), "otherwise")


def _inwards(facts: Facts, number: int, own: int) -> Edit:
    return Edit(Span(facts.source.name, number, 1, number, own + 1), " " * (own + 2))
