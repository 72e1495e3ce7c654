"""What a rulebook is made of, before anyone decides how it looks."""

from __future__ import annotations

from dataclasses import dataclass, field

from edict.compiler.english import Line


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`quiet`: small print. `heading`: what it is about, at its beginning; `anchor`: where it is found by that."""

    text: str
    quiet: bool = False
    heading: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Steps:
    """What is done, line by line; `numbered` when the order matters. `anchor`: what is described here has a name."""

    lines: tuple[Line, ...]
    numbered: bool = False
    heading: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Example:
    """Something that happened at a table, as prose."""

    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """Names by the alphabet: each with the anchor where it is described, and what it is."""

    entries: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True)
class Card:
    """A thing: its values, its sentences, where it comes from. `mark` is its origin, if it is not printed."""

    title: str
    anchor: str
    facts: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]
    mark: str = ""
    source: str = ""
    module: str = ""


@dataclass(frozen=True, slots=True)
class Cards:
    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A line of a table; `anchor` and `mark` are those of the thing it is about, `heading` makes it a heading."""

    cells: tuple[str, ...]
    anchor: str = ""
    mark: str = ""
    source: str = ""
    heading: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """`numbers`: the columns whose cells are numbers."""

    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    numbers: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Grid:
    """Cards laid out in rows and columns; a place may hold none or several."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[Card, ...], ...], ...]
    row_title: str = ""
    column_title: str = ""


Block = Paragraph | Steps | Example | Cards | Table | Grid | Index
TESTS = {
    sort.__name__.lower(): lambda block, sort=sort: isinstance(block, sort)
    for sort in (Paragraph, Steps, Example, Cards, Table, Grid, Index)
}
"""What templates ask of a block: `is table`."""


TEXT, REFERENCE, SMALL_PRINT, BACK = "text", "reference", "small-print", "back"
"""Parts of a book: what is read; cards and tables; what is looked up when something seems open; the last page."""


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter: `number` as `2.1`, or nothing for one without a number; `part`: of the book."""

    title: str
    anchor: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    number: str = ""
    part: str = TEXT


@dataclass(frozen=True)
class Rulebook:
    """`links`: anchors by the name of what is described there."""

    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    links: dict[str, str] = field(default_factory=dict)
