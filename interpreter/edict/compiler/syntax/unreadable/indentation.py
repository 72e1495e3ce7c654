"""Lines on the wrong level: further in or further out than the line to which they belong.

Where the lines of a mistake make sense once they are moved, the move is what is proposed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from edict.compiler.syntax.automaton import step_words, written
from edict.compiler.syntax.grammar import FilePiece, openings
from edict.compiler.syntax.unreadable.repair import Mistaken
from edict.compiler.syntax.unreadable.stream import shift
from edict.support.morphology import count_noun, quote_words
from edict.support.report import Diagnostic, Edit
from edict.support.text import Source, Span, count_indent

STEP = 2
MOST_LINES = 60  # that are moved
MOST_TRIED = 6  # how many of them belong to a line
MOST_NAMED = 3  # lines that are named in a message


@dataclass(frozen=True)
class BreakingPoint:
    """Where a definition stops making sense: the line of the mistake, and the written line before it.

    deeper: it is indented, and nothing takes lines under it; bare: something must stand under the line above, and
    nothing does; first: the mistake is the first word of its line.
    """

    source: Source
    line: int
    above: int
    deeper: bool
    bare: bool
    first: bool

    @property
    def text(self) -> str:
        lines = self.source.lines
        return lines[self.line - 1] if 0 < self.line <= len(lines) else ""

    @property
    def outside(self) -> bool:
        """Whether the mistake is in the first line of a definition that may be one more line of the one above it."""
        above = self.source.lines[self.line - 2].strip() if self.line > 1 else ""
        word = self.text.split()[0] if self.text.strip() else ""
        return bool(above) and bool(word) and not count_indent(self.text) and word not in openings()


def spot(mistake: Mistaken, source: Source) -> BreakingPoint:
    """The lines around a mistake."""
    words, at = mistake.words, mistake.at
    deeper = at < len(words) and words[at].kinds[:1] == ("_INDENT",)
    here = next((word for word in words[at:] if not word.is_layout), None)
    before = next((word for word in reversed(words[:at]) if not word.is_layout), None)
    above = before.line if before is not None else (here.line if here is not None else 1)
    begins = at > 0 and words[at - 1].kinds[:1] == ("_NL",)
    bare = begins and mistake.stacks[-1].after("_INDENT") is not None and not deeper
    bare = bare or "_INDENT" in mistake.wanted and not deeper
    line = here.line if here is not None else above
    first = at == 0 or words[min(at, len(words)) - 1].is_layout
    return BreakingPoint(source, line, above, deeper, bare and first, first)


@dataclass(frozen=True)
class IndentMove:
    """Lines, by their numbers, that begin so many spaces further in (or out, if fewer than none)."""

    spot: BreakingPoint
    numbers: tuple[int, ...]
    by: int

    @property
    def edits(self) -> tuple[Edit, ...]:
        name, lines = self.spot.source.name, self.spot.source.lines
        margins = ((number, count_indent(lines[number - 1])) for number in self.numbers)
        return tuple(Edit(Span(name, n, 1, n, lead + 1), " " * max(0, lead + self.by)) for n, lead in margins)

    @property
    def place(self) -> Span:
        line, number = self.spot.source.lines[self.numbers[0] - 1], self.numbers[0]
        return Span(self.spot.source.name, number, count_indent(line) + 1, number, len(line.rstrip()) + 1)

    @property
    def named(self) -> str:
        """The lines that are moved, the outermost of them by what they say."""
        lines = [self.spot.source.lines[number - 1] for number in self.numbers]
        least = min(map(count_indent, lines))
        heads = [line.strip() for line in lines if count_indent(line) == least]
        more = f" and {count_noun(len(heads) - MOST_NAMED, 'line')} after it" if len(heads) > MOST_NAMED else ""
        under = ", with what stands under it," if len(heads) == 1 < len(lines) else ""
        return quote_words(heads[:MOST_NAMED], "and") + more + under


def headed(mistake: Mistaken, at: BreakingPoint) -> Iterator[Diagnostic]:
    """A line that may stand under another that is missing above it: a word of the language alone."""
    if not at.first or at.deeper or mistake.at >= len(mistake.words) or not 0 < at.line <= len(at.source.lines):
        return
    word = mistake.words[mistake.at]
    for kind in mistake.wanted:
        under = mistake.stacks[-1].reads((kind, "_NL", "_INDENT")) if kind in written() else None
        if under is None or shift(under, word) is None:
            continue
        lines, lead = at.source.lines, count_indent(at.source.lines[at.line - 1])
        block = tuple(n for lines_below in _blocks(lines, at.line) for n in lines_below)
        move = IndentMove(at, block, STEP)
        head = Edit(Span(at.source.name, at.line, 1, at.line, 1), f"{' ' * lead}{written()[kind]}\n")
        yield Diagnostic(
            "E0117",
            f"`{written()[kind]}` is missing above this line",
            move.place,
            help=f"write `{written()[kind]}` above it, and indent {move.named} {STEP} spaces further",
            edits=(head, *move.edits),
        )


def moves(at: BreakingPoint) -> Iterator[Diagnostic]:
    """Ways in which lines may be moved, the likeliest first, as what is said of each."""
    if at.bare or at.outside and at.first:
        yield from map(_further_in, _inwards(at))
    if at.deeper or at.first:
        yield from map(_further_out, _outwards(at))
        yield from _joined(at)


def _joined(at: BreakingPoint) -> Iterator[Diagnostic]:
    """A line as the end of the line above it, or all that stand under that as a list."""
    lines = at.source.lines
    if at.above >= at.line or at.line > len(lines) or "#" in lines[at.above - 1]:
        return
    if not count_indent(lines[at.line - 1]) and not count_indent(lines[at.above - 1]):
        return
    block = [n for lines_below in _blocks(lines, at.line) for n in lines_below] if at.deeper else [at.line]
    for numbers, sign in (([at.line], ""), (block, ","), (block, "-")):
        gaps = zip([at.above, *numbers], numbers, strict=False)
        ends = [(above, len(lines[above - 1].rstrip()), below, count_indent(lines[below - 1])) for above, below in gaps]
        dash = sign == "-"
        if dash and not all(lines[below - 1].lstrip().startswith("- ") for _, _, below, _ in ends):
            continue
        edits = tuple(
            Edit(
                Span(at.source.name, above, end + 1, below, lead + (3 if dash else 1)),
                " " if number == 0 or not sign else ", ",
            )
            for number, (above, end, below, lead) in enumerate(ends)
        )
        text = lines[at.above - 1].strip() + "".join(
            edit.text + lines[n - 1].strip().removeprefix("- " if dash else "")
            for edit, n in zip(edits, numbers, strict=True)
        )
        place = Span(
            at.source.name, at.line, count_indent(lines[at.line - 1]) + 1, at.line, len(lines[at.line - 1].rstrip()) + 1
        )
        yield Diagnostic(
            "E0105",
            "this belongs to the line above",
            place,
            note="A line goes on in the next one only inside parentheses.",
            help=f"write `{text}` in one line",
            edits=edits,
        )


def _inwards(at: BreakingPoint) -> Iterator[IndentMove]:
    """What follows a line under which nothing stands, as what belongs to it: as many lines as can be, and fewer."""
    lines = at.source.lines
    if at.outside:
        first = at.line
    else:
        first = next((n for n in range(at.above + 1, len(lines) + 1) if lines[n - 1].strip()), 0)
        if not first or count_indent(lines[first - 1]) != count_indent(lines[at.above - 1]):
            return
    blocks = list(_blocks(lines, first))
    for count in dict.fromkeys((*range(len(blocks), 1, -1)[: MOST_TRIED - 1], 1)):
        yield IndentMove(at, tuple(n for block in blocks[:count] for n in block), STEP)


def _outwards(at: BreakingPoint) -> Iterator[IndentMove]:
    """A line that nothing takes where it stands, further out: beside each line above it, the nearest first."""
    lines = at.source.lines
    if not 0 < at.line <= len(lines) or not count_indent(lines[at.line - 1]):
        return
    own = count_indent(lines[at.line - 1])
    if at.deeper and _defines(lines[at.above - 1]):
        block = next(_blocks(lines, at.above))
        yield IndentMove(at, block, -count_indent(lines[block[0] - 1]))
    some = list(_blocks(lines, at.line))
    whole = tuple(n for lines_below in some for n in lines_below)
    head = some[0][:1]  # pasted where an editor indents by itself, only the first line is too far in
    blocks = [whole, *([head] if len(whole) > 1 and len(some[0]) == 1 else [])] if at.deeper else [some[0]]
    for block in blocks:
        for margin in _margins(lines, at.line):
            if margin or _defines(lines[at.line - 1]):
                yield IndentMove(at, block, margin - own)


def _defines(line: str) -> bool:
    """Whether a line that is indented begins with a word that only definitions begin with."""
    word = line.split()[0] if line[:1].isspace() and line.strip() else ""
    return word in openings() and word not in step_words()


def _margins(lines: Sequence[str], number: int) -> Iterator[int]:
    """Where the lines begin in which a line stands, the nearest first."""
    own = count_indent(lines[number - 1])
    for line in reversed(lines[: number - 1]):
        if line.strip() and count_indent(line) < own:
            own = count_indent(line)
            yield own
        if not own:
            return


def _blocks(lines: Sequence[str], first: int) -> Iterator[tuple[int, ...]]:
    """A line with what is indented under it, and those that follow it at its margin, until an empty line."""
    lead, block = count_indent(lines[first - 1]), list[int]()
    for number, line in enumerate(lines[first - 1 : first - 1 + MOST_LINES], first):
        if not line.strip() or count_indent(line) < lead:
            break
        if count_indent(line) == lead and block:
            yield tuple(block)
            block = []
        block.append(number)
    if block:
        yield tuple(block)


def _further_in(move: IndentMove) -> Diagnostic:
    """Of a line under which nothing stands, with the lines that belong to it; or of one outside it."""
    help_, at = f"indent {move.named} {STEP} spaces further", move.spot
    if not at.outside:
        return nothing_under(at, help_, move.edits)
    above = at.source.lines[: move.numbers[0] - 1]
    head = next((line for line in reversed(above) if line and not line.startswith((" ", "\t", "#"))), above[0])
    title = f"this belongs to `{head.strip()}`, and is indented under it"
    return Diagnostic("E0127", title, move.place, help=help_, edits=move.edits)


def nothing_under(at: BreakingPoint, help_: str, edits: tuple[Edit, ...] = ()) -> Diagnostic:
    """Of a line that needs others under it."""
    line = at.source.lines[at.above - 1].split("#")[0].rstrip()
    place = Span(at.source.name, at.above, count_indent(line) + 1, at.above, len(line) + 1)
    return Diagnostic(
        "E0104",
        "nothing is written under this line",
        place,
        note="What belongs to a line is indented under it.",
        help=help_,
        edits=edits,
    )


def _further_out(move: IndentMove) -> Diagnostic:
    """Of lines that stand too far in."""
    at, number = move.spot, move.numbers[0]
    before, line = at.source.lines[: number - 1], at.source.lines[number - 1]
    margin, word = count_indent(line) + move.by, line.split()[0]
    if not margin:
        return Diagnostic(
            "E0127",
            f"`{word}` begins a definition of its own",
            move.place,
            help=f"write {move.named} at the left edge",
            edits=move.edits,
        )
    above = next(line for line in reversed(before) if line.strip() and count_indent(line) == margin)
    nothing = "indented too far: nothing above takes lines under it"
    title = nothing if at.deeper else f"this line is indented {count_noun(-move.by, 'space')} too far"
    return Diagnostic(
        "E0105",
        title,
        move.place,
        note=f"It stands beside `{above.strip()}`, not under it.",
        help=f"write {move.named} at the margin of that line",
        edits=move.edits,
    )


def misaligned(source: Source, piece: FilePiece) -> Diagnostic:
    """Of a line that goes back to a margin where nothing begins."""
    levels = [0]
    for number, line in enumerate(piece.own.split("\n"), piece.above + 1):
        bare = line.lstrip(" \t")
        if not bare or bare[0] in "#\r":
            continue
        lead = len(line) - len(bare)
        if lead < levels[-1] and lead not in levels:
            return _misaligned(Span(source.name, number, 1, number, lead + 1), lead, levels)
        levels = [*(x for x in levels if x < lead), lead]
    first = piece.above + 1
    return _misaligned(Span(source.name, first, 1, first, 2), 0, levels)


def _misaligned(span: Span, lead: int, levels: list[int]) -> Diagnostic:
    near = min(levels, key=lambda margin: (abs(margin - lead), -margin))
    return Diagnostic(
        "E0101",
        "this line is aligned with nothing above it",
        span,
        note=f"It begins after {count_noun(lead, 'space')}; "
        f"the lines above it begin after {', '.join(map(str, levels))}.",
        help=f"begin it after {count_noun(near, 'space')}" + (", as the line above" if near == levels[-1] else ""),
    )
