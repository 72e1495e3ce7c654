"""Limits of rules, and checks of a rule file before it is parsed.

Files come from strangers, so no check here relies on sensible text, and everything that later passes do per level of
nesting or per word is bounded here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import accumulate, islice

from edict.support.graphemes import is_hidden
from edict.support.report import Diagnostic, Label
from edict.support.text import Source, Span

# --- a file --------------------------------------------------------------------------------

MOST_BYTES = 1_000_000
MOST_LINES = 20_000
MOST_COLUMNS = 2_000
MOST_WORDS = 200  # words and signs in one line, without commas and texts
MOST_INDENTS = 20
MOST_NESTED = 120  # nesting levels of nodes within a definition
MOST_DIGITS = 9
MOST_LEVELS = 20  # nesting levels of lists and maps in YAML

# --- a folder, and modules together ------------------------------------------------------------

MOST_FILES = 200  # rule files of a module
MOST_TOTAL = 8_000_000  # bytes of all rule files together
MOST_SIGNS = 50_000  # words, signs and lines of all rules played together, each of which costs time in every pass
MOST_NAMES = 20_000  # files of any kind in a folder that is searched for rule files
MOST_MODULES = 50  # modules played together, or named in one list of a manifest
LONGEST_NAME = 200  # bytes of a file's name

# --- rules: what the machine has room for ----------------------------------------------------

SET_BITS = 62  # members of a set in one cell (of numbers, resources, abilities), one bit each
MOST_THINGS = 1_000  # things of a kind; sets of more than a cell has bits take several cells
PACKED_ORDER = 14  # members of an order in one cell, four bits each; in longer orders each member has a cell
LONGEST_ORDER = 200
MOST_PLAYERS = 12
GREATEST_CHOICE = 10_000  # the highest number that can be chosen
MOST_SIDES = 24  # sides of a die, and of all kinds of dice together that share a cell
MOST_CELLS = 250_000  # cells of all state variables; each is an integer that is copied with every state

# --- rules: what can be worked out before play -------------------------------------------------

MOST_STEPS = 1_000_000  # steps to compute derived fields
MOST_SPENDING = 5  # shifts of an action that spend something; every subset of them is tried
MOST_COMBINATIONS = 4_096  # combinations of an action's shifts
MOST_CHOICES = 12  # choices of an action; each option depends on all choices after it
# pairs of rule exceptions that replace the same rule (about a thousand exceptions), all compared
MOST_PAIRS = 1_000_000
MOST_AHEAD = 100  # depth of lookahead that decides whether an option can be completed
MOST_WORK = 10_000_000  # units of work of a check, about a microsecond each (see `work_budget`)
MOST_CODE = 2_000_000  # integers of a program before optimization

_WORD = re.compile(r'"[^"\n]*"?|#[^\n]*|[\w-]+|[^\s\w,]')
_DIGITS = re.compile(r'"[^"\n]*"?|#[^\n]*|(?<![\w-])(\d+)(?![\w-])')


_SIGN = re.compile(r"[a-zA-Z0-9]+|[^\sa-zA-Z0-9]")


def count_signs_in(text: str) -> int:
    """Return the number of words and signs in a text, including those in quotes and comments."""
    return len(_SIGN.findall(text))


def check_page(source: Source) -> list[Diagnostic]:
    """Return the first reason not to parse a rule file, or a diagnostic for every blank in it that is not filled in."""
    return list(_check_page(source.name, source.text))


@lru_cache(maxsize=512)  # every edition, and every trial of fixes in other files, reads the same text
def _check_page(name: str, text: str) -> tuple[Diagnostic, ...]:
    checks = (
        check_size,
        _check_line_lengths,
        check_hidden_characters,
        _check_indentation,
        _check_first_line,
        _check_nesting,
        _check_numbers,
    )
    source = Source(name, text)
    first = tuple(islice((diagnostic for check in checks for diagnostic in check(source)), 1))
    return first or tuple(_check_blanks(source))


def check_size(source: Source) -> Iterator[Diagnostic]:
    """Yield a diagnostic if a file has too many bytes or lines."""
    size = len(source.text.encode("utf-8", "surrogatepass"))
    lines = source.text.count("\n")
    if size > MOST_BYTES or lines > MOST_LINES:
        yield file_too_large_diagnostic(Span(source.name, 1, 1, 1, 1), size, lines)


def file_too_large_diagnostic(span: Span, size: int, lines: int = 0) -> Diagnostic:
    """Return the diagnostic for a file that is too large.

    Args:
        span: Where to report it.
        size: Its size in bytes.
        lines: Its number of lines, if that is known.
    """
    return Diagnostic(
        "E0120",
        "this file is too large",
        span,
        note=f"It has {f'{lines:,} lines' if lines > MOST_LINES else f'{size:,} bytes'}; "
        f"a file may have {MOST_BYTES:,} bytes in {MOST_LINES:,} lines.",
        help="split it into several files of the same module: their order does not matter",
    )


def count_signs(source: Source) -> int:
    """Return the number of words, signs and lines of a file."""
    return _count_signs_and_lines(source.text)


def check_total_length(sources: Iterable[Source]) -> Iterator[Diagnostic]:
    """Yield a diagnostic at the line where the files together exceed the limit; later files are not read."""
    left = MOST_SIGNS
    for source in sources:
        signs = _count_signs_and_lines(source.text)
        if signs <= left:
            left -= signs
            continue
        for number, line in enumerate(source.text.split("\n"), 1):
            left -= count_signs_in(line) + 1
            if left < 0:
                yield Diagnostic(
                    "E0711",
                    "these rules are too long",
                    Span(source.name, number, 1, number, len(line) + 1),
                    note=f"All files and modules together may have {MOST_SIGNS:,} words, signs and lines, "
                    "and here there are more.",
                    help="use fewer modules, or move repeated parts into a `routine`, a `quantity` or a table",
                )
                return


@lru_cache(maxsize=512)
def _count_signs_and_lines(text: str) -> int:
    """Return the number of words, signs and lines of a text (cached, since an edit changes one file of many)."""
    return sum(count_signs_in(line) + 1 for line in text.split("\n"))


def check_hidden_characters(source: Source) -> Iterator[Diagnostic]:
    """Yield a diagnostic at the first invisible character, which could deceive a reader or control a terminal."""
    for number, line in enumerate(source.text.split("\n"), 1):
        if line.isascii() and line.isprintable():
            continue
        for column, char in enumerate(line.removesuffix("\r"), 1):
            if char < "\x7f" and char >= " " or char == "\t" or not is_hidden(char):
                continue
            yield Diagnostic(
                "E0123",
                f"invisible character: U+{ord(char):04X}, {unicodedata.name(char, 'control').lower()}",
                Span(source.name, number, column, number, column + 1),
                note="Invisible characters could make a rule look like another one, so they are refused.",
                help="delete it and type the line again",
            )
            return


def _check_line_lengths(source: Source) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each line with more than MOST_COLUMNS characters or MOST_WORDS words and signs."""
    for number, line in enumerate(source.text.split("\n"), 1):
        words = sum(word[0] != "#" for word in _WORD.findall(line)) if len(line) > MOST_WORDS else 0
        if len(line) > MOST_COLUMNS or words > MOST_WORDS:
            yield Diagnostic(
                "E0121",
                "this line is too long",
                Span(source.name, number, 1, number, 2),
                note=f"It has {len(line):,} characters; a line may have {MOST_COLUMNS:,}, and {MOST_WORDS} words.",
                help="split it: name a part with `let`, or make it a `quantity`",
            )


