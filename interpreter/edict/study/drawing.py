"""Charts as SVG: dots with intervals, bars, histograms. They need nothing beside the page they stand in.

Every value is written beside its mark, so that colour alone never tells anything; intervals are drawn as lines.
The classes (`ink`, `soft`, `up`, `down` ...) get their colours from the page's style, also in print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from math import floor, log10

WIDTH = 920
ROW = 26
LABELS = 250  # room for the names on the left
VALUES = 215  # for the numbers on the right
TOP = 30
TICKS = 5
LONGEST = 38  # characters of a name; the rest is in its tooltip


@dataclass(frozen=True, slots=True)
class Mark:
    """A row of a chart: its name, a value with its interval, and what is written on the right. `aside` is a number
    drawn as a thin bar before the interval; `strong`: the interval leaves the reference out."""

    label: str
    value: float
    low: float
    high: float
    text: str
    aside: float | None = None
    aside_text: str = ""


Scale = Callable[[float], float]


def scale(low: float, high: float, left: float, right: float) -> Scale:
    """From values to places on the page."""
    width = (high - low) or 1.0
    return lambda value: left + (min(max(value, low), high) - low) / width * (right - left)


def ticks(low: float, high: float, most: int = TICKS) -> list[float]:
    """Round numbers from `low` to `high`, some of them."""
    if high <= low:
        return [low]
    raw = (high - low) / most
    decade = 10.0 ** floor(log10(raw))
    step = next(decade * n for n in (1, 2, 2.5, 5, 10) if decade * n >= raw)
    first = -(-low // step) * step
    return [first + step * n for n in range(most + 2) if first + step * n <= high + step * 1e-9]


def dots(marks: Sequence[Mark], reference: float, name: str, number: Callable[[float], str], aside: str = "") -> str:
    """A row each: a dot with its interval, on a scale with a line at the reference. Where marks have an `aside`, it is
    drawn as a bar to the left, under the heading of that name."""
    if not marks:
        return ""
    left = LABELS + (190 if aside else 0)
    low = min([reference, *(mark.low for mark in marks)])
    high = max([reference, *(mark.high for mark in marks)])
    x = scale(low, high, left + 10, WIDTH - VALUES)
    bottom = TOP + ROW * len(marks)
    parts = [
        *_axis(x, ticks(low, high), number, bottom),
        _line(x(reference), TOP - 4, x(reference), bottom, "reference"),
    ]
    parts.append(_text(WIDTH - VALUES + 14, TOP - 12, name, "head"))
    if aside:
        parts.append(_text(LABELS, TOP - 12, aside, "head"))
    most = max((mark.aside or 0.0 for mark in marks), default=0.0) or 1.0
    for number_, mark in enumerate(marks):
        parts += _dot(mark, TOP + ROW * number_ + ROW / 2, x, reference, most)
    return _svg(bottom + 26, name, parts)


def _dot(mark: Mark, y: float, x: Scale, reference: float, most: float) -> Iterator[str]:
    kind = "up" if mark.low > reference else "down" if mark.high < reference else "even"
    yield _label(mark.label, y)
    if mark.aside is not None:
        yield f'<rect class="aside" x="{LABELS}" y="{y - 5:.1f}" width="{130 * mark.aside / most:.1f}" height="10"/>'
        yield _text(LABELS + 6 + 130 * mark.aside / most, y + 4, mark.aside_text, "soft")
    yield _line(x(mark.low), y, x(mark.high), y, f"interval {kind}")
    yield f'<circle class="{kind}" cx="{x(mark.value):.1f}" cy="{y:.1f}" r="4.5"/>'
    yield _text(WIDTH - VALUES + 14, y + 4, mark.text, kind)


def bars(rows: Sequence[tuple[str, float, str, str]], name: str) -> str:
    """Bars to either side of nothing: name, value, its text, and a word on where it comes from."""
    if not rows:
        return ""
    low, high = min(0.0, *(row[1] for row in rows)), max(0.0, *(row[1] for row in rows))
    x = scale(low, high, LABELS + 60, WIDTH - VALUES - 60)
    bottom = TOP + ROW * len(rows)
    parts = [_line(x(0), TOP - 4, x(0), bottom, "reference"), _text(x(0) + 6, TOP - 12, name, "head")]
    for number, (label, value, text, aside) in enumerate(rows):
        y = TOP + ROW * number + ROW / 2
        start, end = sorted((x(0), x(value)))
        parts.append(_label(label, y))
        parts.append(f'<rect class="{"bar up" if value >= 0 else "bar down"}" x="{start:.1f}" y="{y - 8:.1f}" '
                     f'width="{max(end - start, 1):.1f}" height="16"/>')  # fmt: skip
        parts.append(_text(end + 6 if value >= 0 else start - 6, y + 4, text, "ink", "start" if value >= 0 else "end"))
        parts.append(_text(WIDTH, y + 4, aside, "soft", "end"))
    return _svg(bottom + 8, name, parts)


def histogram(series: Sequence[tuple[str, dict[int, float], int]], name: str) -> str:
    """Shares of whole numbers, one series over the other: its name, shares by value, and the median."""
    values = [value for _, shares, _ in series for value in shares]
    if not values:
        return ""
    low, high, height = min(values), max(values), 220.0
    width = max(1, -(-(high - low + 1) // 60))  # numbers to a column
    series = [(label, _binned(shares, low, width), median) for label, shares, median in series]
    x = scale(low, high + width, 20, WIDTH - 20)
    y = scale(0, max(share for _, shares, _ in series for share in shares.values()), TOP + height, TOP + 56)
    wide = x(low + width) - x(low) - 1
    parts: list[str] = []
    for number, (_, shares, _) in enumerate(series):
        for value, share in shares.items():
            parts.append(f'<rect class="series{number}" x="{x(value) + 0.5:.1f}" y="{y(share):.1f}" '
                         f'width="{wide:.1f}" height="{TOP + height - y(share):.1f}"/>')  # fmt: skip
    for number, (label, _, median) in enumerate(series):
        at = x(median + 0.5)
        parts.append(_line(at, TOP + 8 + 22 * number, at, TOP + height, f"median series{number}"))
        parts.append(_text(at + 5, TOP + 14 + 22 * number, f"{label}: median {median}", f"words{number}"))
    parts += [_text(x(t + 0.5), TOP + height + 18, f"{t:.0f}", "soft", "middle") for t in ticks(low, high, 10)]
    parts.append(_line(20, TOP + height, WIDTH - 20, TOP + height, "grid"))
    return _svg(TOP + height + 28, name, parts)


def _binned(shares: dict[int, float], low: int, width: int) -> dict[int, float]:
    found: dict[int, float] = {}
    for value, share in shares.items():
        at = low + (value - low) // width * width
        found[at] = found.get(at, 0.0) + share
    return found


def _axis(x: Scale, at: Sequence[float], number: Callable[[float], str], bottom: float) -> Iterator[str]:
    for value in at:
        yield _line(x(value), TOP, x(value), bottom, "grid")
        yield _text(x(value), bottom + 17, number(value), "soft", "middle")


def _label(text: str, y: float) -> str:
    short = text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"
    return f'<text class="ink" x="0" y="{y + 4:.1f}"><title>{escape(text)}</title>{escape(short)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return f'<line class="{kind}" x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}"/>'


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start") -> str:
    return f'<text class="{kind}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(height: float, name: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(name, quote=True)}">'
        f"{''.join(parts)}</svg>"
    )
