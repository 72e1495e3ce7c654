"""The chapter on the changes that each module makes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edict.compiler.english import OutlineLine, outline_ability
from edict.compiler.sources.folders import Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.prose.rulebook.annotated_rules import VERBS, AnnotatedRules, DefinitionChange
from edict.prose.rulebook.chapters import Block, Example, Paragraph, Passages, Section, Steps
from edict.prose.rulebook.covered_rules import find_covered_rules
from edict.prose.rulebook.descriptions import describe_definition as told_of
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.things import is_list_of_effects
from edict.support.morphology import capitalize, join_words, spell_name, split_title, to_sentence

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
        _describe_change(rules, base, name, change)
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


def _describe_change(
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
