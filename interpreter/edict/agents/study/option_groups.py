"""Selection of the options that a report shows, each thing in one row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

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