def _check_indentation(source: Source) -> Iterator[Diagnostic]:
    """Yield a diagnostic at the first line that is indented with tabs in a file with spaces, or the reverse."""
    first_lines: dict[str, int] = {}
    for number, line in enumerate(source.text.split("\n"), 1):
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        if not indent or not line.strip() or line.lstrip()[0] == "#":
            continue
        first_lines.setdefault(indent[0], number)
        if " " in indent and "\t" in indent or len(first_lines) > 1:
            yield Diagnostic(
                "E0106",
                "this line is indented with tabs, others with spaces"
                if "\t" in indent
                else "this line is indented with spaces, others with tabs",
                Span(source.name, number, 1, number, len(indent) + 1),
                note="Tabs look different in every editor, so the indentation would be unclear.",
                help="indent every line with spaces, two for each step",
            )
            return


def _check_first_line(source: Source) -> Iterator[Diagnostic]:
    """Yield a diagnostic if the first line that is neither empty nor a comment is indented."""
    for number, line in enumerate(source.text.split("\n"), 1):
        if not line.strip() or line.lstrip()[0] == "#":
            continue
        if line[0] in " \t":
            indent = len(line) - len(line.lstrip())
            yield Diagnostic(
                "E0102",
                "the file begins with an indented line",
                Span(source.name, number, 1, number, indent + 1),
                note="Indented lines belong to the definition above them, and there is none.",
                help="move the line to the left edge, or add the line it belongs to above it",
            )
        return


