"""The differences between two sets of rules, in the language, in sentences, and between their rulebooks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.printing import join_lines, print_lines
from edict.prose.rulebook.annotated_rules import AnnotatedRules, remove_judgement, sort_title
from edict.prose.rulebook.blame import SignedLine, current_lines, merge_lines
from edict.prose.rulebook.chapters import Block, Card, Cards, Grid, Paragraph, Rulebook, Section, Steps, Table
from edict.prose.rulebook.descriptions import describe_definition
from edict.support.text import NOWHERE, Span

CHANGE_TYPES = ("added", "changed", "removed")


@dataclass(frozen=True, slots=True)
class RuleChange:
    """The change of one definition."""

    way: str  # one of CHANGE_TYPES
    sort: str
    name: str
    title: str
    lines: tuple[SignedLine, ...]  # old and new lines merged
    before: tuple[str, ...] = ()  # sentences that are gone
    after: tuple[str, ...] = ()  # sentences that are new
    span: Span = NOWHERE


def find_differences(old: AnnotatedRules, new: AnnotatedRules) -> tuple[RuleChange, ...]:
    """Return the changes of all definitions, sorted by type, sort and name.

    Definitions that only help bots to judge positions are ignored.
    """
    old, new = remove_judgement(old), remove_judgement(new)
    before, after = _collect_named_definitions(old), _collect_named_definitions(new)
    changes = [*_compare_named_definitions(old, new, before, after), *_compare_unnamed_rules(old, new)]
    return tuple(
        sorted(changes, key=lambda change: (CHANGE_TYPES.index(change.way), change.sort, change.name, change.span))
    )


def _collect_named_definitions(rules: AnnotatedRules) -> Mapping[str, t.Definition]:
    """Return all definitions and those top-level abilities that have a name of their own."""
    standalone = {name: ability for name, ability in rules.standalone.items() if ability.name.word}
    return {**rules.definitions, **standalone}


def _compare_named_definitions(
    old: AnnotatedRules, new: AnnotatedRules, before: Mapping[str, t.Definition], after: Mapping[str, t.Definition]
) -> Iterator[RuleChange]:
    """Yield a change for each name, sorted, that was added, removed or has another canonical text."""
    for name in sorted({*before, *after}):
        old_definition, new_definition = before.get(name), after.get(name)
        if old_definition is not None and new_definition is not None:
            if _canonical_text(old_definition) != _canonical_text(new_definition):
                yield _describe_change(old, new, name, old_definition, new_definition)
        elif new_definition is not None:
            yield _describe_whole_change(new, "added", name, new_definition)
        elif old_definition is not None:
            yield _describe_whole_change(old, "removed", name, old_definition)


def _compare_unnamed_rules(old: AnnotatedRules, new: AnnotatedRules) -> Iterator[RuleChange]:
    """Compare the nameless top-level rules by their text."""
    sides = [
        {_canonical_text(definition): definition for definition in known.book.standalone if not definition.name.word}
        for known in (old, new)
    ]
    yield from (
        _describe_whole_change(new, "added", "", definition)
        for text, definition in sides[1].items()
        if text not in sides[0]
    )
    yield from (
        _describe_whole_change(old, "removed", "", definition)
        for text, definition in sides[0].items()
        if text not in sides[1]
    )


def _canonical_text(definition: t.Definition) -> str:
    return join_lines(print_lines(definition))


def _describe_whole_change(rules: AnnotatedRules, way: str, name: str, definition: t.Definition) -> RuleChange:
    """Return the change of an `added` or `removed` definition: all its lines and all its sentences."""
    lines = tuple(current_lines(rules, name, definition))
    words = tuple(describe_definition(rules, definition))
    before, after = ((), words) if way == "added" else (words, ())
    return RuleChange(
        way, sort_title(definition), name, singular_title(definition), lines, before, after, definition.span
    )


def _describe_change(
    old: AnnotatedRules, new: AnnotatedRules, name: str, old_definition: t.Definition, new_definition: t.Definition
) -> RuleChange:
    """Return a change with the merged lines of both versions and the sentences that only one of them has."""
    lines = tuple(merge_lines(current_lines(old, name, old_definition), current_lines(new, name, new_definition), ""))
    before, after = tuple(describe_definition(old, old_definition)), tuple(describe_definition(new, new_definition))
    shared = set(before) & set(after)
    return RuleChange(
        "changed",
        sort_title(new_definition),
        name,
        singular_title(new_definition),
        lines,
        tuple(sentence for sentence in before if sentence not in shared),
        tuple(sentence for sentence in after if sentence not in shared),
        new_definition.span,
    )


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
