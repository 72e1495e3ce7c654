"""Reports of a study, a comparison or a league as HTML pages, and of a study as CSV."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

from edict.agents.study.charts import (
    Axis,
    Chart,
    Mark,
    build_bar_chart,
    build_dot_chart,
    build_histogram,
    choose_precision,
    format_difference,
    format_frequency,
    format_interval,
)
from edict.agents.study.comparison import FAVOUR, LENGTH, LESS, METHOD, MORE, OFTEN, SAME, SCORES, WINS
from edict.agents.study.factors import (
    SIGNIFICANCE_NOTE,
    describe_multiplicity,
    list_factors,
    mark_significance,
    to_mark,
)
from edict.agents.study.html_report import ReportCell, ReportPage, ReportPart, ReportSection, render_html
from edict.agents.study.league_play import build_cross_table
from edict.agents.study.option_groups import select_draws, select_groups
from edict.agents.study.rating import MEDIAN_RATING
from edict.agents.study.summary import Data
from edict.agents.study.table_files import escape_formula
from edict.agents.study.verdict import is_shared_fate, places_match_seats
from edict.runtime.simulation.counters import CHOSEN, HELD, SAID, SCORED
from edict.support.morphology import count_noun

MIN_FREQUENCY = 0.005
MAX_SOURCES = 20
MAX_ANNOUNCEMENTS = 24
MIN_SHADE, MAX_SHADE = 0.04, 0.45

INTERVAL_NOTE = (
    "Lines are 95 % confidence intervals: Wilson score intervals for shares, Student's t intervals for mean scores. "
    "Seats of the same game are treated as independent."
)
CORRELATION_NOTE = (
    "What correlates with winning does not necessarily cause it: players who are ahead can afford more. "
    "The bar shows how often something happened, per player and game. The dot shows how much more often it went with "
    "a win than without it, in percentage points."
)
FACTOR_NOTE = (
    "Players who act later, lead early or hold more of a row may win more for other reasons, too. For turns, intervals "
    f"are over games, not seats. {SIGNIFICANCE_NOTE}"
)
PER_SEAT = "per player and game"


def render_study(data: Data) -> str:
    """Render the page of a study."""
    return render_html(
        ReportPage(
            data["game"]["title"],
            _study_lead(data),
            _study_facts(data),
            list(_study_sections(data)),
            _study_footer(data),
            _study_warnings(data),
            data.get("said", ()),
        )
    )


def _study_lead(data: Data) -> str:
    """Return the opening sentence: `1,000 games played by 4 greedy bots, from seed 1.`, with added modules."""
    bots = data["bots"]
    noun = "bots" if data["players"] > 1 else "bot"
    if len(set(bots)) == 1:
        players = f"{data['players']} {bots[0]} {noun}"
    else:
        players = f"bots ({', '.join(bots)})"
    modules = data["game"]["modules"][1:]  # the first is the game
    with_ = f" with {', '.join(modules)}," if modules else ""
    return f"{data['games']:,} games{with_} played by {players}, from seed {data['seed']}."


def describe_ties(data: Data) -> str:
    """Return how many games ended in a tie and how these count; empty if none did, or players win together."""
    if not data["shared"] or is_shared_fate(data):
        return ""
    share = f"{100 * data['shared'] / data['games']:.1f} %"
    return f"{share} of games were ties; a tied win counts as a fraction for each winner."


def _study_warnings(data: Data) -> list[str]:
    """Return a sentence for each fault of the rules and of a bot, and one if the study was stopped early."""
    warnings = [
        f"{count_noun(count, 'game')} aborted, and not counted: the rules {fault}."
        for fault, count in data["faults"].items()
    ]
    warnings += [f"The bot {fault}: {count:,} times." for fault, count in data["mishaps"].items()]
    if data["games"] < data["asked"]:
        warnings.append(f"The study was stopped early, before all {data['asked']:,} games had been played.")
    return warnings


def _study_facts(data: Data) -> list[tuple[str, str]]:
    """Return the key figures as (label, text): games, scores, margin, choices, shared wins; empty without games."""
    if not data["games"]:
        return []
    rounds = data["length"]["rounds"]["mean"]["value"]
    facts = [
        ("games", f"{data['games']:,}"),
        ("mean score", f"{data['score']['mean']['value']:.1f}"),
        ("mean winning score", f"{data['winning_score']['mean']['value']:.1f}"),
        ("winning margin", f"{data['margin']['mean']['value']:.1f}"),
        ("choices per game", f"{data['length']['choices']['mean']['value']:.0f}"),
    ]
    return facts + ([(f"rounds ({data['round']})", f"{rounds:.1f}")] if data["round"] else [])


def _study_sections(data: Data) -> Iterator[ReportSection]:
    """Yield the report's sections from who wins to game length; none without games."""
    if not data["games"]:
        return
    notes = " ".join(filter(None, ("The dashed line marks an even share.", describe_ties(data), INTERVAL_NOTE)))
    yield ReportSection("Who wins", notes, list(_iter_win_charts(data)))
    yield ReportSection("Turns, rounds and groups", FACTOR_NOTE, [factor.part for factor in list_factors(data)])
    yield ReportSection("Scores", "All players, and the winners alone.", [ReportPart(chart=_score_chart(data))])
    yield ReportSection(
        "Where the points come from",
        "Points per player and game, by the rule that gave or took them.",
        [ReportPart(chart=_source_chart(data))],
    )
    yield ReportSection(UNTAKEN_TITLE, UNTAKEN_NOTE, [_untaken_part(data)])
    correlations = [_option_part(group) for group in select_groups(data)]
    yield ReportSection("What correlates with winning", f"{CORRELATION_NOTE} {SIGNIFICANCE_NOTE}", correlations)
    yield ReportSection(
        "What was drawn",
        f"The dot shows how much higher a player's score was in games where it was drawn. {SIGNIFICANCE_NOTE}",
        [_draw_part(group) for group in select_draws(data)],
    )
    yield ReportSection("What happens in a game", "How often, per game.", [_announcement_part(data)])
    yield ReportSection(
        "Game length", "Choices per game, by all players together.", [ReportPart(chart=_length_chart(data))]
    )


