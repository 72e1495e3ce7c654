"""Text with places in it: sources and spans, shared by every room."""

from __future__ import annotations

import re
from collections.abc import Iterable
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
NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
"""Numbers as words; a number is written in digits."""


def indent(line: str) -> int:
    """How many spaces and tabs a line begins with."""
    return len(line) - len(line.lstrip())


def forms(title: str) -> tuple[str, str]:
    """One and many, of a title that may hold both; of `1/3`, which is no word, there are not two."""
    one, _, many = title.partition("/")
    worded = any(sign.isalpha() for sign in one) and any(sign.isalpha() for sign in many)
    return (one, many) if worded else (title, title)


def so_many(count: int, noun: str) -> str:
    """`1 scene`, `12,000 scenes`: for nouns of the tools that take an s; titles of rules have their own plurals."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def parse_whole(text: str, digits: int = 9) -> int | None:
    """Return the whole number that a text is; None if it is anything else, or has more than so many digits."""
    sign, number = ("-", text[1:]) if text.startswith("-") else ("", text)
    return int(sign + number) if number.isascii() and number.isdecimal() and len(number) <= digits else None


def from_to(low: int, high: int) -> str:
    """`2 to 5`; one number if both are it."""
    return str(low) if low == high else f"{low} to {high}"


def capital(text: str) -> str:
    """With a capital at its beginning."""
    return text[:1].upper() + text[1:]


def sentence(text: str) -> str:
    """With a capital and a full stop."""
    text = text.strip()
    return capital(text) + ("" if text.endswith((".", "?", "!", ":")) else ".") if text else ""


def run_on(parts: Iterable[str]) -> str:
    """Parts of a line with single spaces, none before a mark that closes or `'s`, and none after one that opens."""
    text = " ".join(part.strip() for part in parts if part.strip())
    return re.sub(r"([(\[]) ", r"\1", re.sub(r" ('s\b|[,.;:!?)\]])", r"\1", text))


def slug(text: str) -> str:
    """A title as a name could be written."""
    return "-".join("".join(c if c.isalnum() else " " for c in text.casefold().replace("'", "")).split())
