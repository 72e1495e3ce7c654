"""The structure of a rulebook, independent of its layout."""

from __future__ import annotations

from dataclasses import dataclass, field

from edict.compiler.english import OutlineLine


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph."""

    text: str
    quiet: bool = False  # small print
    heading: str = ""  # run-in heading
    anchor: str = ""  # link target of the heading


@dataclass(frozen=True, slots=True)
class Steps:
    """A list of instructions."""

    lines: tuple[OutlineLine, ...]
    numbered: bool = False  # the sequence matters
    heading: str = ""
    anchor: str = ""  # link target, if the list describes something with a name


@dataclass(frozen=True, slots=True)
class Example:
    """An example of play, as prose."""

    title: str
    paragraphs: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Index:
    """An alphabetical index."""

    entries: tuple[tuple[str, str, str], ...]  # name, anchor and sort


@dataclass(frozen=True, slots=True)
class Card:
    """A thing with its values, its sentences and its source."""

    title: str
    anchor: str
    facts: tuple[tuple[str, str], ...]
    sentences: tuple[str, ...]
    mark: str = ""  # its origin, if it is not printed
    source: str = ""
    module: str = ""


@dataclass(frozen=True, slots=True)
class Cards:
    """A row of cards."""

    cards: tuple[Card, ...]


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table."""

    cells: tuple[str, ...]
    anchor: str = ""  # link target of the thing it describes
    mark: str = ""  # origin of the thing
    source: str = ""
    heading: bool = False  # the row is a heading


@dataclass(frozen=True, slots=True)
class Table:
    """A table."""

    heads: tuple[str, ...]
    rows: tuple[TableRow, ...]
    numbers: tuple[int, ...] = ()  # indices of the columns with numbers


@dataclass(frozen=True, slots=True)
class Grid:
    """Cards in rows and columns; a cell may hold none or several."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[Card, ...], ...], ...]
    row_title: str = ""
    column_title: str = ""


Block = Paragraph | Steps | Example | Cards | Table | Grid | Index
# template tests for blocks, such as `is table`
TEMPLATE_TESTS = {
    sort.__name__.lower(): lambda block, sort=sort: isinstance(block, sort)
    for sort in (Paragraph, Steps, Example, Cards, Table, Grid, Index)
}


# parts of a book: running text, reference of cards and tables, small print, last page
TEXT, REFERENCE, SMALL_PRINT, BACK = "text", "reference", "small-print", "back"


@dataclass(frozen=True, slots=True)
class Section:
    """A chapter or a part of one."""

    title: str
    anchor: str
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    number: str = ""  # such as `2.1`, empty without one
    part: str = TEXT  # part of the book: running text, reference of cards and tables, small print, or the last page


@dataclass(frozen=True)
class Rulebook:
    """A whole rulebook."""

    title: str
    subtitle: str
    facts: tuple[tuple[str, str], ...]
    sections: tuple[Section, ...]
    links: dict[str, str] = field(default_factory=dict)  # heading of each anchor
