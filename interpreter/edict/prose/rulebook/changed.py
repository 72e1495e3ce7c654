"""The pages of a rulebook that are not the same in another one, with no more on them than what differs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.prose.rulebook.chapters import Block, Card, Cards, Grid, Paragraph, Rulebook, Section, Steps, Table


def changed_pages(book: Rulebook, base: Rulebook) -> tuple[Section, ...]:
    """The sections of a book that read otherwise in the base, or are not there; each without what lies below it.

    Those with things on them come first.
    """
    before = {section.anchor: section for section in _all(base.sections)}
    found = [_changed(section, before.get(section.anchor)) for section in _all(book.sections)]
    return tuple(sorted((section for section in found if section.blocks), key=lambda section: not _has_cards(section)))


def _all(sections: tuple[Section, ...]) -> Iterator[Section]:
    for section in sections:
        yield section
        yield from _all(section.sections)


def _has_cards(section: Section) -> bool:
    return any(isinstance(block, Cards) for block in section.blocks)


def _changed(section: Section, before: Section | None) -> Section:
    old = _Parts(before.blocks if before is not None else ())
    blocks = (old.without(block) for block in section.blocks)
    return replace(section, sections=(), blocks=tuple(block for block in blocks if block is not None))


class _Parts:
    """All that stands in some blocks, so that it can be left out of others."""

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        self.paragraphs = [one for one in blocks if isinstance(one, Paragraph)]
        self.lines = [line for one in blocks if isinstance(one, Steps) for line in one.lines]
        self.rows = [row for one in blocks if isinstance(one, Table) for row in one.rows]
        self.cards = [card for one in blocks for card in _cards(one)]

    def without(self, block: Block) -> Block | None:
        """What is new in a block; None if nothing is."""
        if isinstance(block, Paragraph):
            return None if block in self.paragraphs else self._added(block)
        if isinstance(block, Steps):
            lines = tuple(line for line in block.lines if line not in self.lines)
            return replace(block, lines=lines) if lines else None
        if isinstance(block, Table):
            rows = tuple(row for row in block.rows if row not in self.rows and not row.heading)
            return replace(block, rows=rows) if rows else None
        cards = tuple(card for card in _cards(block) if card not in self.cards)
        return Cards(cards) if cards else None

    def _added(self, block: Paragraph) -> Paragraph:
        """A paragraph without the sentences with which it began before."""
        begun = (one.text + " " for one in self.paragraphs if one.heading == block.heading)
        known = next((text for text in begun if text.strip() and block.text.startswith(text)), "")
        return replace(block, text=block.text.removeprefix(known))


def _cards(block: Block) -> tuple[Card, ...]:
    if isinstance(block, Cards):
        return block.cards
    return tuple(card for row in block.cells for cell in row for card in cell) if isinstance(block, Grid) else ()
