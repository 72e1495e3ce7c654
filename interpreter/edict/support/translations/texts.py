"""Texts that know their English, and messages that are filled with them.

A message is translated only if everything in it is: one untranslated title makes the whole sentence English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple, Self, TypeVar

from edict.support.morphology import capitalize, join_words, split_title, uncapitalize_title
from edict.support.translations import ENGLISH, current_language, find_message, gettext, plural_index, read_header

SLOT = re.compile(r"\{([a-z]\w*)(?::([^{}]*))?\}")  # name and form
_FORMS = re.compile(r"\A\((?P<label>[^) ]+)\) (?P<title>[^;]+)(?:; (?P<declined>.+))?\Z")
_NO_ARTICLE = "-"


class Text(str):
    """A text in the current language, with its English.

    Attributes:
        english: The same text in English.
        is_translated: False if the text, or a part of it, has no translation.
        label: The label of a title's class, such as `der`, which its articles depend on; may be empty.
        declined: Forms of a title that differ from it, by the name of the form.
    """

    __slots__ = ("declined", "english", "is_translated", "label")

    english: str
    is_translated: bool
    label: str
    declined: Mapping[str, str]

    def __new__(
        cls,
        text: str,
        english: str,
        is_translated: bool = True,
        label: str = "",
        declined: Mapping[str, str] | None = None,
    ) -> Self:
        """Create a text with its English."""
        self = super().__new__(cls, text)
        self.english, self.is_translated, self.label, self.declined = english, is_translated, label, declined or {}
        return self

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return the arguments for copies of the text."""
        return str(self), self.english, self.is_translated, self.label, self.declined


TextOrStr = TypeVar("TextOrStr", bound=str)


def english_of(text: object) -> str:
    """Return the English of a text; other values as they are."""
    return text.english if isinstance(text, Text) else str(text)


def is_translated(text: object) -> bool:
    """Return False if a text, or a part of it, has no translation."""
    return text.is_translated if isinstance(text, Text) else True


def translate(message: str, **slots: object) -> str:
    """Translate a message of the engine, and fill in its slots.

    Args:
        message: English, marked for translation, with slots such as `{player}`. A translation may ask for a form of a
            slot: `{advisor:den}`.
        slots: The values by name: titles, names, numbers or other texts.
    """
    if current_language() == ENGLISH:
        return SLOT.sub(lambda match: str(slots[match[1]]), message) if slots else message
    return fill_slots(find_message(message), message, slots)


def fill_slots(template: str, english: str, slots: Mapping[str, object]) -> Text:
    """Fill the slots of a translation, or of the English if a value in it is not translated.

    Args:
        template: The translation; an empty text without one.
        english: The sentence in English.
        slots: The values by name.
    """
    in_english = SLOT.sub(lambda match: english_of(slots[match[1]]), english)
    if not template or not all(map(is_translated, slots.values())):
        return Text(in_english, in_english, False)
    return Text(SLOT.sub(lambda match: inflect_slot(slots[match[1]], match[2] or ""), template), in_english)


def join_texts(texts: Iterable[str], conjunction: str = "and") -> str:
    """Join texts with commas and `and` in the current language; in English if one of them is not translated."""
    items = list(texts)
    if current_language() == ENGLISH or len(items) < 2:
        return join_words(items, conjunction) if len(items) != 1 else items[0]
    english = join_words(map(english_of, items), conjunction)
    if not all(map(is_translated, items)):
        return Text(english, english, False)
    return Text(join_words(items, gettext(conjunction)), english)


def join_some(texts: Iterable[str], limit: int) -> str:
    """Join texts like `a, b and c`; beyond `limit`, like `a, b and 7 more`."""
    items = list(texts)
    if len(items) <= limit:
        return join_texts(items)
    return join_texts([*items[:limit], translate("{number} more", number=len(items) - limit)])


def join_parts(separator: str, texts: Iterable[str]) -> str:
    """Join texts by a separator that is the same in every language."""
    items = list(texts)
    if current_language() == ENGLISH:
        return separator.join(items)
    if len(items) == 1:
        return items[0]
    english = separator.join(map(english_of, items))
    if not all(map(is_translated, items)):
        return Text(english, english, False)
    return Text(separator.join(items), english)


def map_text(text: str, change: Callable[[str], str]) -> str:
    """Return a text changed by a function, and its English likewise."""
    return _map(text, change) if isinstance(text, Text) else change(text)


def _map(text: Text, change: Callable[[str], str]) -> Text:
    return Text(change(str(text)), change(text.english), text.is_translated, text.label, text.declined)


def capitalize_text(text: TextOrStr) -> TextOrStr:
    """Return a text with a capital first letter, and its English likewise."""
    return _map(text, capitalize) if isinstance(text, Text) else capitalize(text)  # type: ignore[return-value]