def _iter_win_charts(data: Data) -> Iterator[ReportPart]:
    """Yield the win share by seat, then by place in the initial turn order if those shares differ."""
    names = Axis("win share", 100 / data["players"], " %")
    seats = [_share_to_mark(f"Seat {s['seat']}, {s['bot']}", s["win_share"]) for s in data["seats"]]
    yield ReportPart("By seat", build_dot_chart(seats, "Win share by seat", names))
    if not places_match_seats(data):
        places = [_share_to_mark(f"Place {n}", share) for n, share in enumerate(data["places"], 1)]
        title = "By place in the initial turn order"
        yield ReportPart(title, build_dot_chart(places, "Win share by place in the initial turn order", names))


def _share_to_mark(label: str, share: Data) -> Mark:
    """Return a chart's dot for a share with its interval, in percent: `25.0 % (22.1 to 28.0)`."""
    value, low, high = (100 * share[name] for name in ("value", "low", "high"))
    return Mark(label, value, low, high, f"{value:.1f} % ({low:.1f} to {high:.1f})")


def _to_shares(spread: Data) -> dict[int, float]:
    """Turn the counts of values, with keys as text, into shares of their total."""
    total = sum(spread["counts"].values())
    return {int(value): count / total for value, count in spread["counts"].items()}


def _score_chart(data: Data) -> Chart | None:
    """Return a histogram of the scores of all players and of the winners; None if there is nothing to draw."""
    groups = (("all players", data["score"]), ("winners", data["winning_score"]))
    series = [(name, _to_shares(spread), spread["median"]) for name, spread in groups]
    return build_histogram(series, "Distribution of scores", "score")


def _length_chart(data: Data) -> Chart | None:
    """Return a histogram of choices per game; None if there is nothing to draw."""
    spread = data["length"]["choices"]
    series = [("all games", _to_shares(spread), spread["median"])]
    return build_histogram(series, "Distribution of game length", "choices")


def _source_chart(data: Data) -> Chart | None:
    """Return bars of points per player and game for the `MAX_SOURCES` largest rules, the rest summed up in one."""
    rows = [(s["rule"] or "not from a single rule", s["brought"], s["place"]) for s in data["sources"]]
    shown = sorted(sorted(rows, key=lambda row: -abs(row[1]))[:MAX_SOURCES], key=lambda row: -row[1])
    rest = [row[1] for row in rows if row not in shown and row[1]]
    if rest:
        shown.append((f"{len(rest)} other rules", sum(rest), ""))
    marks = [Mark(name, points, points, points, format_difference(points), place) for name, points, place in shown]
    return build_bar_chart(marks, "Points per player and game, by rule", Axis("points", sign=True, note="source"))


