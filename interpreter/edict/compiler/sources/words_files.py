"""Translations of rules, read from `words/LANGUAGE.yaml` beside them.

A translation replaces only the texts of the authors. Names stay, so a game is played, saved and continued alike in
every language; generated sentences (`Gain 1 VP.`) stay English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from edict.compiler.sources.file_schemas import validate_once
from edict.compiler.sources.folders import Module, Passage
from edict.compiler.sources.yaml_reader import WrittenData, read_yaml
from edict.support.morphology import join_words
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source, Span

_TEXT_OR_COMMENT = re.compile(r'"([^"\n]*)"|#.*')
_SOURCE_NOTE = re.compile(r'\s*source\s+"')  # `source` names where a rule comes from, for authors; it is not translated
_LETTERS = re.compile(r"[^\W\d_]{2}")
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
    """Return modules with their texts translated into a language as far as translations exist.

    A faulty translation file is ignored.
    """
    if not any(language in module.words for module in modules):
        return modules
    translations = [_get_translation(module, language) for module in modules]
    texts = {english: text for translation in translations for english, text in translation.texts.items()}
    return tuple(
        _translate_module(module, translation, texts) for module, translation in zip(modules, translations, strict=True)
    )


def _get_translation(module: Module, language: str) -> TranslatedTexts:
    """Return a module's texts in a language; empty texts if it has no valid translation file for it."""
    data = _read_translation(module, language).value
    return _parse_translation(data.data) if data is not None else TranslatedTexts()


def _parse_translation(data: dict[str, Any]) -> TranslatedTexts:
    """Build the texts, manifest texts and book passages of a translation from valid YAML data."""
    about = {key: str(data[key]) for key in MANIFEST_TEXTS if key in data}
    return TranslatedTexts(data.get("texts", {}), about, tuple(map(Passage.from_data, data.get("book", ()))))


def _translate_module(module: Module, translation: TranslatedTexts, texts: Mapping[str, str]) -> Module:
    """Return a module with the quoted texts of its rules, its manifest texts and its book translated."""

    def translate_source(source: Source) -> Source:
        """Return a source with each quoted text that has a translation replaced; comments stay."""
        return replace(source, text=_TEXT_OR_COMMENT.sub(lambda match: _translate_match(match, texts), source.text))

    manifest_texts: dict[str, Any] = dict(translation.about)
    manifest = replace(module.manifest, **manifest_texts, book=translation.book or module.manifest.book)
    beside = {name: tuple(map(translate_source, files)) for name, files in module.beside.items()}
    return replace(module, manifest=manifest, sources=tuple(map(translate_source, module.sources)), beside=beside)


def _translate_match(match: re.Match[str], texts: Mapping[str, str]) -> str:
    """Return the translation of a matched text in quotes; the match itself for other texts and comments."""
    return f'"{texts[match[1]]}"' if match[1] in texts else match[0]


# --- checks -----------------------------------------------------------------------------------------


def check_translations(modules: Iterable[Module]) -> Iterator[Diagnostic]:
    """Yield a warning for texts that lack a translation and for translations of texts that do not exist."""
    for module in modules:
        texts = [*dict.fromkeys(_iter_texts(module))] if module.words else []
        for language in sorted(module.words):
            outcome = _read_translation(module, language)
            yield from outcome.diagnostics
            if outcome.value is not None:
                yield from _find_missing(module, language, outcome.value, texts)
                yield from _find_obsolete(outcome.value, texts)


def _read_translation(module: Module, language: str) -> Outcome[WrittenData]:
    """Return the data of the module's translation file; an outcome of None without diagnostics if it has none."""
    source = module.words.get(language)
    return Outcome(None) if source is None else _parse_file(source)


@lru_cache(maxsize=64)
def _parse_file(source: Source) -> Outcome[WrittenData]:
    """Return the data of a translation file (cached, since an editor asks again after each key)."""
    return read_yaml(source).and_then(_validate)


def _validate(written: WrittenData) -> Outcome[WrittenData]:
    """Return the data of a translation file if it satisfies the schema, else only the diagnostics."""
    findings = tuple(validate_once("words", written))
    return Outcome(None if findings else written, findings)


def _iter_texts(module: Module) -> Iterator[str]:
    """Yield every text of a module that has letters, without notes on sources."""
    for source in (*module.sources, *(file for files in module.beside.values() for file in files)):
        yield from _find_texts(source)


@lru_cache(maxsize=256)
def _find_texts(source: Source) -> tuple[str, ...]:
    """Return the quoted texts of a rule file that have letters, in order, without lines that note a printed source."""
    texts = (
        match[1] for line in source.lines if not _SOURCE_NOTE.match(line) for match in _TEXT_OR_COMMENT.finditer(line)
    )
    return tuple(text for text in texts if text and _LETTERS.search(text))


def _find_missing(module: Module, language: str, written: WrittenData, texts: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield warnings for texts of rules and manifest without a translation, and for a book with other passages."""
    translation, manifest = _parse_translation(written.data), module.manifest
    missing = [f"“{text}”" for text in texts if text not in translation.texts]
    missing += [
        f"`{key}` of the module" for key in MANIFEST_TEXTS if getattr(manifest, key) and key not in translation.about
    ]
    if missing:
        listed = join_words(missing, limit=MOST_NAMED)
        yield _warning("E0168", f"no `{language}` translation for {listed}", written.span_of(()))
    passages, translated_passages = (
        [(passage.place, passage.with_module) for passage in book] for book in (manifest.book, translation.book)
    )
    if translated_passages != passages:
        title = f"the book in `{language}` has other passages than the module"
        yield _warning("E0168", title, written.span_of(("book",)))


def _find_obsolete(written: WrittenData, texts: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield a warning for each translated text that the rules do not contain."""
    for text in written.data.get("texts", {}):
        if text not in texts:
            yield _warning("E0169", f"“{text}” does not appear in the rules", written.keys["texts", text])


_HELP = {
    "E0168": "translate it; until then it is shown in English",
    "E0169": "change it to what the rules say now, or delete it",
}


def _warning(code: str, title: str, span: Span) -> Diagnostic:
    """Return a warning with a code and title, and the help text for that code."""
    return Diagnostic(code, title, span, help=_HELP[code], severity="warning")


__all__ = ["TranslatedTexts", "translate_modules", "list_languages", "check_translations"]
