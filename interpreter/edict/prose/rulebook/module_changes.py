"""The chapter of what each module changes, in words."""

from __future__ import annotations

import re
from collections.abc import Iterator

from edict.compiler.english import Line, ability_lines
from edict.compiler.sources.folders import Module
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import singular_title
from edict.prose.rulebook.annotated import Known
from edict.prose.rulebook.chapters import Block, Example, Paragraph, Section, Steps
from edict.prose.rulebook.descriptions import description as told_of
from edict.prose.rulebook.effects_index import EffectsIndex
from edict.prose.rulebook.history import VERBS, DefinitionChange
from edict.prose.rulebook.things import is_list_of_effects
from edict.support.morphology import capitalize, join_words, spell_name, split_title


def variant(known: Known, base: Known | None, module: Module) -> Section:
    """What a module says of itself, what is new with it; and what it changes, unless its half page tells that."""
    added: dict[str, list[str]] = {}
    for name, change in _own(known, module):
        definition = known.definitions.get(name)
        if change.verb == "declare" and isinstance(definition, t.Thing):
            if not is_list_of_effects(known, known.definitions[definition.kind.word]):
                added.setdefault(definition.kind.word, []).append(singular_title(definition))
    said = module.manifest.sheet.splitlines() or [module.manifest.summary]
    blocks: list[Block] = [_of_sheet(text) for text in said if text]
    new = tuple(Line(f"{_many(known, kind)}: {join_words(titles)}.") for kind, titles in added.items())
    blocks += [Steps(new, heading="New")] if new else []
    blocks += [] if module.manifest.sheet else _changes(known, base, module)
    return Section(module.manifest.title, f"_module-{module.name}", tuple(blocks))


_HEADED = re.compile(r"([A-Z][^.:]{2,40})[.:] (?=.)")


def _of_sheet(text: str) -> Block:
    """A paragraph of the half page under what it begins with; the example as one."""
    headed = _HEADED.match(text)
    if headed is None:
        return Paragraph(text)
    if headed[1] == "Example":
        return Example(headed[1], (text[headed.end() :],))
    return Paragraph(capitalize(text[headed.end() :]), heading=headed[1])


def variant_in_full(known: Known, base: Known | None, module: Module) -> Section:
    """What a module changes that says so itself in half a page: rule by rule."""
    blocks = _changes(known, base, module) if module.manifest.sheet else []
    return Section(module.manifest.title, f"_full-{module.name}", tuple(blocks))


def _own(known: Known, module: Module) -> list[tuple[str, DefinitionChange]]:
    return [(name, change) for name, done in known.history.items() for change in done if change.module == module.name]


def _changes(known: Known, base: Known | None, module: Module) -> list[Block]:
    changed = tuple(
        _change(known, base, name, change)
        for name, change in _own(known, module)
        if change.verb != "declare" and not _idle(known, name, change)
    )
    blocks: list[Block] = [Steps(changed, heading="Changed")] if changed else []
    holds = tuple(
        ability_lines(known.resolved, one.ability)
        for one in known.book.standalone
        if known.module_of(one.span) == module.name
    )
    return [*blocks, Steps(EffectsIndex(known).filled(holds), heading="Other rules")] if holds else blocks


def _idle(known: Known, name: str, change: DefinitionChange) -> bool:
    """A renaming that leaves the title as it was."""
    done = known.history[name]
    before = done[done.index(change) - 1].after if done.index(change) else None
    after = change.after
    return change.verb == "call" and before is not None and after is not None and before.title == after.title


def _many(known: Known, kind: str) -> str:
    definition = known.definitions.get(kind)
    return capitalize(split_title(definition.title or kind)[1] if definition is not None else kind)


def _change(known: Known, base: Known | None, name: str, change: DefinitionChange) -> Line:
    """What a module did to something that was there: how it is called now, and what it says."""
    done = known.history[name]
    before = done[done.index(change) - 1].after if done.index(change) else None
    title = split_title(before.title)[0] if before is not None else ""
    title = title or spell_name(name)
    if change.verb == "call" and change.after is not None:
        return Line(f"{capitalize(title)} is called {split_title(change.after.title)[0]}.")
    if change.verb == "remove":
        return Line(f"{capitalize(title)} is removed.")
    return Line(f"{capitalize(title)} is {VERBS[change.verb]}:", tuple(_was_and_now(known, base, name)))


def _was_and_now(known: Known, base: Known | None, name: str) -> Iterator[Line]:
    """What a definition says in the game alone, and what it says now; what is the same goes without saying."""
    before = _sentences(base, name) if base is not None else []
    after = _sentences(known, name)
    for label, texts, others in (("was", before, after), ("now", after, before)):
        for text in texts:
            if text not in others:
                yield Line(f"{capitalize(label)}: {text}" if before else text)


def _sentences(known: Known, name: str) -> list[str]:
    definition = known.definitions.get(name)
    return [text.strip() for text in told_of(known, definition)] if definition is not None else []
