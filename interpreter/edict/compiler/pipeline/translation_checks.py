"""Checks of translations against the sentences that a compiled game shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from edict.compiler.sources.compiler_fingerprint import is_verified, mark_verified
from edict.compiler.sources.folders import Module
from edict.compiler.sources.module_set import Modules, hash_rules
from edict.compiler.sources.words_files import (
    find_missing_texts,
    find_unused_texts,
    list_languages,
    load_phrasebook,
)
from edict.runtime.program import Program, digest
from edict.runtime.program.program_translation import translate_program
from edict.support.report import Diagnostic, Outcome
from edict.support.translations import read_catalogue, use_language
from edict.support.translations.phrasebook import Phrasebook

CompileModules = Callable[[Modules], Outcome[Program]]


def check_sentences(modules: Modules, compile_modules: CompileModules) -> Iterator[Diagnostic]:
    """Yield a warning for sentences of play without a translation, and for translations that play never uses.

    A translation that lacks nothing is remembered by all that it depends on and not checked again.
    """
    for language in list_languages(modules):
        for module in modules:
            if language not in module.words:
                continue
            fact = _name_fact(modules, module, language)
            if is_verified(fact):
                continue
            findings = tuple(_check_module(modules, module, language, compile_modules))
            if not findings:
                mark_verified(fact)
            yield from findings


def _name_fact(modules: Modules, module: Module, language: str) -> str:
    """Return a name for the fact that a module's translation lacks nothing, which depends on all that it is made of.

    These are the rules that are compiled, all translations into the language, and the engine's own catalogue.
    """
    game, *_ = modules
    translated = tuple(other for other in modules if other is game or language in other.words)
    rules = hash_rules(modules if module is not game else translated)
    texts = (other.words[language].text for other in translated if language in other.words)
    return f"words-{digest(chr(0).join((module.name, language, rules, read_catalogue(language), *texts)))}"


def _check_module(
    modules: Modules, module: Module, language: str, compile_modules: CompileModules
) -> Iterator[Diagnostic]:
    """Yield the warnings for one module's translation into one language."""
    game, *_ = modules
    program = compile_modules(modules if module is not game else (game,)).value
    if program is None:
        return
    phrasebook = look_up_program(program, load_phrasebook(modules, language), language)
    missing = dict(phrasebook.missing)
    if module is not game:
        other_modules = tuple(other for other in modules if other is not module)
        without = compile_modules(other_modules).value
        others = load_phrasebook(other_modules, language)
        if without is not None:
            asked = look_up_program(without, others, language).missing
            missing = {text: None for text in missing if text not in asked}
    yield from find_missing_texts(module, language, tuple(missing))
    yield from find_unused_texts(module, language, phrasebook.used)


def look_up_program(program: Program, phrasebook: Phrasebook, language: str) -> Phrasebook:
    """Look up every text of a program in a phrasebook, and return the phrasebook."""
    with use_language(language):
        translate_program(program, phrasebook)
    return phrasebook


__all__ = ["check_sentences", "look_up_program"]
