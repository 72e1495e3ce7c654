"""Reports of what goes with winning besides single options: the order of turns, the course of games, groups of things.

Each question is one table in the terminal and one chart on a page, from the same data.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.agents.study.charts import (
    Axis,
    Mark,
    build_dot_chart,
    build_line_chart,
    draw_bar,
    draw_interval,
    format_interval,
)
from edict.agents.study.html_report import ReportPart
from edict.agents.study.inference import CONFIDENCE
from edict.agents.study.summary import Data
from edict.agents.study.verdict import is_shared_fate
from edict.support.morphology import join_words
from edict.support.records import dataclass

SIGNIFICANT = "*"
UNKNOWN = "–"
PLOT_WIDTH, BAR_WIDTH = 25, 12  # characters: a table fits into 80 columns
SIGNIFICANCE_NOTE = f"{SIGNIFICANT} significant among all comparisons of this report."
Row = list[str]


@dataclass(frozen=True, slots=True)
class FactorTable:
    """A question with its answer as a table, and as a part of a page."""

    title: str
    head: Sequence[str]
    rows: Sequence[Row]
    part: ReportPart


def list_factors(data: Data) -> list[FactorTable]:
    """Return the tables of a study's turn order, course and groups; those without data are left out.

    Of games that all players win or lose together there is none: nobody wins more than others.
    """
    if is_shared_fate(data):
        return []
    return [*_iter_turns(data), *_iter_course(data), *map(_build_group, data["grouped"])]


def mark_significance(difference: Data | None) -> str:
    """Return the mark of a significant difference; empty for others."""
    return SIGNIFICANT if difference and difference.get("significant") else ""


def format_points(difference: Data | None) -> str:
    """Return a difference of shares in percentage points, with its interval; a dash for None."""
    if difference is None or difference["low"] is None:
        return UNKNOWN
    value, low, high = (100 * difference[name] for name in ("value", "low", "high"))
    return format_interval(value, low, high, 1)


def describe_multiplicity(comparisons: Data) -> str:
    """Describe how many comparisons a report makes, how many are significant, and what chance would do."""
    made, found = comparisons["made"], comparisons["significant"]
    expected = round(made * (1 - CONFIDENCE))
    by_chance = f"about {expected}" if expected > 1 else "one or more"
    count = f"{found or 'none'} of them {'is' if found == 1 else 'are'} significant ({SIGNIFICANT})"
    risk = f"with a risk of {100 * comparisons['alarm']:.0f} % that any of these is chance ({comparisons['method']})"
    each = f"Each interval holds with 95 % confidence on its own; {by_chance} may exclude 0 by chance."
    return f"{made} comparisons: {count}, {risk}. {each}"


def to_mark(label: str, difference: Data, often: float | None = None) -> Mark:
    """Return a chart's dot for a difference of shares, in percentage points."""
    value, low, high = (100 * difference[name] for name in ("value", "low", "high"))
    text = f"{format_points(difference)} {mark_significance(difference)}".rstrip()
    return Mark(label, value, low, high, text, aside=often)


# --- the order of turns ----------------------------------------------------------------------------


def _iter_turns(data: Data) -> Iterator[FactorTable]:
    """Yield the win share by place in the turn order, if the rules set it during the game."""
    places = data["turns"]["places"]
    differences = [place["difference"] for place in places]
    if len(places) < 2 or any(difference["low"] is None for difference in differences):
        return
    title = f"By place in the turn order of each {join_words(data['turns']['names'], 'and')}"
    labels = [name_place(number, data["players"]) for number in range(1, len(places) + 1)]
    rows = [
        [
            label,
            f"{100 * place['win_share']['value']:.1f} %",
            draw_interval(place["difference"], differences, (0.0, 0.0), PLOT_WIDTH),
            format_points(place["difference"]),
            mark_significance(place["difference"]),
        ]
        for label, place in zip(labels, places, strict=True)
    ]
    marks = [to_mark(label, place["difference"]) for label, place in zip(labels, places, strict=True)]
    chart = build_dot_chart(marks, f"{title}: difference in win share", Axis("points from even", sign=True))
    yield FactorTable(title, ("place", "win share", "", "points from even", ""), rows, ReportPart(title, chart))


