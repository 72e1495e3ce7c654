"""English forms of words: lists, plurals, articles, counts, capitals and whole sentences.

Every text that the engine makes is put together with these functions. Titles of rules may hold a singular and a plural,
as `die/dice`; nouns of the tools have their regular plural.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

NUMBER_WORDS = "zero one two three four five six seven eight nine ten eleven twelve".split()
"""The numbers up to twelve as words; texts of the engine write numbers in digits."""

MOST_QUOTED = 8
_AN = re.compile(r"(?:[aei]|o(?!ne\b|nce\b)|u(?!ni|s[ei]|r[aio]|ti)|hour|hono|8|11\b|18\b)", re.IGNORECASE)
_ARTICLES = ("the ", "a ", "an ", "those ", "these ")
_VERBS_OF_YOU = {"is": "are", "has": "have", "was": "were", "does": "do", "goes": "go"}
_THIRD_PERSON = re.compile(r"(ies|(?<=ss)es|(?<=sh)es|(?<=ch)es|(?<=x)es|(?<=zz)es|(?<=[^s])s)\Z")
_PREPOSITION = re.compile(r"\b(?:of|to|on|at|for|with|from|by|in|above|below|beside|behind|under|near)\Z")


# --- lists -----------------------------------------------------------------------------------------


def join_words(words: Iterable[str], joint: str = "and", most: int | None = None) -> str:
    """Join words as English does: `a`, `a and b`, `a, b and c`; those beyond `most` as `a, b and 7 more`."""
    every = list(words)
    if most is not None and len(every) > most:
        every = [*every[:most], f"{len(every) - most} more"]
    *first, last = every or [""]
    return f"{', '.join(first)} {joint} {last}" if first else last


def quote_words(words: Iterable[str], joint: str = "or") -> str:
    """Join words in backticks: `a`, `b` or `c`. A long list ends in `others`, an empty one is `nothing`."""
    every = list(words)
    shown = [f"`{word}`" for word in every[:MOST_QUOTED]]
    if len(every) > MOST_QUOTED:
        shown.append("others")
    return join_words(shown, joint) or "nothing"


def run_on(parts: Iterable[str]) -> str:
    """Join parts of a line by single spaces, with none before a mark that closes or `'s`, or after one that opens."""
    text = " ".join(part.strip() for part in parts if part.strip())
    return re.sub(r"([(\[]) ", r"\1", re.sub(r" ('s\b|[,.;:!?)\]])", r"\1", text))


# --- plurals and counts ----------------------------------------------------------------------------


def split_title(title: str, plural: str = "") -> tuple[str, str]:
    """Return the singular and the plural of a title that may hold both; `1/3`, which is no word, is both by itself.

    Args:
        title: As rules write it: `soldier/soldiers`, `gold`.
        plural: The plural, where it is known already.
    """
    one, _, many = title.partition("/")
    worded = any(sign.isalpha() for sign in one) and any(sign.isalpha() for sign in many)
    one, many = (one, many) if worded else (title, title)
    return one, plural or many


def pluralize(noun: str) -> str:
    """Return the regular plural of a noun: `coins`, `boxes`, `enemies`, `days`; and `dice`."""
    if noun.lower().endswith("die"):
        return f"{noun[:-2]}ice"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return f"{noun[:-1]}ies"
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def pluralize_title(title: str) -> str:
    """Return the plural that a title holds, or else the regular one; a title that ends in `s` is a plural already."""
    one, many = split_title(title)
    return many if "/" in title or one.endswith("s") else pluralize(one)


def inflect(number: int, one: str, many: str = "") -> str:
    """Return the form of a noun that goes with a number: `one`, or else `many` where there is such a form."""
    return one if abs(number) == 1 else many or one


def inflect_title(number: int, title: str) -> str:
    """Return the form that goes with a number of a title that may hold both."""
    return inflect(number, *split_title(title))


def count_noun(number: int, noun: str) -> str:
    """Return a number of what a regular noun says: `1 scene`, `12,000 scenes`."""
    return f"{number:,} {inflect(number, noun, pluralize(noun))}"


def count_title(number: int, one: str, many: str = "") -> str:
    """Return a number of what has a title: `2 gold`. One of what begins with a sign is `a +2 token`."""
    if number == 1 and one.startswith("+"):
        return f"a {one}"
    return f"{number} {inflect(number, one, many)}"


def format_range(low: int, high: int) -> str:
    """Return `2 to 5`, or a single number if both ends are the same."""
    return str(low) if low == high else f"{low} to {high}"


def count_players(low: int, high: int) -> str:
    """Return for how many players something is: `1 player`, `2 to 5 players`."""
    return f"{format_range(low, high)} {inflect(high, 'player', 'players')}"


# --- small words -----------------------------------------------------------------------------------


def with_article(words: str) -> str:
    """Return the words with `a` or `an` before them, by their sound."""
    return f"an {words}" if _AN.match(words) else f"a {words}"


def with_the(title: str) -> str:
    """Return the title with `the` before it, unless it begins with an article already."""
    return title if title.lower().startswith(_ARTICLES) else f"the {title}"


def with_of(head: str, words: str) -> str:
    """Join a title and what it is of: `price of oak`, or `dice on oak` where the title ends in a preposition."""
    return f"{head} {words}" if _PREPOSITION.search(head) else f"{head} of {words}"


def make_possessive(who: str) -> str:
    """Return the possessive: `the host's`, `the Jones'`, `your`."""
    return {"you": "your", "they": "their", "it": "its"}.get(who) or f"{who}'{'' if who.endswith('s') else 's'}"


def conjugate_for_you(title: str) -> str:
    """Put the verb of a title such as `_ leaves the court` into the form that follows `you`."""
    blank, verb, *rest = title.split(" ")
    plain = _VERBS_OF_YOU.get(verb) or _THIRD_PERSON.sub(lambda ending: "y" if ending[0] == "ies" else "", verb)
    return " ".join((blank, plain, *rest))


# --- capitals and sentences ------------------------------------------------------------------------


def spell_name(name: str) -> str:
    """Return the name of a definition as words: `merchant-guild` is `merchant guild`."""
    return name.replace("-", " ")


def capitalize(text: str) -> str:
    """Return the text with a capital at its beginning, and all else as it is."""
    return text[:1].upper() + text[1:]


def uncapitalize(text: str) -> str:
    """Return a sentence as it follows a colon or comma; a first word in capitals such as `VP` stays."""
    first = text.partition(" ")[0]
    return text[:1].lower() + text[1:] if first[1:].islower() or first in ("A", "X") else text


def uncapitalize_title(title: str) -> str:
    """Return a title as it stands within a sentence.

    `Recruit soldiers` begins small; `VP` and titles that hold further names do not. Of `The King's Favor` the article
    does.
    """
    first, _, rest = title.partition(" ")
    if first == "The":
        return first.lower() + title[len(first) :]
    if any(word[:1].isupper() and word[1:].islower() for word in rest.split()):
        return title
    return title[:1].lower() + title[1:] if first[1:].islower() or first == "A" else title


def to_sentence(text: str) -> str:
    """Return the text with a capital and a full stop; nothing stays nothing."""
    text = text.strip()
    return capitalize(text) + ("" if text.endswith((".", "?", "!", ":")) else ".") if text else ""
