"""A study as CSV, for a spreadsheet."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from edict.study.findings import Data

HEAD = (
    "kind", "group", "option", "per_game", "taken_when_offered", "with_of", "with_win_share", "with_low", "with_high",
    "without_win_share", "difference", "difference_low", "difference_high", "score_with", "score_without",
)  # fmt: skip


FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def as_csv(found: Data) -> str:
    """A line for each seat, source of score and option, for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(HEAD)
    writer.writerows([as_cell(value) for value in line] for line in _lines(found))
    return text.getvalue()


def as_cell(value: object) -> object:
    """A value as a spreadsheet may have it: text that it would take for a formula gets an apostrophe before it (as
    OWASP says); numbers stay numbers."""
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value


def _lines(found: Data) -> Iterator[list[object]]:
    for seat in found.get("seats", ()):
        share = seat["win_share"]
        yield ["seat", seat["bot"], seat["seat"], 1, "", found["games"], share["value"], share["low"], share["high"],
               "", "", "", "", seat["score"]["mean"]["value"], ""]  # fmt: skip
    for source in found.get("sources", ()):
        yield ["score", source["place"], source["rule"], source["brought"], *[""] * 11]
    for kind in ("chosen", "held", "drawn"):
        for group in found.get(kind, ()):
            for option in group["options"]:
                yield _option(kind, group["title"], option)


def _option(kind: str, group: str, o: Data) -> list[object]:
    had, without, lift = o["with"]["win_share"] or {}, o["without"]["win_share"] or {}, o["lift"] or {}
    score_with, score_without = o["with"]["score"] or {}, o["without"]["score"] or {}
    return [
        kind, group, o["option"], o["often"], "" if o["taken"] is None else o["taken"], o["with"]["of"],
        had.get("value", ""), had.get("low", ""), had.get("high", ""), without.get("value", ""),
        lift.get("value", ""), lift.get("low", ""), lift.get("high", ""),
        score_with.get("value", ""), score_without.get("value", ""),
    ]  # fmt: skip