def uncapitalize_text(title: str) -> str:
    """Return a title as it is written within a sentence; a language may keep the capitals of nouns."""
    if isinstance(title, Text):
        keeps = read_header(current_language(), "X-Capitalized-Nouns") == "yes"
        text = str(title) if keeps or not title.is_translated else uncapitalize_title(str(title))
        return Text(text, uncapitalize_title(title.english), title.is_translated, title.label, title.declined)
    return uncapitalize_title(title)


# --- counts --------------------------------------------------------------------------------------------


def split_text(title: str, plural: str = "") -> tuple[str, str]:
    """Split a title like `split_title` does; a translated title and its plural stay as they are."""
    if isinstance(title, Text) and "/" not in title:
        return title, plural or title
    return split_title(title, plural)


def inflect_text(number: int, singular: str, plural: str = "") -> str:
    """Return the form of a noun for a number in the current language."""
    return singular if plural_index(number) == 0 else plural or singular


def inflect_text_title(number: int, title: str) -> str:
    """Return the form of a title such as `die/dice` for a number in the current language."""
    if not isinstance(title, Text) or "/" not in title:
        return inflect_text(number, *split_text(title))
    english = inflect_text(number, *split_title(title.english))
    return Text(inflect_text(number, *split_title(title)), english, title.is_translated)


def count_text(number: int, singular: str, plural: str = "") -> str:
    """Return a number with a title, like `2 gold`; one of a title that begins with a sign is `a +2 token`."""
    if number == 1 and singular.startswith("+"):
        return translate("a {title}", title=singular)
    return translate("{number} {title}", number=number, title=inflect_text(number, singular, plural))


# --- forms of titles ---------------------------------------------------------------------------------


class Declension(NamedTuple):
    """The articles of a language by the classes of its titles."""

    labels: tuple[str, ...]  # of the classes
    articles: Mapping[str, tuple[str, ...]]  # by the name of the form, one for each class
    genders: tuple[int, ...]  # by class, which of the alternatives `a|b|c` agrees with it


@cache
def read_declension(language: str) -> Declension:
    """Read the articles of a language from the header of its catalogue, `X-Articles`.

    The header has groups of words, one word for each class of titles. The first group has the labels of the classes,
    the second the numbers of their genders; each other one is a form, named by its first word. `_` is a space.
    """
    groups = [tuple(group.split()) for group in read_header(language, "X-Articles").split(",")]
    if len(groups) < 2:
        return Declension((), {}, ())
    labels, genders, *forms = groups
    return Declension(labels, {form[0]: form for form in forms}, tuple(map(int, genders)))


def parse_title(written: str, english: str) -> Text:
    """Parse the translation of a title as its author writes it.

    For example: `(der) Astronom; den dem des: Astronomen`, with the label of its class and forms that differ.
    """
    match = _FORMS.match(written)
    if match is None or match["label"] not in read_declension(current_language()).labels:
        return Text(written, english)
    declined = {}
    for group in (match["declined"] or "").split("; "):
        names, _, form = group.partition(": ")
        declined.update(dict.fromkeys(names.split(), form))
    return Text(match["title"], english, True, match["label"], declined)


def inflect_slot(value: object, form: str) -> str:
    """Return a slot's value in a form.

    Args:
        value: A title, name or number.
        form: The name of an article (`den`), with a capital at the beginning of a sentence (`Den`) or a hyphen for the
            noun alone (`-den`); or alternatives (`a|b`) that agree with the number or the gender. May be empty.
    """
    if "|" in form:
        alternatives = form.split("|")
        return alternatives[min(_find_alternative(value), len(alternatives) - 1)]
    if not form or not isinstance(value, Text):
        return str(value)
    name = form.removeprefix("-")
    name = name[:1].lower() + name[1:]
    noun = value.declined.get(name, str(value))
    declension = read_declension(current_language())
    if form.startswith("-") or value.label not in declension.labels or name not in declension.articles:
        return noun
    article = declension.articles[name][declension.labels.index(value.label)].replace("_", " ")
    if article == _NO_ARTICLE:
        return noun
    words = article + noun if article.endswith("’") else f"{article} {noun}"
    return words[:1].upper() + words[1:] if form[:1].isupper() else words


def can_inflect(value: object, form: str) -> bool:
    """Return False if a form needs an article and the class of the title is unknown."""
    if not form or "|" in form or form.startswith("-"):
        return True
    return isinstance(value, Text) and bool(value.label)


def _find_alternative(value: object) -> int:
    """Return which alternative agrees with a number, or with the gender of a title."""
    if isinstance(value, Text):
        declension = read_declension(current_language())
        return declension.genders[declension.labels.index(value.label)] if value.label in declension.labels else 0
    return plural_index(int(str(value))) if str(value).lstrip("-").isdecimal() else 0


__all__ = [
    "SLOT",
    "Text",
    "can_inflect",
    "capitalize_text",
    "count_text",
    "english_of",
    "fill_slots",
    "inflect_slot",
    "inflect_text",
    "inflect_text_title",
    "is_translated",
    "join_parts",
    "join_some",
    "join_texts",
    "map_text",
    "parse_title",
    "split_text",
    "translate",
    "uncapitalize_text",
]
