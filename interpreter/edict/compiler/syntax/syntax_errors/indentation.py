"""Mistakes of indentation, with lines further in or further out than the line to which they belong.

A move of lines is offered if the definition can be parsed after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.compiler.syntax.automaton import step_words, words_by_kind
from edict.compiler.syntax.grammar import FilePiece, definition_words
from edict.compiler.syntax.syntax_errors.repair import ParseMistake
from edict.compiler.syntax.syntax_errors.word_stream import shift_word
from edict.support.morphology import count_noun, quote_words
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Edit
from edict.support.text import Source, Span, count_indent

INDENT_STEP = 2  # spaces
MOST_LINES = 60  # lines that are moved
MOST_TRIED = 6  # numbers of lines that are tried
MOST_NAMED = 3  # lines that a message names


@dataclass(frozen=True)
class BreakingPoint:
    """The place where a definition stops making sense."""

    source: Source
    line: int  # line of the mistake
    above: int  # last line with text before it
    deeper: bool  # the line is indented below one that takes no lines under it
    bare: bool  # the line above lacks the lines that must stand under it
    first: bool  # the mistake is the first word of its line

    @property
    def text(self) -> str:
        """The line of the mistake."""
        lines = self.source.lines
        return lines[self.line - 1] if 0 < self.line <= len(lines) else ""

    @property
    def may_continue_above(self) -> bool:
        """True if an unindented line, which begins no definition, may belong to the definition above it."""
        above = self.source.lines[self.line - 2].strip() if self.line > 1 else ""
        word = self.text.split()[0] if self.text.strip() else ""
        return bool(above) and bool(word) and not count_indent(self.text) and word not in definition_words()


def find_breaking_point(mistake: ParseMistake, source: Source) -> BreakingPoint:
    """Return the lines around a mistake."""
    words, index = mistake.words, mistake.at
    deeper = index < len(words) and words[index].kinds[:1] == ("_INDENT",)
    here = next((word for word in words[index:] if not word.is_layout), None)
    previous = next((word for word in reversed(words[:index]) if not word.is_layout), None)
    if previous is not None:
        above = previous.line
    elif here is not None:
        above = here.line
    else:
        above = 1
    at_line_start = index > 0 and words[index - 1].kinds[:1] == ("_NL",)
    bare = at_line_start and mistake.stacks[-1].advance("_INDENT") is not None and not deeper
    bare = bare or "_INDENT" in mistake.expected_kinds and not deeper
    line = here.line if here is not None else above
    first = index == 0 or words[min(index, len(words)) - 1].is_layout
    return BreakingPoint(source, line, above, deeper, bare and first, first)


@dataclass(frozen=True)
class IndentMove:
    """A move of lines to the right or left."""

    point: BreakingPoint
    numbers: tuple[int, ...]  # numbers of the lines
    by: int  # spaces to the right; negative to the left

    @property
    def edits(self) -> tuple[Edit, ...]:
        """The edits that make the move."""
        name, lines = self.point.source.name, self.point.source.lines
        margins = ((number, count_indent(lines[number - 1])) for number in self.numbers)
        return tuple(Edit(Span(name, n, 1, n, margin + 1), " " * max(0, margin + self.by)) for n, margin in margins)

    @property
    def span(self) -> Span:
        """The first line that is moved."""
        line, number = self.point.source.lines[self.numbers[0] - 1], self.numbers[0]
        return Span(self.point.source.name, number, count_indent(line) + 1, number, len(line.rstrip()) + 1)

    @property
    def description(self) -> str:
        """A phrase for the lines, which quotes the outermost of them."""
        lines = [self.point.source.lines[number - 1] for number in self.numbers]
        margin = min(map(count_indent, lines))
        heads = [line.strip() for line in lines if count_indent(line) == margin]
        if len(heads) > MOST_NAMED:
            rest = f" and {count_noun(len(heads) - MOST_NAMED, 'line')} after it"
        else:
            rest = ""
        addition = ", with what stands under it," if len(heads) == 1 < len(lines) else ""
        return quote_words(heads[:MOST_NAMED], "and") + rest + addition


def find_missing_headers(mistake: ParseMistake, point: BreakingPoint) -> Iterator[Diagnostic]:
    """Yield diagnostics with edits for a header line of one word, such as `then`, that is missing above a line."""
    if (
        not point.first
        or point.deeper
        or mistake.at >= len(mistake.words)
        or not 0 < point.line <= len(point.source.lines)
    ):
        return
    word = mistake.words[mistake.at]
    for kind in mistake.expected_kinds:
        if kind in words_by_kind():
            under = mistake.stacks[-1].advance_all((kind, "_NL", "_INDENT"))
        else:
            under = None
        if under is None or shift_word(under, word) is None:
            continue
        lines, margin = point.source.lines, count_indent(point.source.lines[point.line - 1])
        block = tuple(number for lines_below in _iter_blocks(lines, point.line) for number in lines_below)
        move = IndentMove(point, block, INDENT_STEP)
        head = Edit(Span(point.source.name, point.line, 1, point.line, 1), f"{' ' * margin}{words_by_kind()[kind]}\n")
        yield Diagnostic(
            "E0117",
            f"`{words_by_kind()[kind]}` is missing above this line",
            move.span,
            help=f"write `{words_by_kind()[kind]}` above it, "
            f"and indent {move.description} {INDENT_STEP} spaces further",
            edits=(head, *move.edits),
        )


def find_moves(point: BreakingPoint) -> Iterator[Diagnostic]:
    """Yield diagnostics with edits for moves of lines, the likeliest first."""
    if point.bare or point.may_continue_above and point.first:
        yield from map(_move_in_diagnostic, _moves_in(point))
    if point.deeper or point.first:
        yield from map(_move_out_diagnostic, _moves_out(point))
        yield from _join_lines(point)


def _join_lines(point: BreakingPoint) -> Iterator[Diagnostic]:
    """Yield diagnostics with edits that append a line, or a list of lines, to the line above."""
    lines = point.source.lines
    if point.above >= point.line or point.line > len(lines) or "#" in lines[point.above - 1]:
        return
    if not count_indent(lines[point.line - 1]) and not count_indent(lines[point.above - 1]):
        return
    if point.deeper:
        block = [n for lines_below in _iter_blocks(lines, point.line) for n in lines_below]
    else:
        block = [point.line]
    for numbers, sign in (([point.line], ""), (block, ","), (block, "-")):
        gaps = zip([point.above, *numbers], numbers, strict=False)
        ends = [(above, len(lines[above - 1].rstrip()), below, count_indent(lines[below - 1])) for above, below in gaps]
        is_list = sign == "-"
        if is_list and not all(lines[below - 1].lstrip().startswith("- ") for _, _, below, _ in ends):
            continue
        edits = tuple(
            Edit(
                Span(point.source.name, above, end + 1, below, margin + (3 if is_list else 1)),
                " " if number == 0 or not sign else ", ",
            )
            for number, (above, end, below, margin) in enumerate(ends)
        )
        text = lines[point.above - 1].strip() + "".join(
            edit.text + lines[n - 1].strip().removeprefix("- " if is_list else "")
            for edit, n in zip(edits, numbers, strict=True)
        )
        place = Span(
            point.source.name,
            point.line,
            count_indent(lines[point.line - 1]) + 1,
            point.line,
            len(lines[point.line - 1].rstrip()) + 1,
        )
        yield Diagnostic(
            "E0105",
            "this belongs to the line above",
            place,
            note="A line continues on the next one only inside parentheses.",
            help=f"write `{text}` in one line",
            edits=edits,
        )


def _moves_in(point: BreakingPoint) -> Iterator[IndentMove]:
    """Yield moves of the following lines under a line that lacks them, as many as possible first."""
    lines = point.source.lines
    if point.may_continue_above:
        first = point.line
    else:
        first = next((number for number in range(point.above + 1, len(lines) + 1) if lines[number - 1].strip()), 0)
        if not first or count_indent(lines[first - 1]) != count_indent(lines[point.above - 1]):
            return
    blocks = list(_iter_blocks(lines, first))
    for count in dict.fromkeys((*range(len(blocks), 1, -1)[: MOST_TRIED - 1], 1)):
        yield IndentMove(point, tuple(number for block in blocks[:count] for number in block), INDENT_STEP)


def _moves_out(point: BreakingPoint) -> Iterator[IndentMove]:
    """Yield moves of a misplaced line to the margins of the lines above it, the nearest first."""
    lines = point.source.lines
    if not 0 < point.line <= len(lines) or not count_indent(lines[point.line - 1]):
        return
    margin_here = count_indent(lines[point.line - 1])
    if point.deeper and _begins_definition(lines[point.above - 1]):
        block = next(_iter_blocks(lines, point.above))
        yield IndentMove(point, block, -count_indent(lines[block[0] - 1]))
    groups = list(_iter_blocks(lines, point.line))
    all_lines = tuple(number for lines_below in groups for number in lines_below)
    head = groups[0][:1]  # after pasting into an editor that indents by itself only the first line is too far in
    if point.deeper:
        blocks = [all_lines, *([head] if len(all_lines) > 1 and len(groups[0]) == 1 else [])]
    else:
        blocks = [groups[0]]
    for block in blocks:
        for margin in _iter_outer_margins(lines, point.line):
            if margin or _begins_definition(lines[point.line - 1]):
                yield IndentMove(point, block, margin - margin_here)


def _begins_definition(line: str) -> bool:
    """Return True if an indented line begins with a word that only definitions begin with."""
    word = line.split()[0] if line[:1].isspace() and line.strip() else ""
    return word in definition_words() and word not in step_words()


def _iter_outer_margins(lines: Sequence[str], number: int) -> Iterator[int]:
    """Yield the margins (in spaces) of the blocks around a line, innermost first, by the lines above it."""
    margin = count_indent(lines[number - 1])
    for line in reversed(lines[: number - 1]):
        if line.strip() and count_indent(line) < margin:
            margin = count_indent(line)
            yield margin
        if not margin:
            return


def _iter_blocks(lines: Sequence[str], first: int) -> Iterator[tuple[int, ...]]:
    """Yield a line and each of those at its margin, with the lines under it, until an empty line."""
    margin, block = count_indent(lines[first - 1]), list[int]()
    for number, line in enumerate(lines[first - 1 : first - 1 + MOST_LINES], first):
        if not line.strip() or count_indent(line) < margin:
            break
        if count_indent(line) == margin and block:
            yield tuple(block)
            block = []
        block.append(number)
    if block:
        yield tuple(block)


def _move_in_diagnostic(move: IndentMove) -> Diagnostic:
    """Return the diagnostic with a fix that indents lines one level further, under the line above."""
    help_, point = f"indent {move.description} {INDENT_STEP} spaces further", move.point
    if not point.may_continue_above:
        return missing_block_diagnostic(point, help_, move.edits)
    above = point.source.lines[: move.numbers[0] - 1]
    head = next((line for line in reversed(above) if line and not line.startswith((" ", "\t", "#"))), above[0])
    title = f"this belongs under `{head.strip()}`"
    return Diagnostic("E0127", title, move.span, help=help_, edits=move.edits)


def missing_block_diagnostic(point: BreakingPoint, help_text: str, edits: tuple[Edit, ...] = ()) -> Diagnostic:
    """Return the diagnostic for a line that needs others under it.

    Args:
        point: The breaking point below the line.
        help_text: The remedy.
        edits: The edits of the remedy.
    """
    line = point.source.lines[point.above - 1].split("#")[0].rstrip()
    place = Span(point.source.name, point.above, count_indent(line) + 1, point.above, len(line) + 1)
    return Diagnostic(
        "E0104",
        "this line needs other lines under it",
        place,
        note="Lines that belong to another line are indented under it.",
        help=help_text,
        edits=edits,
    )


def _move_out_diagnostic(move: IndentMove) -> Diagnostic:
    """Return the diagnostic with a fix that moves lines left, to the margin of a line above."""
    point, number = move.point, move.numbers[0]
    lines_before, line = point.source.lines[: number - 1], point.source.lines[number - 1]
    margin, word = count_indent(line) + move.by, line.split()[0]
    if not margin:
        return Diagnostic(
            "E0127",
            f"`{word}` begins a new definition",
            move.span,
            help=f"write {move.description} at the left edge",
            edits=move.edits,
        )
    above = next(line for line in reversed(lines_before) if line.strip() and count_indent(line) == margin)
    misplaced = "indented too far: nothing above takes lines under it"
    if point.deeper:
        title = misplaced
    else:
        title = f"this line is indented {count_noun(-move.by, 'space')} too far"
    return Diagnostic(
        "E0105",
        title,
        move.span,
        note=f"It belongs beside `{above.strip()}`, not under it.",
        help=f"write {move.description} at the margin of that line",
        edits=move.edits,
    )


def misalignment_diagnostic(source: Source, piece: FilePiece) -> Diagnostic:
    """Return the diagnostic for a line that is indented to a margin at which no line above it begins."""
    levels = [0]
    for number, line in enumerate(piece.own_text.split("\n"), piece.above + 1):
        stripped = line.lstrip(" \t")
        if not stripped or stripped[0] in "#\r":
            continue
        margin = len(line) - len(stripped)
        if margin < levels[-1] and margin not in levels:
            return _build_misalignment(Span(source.name, number, 1, number, margin + 1), margin, levels)
        levels = [*(level for level in levels if level < margin), margin]
    first = piece.above + 1
    return _build_misalignment(Span(source.name, first, 1, first, 2), 0, levels)


def _build_misalignment(span: Span, spaces: int, levels: list[int]) -> Diagnostic:
    """Return E0101, for a line after `spaces` spaces when the lines above begin after those in `levels`."""
    nearest_level = min(levels, key=lambda level: (abs(level - spaces), -level))
    return Diagnostic(
        "E0101",
        "this line is aligned with nothing above it",
        span,
        note=f"It begins after {count_noun(spaces, 'space')}; "
        f"the lines above it begin after {', '.join(map(str, levels))}.",
        help=f"begin it after {count_noun(nearest_level, 'space')}"
        + (", as the line above" if nearest_level == levels[-1] else ""),
    )
