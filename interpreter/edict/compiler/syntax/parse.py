"""The pass `parse`: a rule file to a `Page`. No Lark tree leaves this file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

from lark.exceptions import UnexpectedInput, VisitError
from lark.indenter import DedentError

from edict.compiler.sources.input_limits import MOST_NESTED, nested_too_deep, page_limits, signs_in
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import NOTHING, Declared
from edict.compiler.syntax.editions.upgrading import Upgraded, upgrade_wording, upgraded
from edict.compiler.syntax.grammar import FilePiece, names_at, parser
from edict.compiler.syntax.incremental import KEPT, ReadPiece, pieces
from edict.compiler.syntax.making import Build
from edict.compiler.syntax.reserved_words import called_as_words, misnamed
from edict.compiler.syntax.soft_words import meant_as_names
from edict.compiler.syntax.unreadable.diagnosis import Holds, explained
from edict.compiler.syntax.unreadable.indentation import misaligned
from edict.compiler.syntax.walking import parts, placed
from edict.support.report import MOST_FINDINGS, Diagnostic, Outcome, limit_diagnostics, remaining_findings
from edict.support.text import EDITION, Source, Span

PARTS = f"{MOST_NESTED} parts inside each other, where each operator and each `else if` begins another part,"
"""What is nested: later passes call themselves for each."""
MANY = 20
"""Mistakes in a file that are looked at thoroughly; remedies of those that follow are looked for more briefly."""


@dataclass(frozen=True)
class Unread:
    """A definition that cannot be read, the line of the mistake, and the class of what the parser raised.

    What it raised holds a copy of the parser's state, and there may be thousands.
    """

    piece: FilePiece
    line: int
    mistake: type[Exception]


@dataclass(frozen=True)
class Reading:
    """A file as far as it can be read, and what is wrong with it, from top to bottom. The file is read only once:
    what cannot be read is explained later, by what is known of the rules by then."""

    source: Source
    page: t.Page | None
    wrong: tuple[Diagnostic | Unread, ...]
    today: Upgraded | None = None  # what was read in place of a file of an older edition that says something otherwise

    @property
    def ok(self) -> bool:
        wrong = (isinstance(mistake, Unread) or mistake.is_error for mistake in self.wrong)
        return self.page is not None and not any(wrong)

    @property
    def unread(self) -> Iterator[Unread]:
        return (unread for unread in self.wrong if isinstance(unread, Unread))

    def diagnostics(
        self, declared: Declared = NOTHING, holds: Holds | None = None, most: int = MOST_FINDINGS
    ) -> tuple[Diagnostic, ...]:
        """A diagnostic for each of the first mistakes, and how many more definitions cannot be read.

        declared: the words of the rules beside it, for saying what a line may mean that cannot be read.
        holds: whether the rules are right in the lines that edits change; asked of each remedy, if it is given.
        """
        diagnostics: list[Diagnostic] = []
        more: list[int] = []
        for mistake in self.wrong:
            if isinstance(mistake, Diagnostic):
                diagnostics.append(mistake)
            elif diagnostics and mistake.line in {edit.span.line for edit in diagnostics[-1].edits}:
                continue  # it is moved by the remedy before
            elif len(diagnostics) < most:
                read = self.today.source if self.today else self.source
                diagnostics.append(_explained(mistake, read, declared, holds, len(diagnostics) >= MANY))
            else:
                more.append(mistake.piece.above + 1)
        if more:
            diagnostics.append(remaining_findings(Span(self.source.name, more[0], 1, more[0], 2), len(more)))
        return tuple(map(self.today.placed, diagnostics) if self.today else diagnostics)

    def sure(self, declared: Declared, holds: Holds, unsure: type[Exception]) -> Iterator[Diagnostic]:
        """The same of those mistakes of which nothing else could be said: `holds` raises `unsure` where it matters
        whether a remedy helps. No more than are looked at thoroughly."""
        read, found = self.today.source if self.today else self.source, list[Diagnostic]()
        for mistake in self.wrong[:MANY]:
            if isinstance(mistake, Diagnostic):
                found.append(mistake)
                continue
            if found and mistake.line in {edit.span.line for edit in found[-1].edits}:
                continue
            try:
                found.append(_explained(mistake, read, declared, holds, False))
            except unsure:  # its remedy may move the next one
                break
        return map(self.today.placed, found) if self.today else iter(found)


def parse(source: Source, declared: Declared = NOTHING, holds: Holds | None = None) -> Outcome[t.Page]:
    """Every definition of the file, and what is wrong with it, as `Reading.diagnostics` says."""
    reading = read_page(source)
    return Outcome(reading.page, reading.diagnostics(declared, holds))


def read_page(source: Source, again: bool = True, names: Collection[str] = ()) -> Reading:
    """A file as far as it can be read; nothing of one that is beyond the limits.

    again: also what could not be read before, for saying what is wrong with it.
    names: words of the language that are names in these rules, besides those of the file itself.
    """
    if source.edition < EDITION:
        return _as_today(source, again, names)
    refused = page_limits(source)
    if refused:
        return Reading(source, None, limit_diagnostics(refused))
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    found = [_of_piece(source, piece, again, ()) for piece in pieces(text)]
    if any(isinstance(one, Unread) for one in found):
        known = {*names, *called_as_words(d for one in found if isinstance(one, ReadPiece) for d in one.definitions)}
        if known:
            found = [_of_piece(source, one.piece, True, known) if isinstance(one, Unread) else one for one in found]
    definitions = (definition for one in found if isinstance(one, ReadPiece) for definition in one.definitions)
    wrong = (mistake for one in found for mistake in ((one,) if isinstance(one, Unread) else one.found))
    return Reading(source, t.Page(source.name, tuple(definitions)), tuple(wrong))


def _of_piece(source: Source, piece: FilePiece, again: bool, names: Collection[str]) -> ReadPiece | Unread:
    """What a piece says, or why it cannot be read."""
    before = None if again else KEPT.unread(source.name, piece)
    if before is not None:
        return Unread(piece, before, Exception)  # explained where it was read first
    try:
        return KEPT.read(source.name, piece, partial(_read, names=names))
    except (UnexpectedInput, DedentError, VisitError, RecursionError) as mistake:
        if isinstance(mistake, VisitError) and not isinstance(mistake.orig_exc, RecursionError):
            raise
        line = max(mistake.line if isinstance(mistake, UnexpectedInput) else 0, piece.above + 1)
        KEPT.note_unread(source.name, piece, line)
        return Unread(piece, line, type(mistake))


def _as_today(source: Source, again: bool, names: Collection[str]) -> Reading:
    """A file of an older edition, read as today's edition says it; all that it says stands where the author put it."""
    if page_limits(source):
        return read_page(replace(source, edition=EDITION), again, names)
    names = {*names, *(old for old, _ in source.renames)}
    read = cache(lambda said: read_page(said, again, names))  # nearly always it is written as today
    today = upgraded(source, lambda said: read(said).page)
    found = replace(read(today.source), source=source)
    if not today.steps or found.page is None:
        return found
    return replace(found, page=t.Page(source.name, placed(found.page.definitions, today.place)), today=today)