UNTAKEN_TITLE = "Never offered or never taken"
UNTAKEN_NOTE = "No bot of these games ever had or took these. `study --never` looks further."
UNTAKEN_HEADINGS = ("", "question", "offered", "why")


def untaken_rows(data: Data) -> list[list[str]]:
    """Return a row for each option that was never offered, or often offered and never taken."""
    return [
        [
            row["option"],
            row["question"],
            count_noun(row["offered"], "time") if row["offered"] else "never",
            row.get("why", ""),
        ]
        for row in data["untaken"]
    ]


def _untaken_part(data: Data) -> ReportPart:
    rows = [[ReportCell(text) for text in row] for row in untaken_rows(data)]
    return ReportPart(head=UNTAKEN_HEADINGS, rows=rows)


def _option_part(group: Data) -> ReportPart:
    """Return a chart of how much each option of a group raises the win share, in percentage points."""
    marks = [_option_to_mark(option) for option in group["options"] if option["lift"]]
    title = group["title"]
    names = Axis("difference in win share", sign=True, aside=PER_SEAT)
    return ReportPart(title, build_dot_chart(marks, f"{title}: difference in win share", names))


def _option_to_mark(option: Data) -> Mark:
    """Return a chart's dot for an option: difference in win share with interval, and its frequency aside."""
    return to_mark(option["option"], option["lift"], option["often"])


def _draw_part(group: Data) -> ReportPart:
    """Return a chart of how much higher a player's score is with each thing drawn of a group."""
    marks = [_draw_to_mark(option) for option in group["options"]]
    names = Axis("effect on the score", sign=True, aside="per game")
    return ReportPart(group["title"], build_dot_chart(marks, f"{group['title']}: effect on the score", names))


def _draw_to_mark(option: Data) -> Mark:
    """Return a chart's dot for a drawn thing: its effect on the score with interval, and its frequency aside."""
    value, low, high = (option["effect"][name] for name in ("value", "low", "high"))
    text = f"{format_interval(value, low, high, 2)} {mark_significance(option['effect'])}".rstrip()
    return Mark(option["option"], value, low, high, text, aside=option["often"])


def _announcement_part(data: Data) -> ReportPart:
    """Return a table of the frequency of announcements by round; rare and surplus ones are left out."""
    told = [line for line in data["announced"] if is_telling(line) or line["amounts"]]
    lines = [line for line in told if max(line["by_round"]) >= MIN_FREQUENCY][:MAX_ANNOUNCEMENTS]
    return ReportPart(head=round_headings(data), rows=[_build_round_row(line) for line in lines])


def is_telling(line: Data) -> bool:
    """Return False for an announcement made equally often in every round, and for one that is a thing without words."""
    often = set(line["by_round"])
    is_constant = len(often) == 1 and all(float(number).is_integer() for number in often)
    return not is_constant and not re.fullmatch(r"\[[^\[\]]+\]", line["words"])


def round_headings(data: Data) -> list[str]:
    """Return the headings of a table with a column for each round; the last column may stand for all later ones."""
    rounds = max((len(line["by_round"]) for line in data["announced"]), default=0)
    if not data["round"]:
        return ["", *["in all"] * rounds]
    headings = [f"{data['round']} {number}" for number in range(1, rounds + 1)]
    longest = max(map(int, data["length"]["rounds"]["counts"]), default=0)
    return ["", *headings[:-1], *(f"{title} on" if longest > rounds else title for title in headings[-1:])]


def _build_round_row(line: Data) -> Sequence[ReportCell]:
    """Return an announcement's cells: its words, then its frequency by round, shaded relative to its maximum."""
    maximum = max(line["by_round"]) or 1.0
    return [
        ReportCell(line["label"]),
        *(
            ReportCell(_format_amount(often, amount), _compute_shade(often / maximum))
            for often, amount in _iter_rounds(line)
        ),
    ]


def _iter_rounds(line: Data) -> Iterator[tuple[float, float | None]]:
    """Yield for each round an announcement's frequency and the mean of its numbers, None if it has none."""
    amounts = line["amounts"] or [None] * len(line["by_round"])
    yield from zip(line["by_round"], amounts, strict=True)


