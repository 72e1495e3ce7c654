"""Charts as SVG for a page: rows with intervals or bars, histograms, and lines; and small ones as characters.

A row is text of the page around a small drawing. Horizontal positions are percentages of the width, so the text stays
readable on a phone. Every value is written beside its mark, so that nothing depends on colour alone. The page's style
sets the colours of the classes (`up`, `down`, `even` ...) for light, dark and print.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import pairwise
from math import floor, log10

from edict.support import svg
from edict.support.morphology import format_range
from edict.support.records import dataclass

MIDDLE = 13
HEIGHT = 230
MEDIAN_LABEL_HEIGHT = 22
BAR_KIND = "total"
MAX_COLUMNS = 60


@dataclass(frozen=True, slots=True)
class Mark:
    """The data of a row of a chart."""

    label: str
    value: float
    low: float
    high: float
    text: str  # written beside the mark
    note: str = ""  # smaller text after it
    aside: float | None = None  # a number drawn as a thin bar before the interval


@dataclass(frozen=True, slots=True)
class Axis:
    """The scale of a chart with its headings."""

    name: str
    reference: float = 0.0  # the value that the marks are compared with
    unit: str = ""  # written after each number
    sign: bool = False  # write numbers with their sign
    aside: str = ""  # heading of the column of that name
    note: str = ""  # heading of the column of that name
    band: tuple[float, float] | None = None  # a range drawn behind the marks, instead of the reference


@dataclass(frozen=True, slots=True)
class ChartRow:
    """One line of a drawing."""

    label: str
    plot: str  # contents of an SVG element
    text: str
    note: str
    kind: str
    aside: str = ""  # contents of an SVG element


@dataclass(frozen=True, slots=True)
class Chart:
    """A drawing and the table of its numbers."""

    label: str
    head: Sequence[str]
    table: Sequence[Sequence[str]]
    rows: Sequence[ChartRow] = ()
    axis: str = ""  # contents of an SVG element
    names: Axis = Axis("")
    large: str = ""  # contents of an SVG element, instead of rows
    height: int = 0  # of `large`, in pixels

    @property
    def kind(self) -> str:
        """The layout of the columns beside the drawing, for their widths."""
        if self.rows and self.rows[0].kind == BAR_KIND:
            return "bars"
        if self.names.aside:
            return "aside"
        if self.names.note:
            return "noted"
        return "plain"


def build_dot_chart(marks: Sequence[Mark], label: str, names: Axis) -> Chart | None:
    """Build a chart with a row for each mark: a dot and its interval, with a line at the reference; None if empty."""
    if not marks:
        return None
    band = names.band or (names.reference, names.reference)
    low = min([band[0], *(mark.low for mark in marks)])
    high = max([band[1], *(mark.high for mark in marks)])
    x, tick_values = make_scale(low, high), choose_ticks(low, high)
    max_aside = max((mark.aside or 0.0 for mark in marks), default=0.0) or 1.0
    rows = [_build_dot_row(mark, x, tick_values, band, max_aside) for mark in marks]
    head = ["", *([names.aside] if names.aside else []), names.name, *([names.note] if names.note else [])]
    table = [
        [
            mark.label,
            *([format_frequency(mark.aside)] if mark.aside is not None else []),
            mark.text,
            *([mark.note] if names.note else []),
        ]
        for mark in marks
    ]
    return Chart(
        label, head, table, rows, _draw_axis(x, tick_values, format_labels(tick_values, names.sign, names.unit)), names
    )


def _build_dot_row(
    mark: Mark, x: Scale, tick_values: Sequence[float], band: tuple[float, float], max_aside: float
) -> ChartRow:
    """Return a chart row with an interval and a dot, colored by the side of the band (or reference) it lies on."""
    if mark.low > band[1]:
        kind = "up"
    elif mark.high < band[0]:
        kind = "down"
    else:
        kind = "even"
    plot = _draw_grid(x, tick_values, band[0])
    if band[0] < band[1]:
        plot += _draw_rectangle(x(band[0]), 0, x(band[1]) - x(band[0]), 2 * MIDDLE, "band")
    plot += _draw_line(x(mark.low), MIDDLE, x(mark.high), MIDDLE, f"interval {kind}")
    plot += svg.render_element("circle", class_=kind, cx=svg.format_percent(x(mark.value)), cy=MIDDLE, r=4.5)
    aside = ""
    if mark.aside is not None:
        share = mark.aside / max_aside
        aside = _draw_rectangle(0, MIDDLE - 5, 65 * share, 10, "aside")
        aside += _draw_text(65 * share, MIDDLE + 4, format_frequency(mark.aside), "soft", dx=6)
    return ChartRow(mark.label, plot, mark.text, mark.note, kind, aside)


def build_bar_chart(marks: Sequence[Mark], label: str, names: Axis) -> Chart | None:
    """Build a chart with bars to either side of 0, for values without intervals."""
    if not marks:
        return None
    low, high = min(0.0, *(mark.value for mark in marks)), max(0.0, *(mark.value for mark in marks))
    x, tick_values = make_scale(low, high), choose_ticks(low, high)
    rows = [
        ChartRow(mark.label, _draw_grid(x, tick_values, 0.0) + _draw_bar(x, mark.value), mark.text, mark.note, BAR_KIND)
        for mark in marks
    ]
    table = [[mark.label, mark.text, mark.note] for mark in marks]
    axis = _draw_axis(x, tick_values, format_labels(tick_values, names.sign, names.unit))
    return Chart(label, ["", names.name, names.note], table, rows, axis, names)


def _draw_bar(x: Scale, value: float) -> str:
    """Return the SVG of a bar from 0 to the value, of class `up` or `down` by its sign."""
    start, end = sorted((x(0), x(value)))
    kind = "up" if value >= 0 else "down"
    return _draw_rectangle(start, MIDDLE - 8, end - start, 16, f"bar {kind}")


def build_histogram(series: Sequence[tuple[str, dict[int, float], int]], label: str, counted: str) -> Chart | None:
    """Build a histogram of each series' shares by whole number, all series in one plot; None without values.

    Args:
        series: The name of each series, its shares by value, and its median.
        label: The name of the chart.
        counted: The meaning of the numbers.
    """
    values = [value for _, shares, _ in series for value in shares]
    if not values:
        return None
    low, high = min(values), max(values)
    width = max(1, -(-(high - low + 1) // MAX_COLUMNS))  # numbers to a column
    binned = [_bin_shares(shares, low, width) for _, shares, _ in series]
    x, first_bar_y = make_scale(low, high + width), MEDIAN_LABEL_HEIGHT * len(series) + 8
    y = make_scale(0, max(share for shares in binned for share in shares.values()), HEIGHT, first_bar_y)
    large = "".join(
        _draw_column(x, y, value, share, width, number)
        for number, shares in enumerate(binned)
        for value, share in shares.items()
    )
    large += "".join(
        _draw_median(x(median + 0.5), 14 + MEDIAN_LABEL_HEIGHT * number, f"{name}: median {median}", number)
        for number, (name, _, median) in enumerate(series)
    )
    tick_values = choose_ticks(low, high, 8, whole=True)
    large += _draw_line(0, HEIGHT, 100, HEIGHT, "grid")
    large += "".join(
        _draw_text(x(value + 0.5), HEIGHT + 18, text, "soft", anchor="middle")
        for value, text in zip(tick_values, format_labels(tick_values), strict=True)
    )
    starts = sorted({value for shares in binned for value in shares})
    table = [
        [_format_bin(start, width), *(_format_percent(shares.get(start, 0.0)) for shares in binned)] for start in starts
    ]
    return Chart(label, [counted, *(name for name, _, _ in series)], table, large=large, height=HEIGHT + 26)


def build_line_chart(series: Sequence[tuple[str, Sequence[float]]], label: str, steps: Sequence[str]) -> Chart | None:
    """Build a chart with a line for each series over the same steps; None with fewer than two steps.

    Args:
        series: The name of each series, and its value at each step.
        label: The name of the chart.
        steps: The names of the steps.
    """
    if len(steps) < 2:
        return None
    values = [value for _, line in series for value in line]
    low, high = min(0.0, *values), max(values)
    x, y = make_scale(0, len(steps) - 1, 6, 94), make_scale(low, high, HEIGHT, MEDIAN_LABEL_HEIGHT)
    tick_values = choose_ticks(low, high)
    large = "".join(
        _draw_line(6, y(tick), 94, y(tick), "grid") + _draw_text(5, y(tick) + 4, text, "soft", "end")
        for tick, text in zip(tick_values, format_labels(tick_values), strict=True)
    )
    large += "".join(_draw_text(x(i), HEIGHT + 18, step, "soft", "middle") for i, step in enumerate(steps))
    for number, (name, line) in enumerate(series):
        points = [(x(i), y(value)) for i, value in enumerate(line)]
        large += "".join(_draw_line(*start, *end, f"course course{number}") for start, end in pairwise(points))
        large += "".join(
            svg.render_element("circle", class_=f"dot{number}", cx=svg.format_percent(at), cy=height, r=4)
            for at, height in points
        )
        large += _draw_text(8, 16 + 20 * (len(series) - 1 - number), f"● {name}", f"words{number}")
    table = [[step, *(f"{line[i]:.1f}" for _, line in series)] for i, step in enumerate(steps)]
    return Chart(label, ["", *(name for name, _ in series)], table, large=large, height=HEIGHT + 26)


def _format_percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _format_bin(start: int, width: int) -> str:
    return format_range(start, start + width - 1)


def _draw_column(x: Scale, y: Scale, value: int, share: float, width: int, number: int) -> str:
    """Return the SVG of a histogram column from `value` over `width` values, as high as its share."""
    column_width = x(value + width) - x(value)
    return _draw_rectangle(
        x(value) + 0.04 * column_width, y(share), 0.92 * column_width, HEIGHT - y(share), f"series{number}"
    )


def _draw_median(x: float, y: float, label: str, number: int) -> str:
    """Draw the line of a median, with its name on the side that has more room."""
    left = x > 50
    name = _draw_text(x, y, label, f"words{number}", "end" if left else "start", -6 if left else 6)
    return _draw_line(x, y - 10, x, HEIGHT, f"median series{number}") + name


def _bin_shares(shares: dict[int, float], low: int, width: int) -> dict[int, float]:
    """Add up the shares of values in bins of `width` values from `low` on; return them by the bin's start."""
    bins: dict[int, float] = {}
    for value, share in shares.items():
        start = low + (value - low) // width * width
        bins[start] = bins.get(start, 0.0) + share
    return bins