def parse_before_renaming(source: Source, names: Collection[str] = ()) -> t.Page | None:
    """Return a file of an older edition, as far as it can be read, with all names as they are written."""
    if page_limits(source):
        return None

    def read(text: Source) -> t.Page | None:
        return read_page(text, names=names).page

    return read(upgrade_wording(source, read).source)


def _read(file: str, piece: FilePiece, names: Collection[str]) -> ReadPiece:
    """What a piece of a file says; raises what the parser and the building raise."""
    build = Build(file)
    definitions = tuple(build.transform(_tree(piece, names)))
    return ReadPiece(definitions, (*build.found, *misnamed(definitions), *_deep(definitions, piece)))


def _tree(piece: FilePiece, names: Collection[str]) -> Any:
    """What Lark recognizes; where it cannot be read otherwise, words of the language that are known as names are."""
    try:
        return parser().parse(piece)
    except UnexpectedInput:
        meant = meant_as_names(piece, names)
        if not meant:
            raise
        with names_at(meant):
            return parser().parse(piece)


def _deep(read: Iterable[t.Definition], piece: FilePiece) -> Iterator[Diagnostic]:
    """What is nested too deep. Each part has a word or sign of its own, so few definitions need to be looked at."""
    if signs_in(piece.own) > MOST_NESTED:
        for definition in read:
            yield from _too_nested(definition)


def _too_nested(definition: t.Definition) -> list[Diagnostic]:
    """The first part that stands too deep, if one does: parentheses and steps of indentation were counted before."""
    waiting: list[tuple[Any, int]] = [(definition, 0)]
    while waiting:
        value, depth = waiting.pop()
        if isinstance(value, tuple):
            waiting.extend((part, depth) for part in value)
        elif isinstance(value, t.Node):
            if depth > MOST_NESTED:
                return [nested_too_deep(value.span, PARTS)]
            waiting.extend((inner, depth + 1) for _, inner in parts(value))
    return []


def readable(source: Source) -> tuple[t.Page, dict[int, str]]:
    """The definitions of a file that can be read, and the text of what cannot, by the line of the mistake.

    What could not be read before is not tried again: it may be long, and be in the way of many remedies.
    """
    reading = read_page(source, again=False)
    if reading.page is None:
        return t.Page(source.name, ()), {1: source.text}
    told = (diagnostic.span.line for diagnostic in reading.wrong if isinstance(diagnostic, Diagnostic))
    refused = {line: source.lines[line - 1] for line in told}
    return reading.page, refused | {unread.line: unread.piece.own for unread in reading.unread}


def _explained(unread: Unread, source: Source, declared: Declared, holds: Holds | None, many: bool) -> Diagnostic:
    piece, mistake = unread.piece, unread.mistake
    if issubclass(mistake, UnexpectedInput):
        return explained(source, piece, declared, holds, many)
    if issubclass(mistake, DedentError):
        return misaligned(source, piece)
    line = piece.above + 1
    return nested_too_deep(Span(source.name, line, 1, line, len(source.lines[line - 1]) + 1))