def _format_amount(times: float, amount: float | None) -> str:
    """Format a frequency, with the mean of the announced numbers if any: `1.25 (mean 3.0)`."""
    if amount is None:
        return format_frequency(times)
    return f"{format_frequency(times)} (mean {amount:.1f})"


def _compute_shade(part: float) -> float:
    """Map a share from 0 to 1 to a cell's opacity between `MIN_SHADE` and `MAX_SHADE`; 0 stays unshaded."""
    return MIN_SHADE + (MAX_SHADE - MIN_SHADE) * part if part else 0.0


def _study_footer(data: Data) -> str:
    """Return how many comparisons the study makes, and what reproduces it: version, hash, bots, seed and settings."""
    game, comparisons = data["game"], data.get("comparisons", {"made": 0})
    multiplicity = f"{describe_multiplicity(comparisons)} " if comparisons["made"] > 1 else ""
    return (
        f"{multiplicity}{game['title']} {game['version']}, rules {game['rules']}; bots {', '.join(data['bots'])}; "
        f"seed {data['seed']}; "
        f"settings {', '.join(f'{name} = {value}' for name, value in data['settings'].items()) or 'none'}."
    )


# --- two sets of rules ---------------------------------------------------------------------------


def render_comparison(data: Data) -> str:
    """Render the page of a comparison."""
    first_name, second_name = (rules["name"] for rules in data["rules"])
    title = f"{data['rules'][0]['title']}: {second_name} against {first_name}"
    bots = ", ".join(sorted(set(data["bots"])))
    lead = f"{data['pairs']:,} pairs of games, {data['players']} players ({bots}), seed {data['seed']}."
    facts, warnings = _comparison_facts(data), _comparison_warnings(data)
    sections = list(_comparison_sections(data))
    return render_html(ReportPage(title, lead, facts, sections, METHOD, warnings, data["said"]))


def _comparison_facts(data: Data) -> list[tuple[str, str]]:
    """Return the key figures as (label, text): pairs, main questions answered, and details that differ."""
    differing = sum(answer["verdict"] in (MORE, LESS) for answer in data["details"])
    return [
        ("pairs of games", f"{data['pairs']:,}"),
        (
            "main questions answered",
            f"{sum(a['verdict'] in (MORE, LESS, SAME) for a in data['main'])} of {len(data['main'])}",
        ),
        ("details that differ", f"{differing} of {len(data['details'])}"),
    ]


def _comparison_warnings(data: Data) -> list[str]:
    """Return a sentence for aborted pairs, and one if the comparison was stopped before its budget."""
    if data["broken"]:
        warnings = [f"{data['broken']:,} pairs were aborted and are not counted."]
    else:
        warnings = []
    if data["pairs"] + data["broken"] < data["budget"] and not data["clear"]:
        warnings.append(f"The comparison was stopped early; it could have gone on to {data['budget']:,} pairs.")
    return warnings


def _comparison_sections(data: Data) -> Iterator[ReportSection]:
    """Yield the conclusions, charts of the main questions, and charts of the significant details by subject."""
    first_name, second_name = (rules["name"] for rules in data["rules"])
    texts = {WINS: "Win share", SCORES: "Scores", LENGTH: "Length"}
    parts = [
        ReportPart(title, _difference_chart([a for a in data["main"] if a["about"] == about], about, title))
        for about, title in texts.items()
    ]
    yield ReportSection(
        "The main questions", f"How {second_name} differs from {first_name}: a dot to the right means more.", parts
    )
    for title, kind, about in (
        ("What players choose", CHOSEN, OFTEN),
        ("What they hold at the end", HELD, OFTEN),
        ("Where their points come from", SCORED, OFTEN),
        ("What happens in a game", SAID, OFTEN),
        ("What correlates with winning", "", FAVOUR),
    ):
        chosen = [answer for answer in list_differing_details(data) if answer["about"] == about]
        groups = _group_answers([a for a in chosen if kind in ("", a["kind"])])
        parts = [
            ReportPart(group, _difference_chart(answers, about, f"{title}: {group}"))
            for group, answers in groups.items()
        ]
        yield ReportSection(title, _describe_measure(about, kind), parts)


