"""The tables of benchmarks/balance.md, made from `balance.csv`; `balance.py` measures, and writes or checks them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from balance import Figure

LOW, HIGH = 0.75, 1.3  # of an even share of wins: what lies outside with its whole interval is far out
MUCH = 1.0  # VP: what does less between all bots, on the mean of all tables, has no row
ADJUSTABLE = ("reconstructed", "original")
SELDOM = 0.02  # times a player and game


def write(page: Path, figures: Sequence[Figure]) -> None:
    """Put every table between its marks, `<!-- governors -->` and `<!-- end of governors -->`, which must be there."""
    page.write_text(_with_tables(page.read_text(encoding="utf-8"), figures), encoding="utf-8")


def stale(page: Path, figures: Sequence[Figure]) -> Iterator[str]:
    """A line if the page has other tables than these figures make."""
    text = page.read_text(encoding="utf-8")
    if text != _with_tables(text, figures):
        yield f"{page.name} has other tables than balance.csv: python benchmarks/balance.py --page"


def _with_tables(text: str, figures: Sequence[Figure]) -> str:
    for name, table in TABLES.items():
        before, begin, rest = text.partition(f"<!-- {name} -->\n")
        _, end, after = rest.partition(f"<!-- end of {name} -->")
        if not begin or not end:
            raise SystemExit(f"the page has no place for {name}: <!-- {name} --> and <!-- end of {name} -->")
        own = [one for one in figures if one.part == name]
        text = "".join([before, begin, "\n".join([*table(own), ""]), end, after])
    return text


def shares(figures: Sequence[Figure]) -> Iterator[str]:
    """Multiples of an even share of wins, for each kind of bot and number of players."""
    wins = [one for one in figures if one.measure == "share of wins"]
    yield from _by_table(wins, lambda one: f"{_far_out(one)}{one.value:.2f}{_far_out(one)}", lambda rows: True)
    yield from _how_many(wins)
    yield from _within(wins)
    built = [one for one in figures if one.measure == "constructed"]
    for bots, of_bots in groupby(sorted(built, key=lambda one: one.bots), lambda one: one.bots):
        often: dict[str, list[float]] = {}
        for one in of_bots:
            often.setdefault(one.thing, []).append(one.value)
        seldom = [thing for thing, values in often.items() if fmean(values) < SELDOM]
        rare = ", ".join(seldom) or "nothing"
        yield f"What `{bots}` bots construct less than once in {1 / SELDOM:.0f} games: {rare}."


def effects(figures: Sequence[Figure]) -> Iterator[str]:
    """What cards do to a score, for each kind of bot and number of players; only those that do much to some."""
    yield from _by_table(figures, lambda one: f"{one.value:+.1f}", _much)
    yield from _how_many(figures)


def changes(figures: Sequence[Figure]) -> Iterator[str]:
    """What each scenario changes."""
    measures = list(dict.fromkeys(one.measure for one in figures))
    yield from _head(["scenario", *measures])
    for thing, of_thing in groupby(figures, lambda one: one.thing):
        by_measure = {one.measure: f"{one.value:+.2f} ({one.low:+.2f} to {one.high:+.2f})" for one in of_thing}
        yield _row([thing, *(by_measure[measure] for measure in measures)])


TABLES: dict[str, Callable[[Sequence[Figure]], Iterator[str]]] = {
    "governors": shares,
    "destiny": effects,
    "tiles": effects,
    "strips": shares,
    "scenarios": changes,
}


def _by_table(
    figures: Sequence[Figure], cell: Callable[[Figure], str], shown: Callable[[dict[str, float]], bool]
) -> Iterator[str]:
    """A row for each thing, best first by the mean of all; a column for each kind of bot, a figure for each table."""
    kinds = list(dict.fromkeys(one.bots for one in figures))
    tables = [{one.players for one in figures if one.bots == kind} for kind in kinds]
    players = sorted(set.intersection(*tables))
    things = {one.thing: one.origin for one in figures}
    first, *others = (f"`{kind}`" for kind in kinds)
    yield from _head(["", "origin", f"{first}, {' and '.join(map(str, players))} players", *others])
    means = {
        thing: {kind: fmean(one.value for one in figures if (one.thing, one.bots) == (thing, kind)) for kind in kinds}
        for thing in things
    }
    for thing in sorted(things, key=lambda one: -fmean(means[one].values())):
        at = {(one.bots, one.players): cell(one) for one in figures if one.thing == thing}
        if shown(means[thing]):
            yield _row([thing, things[thing], *(" ".join(at[kind, many] for many in players) for kind in kinds)])


def _much(means: dict[str, float]) -> bool:
    return max(map(abs, means.values())) >= MUCH


def _far_out(one: Figure) -> str:
    """The mark of what lies outside with its whole interval."""
    return "**" if one.low > HIGH or one.high < LOW else ""


def _within(figures: Sequence[Figure]) -> Iterator[str]:
    """How many of those that could be adjusted need not be."""
    ours = {one.thing for one in figures if one.origin in ADJUSTABLE}
    out = {one.thing for one in figures if _far_out(one)}
    if ours:
        yield f"Of the {len(ours)} in which something is ours, {len(ours - out)} reach the target at every table."
        yield ""


def _how_many(figures: Sequence[Figure]) -> Iterator[str]:
    games = {one.games for one in figures}
    widest = max(max(one.high - one.value, one.value - one.low) for one in figures)
    yield ""
    yield f"Each figure is of {max(games):,} games; intervals reach {widest:.2f} at most to either side."
    yield ""


def _head(cells: Sequence[str]) -> list[str]:
    return [_row(cells), "|" + "---|" * len(cells)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
