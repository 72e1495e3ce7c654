"""The history of each definition, with who declared, amended, rewrote, renamed or removed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from edict.compiler.layering.amendments import apply_amendment
from edict.compiler.layering.provenance import split_provenance
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.module_set import sort_modules
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS
from edict.support.text import Span

VERBS = {"declare": "declared", "amend": "amended", "rewrite": "rewritten", "call": "renamed", "remove": "removed"}


@dataclass(frozen=True)
class DefinitionChange:
    """A change that a module made to a definition."""

    module: str
    verb: str  # one of VERBS
    span: Span
    after: t.Definition | None  # the definition afterwards, None once it is removed


def build_history(layered_pages: Sequence[tuple[Module, Sequence[t.Page]]]) -> dict[str, tuple[DefinitionChange, ...]]:
    """Return by name the changes of its definition, by the order of modules, then removals, additions, amendments."""
    history: dict[str, list[DefinitionChange]] = {}
    pages = {module.name: sorted(definition, key=lambda page: page.file) for module, definition in layered_pages}
    for module in sort_modules([module for module, _ in layered_pages]):
        definitions = [written_definition for page in pages[module.name] for written_definition in page.definitions]
        for definition in sorted(definitions, key=_amendment_rank):
            if definition.name.word:
                changes = history.setdefault(definition.name.word, [])
                changes += _iter_changes(module.manifest, definition, changes[-1].after if changes else None)
    return {name: tuple(name_changes) for name, name_changes in history.items()}


def _amendment_rank(definition: t.Definition) -> int:
    """Return the rank within a module: removals, then additions, then amendments."""
    if isinstance(definition, t.Remove_):
        return 0
    if isinstance(definition, t.Amend | t.Retitle):
        return 2
    return 1


def _iter_changes(
    manifest: Manifest, definition: t.Definition, previous: t.Definition | None
) -> Iterator[DefinitionChange]:
    """Yield the change that a definition makes to `previous`; nothing for an amendment of nothing."""
    name, span = manifest.name, definition.span
    if isinstance(definition, t.Remove_):
        yield DefinitionChange(name, "remove", span, None)
    elif isinstance(definition, t.Retitle):
        yield DefinitionChange(
            name, "call", span, replace(previous, title=definition.title) if previous is not None else None
        )
    elif isinstance(definition, t.Amend):
        amendment = split_provenance(definition.definition, manifest)[0]
        if previous is not None:
            rewritten = replace(amendment, title=amendment.title or previous.title)
            if definition.whole:
                verb, after = ("rewrite", rewritten)
            else:
                verb, after = ("amend", apply_amendment(previous, amendment))
            yield DefinitionChange(name, verb, span, after)
    else:
        yield DefinitionChange(name, "declare", span, split_provenance(definition, manifest)[0])


def sort_title(definition: t.Definition) -> str:
    """Return the name of a definition's sort, the kind of a thing or `house rule` for a top-level ability."""
    if isinstance(definition, t.Thing):
        return definition.kind.word
    if isinstance(definition, t.Standalone):
        if not isinstance(definition.ability, t.Exception_):
            return "house rule"
        return "exception"
    return SORTS.get(type(definition)) or type(definition).__name__.lower().removesuffix("_")
