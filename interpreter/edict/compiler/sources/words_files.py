"""Rules in other languages: beside them, `words/de.yaml` says how each of their texts reads in German.

Rules in another language are the same rules in which their authors' texts are others. Only those are: names stay, so
a game is played, kept and continued alike in every language, and what is made of rules (`Gain 1 VP.`) stays English.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from edict.compiler.sources.file_schemas import schema_findings
from edict.compiler.sources.folders import Module, Passage
from edict.compiler.sources.yaml_reader import WrittenData, read_yaml
from edict.support.morphology import join_words
from edict.support.report import Diagnostic, Outcome
from edict.support.text import Source, Span

_TEXT = re.compile(r'"([^"\n]*)"|#.*')
_NOTE = re.compile(r'\s*source\s+"')  # where a rule comes from, for authors: it names what it was taken from
_LETTERS = re.compile(r"[^\W\d_]{2}")
ABOUT = ("title", "summary", "purpose")  # what the manifest says in a text each
MOST_NAMED = 5  # texts that are named as missing; the others are counted


@dataclass(frozen=True)
class TranslatedTexts:
    """One module's texts in another language. texts: by the English ones. about, book: in place of the manifest's."""

    texts: Mapping[str, str] = field(default_factory=dict)
    about: Mapping[str, str] = field(default_factory=dict)
    book: tuple[Passage, ...] = ()


def languages_of(modules: Iterable[Module]) -> tuple[str, ...]:
    """Those for which any of these modules has words."""
    return tuple(sorted({language for module in modules for language in module.words}))


def in_language(modules: tuple[Module, ...], language: str) -> tuple[Module, ...]:
    """These modules with the words they have in a language; all others stay, and so does a file that is wrong."""
    if not any(language in module.words for module in modules):
        return modules
    read = [_words(module, language) for module in modules]
    texts = {english: text for words in read for english, text in words.texts.items()}
    return tuple(_with_words(module, words, texts) for module, words in zip(modules, read, strict=True))


def _words(module: Module, language: str) -> TranslatedTexts:
    written = _read(module, language).value
    return _made(written.data) if written is not None else TranslatedTexts()


def _made(data: dict[str, Any]) -> TranslatedTexts:
    about = {key: str(data[key]) for key in ABOUT if key in data}
    return TranslatedTexts(data.get("texts", {}), about, tuple(Passage(**one) for one in data.get("book", ())))


def _with_words(module: Module, words: TranslatedTexts, texts: Mapping[str, str]) -> Module:
    def said(source: Source) -> Source:
        return replace(source, text=_TEXT.sub(lambda found: _other(found, texts), source.text))

    told: dict[str, Any] = dict(words.about)
    manifest = replace(module.manifest, **told, book=words.book or module.manifest.book)
    beside = {name: tuple(map(said, files)) for name, files in module.beside.items()}
    return replace(module, manifest=manifest, sources=tuple(map(said, module.sources)), beside=beside)


def _other(found: re.Match[str], texts: Mapping[str, str]) -> str:
    return f'"{texts[found[1]]}"' if found[1] in texts else found[0]


# --- what is missing --------------------------------------------------------------------------------


def wrong_words(modules: Iterable[Module]) -> Iterator[Diagnostic]:
    """What is wrong with the words that modules have in other languages: texts without, and words for no text."""
    for module in modules:
        texts = [*dict.fromkeys(_texts(module))] if module.words else []
        for language in sorted(module.words):
            read = _read(module, language)
            yield from read.diagnostics
            if read.value is not None:
                yield from _missing(module, language, read.value, texts)
                yield from _for_nothing(read.value, texts)


def _read(module: Module, language: str) -> Outcome[WrittenData]:
    source = module.words.get(language)
    return Outcome(None) if source is None else _read_once(source)


@lru_cache(maxsize=64)
def _read_once(source: Source) -> Outcome[WrittenData]:
    """A file of words as it was read before: with each key that an editor is told of, all of them are looked at."""
    return read_yaml(source).and_then(_checked)


def _checked(written: WrittenData) -> Outcome[WrittenData]:
    wrong = tuple(schema_findings("words", written))
    return Outcome(None if wrong else written, wrong)


def _texts(module: Module) -> Iterator[str]:
    """Every text of a module that has letters; notes of where a rule comes from are none."""
    for source in (*module.sources, *(one for files in module.beside.values() for one in files)):
        yield from _texts_in(source)


@lru_cache(maxsize=256)
def _texts_in(source: Source) -> tuple[str, ...]:
    """The texts of one file."""
    found = (one[1] for line in source.lines if not _NOTE.match(line) for one in _TEXT.finditer(line))
    return tuple(text for text in found if text and _LETTERS.search(text))


def _missing(module: Module, language: str, written: WrittenData, texts: Sequence[str]) -> Iterator[Diagnostic]:
    words, manifest = _made(written.data), module.manifest
    lacking = [f"“{text}”" for text in texts if text not in words.texts]
    lacking += [f"`{key}` of the module" for key in ABOUT if getattr(manifest, key) and key not in words.about]
    if lacking:
        named = join_words(lacking, limit=MOST_NAMED)
        yield _warning("E0168", f"no words in `{language}` for {named}", written.place(()))
    if [one.place for one in words.book] != [one.place for one in manifest.book]:
        said = f"the book in `{language}` has other passages than the module"
        yield _warning("E0168", said, written.place(("book",)))


def _for_nothing(written: WrittenData, texts: Sequence[str]) -> Iterator[Diagnostic]:
    for text in written.data.get("texts", {}):
        if text not in texts:
            yield _warning("E0169", f"nothing in the rules says “{text}”", written.keys["texts", text])


_HELP = {
    "E0168": "say it in that language too; until then it is said in English",
    "E0169": "put here what the rules say now, or delete it",
}


def _warning(code: str, title: str, span: Span) -> Diagnostic:
    return Diagnostic(code, title, span, help=_HELP[code], severity="warning")


__all__ = ["TranslatedTexts", "in_language", "languages_of", "wrong_words"]
