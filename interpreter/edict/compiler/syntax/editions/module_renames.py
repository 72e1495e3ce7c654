"""New names for names that clash with keywords of the current edition, in all modules that are played together.

A module's new names follow from its own files alone, so they are the same whatever it is played with. A module of an
older edition adopts the new names of the modules below it, both those computed here and those that `upgrade` wrote
into their manifests.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from edict.compiler.sources.folders import Manifest, Module
from edict.compiler.sources.input_limits import check_total_length
from edict.compiler.sources.module_set import Modules, compute_layers_below
from edict.compiler.syntax import tree as t
from edict.compiler.syntax.editions.page_upgrade import choose_free_name, collect_names, find_clashing_names
from edict.compiler.syntax.nouns import list_inflected_forms
from edict.compiler.syntax.parse import parse_before_renaming
from edict.compiler.syntax.reserved_words import find_keyword_names, find_reserved_sorts, iter_declared_names
from edict.support.text import EDITION, Source


def assign_renames(modules: Modules) -> Modules:
    """Return the modules with `renames` set in files of older editions and recorded in the manifests.

    Rules that are too long to be parsed are returned unchanged.
    """
    if all(module.manifest.language >= EDITION for module in modules):
        return modules
    if any(check_total_length(source for module in modules for source in module.sources)):
        return modules
    layers_below = compute_layers_below(modules)
    renamed: dict[str, dict[str, str]] = {}
    assigned: list[Module] = []
    for module in modules:
        inherited = {
            old: new for name in renamed if name in layers_below[module.name] for old, new in renamed[name].items()
        }
        own: dict[str, str] = {}
        if module.manifest.language < EDITION:
            own, module = _assign_to_module(module, inherited)
        former = {old: new for old, new in module.manifest.renamed if find_reserved_sorts(old)}
        renamed[module.name] = {**former, **own}
        assigned.append(module)
    return tuple(assigned)


def _assign_to_module(module: Module, inherited: Mapping[str, str]) -> tuple[dict[str, str], Module]:
    """Return the new names of a module and the module with these and the inherited ones."""
    own_renames = choose_new_names(_list_files(module))
    if not own_renames and not inherited:
        return own_renames, module
    names = _collect_names(_parse_pages(_list_files(module)))
    renames = tuple(sorted(_add_plurals({**own_renames, **inherited}, names).items()))

    def set_renames(sources: Iterable[Source]) -> tuple[Source, ...]:
        """Return copies of sources with the module's `renames` set."""
        return tuple(replace(source, renames=renames) for source in sources)

    beside = {name: set_renames(sources) for name, sources in module.beside.items()}
    manifest = _update_manifest(module.manifest, own_renames)
    return own_renames, replace(module, manifest=manifest, sources=set_renames(module.sources), beside=beside)


def _list_files(module: Module) -> tuple[Source, ...]:
    """Return the files of a module, including conditional ones, without `renames`."""
    files = (*module.sources, *(source for sources in module.beside.values() for source in sources))
    return tuple(sorted({replace(file, renames=()) for file in files}, key=lambda file: file.name))


def choose_new_names(files: tuple[Source, ...]) -> dict[str, str]:
    """Return the new names of what a module declares under a word of the language."""
    pages = _parse_pages(files)
    clashing = [word for page in pages for word in find_clashing_names(page)]
    taken = {word for page in pages for word in collect_names(page)} if clashing else set()
    return {word: choose_free_name(word, taken) for word in sorted(clashing)}


@lru_cache(maxsize=32)
def _parse_pages(files: tuple[Source, ...]) -> tuple[t.Page, ...]:
    """Return the files as far as they can be parsed with all names that the module declares."""
    pages = _parse_files(files, frozenset())
    names = find_keyword_names(definition for page in pages for definition in page.definitions)
    return _parse_files(files, names) if names else pages


def _parse_files(files: Iterable[Source], names: frozenset[str]) -> tuple[t.Page, ...]:
    """Parse files of older editions with some keywords taken as names; unparsable files are left out."""
    return tuple(page for file in files if (page := parse_before_renaming(file, names)) is not None)


def _collect_names(pages: Iterable[t.Page]) -> set[str]:
    """Return the words of all names that the pages declare, including parts such as fields and rules."""
    definitions = (definition for page in pages for definition in page.definitions)
    return {name.word for definition in definitions for name, _ in iter_declared_names(definition)}


def _add_plurals(renames: Mapping[str, str], declared: set[str]) -> dict[str, str]:
    """Return renames extended by plurals, unless a plural is a declared name."""
    forms = {form: new_form for old, new in renames.items() for form, new_form in _iter_plural_pairs(old, new)}
    return {form: new for form, new in forms.items() if form not in declared} | dict(renames)


def _iter_plural_pairs(old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield each form of an old name (singular, plurals) with the same form of the new name."""
    new_forms = list_inflected_forms(new)
    for index, form in enumerate(list_inflected_forms(old)):
        yield form, new_forms[index] if index < len(new_forms) else new_forms[1]


def _update_manifest(manifest: Manifest, renames: Mapping[str, str]) -> Manifest:
    """Return the manifest as `upgrade` writes it; former names lead to the present ones."""
    former = tuple((old, renames.get(new, new)) for old, new in manifest.renamed if old not in renames)
    book = tuple(replace(passage, place=renames.get(passage.place, passage.place)) for passage in manifest.book)
    return replace(manifest, renamed=(*former, *renames.items()), book=book)