def name_place(number: int, players: int) -> str:
    """Return the name of a place in the turn order, as in `4 (last)`."""
    if number == players:
        return f"{number} (last)"
    return f"{number} (first)" if number == 1 else str(number)


# --- the course of games ---------------------------------------------------------------------------


def _iter_course(data: Data) -> Iterator[FactorTable]:
    """Yield scores at the end of each round, and how often those who led then win."""
    course, bots = data["course"], data["bots"]
    if len(course) < 2:
        return
    kinds = sorted(set(bots)) if len(set(bots)) > 1 else []
    title = f"After each {data['round'].lower()}"
    top = max(max(step["winners"], step["score"]["value"]) for step in course)
    rows = [
        [
            f"{data['round']} {step['round']}",
            f"{step['score']['value']:.1f}",
            draw_bar(step["score"]["value"], top, BAR_WIDTH),
            f"{step['winners']:.1f}",
            f"{100 * step['leaders_win']['value']:.0f} %",
            draw_bar(step["leaders_win"]["value"], 1.0, BAR_WIDTH),
            *(f"{100 * _sum_leads(step, bots, kind):.0f} %" for kind in kinds),
        ]
        for step in course
    ]
    head = ("", "mean score", "", "of winners", "leaders who win", "", *(f"{kind} leads" for kind in kinds))
    series = [
        ("all players", [step["score"]["value"] for step in course]),
        ("later winners", [step["winners"] for step in course]),
    ]
    chart = build_line_chart(series, f"Mean score after each {data['round'].lower()}", [row[0] for row in rows])
    yield FactorTable(title, head, rows, ReportPart("Mean score", chart))
    yield FactorTable("", (), (), _build_leaders(data))


def _sum_leads(step: Data, bots: Sequence[str], kind: str) -> float:
    """Return the share of games in which a seat of a kind of bot led at the end of a round."""
    return float(sum(share for share, bot in zip(step["led"], bots, strict=True) if bot == kind))


def _build_leaders(data: Data) -> ReportPart:
    """Return a chart of how often those who led after a round win."""
    marks = []
    for step in data["course"]:
        value, low, high = (100 * step["leaders_win"][name] for name in ("value", "low", "high"))
        text = f"{value:.1f} % ({low:.1f} to {high:.1f})"
        marks.append(Mark(f"{data['round']} {step['round']}", value, low, high, text))
    axis = Axis("win share of those who lead", 100 / data["players"], " %")
    return ReportPart("Those who lead then, and win", build_dot_chart(marks, "Win share of leaders by round", axis))


# --- groups of things ------------------------------------------------------------------------------


def _build_group(group: Data) -> FactorTable:
    """Return the table of a way to group things: what each more of a group goes with."""
    known = [option for option in group["options"] if option["slope"]]
    slopes = [option["slope"] for option in known]
    rows = [
        [
            option["option"],
            f"{option['often']:.2f}",
            draw_interval(option["slope"], slopes, (0.0, 0.0), PLOT_WIDTH) if option["slope"] else "",
            format_points(option["slope"]),
            mark_significance(option["slope"]),
        ]
        for option in group["options"]
    ]
    marks = [to_mark(option["option"], option["slope"], option["often"]) for option in known]
    title = group["title"][:1].upper() + group["title"][1:]
    names = Axis("points for each more", sign=True, aside="per player and game")
    chart = build_dot_chart(marks, f"{title}: difference in win share for each more", names)
    head = ("", "per player", "", "win share, for each more", "")
    return FactorTable(title, head, rows, ReportPart(title, chart))