def _check_nesting(source: Source) -> Iterator[Diagnostic]:
    """Yield a diagnostic at the first line that nests blocks or parentheses too deeply, or continues for too long."""
    levels, words, parens = [0], 0, 0
    for number, line in enumerate(source.text.split("\n"), 1):
        words_here = [word for word in _WORD.findall(line) if word[0] != "#"]
        if not words_here:
            continue
        if not parens or line[0].isalpha():
            words, parens = 0, 0
            indent = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
            levels = [*(level for level in levels if level < indent), indent]
        words += len(words_here)
        depths = list(
            accumulate(words_here, lambda depth, token: depth + (token == "(") - (token == ")"), initial=parens)
        )
        parens = max(0, depths[-1])
        if max(len(levels), *depths) > MOST_INDENTS or words > MOST_WORDS:
            yield nesting_diagnostic(Span(source.name, number, 1, number, len(line) + 1))
            return


def nesting_diagnostic(
    span: Span, most: str = f"{MOST_INDENTS} steps of indentation or open parentheses"
) -> Diagnostic:
    """Return the diagnostic for rules that are nested too deep.

    Args:
        span: Where to report it.
        most: The limit in words.
    """
    return Diagnostic(
        "E0122",
        "this is nested too deep",
        span,
        note=f"The limit is {most}.",
        help="give the inner part its own name: a `routine` for steps, a `quantity` for a value",
    )


def _check_numbers(source: Source) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each number with more than MOST_DIGITS digits."""
    for number, line in enumerate(source.text.split("\n"), 1):
        for match in _DIGITS.finditer(line):
            if match[1] and len(match[1]) > MOST_DIGITS:
                yield Diagnostic(
                    "E0124",
                    "this number is too large",
                    Span(source.name, number, match.start() + 1, number, match.end() + 1),
                    note=f"Numbers have up to {MOST_DIGITS} digits.",
                    help="write a smaller number",
                )


BLANK = "____"  # stands in a generated form where something is to be filled in
_STANDS_FOR = re.compile(r"^# stands for (\S+) at (\S+):(\d+)$")


def _check_blanks(source: Source) -> Iterator[Diagnostic]:
    """Yield a diagnostic for each blank of a form (`new --form`), with the rule that the blank replaces."""
    labels: tuple[Label, ...] = ()
    for number, line in enumerate(source.text.split("\n"), 1):
        match = _STANDS_FOR.match(line)
        if match:
            origin = Span(match[2], int(match[3]), 1, int(match[3]), 2)
            labels = (Label(origin, f"the current version of `{match[1]}`"),)
        column = line.find(BLANK) + 1
        if column and not line.lstrip().startswith("#"):
            yield Diagnostic(
                "E0131",
                "this blank is not filled in",
                Span(source.name, number, column, number, column + 4),
                labels=labels,
                help="write what the card says, or delete this definition to leave it as it is",
            )
