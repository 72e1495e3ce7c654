"""Lines on the wrong level: further in or further out than the line to which they belong.

Where the lines of a mistake make sense once they are moved, the move is what is told.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from edict.language.facts import Facts, indent, statements
from edict.language.grammar import openings
from edict.report import Diagnostic, Edit, listed
from edict.text import Span, so_many

STEP = 2
MOST_LINES = 60  # that are moved
MOST_TRIED = 6  # how many of them belong to a line
MOST_NAMED = 3  # lines that are named in a message
_AFTER = ("else", "otherwise")  # what belongs to a line before it, of which there is an entry of its own
_ABILITIES = ("when", "adjust", "shift", "except")  # what is no step, likewise


@dataclass(frozen=True)
class Move:
    """Lines, by their numbers, that begin so many spaces further in (or out, if fewer than none)."""

    facts: Facts
    numbers: tuple[int, ...]
    by: int

    @property
    def edits(self) -> tuple[Edit, ...]:
        name, lines = self.facts.source.name, self.facts.source.lines
        margins = ((number, indent(lines[number - 1])) for number in self.numbers)
        return tuple(Edit(Span(name, n, 1, n, lead + 1), " " * max(0, lead + self.by)) for n, lead in margins)

    @property
    def outside(self) -> bool:
        """Whether the lines stand beside the definition to which they belong."""
        return _outside(self.facts)

    @property
    def place(self) -> Span:
        line, number = self.facts.source.lines[self.numbers[0] - 1], self.numbers[0]
        return Span(self.facts.source.name, number, indent(line) + 1, number, len(line.rstrip()) + 1)

    @property
    def named(self) -> str:
        """The lines that are moved, the outermost of them by what they say."""
        lines = [self.facts.source.lines[number - 1] for number in self.numbers]
        least = min(map(indent, lines))
        heads = [line.strip() for line in lines if indent(line) == least]
        more = f" and {so_many(len(heads) - MOST_NAMED, 'line')} after it" if len(heads) > MOST_NAMED else ""
        under = ", with what stands under it," if len(heads) == 1 < len(lines) else ""
        return listed(heads[:MOST_NAMED], "and") + more + under


def inwards(facts: Facts) -> Iterator[Move]:
    """What follows a line under which nothing stands, as what belongs to it: as many lines as can be, and fewer."""
    lines = facts.source.lines
    if _outside(facts):
        first = facts.span.line
    else:
        upper = facts.above.line
        first = next((n for n in range(upper + 1, len(lines) + 1) if lines[n - 1].strip()), 0)
        if not first or "deeper" not in facts.wants or indent(lines[first - 1]) != indent(lines[upper - 1]):
            return
    blocks = list(_blocks(lines, first))
    for count in dict.fromkeys((*range(len(blocks), 1, -1)[: MOST_TRIED - 1], 1)):
        yield Move(facts, tuple(n for block in blocks[:count] for n in block), STEP)


def _outside(facts: Facts) -> bool:
    """Whether the mistake is in the first line of a definition that may be one more of the definition right above."""
    line, number = facts.line, facts.span.line
    above = facts.source.lines[number - 2].strip() if number > 1 else ""
    word = line.split()[0] if line.strip() else ""
    return bool(above) and bool(word) and not indent(line) and word not in openings()


def outwards(facts: Facts) -> Iterator[Move]:
    """A line that nothing takes where it stands, further out: beside each line above it, the nearest first."""
    lines = facts.source.lines
    number = facts.below.line if facts.kind == "deeper" else facts.span.line
    if not 0 < number <= len(lines) or facts.kind != "deeper" and facts.before.strip():
        return
    own = indent(lines[number - 1])
    word = lines[number - 1].split()[0] if lines[number - 1].strip() else ""
    if facts.kind == "deeper" and _defines(facts.source.lines[facts.above.line - 1]):
        block = next(_blocks(lines, facts.above.line))
        yield Move(facts, block, -indent(lines[block[0] - 1]))
    if not own or word in _AFTER or facts.kind != "deeper" and word in _ABILITIES:
        return
    block = next(_blocks(lines, number))
    if facts.kind == "deeper":
        block = tuple(n for blk in _blocks(lines, number) for n in blk)
    for margin in _margins(lines, number):
        if margin or _defines(lines[number - 1]):
            yield Move(facts, block, margin - own)


def _defines(line: str) -> bool:
    """Whether a line that is indented begins with a word that only definitions begin with."""
    word = line.split()[0] if line[:1].isspace() and line.strip() else ""
    return word in openings() and word not in statements()


def _margins(lines: Sequence[str], number: int) -> Iterator[int]:
    """Where the lines begin in which a line stands, the nearest first."""
    own = indent(lines[number - 1])
    for line in reversed(lines[: number - 1]):
        if line.strip() and indent(line) < own:
            own = indent(line)
            yield own
        if not own:
            return


def _blocks(lines: Sequence[str], first: int) -> Iterator[tuple[int, ...]]:
    """A line with what is indented under it, and those that follow it at its margin, until an empty line."""
    lead, block = indent(lines[first - 1]), list[int]()
    for number, line in enumerate(lines[first - 1 : first - 1 + MOST_LINES], first):
        if not line.strip() or indent(line) < lead:
            break
        if indent(line) == lead and block:
            yield tuple(block)
            block = []
        block.append(number)
    if block:
        yield tuple(block)


def further_in(told: Diagnostic, move: Move) -> Diagnostic:
    """What is told of a line under which nothing stands, with the lines that belong to it; or of one outside it."""
    help_ = f"indent {move.named} {STEP} spaces further"
    if not move.outside:
        return replace(told, help=help_, edits=move.edits)
    lines, head = move.facts.source.lines, move.numbers[0] - 1
    while head > 1 and lines[head - 1][:1].isspace():
        head -= 1
    title = f"this belongs to `{lines[head - 1].strip()}`, and is indented under it"
    return Diagnostic("E0116", title, move.place, help=help_, edits=move.edits)


def further_out(facts: Facts, move: Move) -> Diagnostic:
    """What is told of lines that stand too far in."""
    before = facts.source.lines[: move.numbers[0] - 1]
    line = facts.source.lines[move.numbers[0] - 1]
    margin, word = indent(line) + move.by, line.split()[0]
    above = next(one for one in reversed(before) if one.strip() and indent(one) == margin)
    if not margin:
        return Diagnostic(
            "E0127", f"`{word}` begins a definition of its own", move.place,
            help=f"write {move.named} at the left edge", edits=move.edits,
        )  # fmt: skip
    nothing = "this line is indented, but nothing above takes lines under it"
    title = nothing if facts.kind == "deeper" else f"this line is indented {so_many(-move.by, 'space')} too far"
    return Diagnostic(
        "E0105", title, move.place,
        note=f"It stands beside `{above.strip()}`, not under it.",
        help=f"write {move.named} at the margin of that line", edits=move.edits,
    )  # fmt: skip
