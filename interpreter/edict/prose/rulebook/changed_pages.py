"""The sections of a rulebook that differ from another rulebook, reduced to their differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from edict.prose.rulebook.chapters import Block, Card, Cards, Grid, Paragraph, Rulebook, Section, Steps, Table


def find_changed_sections(book: Rulebook, base: Rulebook) -> tuple[Section, ...]:
    """Return the sections that are new or differ from the base, each without its subsections.

    Sections with cards come first.
    """
    old_sections = {section.anchor: section for section in _iter_sections(base.sections)}
    changed = [_reduce_section(section, old_sections.get(section.anchor)) for section in _iter_sections(book.sections)]
    return tuple(
        sorted((section for section in changed if section.blocks), key=lambda section: not _has_cards(section))
    )


def _iter_sections(sections: tuple[Section, ...]) -> Iterator[Section]:
    """Yield every section at any depth, each before its subsections."""
    for section in sections:
        yield section
        yield from _iter_sections(section.sections)


def _has_cards(section: Section) -> bool:
    return any(isinstance(block, Cards) for block in section.blocks)


def _reduce_section(section: Section, old_section: Section | None) -> Section:
    """Return the section without subsections and without the content that the old section already had."""
    old_content = _SectionContent(old_section.blocks if old_section is not None else ())
    blocks = (old_content.subtract_from(block) for block in section.blocks)
    return replace(section, sections=(), blocks=tuple(block for block in blocks if block is not None))


class _SectionContent:
    """The content of some blocks, to be left out of others."""

    def __init__(self, blocks: tuple[Block, ...]) -> None:
        self.paragraphs = [block for block in blocks if isinstance(block, Paragraph)]
        self.lines = [line for block in blocks if isinstance(block, Steps) for line in block.lines]
        self.rows = [row for block in blocks if isinstance(block, Table) for row in block.rows]
        self.cards = [card for block in blocks for card in _cards_of(block)]

    def subtract_from(self, block: Block) -> Block | None:
        """Return the block without the paragraphs, lines, rows and cards that this section has; None if empty."""
        if isinstance(block, Paragraph):
            if block in self.paragraphs:
                return None
            return self._remove_old_sentences(block)
        if isinstance(block, Steps):
            lines = tuple(line for line in block.lines if line not in self.lines)
            return replace(block, lines=lines) if lines else None
        if isinstance(block, Table):
            rows = tuple(row for row in block.rows if row not in self.rows and not row.heading)
            return replace(block, rows=rows) if rows else None
        cards = tuple(card for card in _cards_of(block) if card not in self.cards)
        return Cards(cards) if cards else None

    def _remove_old_sentences(self, block: Paragraph) -> Paragraph:
        """Return the paragraph without its leading sentences that the old paragraph also began with."""
        old_texts = (paragraph.text + " " for paragraph in self.paragraphs if paragraph.heading == block.heading)
        old_text = next((text for text in old_texts if text.strip() and block.text.startswith(text)), "")
        return replace(block, text=block.text.removeprefix(old_text))


def _cards_of(block: Block) -> tuple[Card, ...]:
    """Return the cards of a `Cards` or `Grid` block, row by row; empty for other blocks."""
    if isinstance(block, Cards):
        return block.cards
    if isinstance(block, Grid):
        return tuple(card for row in block.cells for cell in row for card in cell)
    return ()
