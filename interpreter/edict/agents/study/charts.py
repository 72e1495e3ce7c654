"""Charts: rows with intervals or bars, and histograms. They need nothing beside the page they stand in.

A row is words of the page around a small drawing whose width is that of the page: all its places are percent, so its
words can be read on a phone, too. Every value is written beside its mark, so that nothing depends on colour alone.
Classes (`up`, `down`, `even` ...) get their colours from the page's style, in daylight, at night and in print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from math import floor, log10

from edict.support import svg
from edict.support.morphology import format_range

MIDDLE = 13  # of a row, in pixels
HEIGHT = 230  # of a histogram
MEDIANS = 22  # for the name of each median above it
TOTAL = "total"  # the sort of a row
COLUMNS = 60  # at most, of a histogram


@dataclass(frozen=True, slots=True)
class Mark:
    """A row of a chart: its name, a value with its interval, and what is written beside it, the smaller `note` too.
    `aside` is a number drawn as a thin bar before the interval."""

    label: str
    value: float
    low: float
    high: float
    text: str
    note: str = ""
    aside: float | None = None


@dataclass(frozen=True, slots=True)
class Axis:
    """What is measured along a chart, under a heading, and the `reference` that it is compared with. `unit` is written
    after each number, `sign`: with its sign; `aside` and `note` head the columns of that name, if there are such."""

    name: str
    reference: float = 0.0
    unit: str = ""
    sign: bool = False
    aside: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """One line of a drawing; `plot` and `aside` are insides of SVG."""

    label: str
    plot: str
    text: str
    note: str
    kind: str
    aside: str = ""


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing called `label`, and the table of its numbers. `axis` and `large` are insides of SVG, `large` instead of
    rows; `height` is that of `large` in pixels."""

    label: str
    head: Sequence[str]
    table: Sequence[Sequence[str]]
    rows: Sequence[Row] = ()
    axis: str = ""
    names: Axis = Axis("")
    large: str = ""
    height: int = 0

    @property
    def kind(self) -> str:
        """What its columns hold beside the drawing, for their widths."""
        if self.rows and self.rows[0].kind == TOTAL:
            return "bars"
        return "aside" if self.names.aside else "noted" if self.names.note else "plain"


def dots(marks: Sequence[Mark], label: str, names: Axis) -> Chart | None:
    """A row each: a dot with its interval, on a scale with a line at the reference."""
    if not marks:
        return None
    low = min([names.reference, *(mark.low for mark in marks)])
    high = max([names.reference, *(mark.high for mark in marks)])
    x, at = scale(low, high), ticks(low, high)
    most = max((mark.aside or 0.0 for mark in marks), default=0.0) or 1.0
    rows = [_row(mark, x, at, names.reference, most) for mark in marks]
    head = ["", *([names.aside] if names.aside else []), names.name, *([names.note] if names.note else [])]
    table = [
        [
            mark.label,
            *([frequency(mark.aside)] if mark.aside is not None else []),
            mark.text,
            *([mark.note] if names.note else []),
        ]
        for mark in marks
    ]
    return Chart(label, head, table, rows, _axis(x, at, labels(at, names.sign, names.unit)), names)


def _row(mark: Mark, x: Scale, at: Sequence[float], reference: float, most: float) -> Row:
    kind = "up" if mark.low > reference else "down" if mark.high < reference else "even"
    plot = _grid(x, at, reference)
    plot += _line(x(mark.low), MIDDLE, x(mark.high), MIDDLE, f"interval {kind}")
    plot += svg.render_element("circle", class_=kind, cx=svg.format_percent(x(mark.value)), cy=MIDDLE, r=4.5)
    aside = ""
    if mark.aside is not None:
        share = mark.aside / most
        aside = _rectangle(0, MIDDLE - 5, 65 * share, 10, "aside")
        aside += _text(65 * share, MIDDLE + 4, frequency(mark.aside), "soft", dx=6)
    return Row(mark.label, plot, mark.text, mark.note, kind, aside)


def bars(marks: Sequence[Mark], label: str, names: Axis) -> Chart | None:
    """Bars to either side of nothing, for values without intervals."""
    if not marks:
        return None
    low, high = min(0.0, *(mark.value for mark in marks)), max(0.0, *(mark.value for mark in marks))
    x, at = scale(low, high), ticks(low, high)
    rows = [Row(mark.label, _grid(x, at, 0.0) + _bar(x, mark.value), mark.text, mark.note, TOTAL) for mark in marks]
    table = [[mark.label, mark.text, mark.note] for mark in marks]
    axis = _axis(x, at, labels(at, names.sign, names.unit))
    return Chart(label, ["", names.name, names.note], table, rows, axis, names)


def _bar(x: Scale, value: float) -> str:
    start, end = sorted((x(0), x(value)))
    kind = "up" if value >= 0 else "down"
    return _rectangle(start, MIDDLE - 8, end - start, 16, f"bar {kind}")


