"""The differences between two sets of rules, in the language, in sentences, and between their rulebooks.

The changes of modules in play are a chapter of the rulebook.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace

from edict.compiler.english import OutlineLine, outline_ability
from edict.compiler.sources.folders import Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.compiler.syntax.printing import join_lines, print_lines
from edict.prose.rulebook.annotated_rules import VERBS, AnnotatedRules, DefinitionChange, remove_judgement, sort_title
from edict.prose.rulebook.blame import SignedLine, current_lines, merge_lines
from edict.prose.rulebook.chapters import (
    Block,
    Card,
    Cards,
    Example,
    Grid,
    Paragraph,
    Passages,
    Rulebook,
    Section,
    Steps,
    Table,
)
from edict.prose.rulebook.covered_rules import find_covered_rules
from edict.prose.rulebook.descriptions import describe_definition
from edict.prose.rulebook.descriptions import describe_definition as told_of
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.things import is_list_of_effects
from edict.support.morphology import capitalize, join_words, spell_name, split_title, to_sentence
from edict.support.records import dataclass
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


MODULE_ANCHOR = "_module-"  # how the anchors of modules' sections begin


def build_module_section(
    rules: AnnotatedRules, base: AnnotatedRules | None, module: Module, passages: Passages
) -> Section:
    """Build the section of a module: its text, its new things and, unless the text covers them, its changes."""
    added: dict[str, list[str]] = {}
    for name, change in _changes_by(rules, module):
        definition = rules.definitions.get(name)
        if change.verb == "declare" and isinstance(definition, t.Thing):
            if not is_list_of_effects(rules, rules.definitions[definition.kind.word]):
                added.setdefault(definition.kind.word, []).append(singular_title(definition))
    paragraphs = module.manifest.sheet.splitlines() or [module.manifest.summary]
    blocks: list[Block] = [_parse_sheet_paragraph(text) for text in paragraphs if text]
    blocks += passages.iter_module_passages(module)
    new_lines = tuple(
        OutlineLine(f"{_kind_plural(rules, kind)}: {join_words(titles)}.") for kind, titles in added.items()
    )
    blocks += [Steps(new_lines, heading="New")] if new_lines else []
    blocks += [] if module.manifest.sheet else _build_change_blocks(rules, base, module)
    return Section(module.manifest.title, f"{MODULE_ANCHOR}{module.name}", tuple(blocks))


_RUN_IN_HEADING = re.compile(r"([A-Z][^.:]{2,40})[.:] (?=.)")


def _parse_sheet_paragraph(text: str) -> Block:
    """Return a paragraph of the module's rules sheet with its run-in heading, or an example."""
    match = _RUN_IN_HEADING.match(text)
    if match is None:
        return Paragraph(text)
    if match[1] == "Example":
        return Example(match[1], (text[match.end() :],))
    return Paragraph(capitalize(text[match.end() :]), heading=match[1])


def build_module_details(rules: AnnotatedRules, base: AnnotatedRules | None, module: Module) -> Section:
    """Build the rule-by-rule section of a module whose sheet describes its changes briefly."""
    blocks = _build_change_blocks(rules, base, module) if module.manifest.sheet else []
    return Section(module.manifest.title, f"_full-{module.name}", tuple(blocks))


def _changes_by(rules: AnnotatedRules, module: Module) -> list[tuple[str, DefinitionChange]]:
    """Return pairs of a definition's name and each change that a module made to it."""
    return [(name, change) for name, done in rules.history.items() for change in done if change.module == module.name]


def _build_change_blocks(rules: AnnotatedRules, base: AnnotatedRules | None, module: Module) -> list[Block]:
    """Build a list `Changed` of a module's changes and a list `Other rules` of its house rules; skip empty ones."""
    change_lines = tuple(
        _describe_module_change(rules, base, name, change)
        for name, change in _changes_by(rules, module)
        if change.verb != "declare" and not _keeps_title(rules, name, change) and not _is_structure(rules, name, module)
    )
    blocks: list[Block] = [Steps(change_lines, heading="Changed")] if change_lines else []
    covered = find_covered_rules(rules).house_rules
    house_rules = tuple(
        outline_ability(rules.resolved, standalone.ability)
        for standalone in rules.book.standalone
        if rules.module_of(standalone.span) == module.name and standalone.ability not in covered
    )
    if house_rules:
        return [*blocks, Steps(EffectsIndex(rules).expand_moments(house_rules), heading="Other rules")]
    return blocks


def _keeps_title(rules: AnnotatedRules, name: str, change: DefinitionChange) -> bool:
    """Return True if a change only gives a new name, and the title stays as it was."""
    changes = rules.history[name]
    before = changes[changes.index(change) - 1].after if changes.index(change) else None
    after = change.after
    return change.verb == "call" and before is not None and after is not None and before.title == after.title


def _is_structure(rules: AnnotatedRules, name: str, module: Module) -> bool:
    """Return True for a kind or a quiet state variable, whose change the module's sheet describes."""
    definition = rules.definitions.get(name)
    is_internal = isinstance(definition, t.Kind) or (isinstance(definition, t.Keep) and definition.quiet)
    return is_internal and bool(module.manifest.sheet)


def _kind_plural(rules: AnnotatedRules, kind: str) -> str:
    """Return the capitalized plural title of a kind; the name itself if the kind is not defined."""
    definition = rules.definitions.get(kind)
    return capitalize(split_title(definition.title or kind)[1] if definition is not None else kind)


def _describe_module_change(
    rules: AnnotatedRules, base: AnnotatedRules | None, name: str, change: DefinitionChange
) -> OutlineLine:
    """Describe a module's change of a definition by its former title."""
    changes = rules.history[name]
    before = changes[changes.index(change) - 1].after if changes.index(change) else None
    title = split_title(before.title)[0] if before is not None else ""
    title = title or spell_name(name)
    if change.verb == "call" and change.after is not None:
        return OutlineLine(f"{capitalize(title)} is called {split_title(change.after.title)[0]}.")
    if change.verb == "remove":
        return OutlineLine(f"{capitalize(title)} is removed.")
    if base is not None and name not in base.definitions:  # it belongs to another module, and has its entry there
        return OutlineLine(to_sentence(title), about=name)
    return OutlineLine(f"{capitalize(title)} is {VERBS[change.verb]}:", tuple(_compare_sentences(rules, base, name)))


def _compare_sentences(rules: AnnotatedRules, base: AnnotatedRules | None, name: str) -> Iterator[OutlineLine]:
    """Iterate over the sentences that differ between the game alone and the current rules."""
    before = _list_sentences(base, name) if base is not None else []
    after = _list_sentences(rules, name)
    for label, texts, others in (("was", before, after), ("now", after, before)):
        for text in texts:
            if text not in others:
                yield OutlineLine(f"{capitalize(label)}: {text}" if before else text)


def _list_sentences(rules: AnnotatedRules, name: str) -> list[str]:
    """Return the sentences on the definition of a name, without indentation; empty if it is not defined."""
    definition = rules.definitions.get(name)
    if definition is not None:
        return [text.strip() for text in told_of(rules, definition)]
    return []
