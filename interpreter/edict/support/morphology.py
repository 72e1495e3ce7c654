"""English word forms: lists, plurals, articles, counts, capitals and whole sentences.

All texts that the engine generates are built with these functions. Titles in rules may contain a singular and a
plural, like `die/dice`; nouns of the tools have their regular plural.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# the numbers up to twelve in words; texts of the engine itself use digits
NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_ORDINAL_WORDS = "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth".split()
_ROMAN = re.compile(r"X{0,3}(?:IX|IV|V?I{0,3})")
_ROMAN_SIGNS = {"I": 1, "V": 5, "X": 10}

MAX_QUOTED = 8  # words in a quoted list
_AN = re.compile(r"(?:[aei]|o(?!ne\b|nce\b)|u(?!ni|s[ei]|r[aio]|ti)|hour|hono|8|11\b|18\b)", re.IGNORECASE)
_ARTICLES = ("the ", "a ", "an ", "those ", "these ")
_VERBS_OF_YOU = {"is": "are", "has": "have", "was": "were", "does": "do", "goes": "go"}
_THIRD_PERSON = re.compile(r"(ies|(?<=ss)es|(?<=sh)es|(?<=ch)es|(?<=x)es|(?<=zz)es|(?<=[^s])s)\Z")
_PREPOSITION = re.compile(r"\b(?:of|to|on|at|for|with|from|by|in|above|below|beside|behind|under|near)\Z")


# --- lists -----------------------------------------------------------------------------------------


def join_words(words: Iterable[str], conjunction: str = "and", limit: int | None = None) -> str:
    """Join words as English does, like `a`, `a and b` or `a, b and c`; beyond `limit`, like `a, b and 7 more`."""
    items = list(words)
    if limit is not None and len(items) > limit:
        items = [*items[:limit], f"{len(items) - limit} more"]
    *first, last = items or [""]
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def quote_words(words: Iterable[str], conjunction: str = "or") -> str:
    """Join words in backticks, like `a`, `b` or `c`; a long list ends in `others`, an empty one is `nothing`."""
    items = list(words)
    shown = [f"`{word}`" for word in items[:MAX_QUOTED]]
    if len(items) > MAX_QUOTED:
        shown.append("others")
    return join_words(shown, conjunction) or "nothing"


def join_line(parts: Iterable[str]) -> str:
    """Join parts of a line by spaces, except before closing punctuation and `'s`, and after opening brackets."""
    text = " ".join(part.strip() for part in parts if part.strip())
    return re.sub(r"([(\[]) ", r"\1", re.sub(r" ('s\b|[,.;:!?)\]])", r"\1", text))


# --- plurals and counts ----------------------------------------------------------------------------


def split_title(title: str, plural: str = "") -> tuple[str, str]:
    """Split a title into its singular and plural; a title like `1/3`, which contains no word, is both itself.

    Args:
        title: As written in rules, like `soldier/soldiers` or `gold`.
        plural: The plural, if it is known already.
    """
    singular, _, rest = title.partition("/")
    has_words = any(sign.isalpha() for sign in singular) and any(sign.isalpha() for sign in rest)
    singular, rest = (singular, rest) if has_words else (title, title)
    return singular, plural or rest


def pluralize(noun: str) -> str:
    """Return the regular plural of a noun, like `coins`, `boxes`, `enemies` or `days`, and `dice`."""
    if noun.lower().endswith("die"):
        return f"{noun[:-2]}ice"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def pluralize_title(title: str) -> str:
    """Return the plural in a title, or else the regular one; a title that ends in `s` counts as plural already."""
    singular, in_title = split_title(title)
    return in_title if "/" in title or singular.endswith("s") else pluralize(singular)


def inflect(number: int, singular: str, plural: str = "") -> str:
    """Return the form of a noun for a number, `singular` or else `plural` if there is a plural."""
    return singular if abs(number) == 1 else plural or singular


def count_noun(number: int, noun: str) -> str:
    """Return a number with the regular form of a noun, like `1 scene` or `12,000 scenes`."""
    return f"{number:,} {inflect(number, noun, pluralize(noun))}"


def count_title(number: int, singular: str, plural: str = "") -> str:
    """Return a number with a title, like `2 gold`; one of a title that begins with a sign is `a +2 token`."""
    if number == 1 and singular.startswith("+"):
        return f"a {singular}"
    return f"{number} {inflect(number, singular, plural)}"


def format_range(low: int, high: int) -> str:
    """Return `2 to 5`, or a single number if both ends are equal."""
    return str(low) if low == high else f"{low} to {high}"


def count_players(low: int, high: int) -> str:
    """Return a number of players, like `1 player` or `2 to 5 players`."""
    return f"{format_range(low, high)} {inflect(high, 'player', 'players')}"


# --- small words -----------------------------------------------------------------------------------


def add_indefinite_article(words: str) -> str:
    """Return the words with `a` or `an` in front, by their sound."""
    return f"an {words}" if _AN.match(words) else f"a {words}"


def add_definite_article(title: str) -> str:
    """Return the title with `the` in front, unless it begins with an article."""
    return title if title.lower().startswith(_ARTICLES) else f"the {title}"


def join_with_of(head: str, words: str) -> str:
    """Join a title and its object, like `price of oak`, or `dice on oak` if the title ends in a preposition."""
    return f"{head} {words}" if _PREPOSITION.search(head) else f"{head} of {words}"


def strip_preposition(title: str) -> str:
    """Return a title as a heading, without a preposition at its end: `Closed doors` for `Closed doors at`."""
    return _PREPOSITION.sub("", title).rstrip()


def make_possessive(noun: str) -> str:
    """Return the possessive form, like `the host's`, `the Jones'` or `your`."""
    return {"you": "your", "they": "their", "it": "its"}.get(noun) or f"{noun}'{'' if noun.endswith('s') else 's'}"


def conjugate_for_you(title: str) -> str:
    """Change the verb of a title like `_ leaves the court` to the form after `you`."""
    blank, verb, *rest = title.split(" ")
    plain = _VERBS_OF_YOU.get(verb) or _THIRD_PERSON.sub(lambda ending: "y" if ending[0] == "ies" else "", verb)
    return " ".join((blank, plain, *rest))


# --- capitals and sentences ------------------------------------------------------------------------


def parse_number_word(word: str) -> int | None:
    """Return the number that a word is: up to twelve in English, or a Roman numeral in capitals; None for others.

    `I` is a person and `X` an unknown number more often than Roman numerals.
    """
    if word.casefold() in NUMBER_WORDS:
        return NUMBER_WORDS.index(word.casefold())
    if word in ("", "I", "X") or not _ROMAN.fullmatch(word):
        return None
    values = [_ROMAN_SIGNS[sign] for sign in word]
    following = (*values[1:], 0)
    return sum(-value if value < after else value for value, after in zip(values, following, strict=True))


def parse_ordinal(word: str) -> int | None:
    """Return the number of an ordinal such as `third` or `3rd`; None for other words."""
    if word.casefold() in _ORDINAL_WORDS:
        return _ORDINAL_WORDS.index(word.casefold()) + 1
    match = re.fullmatch(r"(\d{1,4})(?:st|nd|rd|th)", word.casefold())
    return int(match[1]) if match else None


def spell_name(name: str) -> str:
    """Return the name of a definition as words, like `merchant guild` for `merchant-guild`."""
    return name.replace("-", " ")


def capitalize(text: str) -> str:
    """Return the text with a capital first letter, and the rest unchanged."""
    return text[:1].upper() + text[1:]


def uncapitalize(text: str) -> str:
    """Return a sentence as it follows a colon or comma; an abbreviation like `VP` stays."""
    first = text.partition(" ")[0]
    if first[1:].islower() or first in ("A", "X"):
        return text[:1].lower() + text[1:]
    return text


def uncapitalize_title(title: str) -> str:
    """Return a title as it is written within a sentence.

    `Recruit soldiers` gets a small first letter; `VP` and titles with further capitalized words do not. In
    `The King's Favor` only the article does.
    """
    first, _, rest = title.partition(" ")
    if first == "The":
        return first.lower() + title[len(first) :]
    if any(word[:1].isupper() and word[1:].islower() for word in rest.split()):
        return title
    if first[1:].islower() or first == "A":
        return title[:1].lower() + title[1:]
    return title


def to_sentence(text: str) -> str:
    """Return the text with a capital and a full stop; an empty text stays empty."""
    text = text.strip()
    if text:
        return capitalize(text) + ("" if text.endswith((".", "?", "!", ":")) else ".")
    return ""
