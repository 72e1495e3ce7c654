"""A picture of a game's scores: for each player the points by source, piled up over the answers."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import Any

from edict.study.svg import element, points, words

WIDTH, HEIGHT, MARGIN = 320, 180, 28
BEYOND = 1.04  # of the game is drawn, so that what its last answer brought is seen
MOST_SOURCES = 8  # that have a colour of their own; the others are one
OTHERS = "other sources"


@dataclass(frozen=True)
class Band:
    """The points of one source: the corners of its area, and the number of its colour."""

    label: str
    colour: int
    corners: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Chart:
    """One player's picture; `zero`, `top` are heights at which a line stands, for no points and for `most`."""

    player: str
    score: int | None
    bands: tuple[Band, ...]
    zero: float
    top: float
    most: int

    @property
    def svg(self) -> str:
        label = f"The points of {self.player} over the game, by source; the table below has the numbers."
        areas = (
            element("polygon", element("title", escape(band.label)), class_=f"source-{band.colour}",
                    points=points(band.corners))
            for band in self.bands
        )  # fmt: skip
        inside = _level(self.top, self.most) + "".join(areas) + _level(self.zero, 0)
        return element("svg", inside, class_="chart", viewBox=f"0 0 {WIDTH} {HEIGHT}", role="img", aria_label=label)


def _level(y: float, value: int) -> str:
    """A line across at this height, and the number it stands for."""
    line = element("line", class_="axis", x1=MARGIN, x2=WIDTH, y1=y, y2=y)
    return line + words(str(value), x=MARGIN - 4, y=y + 4, text_anchor="end")


@dataclass(frozen=True)
class Charts:
    """All players on the same scale; `table` has a row a source and a column a player."""

    sources: tuple[str, ...]
    players: tuple[Chart, ...]
    table: tuple[tuple[str, tuple[int, ...]], ...]


def charts(course: dict[str, Any]) -> Charts | None:
    """The charts of scores from `understanding.scores`; None if no source is known."""
    players, last = course["players"], max(course["answers"], 1) * BEYOND
    totals: Counter[str] = Counter()
    for player in players:
        for one in player["sources"]:
            totals[one["label"]] += abs(one["amount"])
    if not totals:
        return None
    known = [label for label, _ in totals.most_common(MOST_SOURCES)]
    sources = tuple(known if len(totals) <= MOST_SOURCES else [*known, OTHERS])
    piles = [_piles(player["sources"], sources) for player in players]
    heights = [_edges(pile, sources, label)[1] for steps in piles for _, pile in steps for label in sources]
    most, least = max(1, *heights), min(0, *heights)
    drawn = tuple(
        _chart(player, steps, sources, (last, most, least)) for player, steps in zip(players, piles, strict=True)
    )
    ends = [steps[-1][1] for steps in piles]
    return Charts(sources, drawn, tuple((label, tuple(end[label] for end in ends)) for label in sources))


Steps = list[tuple[int, Counter[str]]]


def _piles(gained: list[dict[str, Any]], sources: tuple[str, ...]) -> Steps:
    """How many points each source has brought, after each answer at which that changed."""
    steps: Steps = [(0, Counter())]
    for one in gained:
        label = one["label"] if one["label"] in sources else OTHERS
        after, pile = steps[-1]
        if one["after"] != after:
            steps.append((one["after"], pile.copy()))
        steps[-1][1][label] += one["amount"]
    return steps


def _chart(player: dict[str, Any], steps: Steps, sources: tuple[str, ...], scale: tuple[float, int, int]) -> Chart:
    last, most, least = scale

    def x(after: float) -> float:
        return MARGIN + (WIDTH - MARGIN) * after / last

    def y(score: int) -> float:
        return HEIGHT - 8 - (HEIGHT - 20) * (score - least) / (most - least)

    bands = []
    for number, label in enumerate(sources):
        found = [(x(after), _edges(pile, sources, label)) for after, pile in steps]
        edges = [(at, y(low), y(high)) for at, (low, high) in found]
        if any(low != high for _, low, high in edges):
            bands.append(Band(label, number, _corners([*edges, (x(last), edges[-1][1], edges[-1][2])])))
    return Chart(player["player"], player["score"], tuple(bands), y(0), y(most), most)


def _edges(pile: Counter[str], sources: tuple[str, ...], label: str) -> tuple[int, int]:
    """Between which heights a source lies on those before it; what was lost lies below nothing."""
    value = pile[label]
    before = sources[: sources.index(label)]
    below = sum(pile[one] for one in before if pile[one] * value > 0)
    return below, below + value


def _corners(edges: list[tuple[float, float, float]]) -> tuple[tuple[float, float], ...]:
    """The corners of an area that changes in steps: along its upper edge, and back along the lower."""
    upper, lower = list[tuple[float, float]](), list[tuple[float, float]]()
    for number, (x, low, high) in enumerate(edges):
        if number:
            upper.append((x, edges[number - 1][2]))
            lower.append((x, edges[number - 1][1]))
        upper.append((x, high))
        lower.append((x, low))
    return (*upper, *reversed(lower))


__all__ = ["charts"]