def list_differing_details(data: Data) -> list[Data]:
    """Return the details that differ significantly; a thing that is chosen and held only as chosen."""
    differing = [answer for answer in data["details"] if answer["verdict"] in (MORE, LESS)]
    chosen = {(a["about"], a["of"], a["option"]) for a in differing if a["kind"] == CHOSEN and a["of"]}
    return [a for a in differing if a["kind"] != HELD or (a["about"], a["of"], a["option"]) not in chosen]


def _describe_measure(about: str, kind: str) -> str:
    """Return the note below a section's title: the unit of its numbers, and that only significant ones appear."""
    if about == FAVOUR:
        return "How far the win share of those who have it is above an even one. Only significant differences."
    what = {SCORED: "Points per player and game.", SAID: "Times per game."}.get(kind, "Times per player and game.")
    return f"{what} Only significant differences."


def _group_answers(answers: list[Data]) -> dict[str, list[Data]]:
    """Group compared questions by their `group`, in order of first appearance."""
    groups: dict[str, list[Data]] = {}
    for answer in answers:
        groups.setdefault(answer["group"], []).append(answer)
    return groups


def _difference_chart(answers: list[Data], about: str, title: str) -> Chart | None:
    """Return a chart of differences with intervals, in percentage points for shares; None without any."""
    shares = about in (WINS, FAVOUR)
    unit = 100 if shares else 1
    precision = choose_precision(
        unit * answer["difference"][name] for answer in answers for name in ("value", "low", "high")
    )
    marks = [_difference_mark(answer, shares, precision) for answer in answers]
    change = "percentage points (interval)" if shares else "change (interval)"
    names = Axis(change, sign=True, note="before → after")
    return build_dot_chart(marks, f"{title}: change, with its interval", names)


def _difference_mark(answer: Data, shares: bool, precision: int) -> Mark:
    """Return a chart's dot for a difference with its interval, and `before → after`; in percent if `shares`."""
    unit, percent = (100, " %") if shares else (1, "")
    value, low, high = (unit * answer["difference"][name] for name in ("value", "low", "high"))
    before, after = (f"{unit * number:.{precision}f}{percent}" for number in answer["values"])
    label, text = answer["option"] or answer["name"], format_interval(value, low, high, precision)
    return Mark(label, value, low, high, text, f"{before} → {after}")


# --- a league ------------------------------------------------------------------------------------


def render_league(data: Data) -> str:
    """Render the page of a league."""
    modules = data["modules"][1:]
    with_ = f" with {', '.join(modules)}" if modules else ""
    played = len(data["games"])
    lead = f"{played:,} games{with_} at tables of {data['players']}, seed {data['seed']}."
    facts = [("games", f"{played:,}"), ("bots", str(len(data["bots"]))), ("highest rating", data["bots"][0]["bot"])]
    footer = f"{data['title']}, rules {data['rules']}; seed {data['seed']}."
    sections, warnings = list(_league_sections(data)), _league_warnings(data)
    return render_html(ReportPage(f"{data['title']}: league", lead, facts, sections, footer, warnings))


def _league_warnings(data: Data) -> list[str]:
    """Return a sentence for each fault of a bot, and one if the league was stopped early."""
    warnings = [f"The bot {fault}: {count:,} times." for fault, count in data["mishaps"].items()]
    if len(data["games"]) < data["asked"]:
        warnings.append(f"The league was stopped early, before all {data['asked']:,} games had been played.")
    return warnings


def _league_sections(data: Data) -> Iterator[ReportSection]:
    """Yield the sections on ratings, win shares, and the head-to-head table."""
    yield ReportSection(
        "Ratings",
        "Bradley and Terry's model, fitted to all games, in any order: the median is 1500, and 400 points "
        "are odds of ten to one to finish ahead. Each interval holds with 95 % by itself; it comes from resampling "
        "whole games, and four times as many games halve it.",
        [ReportPart(chart=_rating_chart(data))],
    )
    yield ReportSection(
        "Wins",
        "How far a seat's share of wins is above an even one (percentage points, 95 % Wilson intervals).",
        [ReportPart(chart=_win_chart(data))],
    )
    kinds, rows = build_cross_table(data)
    yield ReportSection(
        "Head to head",
        "How often the bot in the row finished ahead of the one in the column; draws count half.",
        [
            ReportPart(
                head=["", *kinds], rows=[_build_cross_row(kind, row) for kind, row in zip(kinds, rows, strict=True)]
            )
        ],
    )


