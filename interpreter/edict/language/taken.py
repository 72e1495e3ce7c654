"""Words with a meaning of their own in values, which nothing can be called."""

from __future__ import annotations

import re

from edict.language.facts import CONDITION_WORDS, VALUE_WORDS
from edict.report import Diagnostic
from edict.text import Source, Span

TAKEN = frozenset((*VALUE_WORDS, *CONDITION_WORDS))
_WORDS = "|".join(sorted(TAKEN))
_NAMING = re.compile(
    rf"(?m)^[ \t]+(?:let[ \t]+({_WORDS})[ \t]*=|[^\n\"#]*\b(?:as|called)[ \t]+({_WORDS})[ \t]*$)"
)


def taken(word: str, span: Span) -> Diagnostic:
    """What is said where such a word is given to something as its name."""
    return Diagnostic(
        "E0112", f"`{word}` is a word of the language and cannot be a name", span,
        note="It has a meaning of its own inside values, so nothing could refer to this.",
        help=f"choose another name, such as `my-{word}`",
    )  # fmt: skip


def taken_before(source: Source, start: int, line: int) -> Diagnostic | None:
    """Of a mistake in a line: the first name above it, from `start` of the text on, that is such a word."""
    lines = source.text[start:].split("\n")
    first = source.text.count("\n", 0, start) + 1
    match = _NAMING.search("\n".join(lines[: line - first]) + "\n")
    if match is None:
        return None
    at = start + match.start(match.lastindex or 0)
    number, column = source.text.count("\n", 0, at) + 1, at - source.text.rfind("\n", 0, at)
    word = match[match.lastindex or 0]
    uses = re.search(rf"(?<![\w-]){word}(?![\w-])", source.lines[line - 1])
    return taken(word, Span(source.name, number, column, number, column + len(word))) if uses else None
