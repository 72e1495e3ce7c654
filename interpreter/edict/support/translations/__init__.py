"""What people read of the interface, in the language they read best: one file for each language beside this one.

The files are gettext's (`de.po`). The texts in the code are English, and stand for themselves where a language has no
words for them. What is spoken goes with whoever asks: with a request, or with a whole command.
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
HERE = Path(__file__).parent
_SPOKEN: ContextVar[str] = ContextVar("_SPOKEN", default=ENGLISH)


def spoken() -> str:
    """The language that is spoken now, as `de`."""
    return _SPOKEN.get()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """In here this language is spoken."""
    token = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(token)


def speak(language: str) -> None:
    """From now on this language is spoken."""
    _SPOKEN.set(language)


# --- texts -----------------------------------------------------------------------------------------


def gettext(text: str) -> str:
    """A text of the interface in the language that is spoken."""
    return _catalogue(spoken()).gettext(text)


def ngettext(one: str, many: str, number: int) -> str:
    """The same for a text that hangs on a number."""
    return _catalogue(spoken()).ngettext(one, many, number)


def N_(text: str) -> str:
    """Marks a text that is translated later."""
    return text


@cache
def _catalogue(language: str) -> NullTranslations:
    if language not in codes() or language == ENGLISH:
        return NullTranslations()
    return GNUTranslations(BytesIO(_read_po(language).to_binary()))


def _read_po(language: str) -> POFile:
    from polib import pofile

    return pofile(HERE / f"{language}.po", encoding="utf-8")


# --- which languages there are, and which is wanted ------------------------------------------------------


@cache
def codes() -> tuple[str, ...]:
    """The languages of the interface, as `de`."""
    return (ENGLISH, *sorted(file.stem for file in HERE.glob("*.po")))


@cache
def languages() -> dict[str, str]:
    """Return each language of the interface with the name its speakers use."""
    translated = (code for code in codes() if code != ENGLISH)
    return {ENGLISH: "English"} | {code: _read_po(code).metadata["X-Language-Name"] for code in translated}


def best(wanted: Sequence[str]) -> str:
    """The first of the languages somebody reads (`de-AT`, `de_AT.UTF-8`) that there is; English, if there is none."""
    plain = (one.replace("-", "_").partition("_")[0].partition(".")[0].casefold() for one in wanted)
    return next((one for one in plain if one in codes()), ENGLISH)


def of_browser(header: str) -> str:
    """The language that a browser asks for with `Accept-Language`."""
    weighed = []
    for number, part in enumerate(header.split(",")[:20]):
        name, _, weight = part.strip().partition(";q=")
        weighed.append((-_weight(weight), number, name))
    return best([name for weight, _, name in sorted(weighed) if weight])


def _weight(text: str) -> float:
    try:
        return float(text or 1)
    except ValueError:
        return 0.0


def of_terminal() -> str:
    """The language that the environment of a command asks for."""
    names = ("LC_ALL", "LC_MESSAGES", "LANG")
    wanted = next((value for name in names if (value := os.environ.get(name, ""))), "")
    if wanted.partition(".")[0] in ("", "C", "POSIX"):
        return ENGLISH
    return best((os.environ.get("LANGUAGE") or wanted).split(":"))


__all__ = [
    "ENGLISH",
    "HERE",
    "N_",
    "best",
    "codes",
    "gettext",
    "languages",
    "ngettext",
    "of_browser",
    "of_terminal",
    "speak",
    "speaking",
    "spoken",
]
