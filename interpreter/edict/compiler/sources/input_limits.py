"""What rules may be: every limit there is, and what a file may be at all, before anyone reads it.

Strangers' files are read too, so nothing here depends on the text being sensible, and everything that
later passes do per nesting or per word is bounded here.
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
MOST_WORDS = 200  # words and signs in one line, commas and texts not counted
MOST_INDENTS = 20
MOST_NESTED = 120  # parts of a definition that stand in each other
MOST_DIGITS = 9
MOST_LEVELS = 20  # of lists and maps in each other, in YAML

# --- a folder, and modules together ------------------------------------------------------------

MOST_FILES = 200  # rule files of a module
MOST_TOTAL = 8_000_000  # bytes of all rule files together
MOST_SIGNS = 50_000  # words, signs and lines of all rules played together: each takes its time in every pass
MOST_NAMES = 20_000  # files of any kind in a folder, which are looked through for rule files
MOST_MODULES = 50  # that are played together, or named in one list of a manifest
LONGEST_NAME = 200  # bytes of a file's name

# --- rules: what the machine has room for ----------------------------------------------------

MEMBERS = 62  # of sets that stand in one cell, a bit a member: of numbers, resources, abilities
MOST_THINGS = 1_000  # of a kind; sets of more than there are bits in a cell take several cells
PACKED = 14  # members of an order that stands in one cell, four bits a member; of others each has a cell
LONGEST_ORDER = 200
MOST_PLAYERS = 12
GREATEST_CHOICE = 10_000  # of the numbers that can be chosen
MOST_SIDES = 24  # of a die; of all kinds together, as far as dice take one cell
MOST_CELLS = 250_000  # of all keeps together; each is an integer, copied with every state

# --- rules: what can be worked out before play -------------------------------------------------

MOST_STEPS = 1_000_000  # to work out derived fields
MOST_SPENDING = 5  # shifts of an action that spend something: every set of them is looked at
MOST_COMBINATIONS = 4_096  # of an action's shifts
MOST_CHOICES = 12  # of an action: what can be chosen first depends on all that can be chosen after it
MOST_PAIRS = 1_000_000  # of exceptions that replace the same: each is compared with all others, a thousand make so many
MOST_AHEAD = 100  # steps that are looked ahead at, each from the one before, to see if an option can be completed
MOST_WORK = 10_000_000  # units of all that a check does, of about a microsecond each (see `work_budget`)
MOST_CODE = 2_000_000  # integers of a program, before it is optimized

_WORD = re.compile(r'"[^"\n]*"?|#[^\n]*|[\w-]+|[^\s\w,]')
_DIGITS = re.compile(r'"[^"\n]*"?|#[^\n]*|(?<![\w-])(\d+)(?![\w-])')


_SIGN = re.compile(r"[a-zA-Z0-9]+|[^\sa-zA-Z0-9]")


def signs_in(text: str) -> int:
    """How many words and signs stand in it, rather too many: also those in quotes and comments."""
    return len(_SIGN.findall(text))


def page_limits(source: Source) -> list[Diagnostic]:
    """The first reason not to read a rule file at all, if there is one; of a form, every blank left open."""
    checks = (too_large, _long_lines, hidden_characters, _mixed_indentation, _indented_start, _too_deep, _huge_numbers)
    return list(islice((found for check in checks for found in check(source)), 1)) or list(_blanks(source))


def too_large(source: Source) -> Iterator[Diagnostic]:
    size = len(source.text.encode("utf-8", "surrogatepass"))
    lines = source.text.count("\n")
    if size > MOST_BYTES or lines > MOST_LINES:
        yield file_too_large(Span(source.name, 1, 1, 1, 1), size, lines)


def file_too_large(span: Span, size: int, lines: int = 0) -> Diagnostic:
    return Diagnostic(
        "E0120",
        "this file is too large",
        span,
        note=f"It has {f'{lines:,} lines' if lines > MOST_LINES else f'{size:,} bytes'}; "
        f"a file may have {MOST_BYTES:,} bytes in {MOST_LINES:,} lines.",
        help="split it into several files of the same module: their order does not matter",
    )


def count_signs(source: Source) -> int:
    """Return how many words, signs and lines a file counts for."""
    return _signs_and_lines(source.text)


def rules_too_long(sources: Iterable[Source]) -> Iterator[Diagnostic]:
    """The line in which all rules together get too long, if they do; what follows it is not looked at."""
    left = MOST_SIGNS
    for source in sources:
        signs = _signs_and_lines(source.text)
        if signs <= left:
            left -= signs
            continue
        for number, line in enumerate(source.text.split("\n"), 1):
            left -= signs_in(line) + 1
            if left < 0:
                yield Diagnostic(
                    "E0711",
                    "these rules are too long",
                    Span(source.name, number, 1, number, len(line) + 1),
                    note=f"All files and modules together may have {MOST_SIGNS:,} words, signs and lines, "
                    "and here there are more.",
                    help="leave modules out, or say once what is repeated: in a `routine`, a `quantity` or a table",
                )
                return


@lru_cache(maxsize=512)
def _signs_and_lines(text: str) -> int:
    """What a file counts for; whoever types changes one of many."""
    return sum(signs_in(line) + 1 for line in text.split("\n"))


def hidden_characters(source: Source) -> Iterator[Diagnostic]:
    """Characters one cannot see, which could deceive a reader or steer a terminal."""
    for number, line in enumerate(source.text.split("\n"), 1):
        for column, char in enumerate(line.removesuffix("\r"), 1):
            if char < "\x7f" and char >= " " or char == "\t" or not is_hidden(char):
                continue
            yield Diagnostic(
                "E0123",
                f"a character that cannot be seen: U+{ord(char):04X}, {unicodedata.name(char, 'control').lower()}",
                Span(source.name, number, column, number, column + 1),
                note="Invisible characters could make a rule look like another one, so they are refused.",
                help="delete it and type the line again",
            )
            return


def _long_lines(source: Source) -> Iterator[Diagnostic]:
    for number, line in enumerate(source.text.split("\n"), 1):
        words = sum(word[0] != "#" for word in _WORD.findall(line)) if len(line) > MOST_WORDS else 0
        if len(line) > MOST_COLUMNS or words > MOST_WORDS:
            yield Diagnostic(
                "E0121",
                "this line is too long",
                Span(source.name, number, 1, number, 2),
                note=f"It has {len(line):,} characters; a line may have {MOST_COLUMNS:,}, and {MOST_WORDS} words.",
                help="say it in several steps: name a part with `let`, or make it a `quantity`",
            )


def _mixed_indentation(source: Source) -> Iterator[Diagnostic]:
    seen: dict[str, int] = {}
    for number, line in enumerate(source.text.split("\n"), 1):
        lead = line[: len(line) - len(line.lstrip(" \t"))]
        if not lead or not line.strip() or line.lstrip()[0] == "#":
            continue
        seen.setdefault(lead[0], number)
        if " " in lead and "\t" in lead or len(seen) > 1:
            yield Diagnostic(
                "E0106",
                "this line is indented with tabs, others with spaces"
                if "\t" in lead
                else "this line is indented with spaces, others with tabs",
                Span(source.name, number, 1, number, len(lead) + 1),
                note="A tab looks different in every editor, so what belongs under what would be unclear.",
                help="indent every line with spaces, two for each step",
            )
            return


def _indented_start(source: Source) -> Iterator[Diagnostic]:
    for number, line in enumerate(source.text.split("\n"), 1):
        if not line.strip() or line.lstrip()[0] == "#":
            continue
        if line[0] in " \t":
            lead = len(line) - len(line.lstrip())
            yield Diagnostic(
                "E0102",
                "the file begins with an indented line",
                Span(source.name, number, 1, number, lead + 1),
                note="Indented lines belong to the definition above them, and there is none.",
                help="move the line to the left edge, or write above it what it belongs to",
            )
        return


def _too_deep(source: Source) -> Iterator[Diagnostic]:
    levels, words, parens = [0], 0, 0
    for number, line in enumerate(source.text.split("\n"), 1):
        found = [word for word in _WORD.findall(line) if word[0] != "#"]
        if not found:
            continue
        if not parens or line[0].isalpha():
            words, parens = 0, 0
            lead = len(line.expandtabs(4)) - len(line.expandtabs(4).lstrip())
            levels = [*(x for x in levels if x < lead), lead]
        words += len(found)
        depths = list(accumulate(found, lambda depth, w: depth + (w == "(") - (w == ")"), initial=parens))
        parens = max(0, depths[-1])
        if max(len(levels), *depths) > MOST_INDENTS or words > MOST_WORDS:
            yield nested_too_deep(Span(source.name, number, 1, number, len(line) + 1))
            return


def nested_too_deep(span: Span, most: str = f"{MOST_INDENTS} steps of indentation or open parentheses") -> Diagnostic:
    return Diagnostic(
        "E0122",
        "this is nested too deep",
        span,
        note=f"Up to {most} can be followed.",
        help="give the inner part a name of its own: a `routine` for steps, a `quantity` for a value",
    )


def _huge_numbers(source: Source) -> Iterator[Diagnostic]:
    for number, line in enumerate(source.text.split("\n"), 1):
        for found in _DIGITS.finditer(line):
            if found[1] and len(found[1]) > MOST_DIGITS:
                yield Diagnostic(
                    "E0124",
                    "this number is too large",
                    Span(source.name, number, found.start() + 1, number, found.end() + 1),
                    note=f"Numbers have up to {MOST_DIGITS} digits.",
                    help="write a smaller number",
                )


BLANK = "____"
_STANDS_FOR = re.compile(r"^# stands for (\S+) at (\S+):(\d+)$")


def _blanks(source: Source) -> Iterator[Diagnostic]:
    """A form (see `new --form`) that was not filled in; the form says for which thing the blank stands."""
    about: tuple[Label, ...] = ()
    for number, line in enumerate(source.text.split("\n"), 1):
        told = _STANDS_FOR.match(line)
        if told:
            place = Span(told[2], int(told[3]), 1, int(told[3]), 2)
            about = (Label(place, f"what is played instead of `{told[1]}` so far"),)
        column = line.find(BLANK) + 1
        if column and not line.lstrip().startswith("#"):
            yield Diagnostic(
                "E0131",
                "a blank has not been filled in",
                Span(source.name, number, column, number, column + 4),
                labels=about,
                help="write what the card says, or delete this definition to leave it as it is",
            )
