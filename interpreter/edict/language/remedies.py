"""Of all that can be said of a mistake, what helps: a remedy is told only if the rules are right once it is applied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from lark.exceptions import UnexpectedInput
from lark.indenter import DedentError
from lark.utils import TextSlice

from edict.language.facts import Facts
from edict.language.grammar import parser, pieces
from edict.language.mistakes import explanations, shaped
from edict.language.repairing import repairs
from edict.language.sentences import sentence
from edict.report import Diagnostic, Edit, edited
from edict.text import Source, Span

Holds = Callable[[Source, tuple[Edit, ...], bool], bool]
"""Whether edits help; if that must be sure, not where names cannot be looked at for other mistakes."""

Place = tuple[int, int]
END: Place = (1 << 30, 0)
MOST_READ = 40_000  # characters that are read for one mistake, some tenths of a second
MOST_TRIED = 6  # small changes that are held against the whole rules


def explained(facts: Facts, piece: TextSlice[str], holds: Holds | None) -> Diagnostic:
    """What is said of a mistake in a piece of a file.

    The first explanation whose remedy `holds`, or that has none to the letter; then what makes sense after a small
    change; then what is known of sentences. Without `holds`, the first explanation of all.
    """
    doubtful: Diagnostic | None = None
    for told, vague in explanations(facts, piece.start, piece.end):
        better = _tried(told, piece)
        if holds is None or not vague and not told.edits:
            return better
        if vague:
            return _found_out(better, facts, piece, holds) or doubtful or _bare(shaped(told, facts))
        if better.edits and holds(facts.source, better.edits, False):
            return better
        if not better.edits or not _reads(better.edits, piece):
            doubtful = doubtful or _bare(told)
    raise AssertionError("the last entry fits everything")


def _bare(told: Diagnostic) -> Diagnostic:
    return replace(told, edits=())


def _found_out(usual: Diagnostic, facts: Facts, piece: TextSlice[str], holds: Holds) -> Diagnostic | None:
    """What no entry knows in particular: a small change after which the line makes sense, or a sentence."""
    said = sentence(facts)
    if said is not None and said.plain:
        return said.diagnostic(holds)
    if usual.edits and holds(facts.source, usual.edits, False):
        return usual
    for number, one in enumerate(repairs(facts, _Reading(facts, piece))):
        if number >= MOST_TRIED:
            break
        if holds(facts.source, one.edits, True):
            return one.diagnostic()
    return said.diagnostic(holds) if said is not None else None


class _Reading:
    """How far a piece can be read with another text in one of its lines."""

    def __init__(self, facts: Facts, piece: TextSlice[str]) -> None:
        self.first = piece.text.count("\n", 0, piece.start) + 1
        self.lines = piece.text[piece.start : piece.end].split("\n")
        self.left = MOST_READ

    def __call__(self, line: int, text: str) -> Place:
        """The line and column of the next mistake; the first place of all once enough was tried."""
        self.left -= sum(map(len, self.lines))
        if self.left < 0:
            return 0, 0
        lines = [*self.lines]
        lines[line - self.first : line - self.first + 1] = [text]
        place = min(_mistakes("\n".join(lines)), default=END)
        return place if place == END else (place[0] + self.first - 1, place[1])


def _mistakes(text: str) -> Iterator[Place]:
    for piece in pieces(text):
        place = _wrong_at(piece)
        if place is not None:
            yield place


def _wrong_at(piece: TextSlice[str]) -> Place | None:
    """Where a definition cannot be read any further; None if it can be read."""
    try:
        parser().parse(piece)
    except UnexpectedInput as another:
        return (another.line, another.column) if another.line > 0 else END
    except (DedentError, RecursionError):
        return (0, 0)
    return None


# --- remedies to the letter ------------------------------------------------------------------------


def _tried(told: Diagnostic, piece: TextSlice[str]) -> Diagnostic:
    """A remedy that can be carried out is given only if the definition can be read then, or is wrong further on."""
    if not told.edits:
        return told
    guessed = told.help.startswith("did you mean") or any(_empty(edit.span) for edit in told.edits)
    text, moved = _after(told.edits, piece)
    least = (len(text), 0) if guessed else max(map(_behind, moved))
    return told if min(_mistakes(text), default=END) > least else _bare(told)


def _reads(edits: tuple[Edit, ...], piece: TextSlice[str]) -> bool:
    """Whether the lines that edits change can be read to their ends."""
    text, moved = _after(edits, piece)
    return min(_mistakes(text), default=END)[0] > max(map(_behind, moved))[0]


def _after(edits: tuple[Edit, ...], piece: TextSlice[str]) -> tuple[str, list[Edit]]:
    """The piece once the edits were carried out, and the edits as they count in it.

    What is now indented belongs to the definition before, so both are looked at.
    """
    starts = [one.start for one in pieces(piece.text) if one.start < piece.start]
    indents = any(edit.span.column == 1 and edit.text[:1] == " " for edit in edits)
    first = starts[-1] if starts and indents else piece.start
    above = piece.text.count("\n", 0, first)
    moved = [replace(edit, span=_up(edit.span, above)) for edit in edits]
    return edited(piece.text[first : piece.end], moved), moved


def _empty(span: Span) -> bool:
    return (span.line, span.column) == (span.end_line, span.end_column)


def _behind(edit: Edit) -> Place:
    """The line and column behind what was written."""
    *before, last = edit.text.split("\n")
    return edit.span.line + len(before), len(last) + (1 if before else edit.span.column)


def _up(span: Span, lines: int) -> Span:
    return replace(span, line=span.line - lines, end_line=span.end_line - lines)
