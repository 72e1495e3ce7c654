"""Who declared, amended, rewrote, renamed or removed each definition, module by module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from edict.compiler.layering.amending import amended
from edict.compiler.layering.provenance import without_notes
from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.module_set import in_order
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.nouns import SORTS
from edict.support.text import Span

VERBS = {"declare": "declared", "amend": "amended", "rewrite": "rewritten", "call": "renamed", "remove": "removed"}


@dataclass(frozen=True)
class DefinitionChange:
    """What one module did to a definition; `after` is how it stood then, None once it was removed."""

    module: str
    verb: str  # one of VERBS
    span: Span
    after: t.Definition | None


def history_of(laid: Sequence[tuple[Module, Sequence[t.Page]]]) -> dict[str, tuple[DefinitionChange, ...]]:
    """For each name, in the order in which the modules are laid; the order of files changes nothing."""
    found: dict[str, list[DefinitionChange]] = {}
    pages = {module.name: sorted(written, key=lambda page: page.file) for module, written in laid}
    for module in in_order([module for module, _ in laid]):
        definitions = [one for page in pages[module.name] for one in page.definitions]
        for written in sorted(definitions, key=_when):
            if written.name.word:
                before = found.setdefault(written.name.word, [])
                before += _done(module.manifest, written, before[-1].after if before else None)
    return {name: tuple(done) for name, done in found.items()}


def _when(written: t.Definition) -> int:
    """Within a module first is removed, then added, then amended."""
    return 0 if isinstance(written, t.Remove_) else 2 if isinstance(written, t.Amend | t.Retitle) else 1


def _done(manifest: Manifest, written: t.Definition, old: t.Definition | None) -> Iterator[DefinitionChange]:
    name, span = manifest.name, written.span
    if isinstance(written, t.Remove_):
        yield DefinitionChange(name, "remove", span, None)
    elif isinstance(written, t.Retitle):
        yield DefinitionChange(name, "call", span, replace(old, title=written.title) if old is not None else None)
    elif isinstance(written, t.Amend):
        new = without_notes(written.definition, manifest)[0]
        if old is not None:
            whole = replace(new, title=new.title or old.title)
            verb, after = ("rewrite", whole) if written.whole else ("amend", amended(old, new))
            yield DefinitionChange(name, verb, span, after)
    else:
        yield DefinitionChange(name, "declare", span, without_notes(written, manifest)[0])


def sort_title(definition: t.Definition) -> str:
    """How one calls the sort of a definition: of a thing its kind, of what stands at the top level a house rule."""
    if isinstance(definition, t.Thing):
        return definition.kind.word
    if isinstance(definition, t.Standalone):
        return "house rule" if not isinstance(definition.ability, t.Exception_) else "exception"
    return SORTS.get(type(definition)) or type(definition).__name__.lower().removesuffix("_")
