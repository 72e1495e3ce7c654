"""The pass `parse`, from a rule file to a `Page`; no Lark tree leaves this module.

Parsed files are cached for other processes: for each file name the last page with its source text, so edits leave no
trail, and only files without mistakes, so that mistakes are explained each time.
"""

from __future__ import annotations

import pickle
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Any

from lark.exceptions import UnexpectedInput, VisitError
from lark.indenter import DedentError

from edict.compiler.sources.compiler_fingerprint import fingerprint
from edict.compiler.sources.input_limits import MOST_NESTED, check_page, count_signs_in, nesting_diagnostic
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.declared_names import NOTHING_DECLARED, DeclaredNames
from edict.compiler.syntax.editions.page_upgrade import UpgradedSource, upgrade_source, upgrade_wording
from edict.compiler.syntax.grammar import FilePiece, get_parser, treat_as_names
from edict.compiler.syntax.incremental import PIECE_CACHE, ParsedPiece, split_into_pieces
from edict.compiler.syntax.making import TreeBuilder
from edict.compiler.syntax.reserved_words import check_names, find_keyword_names, find_soft_names
from edict.compiler.syntax.traversal import iter_fields, with_spans
from edict.runtime.program import digest
from edict.support import signed_cache
from edict.support.records import dataclass
from edict.support.report import MOST_FINDINGS, Diagnostic, Outcome, limit_diagnostics, remaining_findings
from edict.support.text import EDITION, Source, Span

if TYPE_CHECKING:
    from edict.compiler.syntax.syntax_errors.diagnosis import EditVerifier

# nesting is limited because later passes recurse into each part
NESTING_LIMIT_TEXT = (
    f"{MOST_NESTED} parts inside each other, where each operator and each `else if` begins another part,"
)
THOROUGH_MISTAKES = 20  # mistakes in a file that get a thorough search for fixes; later ones get a brief one


@dataclass(frozen=True)
class UnparsedDefinition:
    """A definition that cannot be parsed.

    It holds the class of the parser's exception instead of the exception itself, which holds a copy of the parser's
    state; there may be thousands.
    """

    piece: FilePiece
    line: int  # line of the mistake
    error_type: type[Exception]  # class of the exception that the parser raised


@dataclass(frozen=True)
class ParseResult:
    """A file as far as it can be parsed, with its mistakes from top to bottom.

    Definitions that cannot be parsed are explained later, when the names of the other rules are known.
    """

    source: Source
    page: t.Page | None
    mistakes: tuple[Diagnostic | UnparsedDefinition, ...]
    # the file in today's edition, if it is of an older one and reads differently
    upgraded: UpgradedSource | None = None

    @property
    def ok(self) -> bool:
        """True if there is a page and no error."""
        errors = (isinstance(mistake, UnparsedDefinition) or mistake.is_error for mistake in self.mistakes)
        return self.page is not None and not any(errors)

    @property
    def unparsed(self) -> Iterator[UnparsedDefinition]:
        """The definitions that cannot be parsed."""
        return (unread for unread in self.mistakes if isinstance(unread, UnparsedDefinition))

    def explain(
        self, declared: DeclaredNames = NOTHING_DECLARED, verify: EditVerifier | None = None, most: int = MOST_FINDINGS
    ) -> tuple[Diagnostic, ...]:
        """Return a diagnostic for each of the first mistakes, and one with the number of the others.

        Args:
            declared: The names of the other rules, to interpret a line that cannot be parsed.
            verify: Verifies that the rules are correct with some edits; asked for each fix, if given.
            most: The number of diagnostics.
        """
        diagnostics: list[Diagnostic] = []
        further_lines: list[int] = []
        for mistake in self.mistakes:
            if isinstance(mistake, Diagnostic):
                diagnostics.append(mistake)
            elif diagnostics and mistake.line in {edit.span.line for edit in diagnostics[-1].edits}:
                continue  # the fix before it moves this line
            elif len(diagnostics) < most:
                parsed_source = self.upgraded.source if self.upgraded else self.source
                diagnostics += _explain_mistake(
                    mistake, parsed_source, declared, verify, len(diagnostics) >= THOROUGH_MISTAKES
                )
            else:
                further_lines.append(mistake.piece.above + 1)
        if further_lines:
            diagnostics.append(
                remaining_findings(Span(self.source.name, further_lines[0], 1, further_lines[0], 2), len(further_lines))
            )
        return tuple(map(self.upgraded.to_original, diagnostics) if self.upgraded else diagnostics)

    def explain_certain(
        self, declared: DeclaredNames, verify: EditVerifier, unverified_error: type[Exception]
    ) -> Iterator[Diagnostic]:
        """Yield the diagnostics of the first mistakes that do not depend on verifying a fix.

        Args:
            declared: The names of the other rules.
            verify: Raises `unverified_error` when a fix would have to be verified; the mistakes from there on are left
                out.
            unverified_error: The exception.
        """
        parsed_source, diagnostics = self.upgraded.source if self.upgraded else self.source, list[Diagnostic]()
        for mistake in self.mistakes[:THOROUGH_MISTAKES]:
            if isinstance(mistake, Diagnostic):
                diagnostics.append(mistake)
                continue
            if diagnostics and mistake.line in {edit.span.line for edit in diagnostics[-1].edits}:
                continue
            try:
                diagnostics += _explain_mistake(mistake, parsed_source, declared, verify, False)
            except unverified_error:  # its fix may move the next one
                break
        if self.upgraded:
            return map(self.upgraded.to_original, diagnostics)
        return iter(diagnostics)


