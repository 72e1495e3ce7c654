"""The structure of a rulebook, independent of its layout, and passages of text in it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field

from edict.compiler.english import OutlineLine
from edict.compiler.sources.folders import CHAPTERS, Module, Passage, iter_passages
from edict.compiler.syntax import tree as t
from edict.prose.rulebook.annotated_rules import AnnotatedRules
from edict.support.records import dataclass
from edict.support.text import to_slug

PRIMER, SETUP, CORE, END, ALWAYS, GLANCE, MODULE = CHAPTERS


@dataclass(frozen=True)
class Passages:
    """Passages and examples by place."""

    at: Mapping[str, Sequence[Passage]] = field(default_factory=dict)  # passages by the place they name
    # passages for the section of the module that has them, by its name
    of_modules: Mapping[str, Sequence[Passage]] = field(default_factory=dict)
    # examples by the phase or kind they illustrate
    played: Mapping[str, Sequence[Example]] = field(default_factory=dict)

    def iter_passages(self, place: str) -> Iterator[Block]:
        """Iterate over the paragraphs for a place, with their headings."""
        yield from self._iter_paragraphs(place, self.at.get(place, ()))

    def iter_module_passages(self, module: Module) -> Iterator[Block]:
        """Iterate over the paragraphs for the section of a module, with their headings."""
        yield from self._iter_paragraphs(module.name, self.of_modules.get(module.name, ()))

    def _iter_paragraphs(self, place: str, passages: Sequence[Passage]) -> Iterator[Block]:
        """Iterate over the paragraphs of passages, with their headings and anchors."""
        for passage in passages:
            first, *others = passage.paragraphs
            yield Paragraph(
                first, heading=passage.title, anchor=f"_{place}-{to_slug(passage.title)}" if passage.title else ""
            )
            yield from map(Paragraph, others)

    def iter_examples(self, place: str) -> Iterator[Block]:
        """Iterate over the examples for a place."""
        yield from self.played.get(place, ())


def collect_passages(rules: AnnotatedRules, examples: Iterable[tuple[str, Example]]) -> Passages:
    """Collect the passages of game and modules; those for an unknown place go to the general rules."""
    at: dict[str, list[Passage]] = {}
    played: dict[str, list[Example]] = {}
    of_modules: dict[str, list[Passage]] = {}
    for module, passage in iter_passages(rules.modules):
        if passage.place == MODULE:
            of_modules.setdefault(module.name, []).append(passage)
        else:
            is_known_place = passage.place in (*CHAPTERS, *rules.definitions, *rules.resolved.fields)
            at.setdefault(passage.place if is_known_place else ALWAYS, []).append(passage)
    for place, example in examples:
        is_known_place = place in CHAPTERS or isinstance(rules.definitions.get(place), t.Phase | t.Kind)
        played.setdefault(place if is_known_place else ALWAYS, []).append(example)
    return Passages(at, of_modules, played)


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