# --- characters: for terminals -----------------------------------------------------------------------

PLOT_WIDTH = 41  # characters
EIGHTHS = " ▏▎▍▌▋▊▉"


def draw_interval(
    estimate: Mapping[str, float | None],
    estimates: Sequence[Mapping[str, float | None]],
    band: tuple[float | None, float | None],
    width: int = PLOT_WIDTH,
) -> str:
    """Draw an interval as a line of characters with a dot, over a band or a reference.

    Args:
        estimate: The estimate, with its `value`, `low` and `high`.
        estimates: Those of all rows, which set the scale.
        band: The ends of the band, None for an open end; equal ones for a reference.
        width: The number of characters.
    """
    numbers = [number for e in estimates for key in ("value", "low", "high") if (number := e[key]) is not None]
    bounds = [bound for bound in band if bound is not None]
    x = make_scale(min([*numbers, *bounds]), max([*numbers, *bounds]), 0, width - 1)
    low, high = (0 if band[0] is None else round(x(band[0])), width - 1 if band[1] is None else round(x(band[1])))
    plot = [" "] * width
    plot[low : high + 1] = ("┊" if low == high else "░") * (high + 1 - low)
    if estimate["low"] is not None and estimate["high"] is not None:
        left, right = round(x(estimate["low"])), round(x(estimate["high"]))
        plot[left : right + 1] = "─" * (right + 1 - left)
    plot[round(x(estimate["value"] or 0.0))] = "●"
    return "".join(plot)


