"""Titles and the small words around them: one and many, `a` and `an`, lists, capitals."""

from __future__ import annotations

import re
from collections.abc import Iterable

from edict.compiler.semantics.symbols import Resolved, Symbol
from edict.compiler.syntax import tree as t
from edict.support.text import forms as forms

_VOWEL = re.compile(r"(?:[aeio]|u(?!ni|s[ei]|r[aio]|ti)|8|11\b|18\b)", re.IGNORECASE)
_DANGLING = re.compile(r"\b(?:of|to|on|at|for|with|from|by|in|above|below|beside|behind|under|near)\Z")

_OF_YOU = {"is": "are", "has": "have", "was": "were", "does": "do", "goes": "go"}
_ENDING = re.compile(r"(ies|(?<=ss)es|(?<=sh)es|(?<=ch)es|(?<=x)es|(?<=zz)es|(?<=[^s])s)\Z")


def as_you_do(title: str) -> str:
    """`_ leaves the court`, with the verb as `you` has it."""
    blank, verb, *rest = title.split(" ")
    plain = _OF_YOU.get(verb) or _ENDING.sub(lambda ending: "y" if ending[0] == "ies" else "", verb)
    return " ".join((blank, plain, *rest))


def lower_first(title: str) -> str:
    """A title within a sentence: `Recruit soldiers` begins small, `VP` does not; of `The King's Favor` the article."""
    first, _, rest = title.partition(" ")
    if first == "The":
        return first.lower() + title[len(first) :]
    plain = first[1:].islower() or first == "A"
    names = any(word[:1].isupper() and word[1:].islower() for word in rest.split())
    return first.lower() + title[len(first) :] if plain and not names else title


def joined(words: Iterable[str], last: str = "and") -> str:
    """`a`, `a and b`, `a, b and c`."""
    all_ = list(words)
    return f" {last} ".join([", ".join(all_[:-1]), all_[-1]] if len(all_) > 1 else all_)


def an(words: str) -> str:
    """The words with `a` or `an` before them."""
    return f"an {words}" if _VOWEL.match(words) else f"a {words}"


def counted(number: int, title: str) -> str:
    """`2 gold`; of what is titled with a sign and a number, one is `a +2 token`."""
    return an(title) if number == 1 and title.startswith("+") else f"{number} {title}"


def the(title: str) -> str:
    """The title with `the`, unless it has an article already."""
    return title if title.lower().startswith(("the ", "a ", "an ", "those ", "these ")) else f"the {title}"


def of(head: str, what: str) -> str:
    """`price` and `oak` to `price of oak`; a title that ends in such a word needs no other: `dice on` `oak`."""
    return f"{head} {what}" if _DANGLING.search(head) else f"{head} of {what}"


def possessive(who: str) -> str:
    """`the host's`, `the Jones'`, `your`."""
    return {"you": "your", "they": "their", "it": "its"}.get(who) or f"{who}'{'' if who.endswith('s') else 's'}"


def many_form(title: str) -> str:
    """The plural of a title that may hold both; of one that does not, what is usual."""
    one, many = forms(title)
    if "/" in title or one.endswith("s"):
        return many
    return f"{one[:-3]}dice" if one.endswith("die") else f"{one}s"


def title_of(resolved: Resolved, name: t.Name, many: bool = False) -> str:
    """The title of what a name means, or the name itself."""
    return forms(_both(resolved, name))[many]


def many_of(resolved: Resolved, name: t.Name) -> str:
    """The plural of a kind, resource or group."""
    return many_form(_both(resolved, name))


def _both(resolved: Resolved, name: t.Name) -> str:
    """The title of what a name means, which may hold one and many."""
    meaning = resolved.meaning.get(name)
    definition = meaning.definition if isinstance(meaning, Symbol) else None
    title = definition.title if definition else field_title(resolved, meaning)
    return title or name.word.replace("-", " ")


def field_title(resolved: Resolved, meaning: object) -> str:
    """How people call a field, if it is a field and has a title."""
    if not isinstance(meaning, Symbol) or meaning.sort != "field":
        return ""
    found = (field_of(resolved, kind, meaning.name) for kind in resolved.fields.get(meaning.name, ()))
    title = next((field.title for field in found if field and field.title and not _priced(field)), "")
    return title if title.isupper() else lower_first(title)


def _priced(field: t.FieldDef) -> bool:
    """Whether it holds amounts: the title of such a field is a verb, as in `costs 2 gold`."""
    return field.type is not None and field.type.shape == "amounts"


def field_of(resolved: Resolved, kind: str, field: str) -> t.FieldDef | None:
    """The declaration of a field in a kind."""
    definition = resolved.book.definitions.get(kind)
    fields = definition.fields if isinstance(definition, t.Kind) else ()
    return next((one for one in fields if one.name.word == field), None)
