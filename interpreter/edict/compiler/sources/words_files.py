"""Translations of rules, read from `words/LANGUAGE.yaml` beside them.

A translation lists sentences that a game shows, word for word in English, whether an author wrote them or the compiler
made them. Names stay, so a game is played, saved and continued alike in every language.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import lru_cache
from typing import Any

from edict.compiler.sources.data_cache import load_or_parse
from edict.compiler.sources.file_schemas import validate_once
from edict.compiler.sources.folders import Manifest, Module, Passage
from edict.compiler.sources.written_data import WrittenData
from edict.support.morphology import join_words
from edict.support.records import dataclass
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source, Span
from edict.support.translations.phrasebook import Phrasebook

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=\w|[+„“«])")
MANIFEST_TEXTS = ("title", "summary", "purpose")  # keys of the manifest that hold a single text
MOST_NAMED = 5  # missing texts that a message lists


@dataclass(frozen=True)
class TranslatedTexts:
    """One module's texts in another language."""

    texts: Mapping[str, str] = field(default_factory=dict)  # translations by the English texts
    about: Mapping[str, str] = field(default_factory=dict)  # translations of the manifest's texts, by key
    book: tuple[Passage, ...] = ()  # passages in place of the manifest's


def list_languages(modules: Iterable[Module]) -> tuple[str, ...]:
    """Return the languages into which any of these modules is translated, sorted."""
    return tuple(sorted({language for module in modules for language in module.words}))


def translate_modules(modules: tuple[Module, ...], language: str) -> tuple[Module, ...]:
    """Return modules with the texts of their manifests translated as far as translations exist.

    A faulty translation file is ignored. The texts of the rules stay; see `load_phrasebook`.
    """
    return tuple(_translate_manifest(module, language) for module in modules)


def _translate_manifest(module: Module, language: str) -> Module:
    """Return a module with its manifest in a language; the module itself without a translation."""
    if language not in module.words:
        return module
    translation = _get_translation(module, language)
    texts: dict[str, Any] = dict(translation.about)
    return replace(module, manifest=replace(module.manifest, **texts, book=translation.book or module.manifest.book))


def load_phrasebook(modules: Iterable[Module], language: str) -> Phrasebook:
    """Return the phrasebook of modules in a language; a later module's translation of a text replaces an earlier's."""
    texts: dict[str, str] = {}
    for module in modules:
        translation = _get_translation(module, language)
        texts = {**dict(_iter_manifest_texts(module.manifest, translation)), **texts, **translation.texts}
    return Phrasebook({**texts, **dict(_iter_sentences(texts))})


def _iter_manifest_texts(manifest: Manifest, translation: TranslatedTexts) -> Iterator[tuple[str, str]]:
    """Yield the texts of a manifest with their translations: passages of the book by paragraph."""
    yield from ((getattr(manifest, key), text) for key, text in translation.about.items() if getattr(manifest, key))
    for passage, translated in zip(manifest.book, translation.book, strict=False):
        if passage.title and translated.title:
            yield passage.title, translated.title
        if len(passage.paragraphs) == len(translated.paragraphs):
            yield from zip(passage.paragraphs, translated.paragraphs, strict=True)


def _iter_sentences(texts: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the sentences of the longer texts, where a text and its translation have equally many."""
    for english, translation in texts.items():
        pairs = _SENTENCE_END.split(english), _SENTENCE_END.split(translation)
        if len(pairs[0]) > 1 and len(pairs[0]) == len(pairs[1]):
            yield from ((one, other) for one, other in zip(*pairs, strict=True) if one not in texts)


def _get_translation(module: Module, language: str) -> TranslatedTexts:
    """Return a module's texts in a language; empty texts if it has no valid translation file for it."""
    data = _read_translation(module, language).value
    return _parse_translation(data.data) if data is not None else TranslatedTexts()


def _parse_translation(data: dict[str, Any]) -> TranslatedTexts:
    """Build the texts, manifest texts and book passages of a translation from valid YAML data."""
    about = {key: str(data[key]) for key in MANIFEST_TEXTS if key in data}
    texts = data.get("glossary", {}) | data.get("texts", {})
    return TranslatedTexts(texts, about, tuple(map(Passage.from_data, data.get("book", ()))))


# --- checks -----------------------------------------------------------------------------------------


def check_translations(modules: Iterable[Module]) -> Iterator[Diagnostic]:
    """Yield faults of translation files, and warnings for texts of the manifest that they lack."""
    for module in modules:
        for language in sorted(module.words):
            outcome = _read_translation(module, language)
            yield from outcome.diagnostics
            if outcome.value is not None:
                yield from _find_missing_manifest_texts(module, language, outcome.value)


def _read_translation(module: Module, language: str) -> Outcome[WrittenData]:
    """Return the data of the module's translation file; an outcome of None without diagnostics if it has none."""
    source = module.words.get(language)
    return Outcome(None) if source is None else _parse_file(source)


@lru_cache(maxsize=64)
def _parse_file(source: Source) -> Outcome[WrittenData]:
    """Return the data of a translation file (cached, since an editor asks again after each key)."""
    return load_or_parse("words", source, _validate)


def _validate(written: WrittenData) -> Outcome[WrittenData]:
    """Return the data of a translation file if it satisfies the schema, else only the diagnostics."""
    findings = tuple(validate_once("words", written))
    return Outcome(None if findings else written, findings)


def _find_missing_manifest_texts(module: Module, language: str, written: WrittenData) -> Iterator[Diagnostic]:
    """Yield warnings for texts of the manifest without a translation, and for a book with other passages."""
    translation, manifest = _parse_translation(written.data), module.manifest
    keys = [key for key in MANIFEST_TEXTS if getattr(manifest, key) and key not in translation.about]
    if keys:
        listed = join_words(f"`{key}` of the module" for key in keys)
        yield _warning("E0168", f"no `{language}` translation for {listed}", written.span_of(()))
    passages, translated_passages = (
        [(passage.place, passage.with_module) for passage in book] for book in (manifest.book, translation.book)
    )
    if translated_passages != passages:
        title = f"the book in `{language}` has other passages than the module"
        yield _warning("E0168", title, written.span_of(("book",)))


def find_missing_texts(module: Module, language: str, missing: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a warning that names some of the texts which a module's translation lacks."""
    written = _read_translation(module, language).value
    if missing and written is not None:
        listed = join_words((f"“{text}”" for text in missing), limit=MOST_NAMED)
        yield _warning("E0168", f"no `{language}` translation for {listed}", written.span_of(()))


def find_unused_texts(module: Module, language: str, used: Collection[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each translated text of a module that is not used."""
    for text, span in iter_written_texts(module, language):
        if text not in used:
            yield _warning("E0169", f"“{text}” does not appear in the game", span)


def iter_written_texts(module: Module, language: str) -> Iterator[tuple[str, Span]]:
    """Yield each text under `texts` in a module's translation file, with its place."""
    written = _read_translation(module, language).value
    if written is not None:
        yield from ((text, written.keys["texts", text]) for text in written.data.get("texts", {}))


_HELP = {
    "E0168": "translate it; until then it is shown in English",
    "E0169": "change it to what the game says now, or delete it",
}


def _warning(code: str, title: str, span: Span) -> Diagnostic:
    """Return a warning with a code and title, and the help text for that code."""
    return Diagnostic(code, title, span, help=_HELP[code], severity="warning")