def draw_bar(value: float, maximum: float, width: int = PLOT_WIDTH // 2) -> str:
    """Draw a value as a bar of characters, in eighths of a character."""
    eighths = round(8 * width * max(0.0, value) / maximum) if maximum > 0 else 0
    return ("█" * (eighths // 8) + EIGHTHS[eighths % 8]).rstrip()


# --- drawing: x positions are percentages, y positions are pixels ------------------------------------


def _draw_grid(x: Scale, tick_values: Sequence[float], reference: float) -> str:
    """Return the SVG of a row's vertical lines: one for each tick, and one at the reference."""
    lines = (_draw_line(x(value), 0, x(value), 2 * MIDDLE, "grid") for value in tick_values)
    return "".join([*lines, _draw_line(x(reference), 0, x(reference), 2 * MIDDLE, "reference")])


def _draw_axis(x: Scale, tick_values: Sequence[float], names: Sequence[str]) -> str:
    """Return the SVG of the axis labels, each centered at its tick."""
    return "".join(
        _draw_text(x(value), 14, name, "soft", "middle") for value, name in zip(tick_values, names, strict=True)
    )


def _draw_line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """Return an SVG line of CSS class `kind`; x in percent of the width, y in pixels."""
    return svg.render_element("line", class_=kind, x1=svg.format_percent(x1), y1=y1, x2=svg.format_percent(x2), y2=y2)


def _draw_rectangle(x: float, y: float, width: float, height: float, kind: str) -> str:
    """Return an SVG rectangle of CSS class `kind`; x and width in percent, y and height in pixels."""
    return svg.render_element(
        "rect", class_=kind, x=svg.format_percent(x), y=y, width=svg.format_percent(width), height=height
    )


def _draw_text(x: float, y: float, text: str, kind: str, anchor: str = "start", dx: int = 0) -> str:
    """Return SVG text of CSS class `kind`; x in percent of the width, y and the shift `dx` in pixels."""
    return svg.render_text(text, class_=kind, x=svg.format_percent(x), dx=dx, y=y, text_anchor=anchor)


TICKS = 5
MOST_DIGITS = 6

Scale = Callable[[float], float]


def make_scale(low: float, high: float, left: float = 0.0, right: float = 100.0) -> Scale:
    """Return a function that clamps a value to low..high and maps it to a position from left to right."""
    width = (high - low) or 1.0
    return lambda value: left + (min(max(value, low), high) - low) / width * (right - left)


def choose_ticks(low: float, high: float, target_count: int = TICKS, whole: bool = False) -> list[float]:
    """Return round numbers from `low` to `high`, about `most` of them; with `whole`, only whole numbers."""
    if high <= low:
        return [low]
    raw = max((high - low) / target_count, 1.0 if whole else 0.0)
    decade = 10.0 ** floor(log10(raw))
    steps = (1, 2, 5, 10) if whole else (1, 2, 2.5, 5, 10)
    step = next(decade * n for n in steps if decade * n >= raw * (1 - 1e-9))
    first = -(-low // step)
    return [(first + n) * step for n in range(target_count + 2) if (first + n) * step <= high + step * 1e-9]


def format_labels(values: Sequence[float], sign: bool = False, unit: str = "") -> list[str]:
    """Format values with the fewest digits at which all are exact, up to a limit, and append the unit."""
    precision = next((d for d in range(MOST_DIGITS) if all(_is_exact(value, d) for value in values)), MOST_DIGITS)
    return [_format_value(value, precision, sign) + unit for value in values]


def choose_precision(values: Iterable[float]) -> int:
    """Return the number of digits at which no number other than zero reads as zero, from 2 to 4."""
    numbers = list(values)
    return next((d for d in range(2, 4) if all(round(value, d) or not value for value in numbers)), 4)


def format_frequency(number: float) -> str:
    """Format how often something happens; never as 0.00 unless it is 0."""
    return f"{number:.{choose_precision([number])}f}"


def format_difference(value: float, precision: int = 2) -> str:
    """Format a difference with its sign, and with a typographic minus."""
    return f"{value:+.{precision}f}".replace("-", "−")


def format_interval(value: float, low: float, high: float, precision: int = 2) -> str:
    """Format a difference with its interval."""
    middle, lowest, highest = (format_difference(number, precision) for number in (value, low, high))
    return f"{middle} ({lowest} to {highest})"


def _is_exact(value: float, precision: int) -> bool:
    """Return True if a value has no more than `precision` decimals, up to rounding errors."""
    return abs(round(value, precision) - value) < 1e-9 * max(1.0, abs(value))


def _format_value(value: float, precision: int, sign: bool) -> str:
    """Format a value with `precision` decimals and a typographic minus; with `sign`, also `+`, but a plain `0`."""
    if sign and _is_exact(value, 0) and round(value) == 0:
        return "0"
    return f"{value:{'+' if sign else ''}.{precision}f}".replace("-", "−")