def _rating_chart(data: Data) -> Chart | None:
    """Return a chart of the bots' ratings with intervals, with a line at the median rating; None without bots."""
    marks = []
    for bot in data["bots"]:
        value, low, high = (bot["rating"][name] for name in ("value", "low", "high"))
        text = f"{value:.0f} ({low:.0f} to {high:.0f})".replace("-", "−")
        marks.append(Mark(bot["bot"], value, low, high, text))
    return build_dot_chart(marks, "Ratings of the bots", Axis("rating (interval)", MEDIAN_RATING))


def _win_chart(data: Data) -> Chart | None:
    """Return a chart of how far each bot's win share is above an even one, in percentage points."""
    marks = []
    for bot in data["bots"]:
        value, low, high = (100 * (bot["wins"][name] - bot["even"]) for name in ("value", "low", "high"))
        share = f"{100 * bot['wins']['value']:.1f} % of {bot['games']:,} games, even: {100 * bot['even']:.0f} %"
        marks.append(Mark(bot["bot"], value, low, high, format_interval(value, low, high, 1), share))
    names = Axis("percentage points (interval)", sign=True, note="wins")
    return build_dot_chart(marks, "Share of wins above an even share", names)


def _build_cross_row(kind: str, row: Sequence[float | None]) -> list[ReportCell]:
    """Return a bot's cells of the head-to-head table, shaded by share; `–` where two bots never met."""
    shades = [
        ReportCell("–")
        if share is None
        else ReportCell(f"{100 * share:.0f} %", MIN_SHADE + (MAX_SHADE - MIN_SHADE) * share)
        for share in row
    ]
    return [ReportCell(kind), *shades]


# --- CSV -------------------------------------------------------------------------------------------

CSV_COLUMNS = (
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


def render_csv(data: Data) -> str:
    """Return a study as CSV, with a line for each seat, source of score and option."""
    return render_rows(CSV_COLUMNS, _iter_csv_rows(data))


def render_rows(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return rows as CSV, without anything that a spreadsheet would take for a formula."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
    writer.writerow(columns)
    writer.writerows([escape_formula(value) for value in row] for row in rows)
    return text.getvalue()


COMPARISON_COLUMNS = ("about", "name", "group", "pairs", "first", "second", "difference", "low", "high", "p", "verdict")


def render_comparison_rows(data: Data) -> str:
    """Return a comparison as CSV, with a line for each question."""
    rows = (
        [
            *(answer[name] for name in ("about", "name", "group")),
            data["pairs"],
            *answer["values"],
            *(answer["difference"][name] for name in ("value", "low", "high")),
            answer["p"],
            answer["verdict"],
        ]
        for answer in (*data["main"], *data["details"])
    )
    return render_rows(COMPARISON_COLUMNS, rows)


def _iter_csv_rows(data: Data) -> Iterator[list[object]]:
    """Yield the CSV rows of a study: seats, then sources of score, then options chosen, held and drawn."""
    for seat in data.get("seats", ()):
        share = seat["win_share"]
        yield [
            "seat",
            seat["bot"],
            seat["seat"],
            1,
            "",
            data["games"],
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
    for source in data.get("sources", ()):
        yield ["score", source["place"], source["rule"], source["brought"], *[""] * 11]
    for kind in ("chosen", "held", "drawn"):
        for group in data.get(kind, ()):
            for option in group["options"]:
                yield _option_to_row(kind, group["title"], option)


def _option_to_row(kind: str, group: str, option: Data) -> list[object]:
    """Return an option's CSV row: frequency, then win share and score with and without it; unknowns are empty."""
    with_share, without_share, lift = (
        option["with"]["win_share"] or {},
        option["without"]["win_share"] or {},
        option["lift"] or {},
    )
    score_with, score_without = option["with"]["score"] or {}, option["without"]["score"] or {}
    return [
        kind,
        group,
        option["option"],
        option["often"],
        "" if option["taken"] is None else option["taken"],
        option["with"]["of"],
        with_share.get("value", ""),
        with_share.get("low", ""),
        with_share.get("high", ""),
        without_share.get("value", ""),
        lift.get("value", ""),
        lift.get("low", ""),
        lift.get("high", ""),
        score_with.get("value", ""),
        score_without.get("value", ""),
    ]
