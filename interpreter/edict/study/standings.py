"""What a league came to: as plain data, and as a page.

The shape of the data is described in grammar/schema/league.schema.json.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.study.drawing import Axis, Chart, Mark, dots
from edict.study.findings import Data, estimated
from edict.study.league import League, meeting_data
from edict.study.html_report import Cell, Page, Part, Section, as_html
from edict.study.rating import MEAN, Rating, crossed, rated
from edict.study.scales import interval

PALEST, DARKEST = 0.04, 0.45


def standings(league: League) -> Data:
    """Everything found; there must be a game."""
    entries, meetings = league.entries, league.meetings
    program = entries.program
    table, against = rated(meetings), crossed(meetings)
    return {
        "game": program.name, "title": program.title, "modules": list(program.modules), "rules": program.rules_hash,
        "players": entries.players, "seed": entries.seed, "asked": league.games, "mishaps": dict(league.mishaps),
        "bots": [_rating(one) for one in table],
        "against": [
            {"bot": one.kind, "other": other.kind, "of": against[one.kind, other.kind].of,
             "ahead": estimated(against[one.kind, other.kind])}
            for one in table for other in table if (one.kind, other.kind) in against
        ],
        "games": [meeting_data(meeting) for meeting in meetings],
    }  # fmt: skip


def _rating(one: Rating) -> Data:
    return {
        "bot": one.kind, "rating": estimated(one.strength), "games": one.games, "wins": estimated(one.wins),
        "even": one.even,
    }  # fmt: skip


def cross_table(found: Data) -> tuple[list[str], list[list[float | None]]]:
    """The bots, the strongest first, and in each one's row how often it did better than each other."""
    kinds = [one["bot"] for one in found["bots"]]
    shares = {(one["bot"], one["other"]): one["ahead"]["value"] for one in found["against"]}
    return kinds, [[shares.get((one, other)) for other in kinds] for one in kinds]


# --- the page ---------------------------------------------------------------------------------


def league_page(found: Data) -> str:
    modules = [name for name in found["modules"] if name != found["game"]]
    with_ = f" with {', '.join(modules)}" if modules else ""
    played = len(found["games"])
    lead = f"{played:,} games{with_} at tables of {found['players']}, seed {found['seed']}."
    facts = [("games", f"{played:,}"), ("bots", str(len(found["bots"]))), ("highest rating", found["bots"][0]["bot"])]
    footer = f"{found['title']}, rules {found['rules']}; seed {found['seed']}."
    return as_html(Page(f"{found['title']}: league", lead, facts, list(_sections(found)), footer, _warnings(found)))


def _warnings(found: Data) -> list[str]:
    told = [f"The bot {what}: {often:,} times." for what, often in found["mishaps"].items()]
    if len(found["games"]) < found["asked"]:
        told.append(f"The league was stopped early, before all {found['asked']:,} games had been played.")
    return told


def _sections(found: Data) -> Iterator[Section]:
    yield Section(
        "Ratings", "A model of Bradley and Terry, fitted to all games, with 95 % intervals: the mean is 1500, and 400 "
        "points are odds of ten to one to finish ahead.", [Part(chart=_ratings(found))],
    )  # fmt: skip
    yield Section(
        "Wins", "How far a seat's share of wins is above an even one (percentage points, 95 % Wilson intervals).",
        [Part(chart=_wins(found))],
    )  # fmt: skip
    kinds, rows = cross_table(found)
    yield Section(
        "Head to head", "How often the bot in the row finished ahead of the one in the column; draws count half.",
        [Part(head=["", *kinds], rows=[_cells(kind, row) for kind, row in zip(kinds, rows, strict=True)])],
    )  # fmt: skip


def _ratings(found: Data) -> Chart | None:
    marks = []
    for one in found["bots"]:
        value, low, high = (one["rating"][name] for name in ("value", "low", "high"))
        text = f"{value:.0f} ({low:.0f} to {high:.0f})".replace("-", "−")
        marks.append(Mark(one["bot"], value, low, high, text))
    return dots(marks, "Ratings of the bots", Axis("rating (interval)", MEAN))


def _wins(found: Data) -> Chart | None:
    marks = []
    for one in found["bots"]:
        value, low, high = (100 * (one["wins"][name] - one["even"]) for name in ("value", "low", "high"))
        share = f"{100 * one['wins']['value']:.1f} % of {one['games']:,} games, even: {100 * one['even']:.0f} %"
        marks.append(Mark(one["bot"], value, low, high, interval(value, low, high, 1), share))
    names = Axis("percentage points (interval)", sign=True, note="wins")
    return dots(marks, "Share of wins above an even share", names)


def _cells(kind: str, row: Sequence[float | None]) -> list[Cell]:
    shades = [Cell("–") if v is None else Cell(f"{100 * v:.0f} %", PALEST + (DARKEST - PALEST) * v) for v in row]
    return [Cell(kind), *shades]
