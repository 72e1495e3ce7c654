"""New names for what clashes with a word of today's language, for all files of the modules that are played together.

A module's new names follow from its own files alone, so they are the same whatever it is played with. A module of an
older edition follows the new names of the modules under it: those they have in memory, and those that `upgrade` wrote
into their manifests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.input_limits import rules_too_long
from edict.compiler.sources.module_set import Modules, above
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.editions.clashing_names import choose_free_name, find_clashing_names, names_in_page
from edict.compiler.syntax.nouns import plurals
from edict.compiler.syntax.parse import parse_before_renaming
from edict.compiler.syntax.reserved_words import called_as_words, declared_names, reserved
from edict.support.text import EDITION, Source


def assign_renames(modules: Modules) -> Modules:
    """Return the modules in which the files of older editions know their `renames`, and the manifests tell of them.

    Rules that are too long to be read at all are left as they are.
    """
    if all(module.manifest.language >= EDITION for module in modules):
        return modules
    if any(rules_too_long(source for module in modules for source in module.sources)):
        return modules
    under = above(modules)
    renamed: dict[str, dict[str, str]] = {}
    assigned: list[Module] = []
    for module in modules:
        inherited = {old: new for name in renamed if name in under[module.name] for old, new in renamed[name].items()}
        own: dict[str, str] = {}
        if module.manifest.language < EDITION:
            own, module = _assign(module, inherited)
        former = {old: new for old, new in module.manifest.renamed if reserved(old)}
        renamed[module.name] = {**former, **own}
        assigned.append(module)
    return tuple(assigned)


def _assign(module: Module, inherited: Mapping[str, str]) -> tuple[dict[str, str], Module]:
    """Return the new names of a module, and the module with those and the inherited ones."""
    own = choose_new_names(_files(module))
    if not own and not inherited:
        return own, module
    declared = _declared(_pages(_files(module)))
    renames = tuple(sorted(_with_plurals({**own, **inherited}, declared).items()))

    def assign(sources: Iterable[Source]) -> tuple[Source, ...]:
        return tuple(replace(source, renames=renames) for source in sources)

    beside = {name: assign(sources) for name, sources in module.beside.items()}
    manifest = _with_renamed(module.manifest, own)
    return own, replace(module, manifest=manifest, sources=assign(module.sources), beside=beside)


def _files(module: Module) -> tuple[Source, ...]:
    """Return the files of a module, those that count beside other modules among them, without `renames`."""
    files = (*module.sources, *(source for sources in module.beside.values() for source in sources))
    return tuple(sorted({replace(file, renames=()) for file in files}, key=lambda file: file.name))


def choose_new_names(files: tuple[Source, ...]) -> dict[str, str]:
    """Return the new names of what a module declares under a word of the language."""
    pages = _pages(files)
    clashing = [word for page in pages for word in find_clashing_names(page)]
    taken = {word for page in pages for word in names_in_page(page)} if clashing else set()
    return {word: choose_free_name(word, taken) for word in sorted(clashing)}


@lru_cache(maxsize=32)
def _pages(files: tuple[Source, ...]) -> tuple[t.Page, ...]:
    """Return the files as far as they can be read with all names that the module declares."""
    pages = _read(files, frozenset())
    names = called_as_words(definition for page in pages for definition in page.definitions)
    return _read(files, names) if names else pages


def _read(files: Iterable[Source], names: frozenset[str]) -> tuple[t.Page, ...]:
    return tuple(page for file in files if (page := parse_before_renaming(file, names)) is not None)


def _declared(pages: Iterable[t.Page]) -> set[str]:
    definitions = (definition for page in pages for definition in page.definitions)
    return {name.word for definition in definitions for name, _ in declared_names(definition)}


def _with_plurals(renames: Mapping[str, str], declared: set[str]) -> dict[str, str]:
    """Return the new names of plurals too, as far as nothing else is called so."""
    forms = {form: new_form for old, new in renames.items() for form, new_form in _plural_pairs(old, new)}
    return {form: new for form, new in forms.items() if form not in declared} | dict(renames)


def _plural_pairs(old: str, new: str) -> Iterator[tuple[str, str]]:
    new_forms = plurals(new)
    for at, form in enumerate(plurals(old)):
        yield form, new_forms[at] if at < len(new_forms) else new_forms[1]


def _with_renamed(manifest: Manifest, renames: Mapping[str, str]) -> Manifest:
    """Return the manifest as `upgrade` writes it: former names lead to the new ones."""
    former = tuple((old, renames.get(new, new)) for old, new in manifest.renamed if old not in renames)
    book = tuple(replace(passage, place=renames.get(passage.place, passage.place)) for passage in manifest.book)
    return replace(manifest, renamed=(*former, *renames.items()), book=book)
