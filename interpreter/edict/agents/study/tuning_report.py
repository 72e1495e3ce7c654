"""The report of a tuning: a curve for each measure, or a map for two numbers, and the change of the rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.agents.study.charts import Axis, Mark, build_dot_chart
from edict.agents.study.html_report import ReportCell, ReportPage, ReportPart, ReportSection, render_html
from edict.agents.study.reports import render_rows
from edict.agents.study.summary import Data
from edict.agents.study.tuning import MET, MISSED, describe_values, find_untrained, format_estimate, format_untrained

MAX_SHADE = 0.45
METHOD = (
    "All values played the same seeds. After each look, the better half of the undecided values played on. All "
    "intervals hold together with 95 % confidence, whichever value is picked: the errors of all values, measures and "
    "looks are divided evenly (Bonferroni)."
)


def render_tuning(data: Data) -> str:
    """Render the page of a tuning."""
    names = ", ".join(number["phrase"] for number in data["numbers"])
    bots = ", ".join(sorted(set(data["bots"])))
    games = sum(value["games"] for value in data["values"])
    lead = f"{games:,} games of {len(data['values'])} values, {data['players']} players ({bots}), seed {data['seed']}."
    facts = [("best value", describe_values(data, data["best"])), ("games", f"{games:,}")]
    title = f"{data['game']['title']}: {names}"
    return render_html(ReportPage(title, lead, facts, list(_iter_sections(data)), METHOD, data["notes"], data["said"]))


TUNING_COLUMNS = (
    "number",
    "value",
    "second number",
    "second value",
    "goal",
    "measure",
    "unit",
    "measured",
    "low",
    "high",
    "wanted from",
    "wanted to",
    "before training",
    "games",
    "verdict",
)


def render_tuning_rows(data: Data) -> str:
    """Return a tuning as CSV, with a line for each value and measure."""
    return render_rows(TUNING_COLUMNS, _iter_rows(data))


def _iter_rows(data: Data) -> Iterator[list[object]]:
    """Yield the lines of each value."""
    phrases = [number["phrase"] for number in data["numbers"]]
    for value in data["values"]:
        named = [cell for pair in zip(phrases, value["values"], strict=True) for cell in pair]
        for index, goal in enumerate(data["goals"]):
            for place, measure in enumerate(goal["measures"]):
                estimate, untrained = value["estimates"][index][place], find_untrained(value, index, place)
                row = [*named, *[""] * (4 - len(named)), goal["text"], measure["name"], measure["unit"].strip()]
                row += [estimate["value"], estimate["low"], estimate["high"], goal["low"], goal["high"]]
                yield [*row, untrained["value"] if untrained else "", value["games"], value["verdict"]]


def build_curves(data: Data) -> list[ReportPart]:
    """Return the curve of each measure of a tuning, or its map."""
    return [
        _build_part(data, index, place)
        for index, goal in enumerate(data["goals"])
        for place in range(len(goal["measures"]))
    ]


def _iter_sections(data: Data) -> Iterator[ReportSection]:
    """Yield a section for each goal, and one for the change."""
    for index, goal in enumerate(data["goals"]):
        parts = [_build_part(data, index, place) for place in range(len(goal["measures"]))]
        yield ReportSection(goal["text"], f"Wanted: {goal['range']}, shown as a band.", parts)
    rows = [[ReportCell(line)] for line in data["diff"]]
    yield ReportSection("The change", "", [ReportPart(head=("",), rows=rows)])


def _build_part(data: Data, index: int, place: int) -> ReportPart:
    """Return the curve of a measure; for two numbers its map, shaded where games are nearer to the goal."""
    goal = data["goals"][index]
    measure = goal["measures"][place]
    cells = [(value, value["estimates"][index][place]) for value in data["values"]]
    if len(data["numbers"]) == 2:
        return _build_map(data, measure, cells)
    marks = [
        _build_mark(value, estimate, measure["unit"], find_untrained(value, index, place))
        for value, estimate in cells
        if value["games"]
    ]
    bounds = [bound for bound in (goal["low"], goal["high"]) if bound is not None]
    axis = Axis(measure["name"], bounds[0], measure["unit"], note="all goals", band=(bounds[0], bounds[-1]))
    return ReportPart(measure["name"], build_dot_chart(marks, measure["name"], axis))


def _build_mark(value: Data, estimate: Data, unit: str, untrained: Data | None) -> Mark:
    """Return the mark of a value, with the measure by the bots before if they were trained for it."""
    number = estimate["value"]
    low, high = (number if estimate[name] is None else estimate[name] for name in ("low", "high"))
    games = f"{value['verdict']}, {value['games']:,} games"
    if untrained:
        games += f"; before training {format_untrained(untrained, unit)}"
    return Mark(", ".join(map(str, value["values"])), number, low, high, format_estimate(estimate, unit), games)


def _build_map(data: Data, measure: Data, cells: Sequence[tuple[Data, Data]]) -> ReportPart:
    """Return a table with the values of the first number as rows, of the second as columns."""
    shades = {MET: MAX_SHADE, MISSED: 0.0}
    by_values = {tuple(value["values"]): (value, estimate) for value, estimate in cells}
    columns = sorted({values[1] for values in by_values})
    first, second = (number["phrase"] for number in data["numbers"])
    rows = []
    for row in sorted({values[0] for values in by_values}):
        found = [by_values[row, column] for column in columns]
        texts = [
            ReportCell(f"{estimate['value']:.1f}{measure['unit']}", shades.get(value["verdict"], MAX_SHADE / 3))
            for value, estimate in found
        ]
        rows.append([ReportCell(str(row)), *texts])
    head = (f"{first} ↓ {second} →", *map(str, columns))
    return ReportPart(f"{measure['name']} (shaded: all goals met; lightly: undecided)", head=head, rows=rows)
