"""What templates ask of a view: small questions that Jinja would answer at length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from edict.table.prospects import THEN

Data = dict[str, Any]

WAYS = 3  # of paying for an option that are shown with it; the next question offers all
MUCH = 90  # letters that want a wider pane
LONG = 12  # letters of what takes a line of its own


def seats_of(view: Data) -> dict[str, int]:
    """The numbers of the players' seats, by their names."""
    return {player: seat for seat, player in enumerate(view["players"])}


def title_of(view: Data) -> str:
    """What the browser's tab says."""
    title = str(view["title"])
    return f"Your turn: {title}" if view["question"] else title


def options_of(view: Data) -> dict[str, Data]:
    """The options that can be clicked where they stand on the board: those that are things, by their names."""
    question = view["question"]
    return {one["key"]: one for one in question["options"]} if question and question["domain"] == "thing" else {}


def is_asked(view: Data, panel: Data) -> bool:
    """Whether the question is about the things in a panel."""
    question = view["question"]
    return bool(question) and question["domain"] == "thing" and question["kind"] == panel["kind"]


def is_placed(view: Data) -> bool:
    """Whether the question is about things that are on the board."""
    return any(is_asked(view, panel) and (panel["rows"] or panel["grids"]) for panel in view["panels"])


def head_of(panel: Data) -> Data:
    """What the parts of a panel need of it."""
    return {name: panel[name] for name in ("name", "title", "header", "mark")}


def own_first(grids: Sequence[Data], seat: str | None) -> list[Data]:
    return sorted(grids, key=lambda grid: grid["player"] != seat)


def marked_in(grid: Data) -> int:
    return sum(cell["marked"] for line in grid["cells"] for place in line for cell in place)


def who_marked(panel: Data) -> dict[str, list[str]]:
    """Who has marked a thing in the grids of a panel, by its name."""
    found: dict[str, list[str]] = {}
    for grid in panel["grids"]:
        for cell in (cell for line in grid["cells"] for place in line for cell in place if cell["marked"]):
            found.setdefault(cell["key"], []).append(grid["player"])
    return found


def holds_dice(pieces: Sequence[Data]) -> bool:
    return any(one["shape"] == "dice" for one in pieces)


def things_in(piece: Data) -> list[tuple[Any, str, int]]:
    """The things in a value: the name, the title and the number of each. A bag names each with its number."""
    value, titles = piece["value"], piece["titles"]
    if isinstance(value, dict):
        return list(zip(value, titles, value.values(), strict=True))
    names = value if isinstance(value, list) else [value]
    return [(name, title, 1) for name, title in zip(names, titles, strict=True)]


def is_empty(pieces: Sequence[Data]) -> bool:
    """Whether a cell says no more than that nothing is there."""
    return all(one["value"] in ([], {}) for one in pieces)


def is_long(pieces: Sequence[Data]) -> bool:
    """Whether a cell needs a line of its own."""
    return holds_dice(pieces) or sum(len(one["text"]) for one in pieces) > LONG


def has_long(panel: Data) -> bool:
    """Whether much is printed on one of the things in a panel."""
    return any(len(row["words"]) > MUCH for row in panel["rows"])


def dice_spent(prospect: Data) -> list[Data]:
    """The dice that an answer takes, and those words of its costs that say the same."""
    return [
        {"dice": _fewer(one["before"], one["after"]), "text": one["text"].removeprefix("-")}
        for one in prospect["changes"]
        if one["sort"] == "dice" and one["loss"]
    ]


def words_spent(prospect: Data) -> list[tuple[str, str]]:
    """The costs of an answer without the dice, each with a note: how often it may be paid."""
    drawn = {one["text"] for one in dice_spent(prospect)}
    once = {one["text"]: one["title"] for one in prospect["uses"] if one["sort"] == "once"}
    told = ((cost, once.get(cost, cost)) for cost in prospect["costs"] if cost not in drawn)
    return [(title, cost.removeprefix(title)) for cost, title in told]


def _fewer(before: Any, after: Any) -> list[Data]:
    """The dice that are in one list and no longer in another; none where either is hidden."""
    if not isinstance(before, list) or not isinstance(after, list):
        return []
    left = Counter((one["die"], one["face"]) for one in after)
    gone = Counter((one["die"], one["face"]) for one in before) - left
    return [{"die": die, "face": face} for (die, face), count in sorted(gone.items()) for _ in range(count)]


def ranked(scores: Sequence[Data]) -> list[Data]:
    """Players by score, the best first; whose score is hidden, last."""
    return sorted(scores, key=lambda one: (one["score"] is None, -(one["score"] or 0)))


__all__ = [
    "THEN", "WAYS", "dice_spent", "has_long", "head_of", "holds_dice", "is_asked", "is_empty", "is_long", "is_placed",
    "marked_in", "options_of", "own_first", "ranked", "seats_of", "things_in", "title_of", "who_marked",
    "words_spent",
]  # fmt: skip
