"""Labels of announcements for tables: the words of the rules, without their placeholders."""

from __future__ import annotations

import re

from edict.support.morphology import add_indefinite_article, capitalize

PLAYER, NUMBER, DICE = "player", "number", "dice"
_VALUE = re.compile(r"\[([^\[\]]+)\]")
_PLAIN = rf"\[(?:{NUMBER}|{DICE})\]"
# a value at the end, with the words that only lead to it, as in `is victorious with strength [number]`
_LEAD = r"(?::|,?(?: and)?(?: now)? (?:is|are|has|have|shows?)| (?:with|of|to|at|on)(?: \w+)?)"
_TAIL = re.compile(rf"{_LEAD} {_PLAIN}(?: and {_PLAIN})?\Z|(?::| (?:is|are)) \[[^\[\]]+\]\Z")
_REPEATED_NOUN = re.compile(r"\b(\w+) \[\1\]")  # `row [row]`
_OF_NUMBER = re.compile(rf" of \[{NUMBER}\]")
_ARTICLE = re.compile(r"\b(?:the|an?) \Z", re.IGNORECASE)


def label_announcement(words: str) -> str:
    """Return a label for an announcement, like `Constructs a building` for `constructs [building]`.

    A thing becomes its kind with an article, a number is left out, and what only introduces a value at the end is
    left out with it.
    """
    text = _TAIL.sub("", words) or words
    text = _OF_NUMBER.sub("", _REPEATED_NOUN.sub(r"[\1]", text))
    parts: list[str] = []
    end = 0
    for value in _VALUE.finditer(text):
        parts += [text[end : value.start()], _name_value(value[1], "".join(parts) + text[end : value.start()])]
        end = value.end()
    label = " ".join("".join([*parts, text[end:]]).split())
    return capitalize(label) or capitalize(_VALUE.sub(r"\1", words))


def _name_value(kind: str, before: str) -> str:
    """Return the words for a value that follows the text `before`."""
    if kind == NUMBER:
        return ""
    if kind == DICE or _ARTICLE.search(before):
        return kind
    article_and_kind = add_indefinite_article(kind)
    return f"another {kind}" if article_and_kind in before else article_and_kind
