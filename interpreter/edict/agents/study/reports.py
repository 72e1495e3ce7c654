"""What was found, as pages and for a spreadsheet: of a study, of two sets of rules, of a league."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from edict.agents.study.charts import Axis, Chart, Mark, bars, digits, dots, frequency, histogram, interval, signed
from edict.agents.study.comparison import CERTAIN, FAVOUR, LENGTH, LESS, METHOD, MORE, OFTEN, SAME, SCORES, WINS
from edict.agents.study.html_report import ReportCell, ReportPage, ReportPart, ReportSection, as_html
from edict.agents.study.inference import LEVEL
from edict.agents.study.league_play import cross_table
from edict.agents.study.rating import MIDDLE
from edict.agents.study.summary import Data
from edict.agents.study.table_files import as_cell
from edict.runtime.simulation.counters import CHOSEN, HELD, SAID, SCORED
from edict.support.morphology import count_noun

SELDOM = 0.005  # times a game; what is announced less often is left out
MOST_SOURCES = 20  # told one by one
MOST_LINES = 24
PALEST, DARKEST = 0.04, 0.45

READING = (
    "Lines are 95 % confidence intervals: Wilson score intervals for shares, Student's t intervals for mean scores. "
    "Seats of the same game are treated as independent."
)
NO_CAUSE = (
    "What correlates with winning does not necessarily cause it: players who are ahead can afford more. "
    "The bar shows how often something happened, per player and game. The dot shows how much more often it went with "
    "a win than without it, in percentage points."
)
PER_SEAT = "per player and game"


def study_page(found: Data) -> str:
    """The whole page."""
    return as_html(
        ReportPage(
            found["game"]["title"],
            _lead(found),
            _facts_of_study(found),
            list(_sections_of_study(found)),
            _footer(found),
            _warnings_of_study(found),
        )
    )


def _lead(found: Data) -> str:
    bots = found["bots"]
    some = "bots" if found["players"] > 1 else "bot"
    who = f"{found['players']} {bots[0]} {some}" if len(set(bots)) == 1 else f"bots ({', '.join(bots)})"
    modules = found["game"]["modules"][1:]  # the first is the game
    with_ = f" with {', '.join(modules)}," if modules else ""
    return f"{found['games']:,} games{with_} played by {who}, from seed {found['seed']}."


SHARED = "Of a victory that several share, each has a part: of two, one half."


def _warnings_of_study(found: Data) -> list[str]:
    told = [
        f"{count_noun(often, 'game')} aborted, and not counted: the rules {what}."
        for what, often in found["faults"].items()
    ]
    told += [f"The bot {what}: {often:,} times." for what, often in found["mishaps"].items()]
    if found["games"] < found["asked"]:
        told.append(f"The study was stopped early, before all {found['asked']:,} games had been played.")
    return told


def _facts_of_study(found: Data) -> list[tuple[str, str]]:
    if not found["games"]:
        return []
    rounds = found["length"]["rounds"]["mean"]["value"]
    facts = [
        ("games", f"{found['games']:,}"),
        ("mean score", f"{found['score']['mean']['value']:.1f}"),
        ("mean winning score", f"{found['winning_score']['mean']['value']:.1f}"),
        ("winning margin", f"{found['margin']['mean']['value']:.1f}"),
        ("choices per game", f"{found['length']['choices']['mean']['value']:.0f}"),
        ("shared wins", f"{100 * found['shared'] / found['games']:.1f} %"),
    ]
    return facts + ([(f"rounds ({found['round']})", f"{rounds:.1f}")] if found["round"] else [])


def _sections_of_study(found: Data) -> Iterator[ReportSection]:
    if not found["games"]:
        return
    shared = f" {SHARED}" if found["shared"] else ""
    yield ReportSection("Who wins", f"The dashed line marks an even share.{shared} {READING}", list(_winners(found)))
    yield ReportSection("Scores", "All players, and the winners alone.", [ReportPart(chart=_scores(found))])
    yield ReportSection(
        "Where the points come from",
        "Points per player and game, by the rule that gave or took them.",
        [ReportPart(chart=_sources(found))],
    )
    yield _compared("What correlates with winning", NO_CAUSE, [_options(group, found) for group in shown_groups(found)])
    yield _compared(
        "What was drawn",
        "The dot shows how much higher a player's score was in games where it was drawn.",
        [_drawn(group) for group in found["drawn"]],
    )
    yield ReportSection(
        f"{found['round']} by {found['round'].lower()}" if found["round"] else "Announcements",
        "How often each announcement was made, per game.",
        [_announced(found)],
    )
    yield ReportSection("Game length", "Choices per game, by all players together.", [ReportPart(chart=_length(found))])


def _compared(title: str, text: str, parts: list[ReportPart]) -> ReportSection:
    """Of many intervals side by side some miss; how many is said, as each by itself is what its 95 % are about."""
    intervals = sum(len(part.chart.rows) for part in parts if part.chart)
    return ReportSection(title, f"{text} {by_chance(intervals)}" if intervals > 1 else text, parts)


def by_chance(intervals: int) -> str:
    """What to think of so many intervals of differences side by side."""
    expected = round(intervals * (1 - LEVEL))
    if expected > 1:
        missing = f"some {expected} of them would not reach 0, by chance."
    else:
        missing = f"in some {100 * (1 - LEVEL**intervals):.0f} % of studies one or more would not reach 0, by chance."
    alone = f"Each of these {intervals} intervals holds with 95 % by itself"
    return f"{alone}: even if nothing made a difference, {missing}"


def _winners(found: Data) -> Iterator[ReportPart]:
    names = Axis("win share", 100 / found["players"], " %")
    seats = [_share_mark(f"Seat {s['seat']}, {s['bot']}", s["win_share"]) for s in found["seats"]]
    yield ReportPart("By seat", dots(seats, "Win share by seat", names))
    places = [_share_mark(f"Place {n}", share) for n, share in enumerate(found["places"], 1)]
    if [mark.value for mark in places] != [mark.value for mark in seats]:
        title = "By place in the initial turn order"
        yield ReportPart(title, dots(places, "Win share by place in the initial turn order", names))


def _share_mark(label: str, share: Data) -> Mark:
    value, low, high = (100 * share[name] for name in ("value", "low", "high"))
    return Mark(label, value, low, high, f"{value:.1f} % ({low:.1f} to {high:.1f})")


def _shares(spread: Data) -> dict[int, float]:
    whole = sum(spread["counts"].values())
    return {int(value): often / whole for value, often in spread["counts"].items()}


def _scores(found: Data) -> Chart | None:
    both = (("all players", found["score"]), ("winners", found["winning_score"]))
    series = [(name, _shares(spread), spread["median"]) for name, spread in both]
    return histogram(series, "Distribution of scores", "score")


def _length(found: Data) -> Chart | None:
    spread = found["length"]["choices"]
    series = [("all games", _shares(spread), spread["median"])]
    return histogram(series, "Distribution of game length", "choices")


def _sources(found: Data) -> Chart | None:
    rows = [(s["rule"] or "not from a single rule", s["brought"], s["place"]) for s in found["sources"]]
    large = sorted(sorted(rows, key=lambda row: -abs(row[1]))[:MOST_SOURCES], key=lambda row: -row[1])
    rest = [row[1] for row in rows if row not in large and row[1]]
    if rest:
        large.append((f"{len(rest)} other rules", sum(rest), ""))
    marks = [Mark(name, points, points, points, signed(points), place) for name, points, place in large]
    return bars(marks, "Points per player and game, by rule", Axis("points", sign=True, note="source"))


def shown_groups(found: Data) -> list[Data]:
    """Questions about things, and what is held at the end: what a reader looks for first."""
    about = [group for group in found["chosen"] if group["of"] not in ("", "resource") and len(group["options"]) > 2]
    return [*about, *found["held"]]


def _options(group: Data, found: Data) -> ReportPart:
    marks = [_option_mark(option) for option in group["options"] if option["lift"]]
    title = group["title"] if group in found["chosen"] else f"Held at the end: {group['title']}"
    names = Axis("difference in win share", sign=True, aside=PER_SEAT)
    return ReportPart(title, dots(marks, f"{title}: difference in win share", names))


def _option_mark(option: Data) -> Mark:
    value, low, high = (100 * option["lift"][name] for name in ("value", "low", "high"))
    return Mark(option["option"], value, low, high, interval(value, low, high, 1), aside=option["often"])


def _drawn(group: Data) -> ReportPart:
    marks = [_drawn_mark(option) for option in group["options"] if option["effect"]]
    names = Axis("effect on the score", sign=True, aside="per game")
    return ReportPart(group["title"], dots(marks, f"{group['title']}: effect on the score", names))


def _drawn_mark(option: Data) -> Mark:
    value, low, high = (option["effect"][name] for name in ("value", "low", "high"))
    return Mark(option["option"], value, low, high, interval(value, low, high, 2), aside=option["often"])


def _announced(found: Data) -> ReportPart:
    lines = [line for line in found["announced"] if max(line["by_round"]) >= SELDOM][:MOST_LINES]
    rounds = max((len(line["by_round"]) for line in lines), default=0)
    head = ["", *(f"{found['round']} {n}" if found["round"] else "in all" for n in range(1, rounds + 1))]
    return ReportPart(head=head, rows=[_round_row(line) for line in lines])


def _round_row(line: Data) -> Sequence[ReportCell]:
    most = max(line["by_round"]) or 1.0
    return [
        ReportCell(line["words"]),
        *(ReportCell(_often(often, amount), _shade(often / most)) for often, amount in _by_round(line)),
    ]


def _by_round(line: Data) -> Iterator[tuple[float, float | None]]:
    amounts = line["amounts"] or [None] * len(line["by_round"])
    yield from zip(line["by_round"], amounts, strict=True)


def _often(often: float, amount: float | None) -> str:
    return frequency(often) if amount is None else f"{frequency(often)} (mean {amount:.1f})"


def _shade(part: float) -> float:
    return PALEST + (DARKEST - PALEST) * part if part else 0.0


def _footer(found: Data) -> str:
    game = found["game"]
    return (
        f"{game['title']} {game['version']}, rules {game['rules']}; bots {', '.join(found['bots'])}; "
        f"seed {found['seed']}; "
        f"settings {', '.join(f'{name} = {value}' for name, value in found['settings'].items()) or 'none'}."
    )


# --- two sets of rules ---------------------------------------------------------------------------


def comparison_page(data: Data) -> str:
    one, other = (rules["name"] for rules in data["rules"])
    title = f"{data['rules'][0]['title']}: {other} against {one}"
    bots = ", ".join(sorted(set(data["bots"])))
    lead = f"{data['pairs']:,} pairs of games, {data['players']} players ({bots}), seed {data['seed']}."
    facts, warnings = _facts_of_comparison(data), _warnings_of_comparison(data)
    return as_html(ReportPage(title, lead, facts, list(_sections_of_comparison(data)), METHOD, warnings))


def _facts_of_comparison(data: Data) -> list[tuple[str, str]]:
    certain = sum(answer["verdict"] in (MORE, LESS) for answer in data["details"])
    return [
        ("pairs of games", f"{data['pairs']:,}"),
        (
            "main questions answered",
            f"{sum(a['verdict'] in (MORE, LESS, SAME) for a in data['main'])} of {len(data['main'])}",
        ),
        ("details that differ", f"{certain} of {len(data['details'])}"),
    ]


def _warnings_of_comparison(data: Data) -> list[str]:
    told = [f"{data['broken']:,} pairs were aborted and are not counted."] if data["broken"] else []
    if data["pairs"] + data["broken"] < data["budget"] and not data["clear"]:
        told.append(f"The comparison was stopped early; it could have gone on to {data['budget']:,} pairs.")
    return told


def _sections_of_comparison(data: Data) -> Iterator[ReportSection]:
    one, other = (rules["name"] for rules in data["rules"])
    yield ReportSection("In short", "", [ReportPart(lines=data["said"])])
    texts = {WINS: "Win share", SCORES: "Scores", LENGTH: "Length"}
    parts = [
        ReportPart(title, _chart([a for a in data["main"] if a["about"] == about], about, title))
        for about, title in texts.items()
    ]
    yield ReportSection("The main questions", f"How {other} differs from {one}: a dot to the right means more.", parts)
    for title, kind, about in (
        ("What players choose", CHOSEN, OFTEN),
        ("What they hold at the end", HELD, OFTEN),
        ("Where their points come from", SCORED, OFTEN),
        ("What happens in a game", SAID, OFTEN),
        ("What correlates with winning", "", FAVOUR),
    ):
        chosen = [a for a in data["details"] if a["verdict"] in (MORE, LESS) and a["about"] == about]
        groups = _by_group([a for a in chosen if kind in ("", a["kind"])])
        parts = [ReportPart(group, _chart(answers, about, f"{title}: {group}")) for group, answers in groups.items()]
        yield ReportSection(title, _said_of(about, kind), parts)


def _said_of(about: str, kind: str) -> str:
    if about == FAVOUR:
        return "How far those who have it are above an even win share, in percentage points."
    what = {SCORED: "Points per player and game.", SAID: "Times per game."}.get(kind, "Times per player and game.")
    return f"{what} Only what differs by {CERTAIN}."


def _by_group(answers: list[Data]) -> dict[str, list[Data]]:
    found: dict[str, list[Data]] = {}
    for answer in answers:
        found.setdefault(answer["group"], []).append(answer)
    return found


def _chart(answers: list[Data], about: str, title: str) -> Chart | None:
    shares = about in (WINS, FAVOUR)
    unit = 100 if shares else 1
    places = digits(unit * answer["difference"][name] for answer in answers for name in ("value", "low", "high"))
    marks = [_mark(answer, shares, places) for answer in answers]
    change = "percentage points (interval)" if shares else "change (interval)"
    names = Axis(change, sign=True, note="before → after")
    return dots(marks, f"{title}: change, with its interval", names)


def _mark(answer: Data, shares: bool, places: int) -> Mark:
    unit, percent = (100, " %") if shares else (1, "")
    value, low, high = (unit * answer["difference"][name] for name in ("value", "low", "high"))
    before, after = (f"{unit * number:.{places}f}{percent}" for number in answer["values"])
    label, text = answer["option"] or answer["name"], interval(value, low, high, places)
    return Mark(label, value, low, high, text, f"{before} → {after}")


# --- a league ------------------------------------------------------------------------------------


def league_page(found: Data) -> str:
    modules = found["modules"][1:]
    with_ = f" with {', '.join(modules)}" if modules else ""
    played = len(found["games"])
    lead = f"{played:,} games{with_} at tables of {found['players']}, seed {found['seed']}."
    facts = [("games", f"{played:,}"), ("bots", str(len(found["bots"]))), ("highest rating", found["bots"][0]["bot"])]
    footer = f"{found['title']}, rules {found['rules']}; seed {found['seed']}."
    sections, warnings = list(_sections_of_league(found)), _warnings_of_league(found)
    return as_html(ReportPage(f"{found['title']}: league", lead, facts, sections, footer, warnings))


def _warnings_of_league(found: Data) -> list[str]:
    told = [f"The bot {what}: {often:,} times." for what, often in found["mishaps"].items()]
    if len(found["games"]) < found["asked"]:
        told.append(f"The league was stopped early, before all {found['asked']:,} games had been played.")
    return told


def _sections_of_league(found: Data) -> Iterator[ReportSection]:
    yield ReportSection(
        "Ratings",
        "Bradley and Terry's model, fitted to all games, in any order: the median is 1500, and 400 points "
        "are odds of ten to one to finish ahead. Each interval holds with 95 % by itself; it comes from resampling "
        "whole games, and four times as many games halve it.",
        [ReportPart(chart=_ratings(found))],
    )
    yield ReportSection(
        "Wins",
        "How far a seat's share of wins is above an even one (percentage points, 95 % Wilson intervals).",
        [ReportPart(chart=_wins(found))],
    )
    kinds, rows = cross_table(found)
    yield ReportSection(
        "Head to head",
        "How often the bot in the row finished ahead of the one in the column; draws count half.",
        [ReportPart(head=["", *kinds], rows=[_cells(kind, row) for kind, row in zip(kinds, rows, strict=True)])],
    )


def _ratings(found: Data) -> Chart | None:
    marks = []
    for one in found["bots"]:
        value, low, high = (one["rating"][name] for name in ("value", "low", "high"))
        text = f"{value:.0f} ({low:.0f} to {high:.0f})".replace("-", "−")
        marks.append(Mark(one["bot"], value, low, high, text))
    return dots(marks, "Ratings of the bots", Axis("rating (interval)", MIDDLE))


def _wins(found: Data) -> Chart | None:
    marks = []
    for one in found["bots"]:
        value, low, high = (100 * (one["wins"][name] - one["even"]) for name in ("value", "low", "high"))
        share = f"{100 * one['wins']['value']:.1f} % of {one['games']:,} games, even: {100 * one['even']:.0f} %"
        marks.append(Mark(one["bot"], value, low, high, interval(value, low, high, 1), share))
    names = Axis("percentage points (interval)", sign=True, note="wins")
    return dots(marks, "Share of wins above an even share", names)


def _cells(kind: str, row: Sequence[float | None]) -> list[ReportCell]:
    shades = [
        ReportCell("–") if v is None else ReportCell(f"{100 * v:.0f} %", PALEST + (DARKEST - PALEST) * v) for v in row
    ]
    return [ReportCell(kind), *shades]


# --- for a spreadsheet -----------------------------------------------------------------------------

HEAD = (
    "kind",
    "group",
    "option",
    "per_game",
    "taken_when_offered",
    "with_of",
    "with_win_share",
    "with_low",
    "with_high",
    "without_win_share",
    "difference",
    "difference_low",
    "difference_high",
    "score_with",
    "score_without",
)


def as_csv(found: Data) -> str:
    """A line for each seat, source of score and option, for a spreadsheet."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(HEAD)
    writer.writerows([as_cell(value) for value in line] for line in _lines(found))
    return text.getvalue()


def _lines(found: Data) -> Iterator[list[object]]:
    for seat in found.get("seats", ()):
        share = seat["win_share"]
        yield [
            "seat",
            seat["bot"],
            seat["seat"],
            1,
            "",
            found["games"],
            share["value"],
            share["low"],
            share["high"],
            "",
            "",
            "",
            "",
            seat["score"]["mean"]["value"],
            "",
        ]
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
        kind,
        group,
        o["option"],
        o["often"],
        "" if o["taken"] is None else o["taken"],
        o["with"]["of"],
        had.get("value", ""),
        had.get("low", ""),
        had.get("high", ""),
        without.get("value", ""),
        lift.get("value", ""),
        lift.get("low", ""),
        lift.get("high", ""),
        score_with.get("value", ""),
        score_without.get("value", ""),
    ]
