"""Of all that can be said of a mistake, what helps: a remedy is told only if the rules are right once it is applied."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice

from lark.exceptions import UnexpectedInput
from lark.indenter import DedentError
from lark.utils import TextSlice

from edict.language.awaiting import awaiting
from edict.language.continuing import continued
from edict.language.declared import Declared
from edict.language.examples import means_nothing, shaped
from edict.language.facts import Facts
from edict.language.grammar import parser, pieces
from edict.language.declaring import field_lines
from edict.language.headings import ANOTHER_ORDER, headings
from edict.language.levels import further_in, further_out, inwards, outwards
from edict.language.lookalikes import look_alikes
from edict.language.mistakes import explanations
from edict.language.reforming import anew
from edict.language.repairing import Change, Repaired, depth, mistaken_line, repairs, under
from edict.language.sentences import sentence
from edict.language.wrapping import wrapped
from edict.report import Diagnostic, Edit, edited, listed
from edict.text import Source, Span

Holds = Callable[[Source, tuple[Edit, ...], bool], bool]
"""Whether edits help; if that must be sure, not where names cannot be looked at for other mistakes."""

Place = tuple[int, int]
END: Place = (1 << 30, 0)
MOST_READ = 40_000  # characters that are read for one mistake, some tenths of a second
BRIEFLY = 40  # how many times less is read for one of many
EMPTY = ("E0104", "E0117")  # of lines that are to have others under them
LEVELS = ("E0105", "E0127")  # of lines where they cannot stand
JOINED = ("E0111", "E0128")  # of words and signs that are missing between others
DELETED = "delete it"  # what else may be wrong, a word that can go is the least of it
SURE, FAR = 0.9, 5.0  # how far-fetched a line put together anew is of which nothing was made up; and at most
MOST_TRIED = 6  # small changes that are held against the whole rules


def explained(facts: Facts, piece: TextSlice[str], holds: Holds | None, many: bool = False) -> Diagnostic:
    """What is said of a mistake in a piece of a file.

    The first explanation whose remedy `holds`, or that has none to the letter; then what makes sense after a small
    change; then what is known of sentences. Without `holds`, the first explanation of all.

    many: there were so many mistakes before that this one is looked at more briefly.
    """
    alike = look_alikes(facts.source, piece.start, piece.end)
    if alike is not None and _reads(alike.edits, piece):
        return alike
    most = MOST_READ // BRIEFLY if many else MOST_READ
    tries = most // max(1, piece.end - piece.start)  # too long a piece is not read for each of them
    for one in islice(continued(facts), tries):
        if _reads(one.edits, piece) and (holds is None or holds(facts.source, one.edits, False)):
            return one
    doubtful: list[Diagnostic] = []
    reading, long = _Reading(facts, piece, most), piece.end - piece.start > MOST_READ
    for told, vague in explanations(facts, piece.start, piece.end):
        if holds is not None:
            moved = _moved(told, vague, facts, piece, holds, tries)
            if moved is not None:
                return moved
        better = told if long else _tried(told, piece)
        if holds is None:
            return better
        if vague or not told.edits:
            meant = (_as_moment(facts, reading, holds) if vague else None) or _as_heading(facts, reading, holds)
            if meant is None and not vague:
                meant = _repaired(facts, reading, holds, phrased=True) or _written_out(better, facts, reading, holds)
            return meant or _found_out(better, facts, reading, holds) or _unclear(doubtful, told, facts, reading)
        if better.edits and holds(facts.source, better.edits, False):
            return _whole(better, facts)
        if not better.edits or long or not _reads(better.edits, piece):
            doubtful.append(told)
    raise AssertionError("the last entry fits everything")


def _moved(
    told: Diagnostic, vague: bool, facts: Facts, piece: TextSlice[str], holds: Holds, tries: int
) -> Diagnostic | None:
    """What is said of lines on the wrong level, if they make sense on another one."""
    if vague or told.code in LEVELS:
        for move in islice(outwards(facts), tries):
            if _reads_on(move.edits, piece) and holds(facts.source, move.edits, True):
                return further_out(facts, move)
    for move in islice(inwards(facts), tries):
        fits = told.code in EMPTY or move.outside and (vague or told.code == "E0127")
        if fits and _reads_on(move.edits, piece) and holds(facts.source, move.edits, move.outside):
            return further_in(told, move)
    return None


def _written_out(told: Diagnostic, facts: Facts, reading: _Reading, holds: Holds) -> Diagnostic:
    """What is known of a mistake, with the whole line as it is meant, if that can be told from its parts."""
    one = _formed(facts, reading, holds, SURE)
    return told if one is None else replace(told, help=one.help, edits=one.edits)


def _unclear(doubtful: list[Diagnostic], vague: Diagnostic, facts: Facts, reading: _Reading) -> Diagnostic:
    """What is said where no remedy is known to help: of remedies that do not, no more than the words."""
    heading = None if doubtful else _as_heading(facts, reading, None)
    if heading is not None:
        return heading
    misled = not doubtful or doubtful[0].edits and (means_nothing(facts) is not None or doubtful[0].help == DELETED)
    return _bare(shaped(vague, facts, _like(facts, reading)) if misled else doubtful[0])


def _like(facts: Facts, reading: _Reading) -> str:
    """The line of a mistake in a form in which it can at least be read, if there is one."""
    return next((_line_in(one).strip() for one in anew(facts, reading, FAR)), "")


def _line_in(one: Repaired) -> str:
    return one.text.split("\n")[0]


def _whole(told: Diagnostic, facts: Facts) -> Diagnostic:
    """Where a word or sign is missing, with the line as it is then: a word alone does not show where it goes."""
    only = told.edits[0] if len(told.edits) == 1 else None
    if told.code not in JOINED or only is None or "\n" in only.text or only.span.line != only.span.end_line:
        return told
    line = facts.source.lines[only.span.line - 1]
    written = line[: only.span.column - 1] + only.text + line[only.span.end_column - 1 :]
    return replace(told, help=f"write `{written.split('#')[0].strip()}`")


def _bare(told: Diagnostic) -> Diagnostic:
    return replace(told, edits=())


def _found_out(usual: Diagnostic, facts: Facts, reading: _Reading, holds: Holds) -> Diagnostic | None:
    """What no entry knows in particular: a phrase, a sentence, or a small change after which the line makes sense."""
    if usual.edits and holds(facts.source, usual.edits, False):
        return _whole(usual, facts)
    phrase = _repaired(facts, reading, holds, phrased=True)
    if phrase is not None:
        return phrase
    said = sentence(facts)
    if said is not None and said.plain:
        return said.diagnostic(holds)
    for told in wrapped(facts):
        if holds(facts.source, told.edits, True):
            return told
    return (
        _formed(facts, reading, holds, SURE)
        or _repaired(facts, reading, holds)
        or _formed(facts, reading.last_resort(), holds)
        or (said.diagnostic(holds) if said is not None else None)
    )


def _formed(facts: Facts, reading: _Reading, holds: Holds, most: float = FAR) -> Diagnostic | None:
    """The line put together anew from its parts; `most` is how far-fetched that may be."""
    for one in islice(anew(facts, reading, most), MOST_TRIED):
        if holds(facts.source, one.edits, True):
            return _simplest(one, reading).diagnostic()
    return None


def _simplest(one: Repaired, reading: _Reading) -> Repaired:
    """The same line by a single small change, if it is one: that says best what is wrong."""
    return next((other for other in repairs(one.facts, reading) if other.text == one.text), one)


def _repaired(facts: Facts, reading: _Reading, holds: Holds, phrased: bool = False) -> Diagnostic | None:
    """The likeliest change after which the line makes sense; `phrased`: of those that understand all it says."""
    for one in islice(repairs(facts, reading, phrased), MOST_TRIED):
        if holds(facts.source, one.edits, True):
            return one.diagnostic()
    return None


def rephrased(source: Source, span: Span, declared: Declared) -> Iterator[Repaired]:
    """A line that can be read and is wrong at a place, once the phrases of English in it are understood."""
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    start = sum(len(line) + 1 for line in text.split("\n")[: span.line - 1])
    piece = next((one for one in pieces(text) if one.start <= start < one.end), None)
    if piece is not None:
        line = source.lines[span.line - 1]
        found = line[span.column - 1 : span.end_column - 1]
        facts = Facts(source, "name", found, span, span, line, frozenset(), None, declared)
        reading = _Reading(facts, piece, MOST_READ)
        yield from islice(repairs(facts, reading, phrased=True), MOST_TRIED)
        yield from islice(anew(facts, reading, FAR), MOST_TRIED)
        for text, why, _ in field_lines(facts, line):
            yield Repaired(facts, span.line, text, Change(0, len(line), text, why, 0.0), 0.0, nests=False)


def _as_moment(facts: Facts, reading: _Reading, holds: Holds) -> Diagnostic | None:
    """The moments that a line may wait for, if it is `when` and a sentence; where several may be, a phrase is surer."""
    one = awaiting(facts, mistaken_line(facts))
    if one is None or one.edits and holds(facts.source, one.edits, True):
        return one
    return _repaired(facts, reading, holds, phrased=True) or _bare(one)


def _as_heading(facts: Facts, reading: _Reading, holds: Holds | None) -> Diagnostic | None:
    """The first line of a definition as it is meant, if the line of the mistake is one.

    Without `holds` it is enough that it can be read, and the remedy is not to the letter.
    """
    number = mistaken_line(facts)
    old = facts.source.lines[number - 1]
    for text, why, besides in (*headings(facts, old), *field_lines(facts, old)):
        one = Repaired(facts, number, text, Change(0, len(old), text, why, 0.0), 0.0, nests=False)
        reads = reading(number, text, nests=False) > (number + text.count("\n"), len(text))
        if reads and (not holds or holds(facts.source, one.edits, True)):
            first, *fields = text.split("\n")
            below = f", and under it {listed([line.strip() for line in fields], 'and')}" if fields else ""
            help_, edits = f"write `{first.strip()}`{below}{besides}", one.edits if holds else ()
            span = one.edits[0].span
            span = replace(span, column=len(first) + 2, end_column=len(old.rstrip()) + 1) if fields else span
            if edits and why == ANOTHER_ORDER:
                one = _simplest(one, reading)
                span = one.diagnostic().span if one.change.cost else span
            return replace(one.diagnostic(), span=span, help=help_, edits=edits)
    return None


class _Reading:
    """How far a piece can be read with another text in one of its lines."""

    def __init__(self, facts: Facts, piece: TextSlice[str], most: int) -> None:
        self.first = piece.text.count("\n", 0, piece.start) + 1
        self.lines = piece.text[piece.start : piece.end].split("\n")
        self.left, self.reserve = most, most // 8
        self._read: dict[tuple[int, str], Place] = {}

    def last_resort(self) -> _Reading:
        """The same; a little more may be read, however much was tried before."""
        self.left, self.reserve = max(self.left, self.reserve), 0
        return self

    def __call__(self, line: int, text: str, nests: bool = True) -> Place:
        """The line and column of the next mistake; the first place of all once enough was tried.

        nests: of several lines, what stands under the line belongs to the last.
        """
        if (line, text) not in self._read:
            self._read[line, text] = self._wrong(line, text, depth(text) if nests else 0)
        return self._read[line, text]

    def _wrong(self, line: int, text: str, more: int) -> Place:
        self.left -= sum(map(len, self.lines))
        if self.left < 0:
            return 0, 0
        lines = [*self.lines]
        for number in under(lines, line - self.first + 1) if more else ():
            lines[number - 1] = " " * more + lines[number - 1]
        lines[line - self.first] = text
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


def _reads_on(edits: tuple[Edit, ...], piece: TextSlice[str]) -> bool:
    """Whether all can be read from a piece to the end of the definition in which the last edit is."""
    text, above = piece.text, piece.text.count("\n", 0, piece.start)
    last = max(edit.span.end_line for edit in edits)
    lines = text.split("\n")
    end = next((n for n in range(last, len(lines)) if lines[n][:1].strip()), len(lines))
    moved = [replace(edit, span=_up(edit.span, above)) for edit in edits]
    return min(_mistakes(edited("\n".join(lines[above:end]) + "\n", moved)), default=END) == END


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