def histogram(series: Sequence[tuple[str, dict[int, float], int]], label: str, counted: str) -> Chart | None:
    """Shares of whole numbers, one series over the other: its name, shares by value, and the median. `counted`: what
    the numbers are."""
    values = [value for _, shares, _ in series for value in shares]
    if not values:
        return None
    low, high = min(values), max(values)
    width = max(1, -(-(high - low + 1) // COLUMNS))  # numbers to a column
    binned = [_binned(shares, low, width) for _, shares, _ in series]
    x, top = scale(low, high + width), MEDIANS * len(series) + 8
    y = scale(0, max(share for shares in binned for share in shares.values()), HEIGHT, top)
    large = "".join(
        _column(x, y, value, share, width, number)
        for number, shares in enumerate(binned)
        for value, share in shares.items()
    )
    large += "".join(
        _median(x(median + 0.5), 14 + MEDIANS * number, f"{name}: median {median}", number)
        for number, (name, _, median) in enumerate(series)
    )
    at = ticks(low, high, 8, whole=True)
    large += _line(0, HEIGHT, 100, HEIGHT, "grid")
    large += "".join(
        _text(x(value + 0.5), HEIGHT + 18, text, "soft", anchor="middle")
        for value, text in zip(at, labels(at), strict=True)
    )
    starts = sorted({value for shares in binned for value in shares})
    table = [[_range(start, width), *(_percent(shares.get(start, 0.0)) for shares in binned)] for start in starts]
    return Chart(label, [counted, *(name for name, _, _ in series)], table, large=large, height=HEIGHT + 26)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _range(start: int, width: int) -> str:
    return format_range(start, start + width - 1)


def _column(x: Scale, y: Scale, value: int, share: float, width: int, number: int) -> str:
    wide = x(value + width) - x(value)
    return _rectangle(x(value) + 0.04 * wide, y(share), 0.92 * wide, HEIGHT - y(share), f"series{number}")


def _median(at: float, y: float, words: str, number: int) -> str:
    """Its line, and its name on the side where there is more room."""
    left = at > 50
    name = _text(at, y, words, f"words{number}", "end" if left else "start", -6 if left else 6)
    return _line(at, y - 10, at, HEIGHT, f"median series{number}") + name


def _binned(shares: dict[int, float], low: int, width: int) -> dict[int, float]:
    found: dict[int, float] = {}
    for value, share in shares.items():
        at = low + (value - low) // width * width
        found[at] = found.get(at, 0.0) + share
    return found


# --- what it is drawn with: places across are percent, those from the top are pixels -----------------


def _grid(x: Scale, at: Sequence[float], reference: float) -> str:
    lines = (_line(x(value), 0, x(value), 2 * MIDDLE, "grid") for value in at)
    return "".join([*lines, _line(x(reference), 0, x(reference), 2 * MIDDLE, "reference")])


def _axis(x: Scale, at: Sequence[float], names: Sequence[str]) -> str:
    return "".join(_text(x(value), 14, name, "soft", "middle") for value, name in zip(at, names, strict=True))


def _line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    return svg.render_element("line", class_=kind, x1=svg.format_percent(x1), y1=y1, x2=svg.format_percent(x2), y2=y2)


def _rectangle(x: float, y: float, width: float, height: float, kind: str) -> str:
    return svg.render_element(
        "rect", class_=kind, x=svg.format_percent(x), y=y, width=svg.format_percent(width), height=height
    )


def _text(x: float, y: float, text: str, kind: str, anchor: str = "start", dx: int = 0) -> str:
    return svg.render_text(text, class_=kind, x=svg.format_percent(x), dx=dx, y=y, text_anchor=anchor)


TICKS = 5
MOST_DIGITS = 6

Scale = Callable[[float], float]


def scale(low: float, high: float, left: float = 0.0, right: float = 100.0) -> Scale:
    """From values to places, by default percent of the width."""
    width = (high - low) or 1.0
    return lambda value: left + (min(max(value, low), high) - low) / width * (right - left)


def ticks(low: float, high: float, most: int = TICKS, whole: bool = False) -> list[float]:
    """Round numbers from `low` to `high`, at most some more than `most` of them; `whole`: only whole numbers."""
    if high <= low:
        return [low]
    raw = max((high - low) / most, 1.0 if whole else 0.0)
    decade = 10.0 ** floor(log10(raw))
    steps = (1, 2, 5, 10) if whole else (1, 2, 2.5, 5, 10)
    step = next(decade * n for n in steps if decade * n >= raw * (1 - 1e-9))
    first = -(-low // step)
    return [(first + n) * step for n in range(most + 2) if (first + n) * step <= high + step * 1e-9]


def labels(values: Sequence[float], sign: bool = False, unit: str = "") -> list[str]:
    """Values as they are, all with the same number of digits, and as few of them as will do."""
    digits = next((d for d in range(MOST_DIGITS) if all(_exact(value, d) for value in values)), MOST_DIGITS)
    return [_written(value, digits, sign) + unit for value in values]


def digits(values: Iterable[float]) -> int:
    """How many to write of such numbers, so that none that is not zero reads as if it were."""
    known = list(values)
    return next((d for d in range(2, 4) if all(round(value, d) or not value for value in known)), 4)


def frequency(number: float) -> str:
    """How often something happens; never 0.00 for what did happen."""
    return f"{number:.{digits([number])}f}"


def signed(value: float, digits: int = 2) -> str:
    """A difference: with its sign, and with a real minus."""
    return f"{value:+.{digits}f}".replace("-", "−")


def interval(value: float, low: float, high: float, digits: int = 2) -> str:
    """A difference and its interval."""
    return f"{signed(value, digits)} ({signed(low, digits)} to {signed(high, digits)})"


def _exact(value: float, digits: int) -> bool:
    return abs(round(value, digits) - value) < 1e-9 * max(1.0, abs(value))


def _written(value: float, digits: int, sign: bool) -> str:
    if sign and _exact(value, 0) and round(value) == 0:
        return "0"
    return f"{value:{'+' if sign else ''}.{digits}f}".replace("-", "−")
