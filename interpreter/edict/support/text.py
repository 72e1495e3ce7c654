"""Source texts and spans."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from edict.support.records import dataclass

EDITION = 1  # current edition of the language; rules of older editions are upgraded when they are read


@dataclass(frozen=True)
class Source:
    """A rules file, its display name, its text and the edition of the language it is written in."""

    name: str
    text: str
    edition: int = EDITION
    # names that are keywords of the current edition, each with its replacement; see
    # `language/editions/module_renames.py`
    renames: tuple[tuple[str, str], ...] = ()

    @cached_property
    def lines(self) -> list[str]:
        """Return the lines without their ends."""
        return self.text.splitlines()


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of text; lines and columns count from 1, the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def __reduce__(self) -> tuple[type[Span], tuple[str, int, int, int, int]]:
        """Pickle as a call, which is read twice as fast as the attributes of a frozen dataclass."""
        return Span, (self.file, self.line, self.column, self.end_line, self.end_column)

    def extend_to(self, other: Span) -> Span:
        """Return the span from the start of this one to the end of another."""
        return Span(self.file, self.line, self.column, other.end_line, other.end_column)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Span("", 0, 0, 0, 0)


def count_indent(line: str) -> int:
    """Count the spaces and tabs at the start of a line."""
    return len(line) - len(line.lstrip())


def parse_integer(text: str, digits: int = 9) -> int | None:
    """Return the integer that a text consists of, or None if it is anything else or has more than `digits` digits."""
    sign, number = ("-", text[1:]) if text.startswith("-") else ("", text)
    if number.isascii() and number.isdecimal() and len(number) <= digits:
        return int(sign + number)
    return None


def to_slug(text: str) -> str:
    """Convert a title to the form of a name, like `queens-guard` for `Queen's Guard`."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.casefold().replace("'", "")).split())


def split_words(text: str) -> list[str]:
    """Return the words of a text, in lower case."""
    return re.findall(r"[^\W_]+", text.casefold())


def matches_beginnings(words: Sequence[str], typed: Sequence[str]) -> bool:
    """Return True if the typed words begin words of a text, in order; numbers must match as a whole."""
    remaining = iter(words)
    return bool(typed) and all(
        any(word == part or not part.isdecimal() and word.startswith(part) for word in remaining) for part in typed
    )