def parse(
    source: Source, declared: DeclaredNames = NOTHING_DECLARED, verify: EditVerifier | None = None
) -> Outcome[t.Page]:
    """Parse a file and explain its mistakes (see `ParseResult.explain`)."""
    result = parse_file(source)
    return Outcome(result.page, result.explain(declared, verify))


def parse_file(source: Source, retry: bool = True, names: Collection[str] = ()) -> ParseResult:
    """Parse a file as far as possible; a file beyond the limits is not parsed.

    Args:
        source: The file.
        retry: True to try pieces again that could not be parsed before, to explain them.
        names: Words of the language that these rules use as names, besides those of the file itself.
    """
    if source.edition < EDITION:
        return _parse_older_edition(source, retry, names)
    limit_errors = check_page(source)
    if limit_errors:
        return ParseResult(source, None, limit_diagnostics(limit_errors))
    text = source.text if source.text.endswith("\n") else source.text + "\n"
    parsed_pieces = [_parse_piece(source, piece, retry, ()) for piece in split_into_pieces(text)]
    if any(isinstance(parsed_piece, UnparsedDefinition) for parsed_piece in parsed_pieces):
        known_names = {
            *names,
            *find_keyword_names(
                declared
                for parsed_piece in parsed_pieces
                if isinstance(parsed_piece, ParsedPiece)
                for declared in parsed_piece.definitions
            ),
        }
        if known_names:
            parsed_pieces = [
                _parse_piece(source, parsed_piece.piece, True, known_names)
                if isinstance(parsed_piece, UnparsedDefinition)
                else parsed_piece
                for parsed_piece in parsed_pieces
            ]
    definitions = (
        definition
        for parsed_piece in parsed_pieces
        if isinstance(parsed_piece, ParsedPiece)
        for definition in parsed_piece.definitions
    )
    mistakes = (
        mistake
        for parsed_piece in parsed_pieces
        for mistake in ((parsed_piece,) if isinstance(parsed_piece, UnparsedDefinition) else parsed_piece.found)
    )
    return ParseResult(source, t.Page(source.name, tuple(definitions)), tuple(mistakes))


def _parse_piece(
    source: Source, piece: FilePiece, retry: bool, names: Collection[str]
) -> ParsedPiece | UnparsedDefinition:
    """Return a parsed piece, or the reason why it cannot be parsed."""
    error_line = None if retry else PIECE_CACHE.get_error_line(source.name, piece)
    if error_line is not None:
        return UnparsedDefinition(piece, error_line, Exception)  # explained when it was parsed first
    try:
        return PIECE_CACHE.get_or_parse(source.name, piece, partial(_build_piece, names=names))
    except (UnexpectedInput, DedentError, VisitError, RecursionError) as mistake:
        if isinstance(mistake, VisitError) and not isinstance(mistake.orig_exc, RecursionError):
            raise
        line = max(mistake.line if isinstance(mistake, UnexpectedInput) else 0, piece.above + 1)
        PIECE_CACHE.record_error(source.name, piece, line)
        return UnparsedDefinition(piece, line, type(mistake))


def _parse_older_edition(source: Source, retry: bool, names: Collection[str]) -> ParseResult:
    """Parse a file of an older edition as today's, with all spans in the author's text."""
    if check_page(source):
        return parse_file(replace(source, edition=EDITION), retry, names)
    names = {*names, *(old for old, _ in source.renames)}
    parse_cached = cache(lambda text: parse_file(text, retry, names))  # most files read the same in both editions
    upgraded_source = upgrade_source(source, lambda text: parse_cached(text).page)
    result = replace(parse_cached(upgraded_source.source), source=source)
    if not upgraded_source.steps or result.page is None:
        return result
    return replace(
        result,
        page=t.Page(source.name, with_spans(result.page.definitions, upgraded_source.original_span)),
        upgraded=upgraded_source,
    )


