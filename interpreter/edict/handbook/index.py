"""The index: all that has a name, where it is described."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from edict.language import tree as t
from edict.handbook.annotated import Known
from edict.handbook.chapters import BACK, Block, Cards, Grid, Index, Paragraph, Section, Steps, Table
from edict.words.titles import forms
from edict.text import capital


def index(known: Known, sections: Iterable[Section]) -> Section:
    """Every thing, phase, action, number and passage that has its place in the book, by the alphabet."""
    there = dict(_anchors(sections))
    named = {*_entries(known, set(there)), *((heading, anchor, "") for anchor, heading in there.items() if heading)}
    entries = ((capital(title.removeprefix("The ")), anchor, what) for title, anchor, what in named)
    found = sorted(entries, key=lambda one: (one[0].casefold(), one[1]))
    return Section("Index", "_index", (Index(tuple(found)),) if found else (), part=BACK)


def _entries(known: Known, anchors: set[str]) -> Iterator[tuple[str, str, str]]:
    for name, one in known.definitions.items():
        if name in anchors and isinstance(one, t.Thing | t.Phase | t.Quantity | t.Action) and one.title:
            what = known.definitions[one.kind.word].title or one.kind.word if isinstance(one, t.Thing) else ""
            yield capital(forms(one.title)[isinstance(one, t.Quantity)]), name, forms(what)[0]


def _anchors(sections: Iterable[Section]) -> Iterator[tuple[str, str]]:
    """All that can be found in the book; of a passage with its heading."""
    for section in sections:
        yield section.anchor, ""
        for block in section.blocks:
            if isinstance(block, Paragraph) and block.anchor:
                yield block.anchor, block.heading
            yield from ((anchor, "") for anchor in _anchors_in(block) if anchor)
        yield from _anchors(section.sections)


def _anchors_in(block: Block) -> Iterator[str]:
    if isinstance(block, Steps):
        yield block.anchor
    elif isinstance(block, Table):
        yield from (row.anchor for row in block.rows)
    elif isinstance(block, Cards):
        yield from (card.anchor for card in block.cards)
    elif isinstance(block, Grid):
        yield from (card.anchor for row in block.cells for cell in row for card in cell)
