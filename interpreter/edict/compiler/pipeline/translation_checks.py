"""Checks of translations against the sentences that a compiled game shows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache

from edict.compiler.sources.compiler_fingerprint import fingerprint, is_verified, mark_verified
from edict.compiler.sources.folders import Module
from edict.compiler.sources.module_set import Modules, hash_rules
from edict.compiler.sources.words_files import (
    find_missing_texts,
    find_unused_texts,
    iter_written_texts,
    list_languages,
    load_phrasebook,
)
from edict.runtime.program import Program, digest
from edict.runtime.program.program_translation import translate_program
from edict.support import signed_cache
from edict.support.report import Diagnostic
from edict.support.translations import read_catalogue, use_language
from edict.support.translations.phrasebook import Phrasebook
from edict.support.translations.texts import Text

BuildProgram = Callable[[Modules], Program | None]


def check_sentences(modules: Modules, build: BuildProgram) -> Iterator[Diagnostic]:
    """Yield a warning for sentences of play without a translation, and for translations that play never uses.

    Modules can take each other's texts out of the game, so what is never used is found where a module is alone. What
    modules say together needs a translation only if all of them are translated. A translation that lacks nothing is
    remembered by all that it depends on and not checked again.
    """
    for language in list_languages(modules):
        for module in modules:
            together = modules[:1] if module is modules[0] else modules  # what a game says does not depend on modules
            if language not in module.words or not (_is_alone(together, module) or _have_words(together, language)):
                continue
            fact = _name_fact(together, module, language)
            if is_verified(fact):
                continue
            findings = tuple(_check_module(together, module, language, build))
            if not findings:
                mark_verified(fact)
            yield from findings


def _is_alone(modules: Modules, module: Module) -> bool:
    """Return True if a module is checked without any but the game and those that it requires."""
    by_name = {other.name: other for other in modules}
    needed = [module.name]
    for name in needed:
        needed += [other for other in by_name[name].manifest.requires if other in by_name and other not in needed]
    return len(modules) == len({modules[0].name, *needed})


def _have_words(modules: Modules, language: str) -> bool:
    """Return True if all modules are translated into a language, whether or not the game is."""
    return all(language in module.words for module in modules[1:])


def _name_fact(modules: Modules, module: Module, language: str) -> str:
    """Return a name for the fact that a module's translation lacks nothing, which depends on all that it is made of.

    These are the rules that are compiled, all translations into the language, and the engine's own catalogue.
    """
    texts = (other.words[language].text for other in modules if language in other.words)
    parts = module.name, language, hash_rules(modules), read_catalogue(language), *texts
    return f"words-{digest(chr(0).join(parts))}"


def _check_module(modules: Modules, module: Module, language: str, build: BuildProgram) -> Iterator[Diagnostic]:
    """Yield the warnings for one module's translation into one language.

    A module answers for the texts that the game does not have without it.
    """
    texts = _load_texts(modules, build)
    if texts is None:
        return
    other_texts: Mapping[str, None] = {}
    if module is not modules[0]:
        other_texts = _load_texts(tuple(other for other in modules if other is not module), build) or {}
    phrasebook = load_phrasebook(modules, language)
    with use_language(language):
        for text in (text for text in texts if text not in other_texts):
            phrasebook.look_up(text)
        missing = tuple(phrasebook.missing)
        unused = tuple(find_unused_texts(module, language, phrasebook.used)) if _is_alone(modules, module) else ()
        if unused and other_texts:  # a module may translate a text of the game anew
            unused_keys = {text for text, _ in iter_written_texts(module, language)} - phrasebook.used
            for text in phrasebook.find_possible_uses(unused_keys, other_texts):
                phrasebook.look_up(text)
            unused = tuple(find_unused_texts(module, language, phrasebook.used))
    yield from find_missing_texts(module, language, missing)
    yield from unused


def _load_texts(modules: Modules, build: BuildProgram) -> Mapping[str, None] | None:
    """Return every text of these modules' program that is looked up in a phrasebook; None if they have errors.

    The texts are kept between processes: a module's check needs those of the game, and compiling it takes as long as
    all else. For each set of folders only the last texts are kept, so edits leave no trail.
    """
    rules = hash_rules(modules)
    name = f"texts/{digest(chr(0).join(str(module.folder) for module in modules))}-{fingerprint()}"
    cached = signed_cache.read(name)
    if cached is not None:
        cached_rules, texts = json.loads(cached)
        if cached_rules == rules:
            return dict.fromkeys(texts)
    program = build(modules)
    if program is None:
        return None
    texts = _list_texts(program)
    signed_cache.write(name, json.dumps((rules, list(texts))).encode("utf-8"))
    return texts


@lru_cache(maxsize=4)
def _list_texts(program: Program) -> Mapping[str, None]:
    """Return every text of a program that is looked up in a phrasebook."""
    phrasebook = _EmptyPhrasebook({})
    translate_program(program, phrasebook)
    return phrasebook.missing


class _EmptyPhrasebook(Phrasebook):
    """A phrasebook without texts and patterns, in which everything is missing."""

    def find(self, english: str) -> Text | None:
        """Return None."""
        return None
