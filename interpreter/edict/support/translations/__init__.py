"""Translations of the interface, one gettext file (`de.po`) for each language.

The texts in the code are English and are used wherever a translation is missing. The current language is a context
variable: it belongs to one request of a server, or to a whole command.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from gettext import GNUTranslations, NullTranslations
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from polib import POFile

ENGLISH = "en"
TRANSLATIONS_FOLDER = Path(__file__).parent
_CURRENT_LANGUAGE: ContextVar[str] = ContextVar("_SPOKEN", default=ENGLISH)


def current_language() -> str:
    """Return the code of the current language, like `de`."""
    return _CURRENT_LANGUAGE.get()


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Set the current language within a `with` block."""
    token = _CURRENT_LANGUAGE.set(language)
    try:
        yield
    finally:
        _CURRENT_LANGUAGE.reset(token)


def set_language(language: str) -> None:
    """Set the current language."""
    _CURRENT_LANGUAGE.set(language)


# --- texts -----------------------------------------------------------------------------------------


def gettext(text: str) -> str:
    """Translate a text of the interface into the current language."""
    return find_message(text) or text


def find_message(text: str) -> str:
    """Return the translation of a text of the interface; an empty text without one."""
    return _load_catalogue(current_language()).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """Translate a text that depends on a number, with its singular and plural in English."""
    return _load_catalogue(current_language()).ngettext(one, many, number) or (one if number == 1 else many)


def N_(text: str) -> str:  # noqa: N802  as gettext calls it
    """Mark a text for translation, and return it unchanged."""
    return text


class _NoTranslations(NullTranslations):
    """A catalogue without texts."""

    def gettext(self, message: str) -> str:
        """Return an empty text."""
        return ""

    def ngettext(self, msgid1: str, msgid2: str, n: int) -> str:
        """Return an empty text."""
        return ""


@cache
def _load_catalogue(language: str) -> NullTranslations:
    """Return the catalogue of a language; one that translates nothing for English or an unknown language."""
    if language not in language_codes() or language == ENGLISH:
        return _NoTranslations()
    catalogue = GNUTranslations(BytesIO(_read_po(language).to_binary()))
    catalogue.add_fallback(_NoTranslations())
    return catalogue


def plural_index(number: int) -> int:
    """Return which plural form of the current language goes with a number; 0 is the singular."""
    plural = getattr(_load_catalogue(current_language()), "plural", None)
    return plural(abs(number)) if plural is not None else int(abs(number) != 1)


@cache
def read_header(language: str, name: str) -> str:
    """Return a field of the header of a catalogue; an empty text without one."""
    if language not in language_codes() or language == ENGLISH:
        return ""
    return str(_read_po(language).metadata.get(name, ""))


def read_catalogue(language: str) -> str:
    """Return the text of the catalogue of a language; empty for English or an unknown language."""
    if language not in language_codes() or language == ENGLISH:
        return ""
    return (TRANSLATIONS_FOLDER / f"{language}.po").read_text(encoding="utf-8")


@cache
def _read_po(language: str) -> POFile:
    from polib import pofile

    return pofile(TRANSLATIONS_FOLDER / f"{language}.po", encoding="utf-8")


# --- available and preferred languages ---------------------------------------------------------------


@cache
def language_codes() -> tuple[str, ...]:
    """Return the codes of the languages of the interface, English first."""
    return (ENGLISH, *sorted(file.stem for file in TRANSLATIONS_FOLDER.glob("*.po")))


@cache
def languages() -> dict[str, str]:
    """Return each language of the interface with the name its speakers use."""
    translated = (code for code in language_codes() if code != ENGLISH)
    return {ENGLISH: "English"} | {code: _read_po(code).metadata["X-Language-Name"] for code in translated}


def choose_language(wanted: Sequence[str]) -> str:
    """Return the first wanted language that the interface has, or English.

    Args:
        wanted: Codes such as `de-AT` or `de_AT.UTF-8`, in order of preference.
    """
    normalized = (code.replace("-", "_").partition("_")[0].partition(".")[0].casefold() for code in wanted)
    return next((code for code in normalized if code in language_codes()), ENGLISH)


def parse_accept_language(header: str) -> str:
    """Return the language to use for an `Accept-Language` header."""
    weighted = []
    for number, part in enumerate(header.split(",")[:20]):
        name, _, weight = part.strip().partition(";q=")
        weighted.append((-_parse_weight(weight), number, name))
    return choose_language([name for weight, _, name in sorted(weighted) if weight])


def _parse_weight(text: str) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 0.0


def language_from_environment() -> str:
    """Return the language that the environment variables of a command ask for."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    wanted = next((value for name in names if (value := os.environ.get(name, ""))), "")
    if wanted.partition(".")[0] in ("", "C", "POSIX"):
        return ENGLISH
    return choose_language((os.environ.get("LANGUAGE") or wanted).split(":"))


__all__ = [
    "ENGLISH",
    "TRANSLATIONS_FOLDER",
    "N_",
    "choose_language",
    "find_message",
    "language_codes",
    "gettext",
    "languages",
    "ngettext",
    "parse_accept_language",
    "plural_index",
    "read_header",
    "language_from_environment",
    "set_language",
    "use_language",
    "current_language",
]