def parse_before_renaming(source: Source, names: Collection[str] = ()) -> t.Page | None:
    """Return a file of an older edition as far as it can be parsed, with all names as they are written."""
    if check_page(source):
        return None

    def parse_text(text: Source) -> t.Page | None:
        """Return the page of a source as far as it can be parsed, or None."""
        return parse_file(text, names=names).page

    return parse_text(upgrade_wording(source, parse_text).source)


def _build_piece(file: str, piece: FilePiece, names: Collection[str]) -> ParsedPiece:
    """Parse a piece and build its nodes; exceptions of parser and builder are passed on."""
    builder = TreeBuilder(file)
    definitions = tuple(builder.transform(_parse_tree(piece, names)))
    return ParsedPiece(
        definitions, (*builder.diagnostics, *check_names(definitions), *_check_depth(definitions, piece))
    )


def _parse_tree(piece: FilePiece, names: Collection[str]) -> Any:
    """Return Lark's tree of a piece; if there is none, try again with known names among the words of the language."""
    try:
        return get_parser().parse(piece)
    except UnexpectedInput:
        name_places = find_soft_names(piece, names)
        if not name_places:
            raise
        with treat_as_names(name_places):
            return get_parser().parse(piece)


def _check_depth(definitions: Iterable[t.Definition], piece: FilePiece) -> Iterator[Diagnostic]:
    """Yield a diagnostic for definitions that are nested too deep. Only long pieces can be, so others are skipped."""
    if count_signs_in(piece.own_text) > MOST_NESTED:
        for definition in definitions:
            yield from _diagnose_deep_nesting(definition)


def _diagnose_deep_nesting(definition: t.Definition) -> list[Diagnostic]:
    """Return a diagnostic for the first node that is nested too deep (indentation is checked before parsing)."""
    pending: list[tuple[Any, int]] = [(definition, 0)]
    while pending:
        value, depth = pending.pop()
        if isinstance(value, tuple):
            pending.extend((part, depth) for part in value)
        elif isinstance(value, t.Node):
            if depth > MOST_NESTED:
                return [nesting_diagnostic(value.span, NESTING_LIMIT_TEXT)]
            pending.extend((inner, depth + 1) for _, inner in iter_fields(value))
    return []


def split_readable(source: Source) -> tuple[t.Page, dict[int, str]]:
    """Return the definitions of a file that can be parsed, and the text of the others by the line of the mistake.

    Pieces that could not be parsed before are not tried again; they may be long, and this is called for many fixes.
    """
    result = parse_file(source, retry=False)
    if result.page is None:
        return t.Page(source.name, ()), {1: source.text}
    lines = (diagnostic.span.line for diagnostic in result.mistakes if isinstance(diagnostic, Diagnostic))
    by_line = {line: source.lines[line - 1] for line in lines}
    return result.page, by_line | {unread.line: unread.piece.own_text for unread in result.unparsed}


def _explain_mistake(
    unparsed: UnparsedDefinition, source: Source, declared: DeclaredNames, verify: EditVerifier | None, briefly: bool
) -> tuple[Diagnostic, ...]:
    """Return the diagnostics for an unparsed definition: of its faulty lines, or of its layout or nesting."""
    # imported late, because most files have no mistakes
    from edict.compiler.syntax.syntax_errors.diagnosis import explain_mistakes
    from edict.compiler.syntax.syntax_errors.indentation import misalignment_diagnostic

    piece, error_type = unparsed.piece, unparsed.error_type
    if issubclass(error_type, UnexpectedInput):
        return tuple(explain_mistakes(source, piece, declared, verify, briefly))
    if issubclass(error_type, DedentError):
        return (misalignment_diagnostic(source, piece),)
    line = piece.above + 1
    return (nesting_diagnostic(Span(source.name, line, 1, line, len(source.lines[line - 1]) + 1), NESTING_LIMIT_TEXT),)


def get_parse_result(source: Source) -> ParseResult:
    """Return the parsed file, from the cache if it has not changed."""
    return _load_or_parse(source)[0]


@lru_cache(maxsize=256)
def save_page(source: Source) -> None:
    """Save the parsed file for other processes, once and if it is new and has no mistakes."""
    result, was_cached = _load_or_parse(source)
    if not was_cached and not result.mistakes:
        signed_cache.write(_cache_key(source), pickle.dumps(result))


@lru_cache(maxsize=256)
def _load_or_parse(source: Source) -> tuple[ParseResult, bool]:
    """Return the parsed file, and True if it came from the cache on disk."""
    cached = signed_cache.read(_cache_key(source))
    loaded = None if cached is None else pickle.loads(cached)
    if loaded is not None and loaded.source == source:
        return (loaded, True)
    return (parse_file(source), False)


def _cache_key(source: Source) -> str:
    """Return the cache key of a source: a digest of its name, and a fingerprint of the engine."""
    return f"pages/{digest(source.name)}-{fingerprint()}"
