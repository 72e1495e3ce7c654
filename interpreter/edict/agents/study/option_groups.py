"""Rows of reports: a selection of options, each thing in one row, and labels of announcements without placeholders."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

from edict.support.morphology import add_indefinite_article, capitalize

Data = dict[str, Any]


def select_groups(data: Data) -> list[Data]:
    """Return the questions about things, and the holdings at the end of games.

    A thing that can be chosen and held is a row of its question, which says as `held` how often players hold it at
    the end. Options that nobody took are left out; `data["untaken"]` lists them.
    """
    questions = [group for group in data["chosen"] if group["of"] not in ("", "resource") and len(group["options"]) > 2]
    kinds = Counter(group["of"] for group in data["held"])  # of a kind that is held in two places, each is a fact
    held = {
        (group["of"], option["option"]): option["often"]
        for group in data["held"]
        if kinds[group["of"]] == 1
        for option in group["options"]
    }
    merged = [_select_options(group, held) for group in questions]
    shown = {(group["of"], option["option"]) for group in merged for option in group["options"]} & held.keys()
    return [group for group in (*merged, *_iter_holdings(data, shown)) if group["options"]]


def _select_options(group: Data, held: dict[tuple[str, str], float]) -> Data:
    options = [
        {**option, "held": held.get((group["of"], option["option"]))} for option in group["options"] if option["often"]
    ]
    return {**group, "options": options}


def _iter_holdings(data: Data, shown: set[tuple[str, str]]) -> Iterator[Data]:
    """Yield the holdings of things that are not shown already."""
    for group in data["held"]:
        options = [
            option for option in group["options"] if option["often"] and (group["of"], option["option"]) not in shown
        ]
        yield {**group, "title": f"Held at the end: {group['title']}", "options": options}


def select_draws(data: Data) -> list[Data]:
    """Return what was drawn, without draws that all games had and those that cannot change a score."""
    groups = [
        {**group, "options": [option for option in group["options"] if _has_effect(option)]} for group in data["drawn"]
    ]
    return [group for group in groups if group["options"]]


def _has_effect(option: Data) -> bool:
    effect = option["effect"]
    return effect is not None and any(effect[name] != 0 for name in ("value", "low", "high"))


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
