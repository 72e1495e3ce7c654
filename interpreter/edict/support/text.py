"""Text with places in it: sources and spans, shared by every room."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

EDITION = 1
"""The edition of the language that is read and written now; rules of older ones are upgraded as they are read."""


@dataclass(frozen=True)
class Source:
    """One file of rules: its name as people know it, its text, and the edition of the language it is written in.

    `renames` holds the names that clash with a word of today's language, each with its new name; only files of older
    editions have any (`language/editions/module_renames.py`).
    """

    name: str
    text: str
    edition: int = EDITION
    renames: tuple[tuple[str, str], ...] = ()

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of text: lines and columns count from 1, the end is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    def to(self, other: Span) -> Span:
        """The stretch from the start of this span to the end of the other."""
        return Span(self.file, self.line, self.column, other.end_line, other.end_column)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


NOWHERE = Span("", 0, 0, 0, 0)


def indent(line: str) -> int:
    """How many spaces and tabs a line begins with."""
    return len(line) - len(line.lstrip())


def parse_whole(text: str, digits: int = 9) -> int | None:
    """Return the whole number that a text is; None if it is anything else, or has more than so many digits."""
    sign, number = ("-", text[1:]) if text.startswith("-") else ("", text)
    return int(sign + number) if number.isascii() and number.isdecimal() and len(number) <= digits else None


def slug(text: str) -> str:
    """A title as a name could be written."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.casefold().replace("'", "")).split())
