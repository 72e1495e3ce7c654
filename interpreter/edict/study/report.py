"""The report of a study: what is said about its findings, and which charts show them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.study.drawing import Axis, Chart, Mark, bars, dots, histogram
from edict.study.findings import Data
from edict.study.html_report import Cell, Page, Part, Section, as_html
from edict.study.intervals import LEVEL
from edict.study.scales import frequency, interval, signed
from edict.text import so_many

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
        Page(
            found["game"]["title"],
            _lead(found),
            _facts(found),
            list(_sections(found)),
            _footer(found),
            _warnings(found),
        )
    )


def _lead(found: Data) -> str:
    bots = found["bots"]
    some = "bots" if found["players"] > 1 else "bot"
    who = f"{found['players']} {bots[0]} {some}" if len(set(bots)) == 1 else f"bots ({', '.join(bots)})"
    modules = [name for name in found["game"]["modules"] if name != found["game"]["name"]]
    with_ = f" with {', '.join(modules)}," if modules else ""
    return f"{found['games']:,} games{with_} played by {who}, from seed {found['seed']}."


def _warnings(found: Data) -> list[str]:
    told = [
        f"{so_many(often, 'game')} aborted, and not counted: the rules {what}."
        for what, often in found["faults"].items()
    ]
    told += [f"The bot {what}: {often:,} times." for what, often in found["mishaps"].items()]
    if found["games"] < found["asked"]:
        told.append(f"The study was stopped early, before all {found['asked']:,} games had been played.")
    return told


def _facts(found: Data) -> list[tuple[str, str]]:
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


def _sections(found: Data) -> Iterator[Section]:
    if not found["games"]:
        return
    yield Section("Who wins", f"The dashed line marks an even share. {READING}", list(_winners(found)))
    yield Section("Scores", "All players, and the winners alone.", [Part(chart=_scores(found))])
    yield Section(
        "Where the points come from", "Points per player and game, by the rule that gave or took them.",
        [Part(chart=_sources(found))],
    )  # fmt: skip
    yield _compared("What correlates with winning", NO_CAUSE, [_options(group, found) for group in shown_groups(found)])
    yield _compared(
        "What was drawn", "The dot shows how much higher a player's score was in games where it was drawn.",
        [_drawn(group) for group in found["drawn"]],
    )  # fmt: skip
    yield Section(
        f"{found['round']} by {found['round'].lower()}" if found["round"] else "Announcements",
        "How often each announcement was made, per game.", [_announced(found)],
    )  # fmt: skip
    yield Section("Game length", "Choices per game, by all players together.", [Part(chart=_length(found))])


def _compared(title: str, text: str, parts: list[Part]) -> Section:
    """Of many intervals side by side some miss; how many is said, as each by itself is what its 95 % are about."""
    intervals = sum(len(part.chart.rows) for part in parts if part.chart)
    return Section(title, f"{text} {by_chance(intervals)}" if intervals > 1 else text, parts)


def by_chance(intervals: int) -> str:
    expected = max(1, round(intervals * (1 - LEVEL)))
    return (
        f"Each of these {intervals} intervals holds with 95 % by itself: even if nothing made a difference, "
        f"{'one' if expected == 1 else f'some {expected}'} of them would lie beside the line by chance."
    )


def _winners(found: Data) -> Iterator[Part]:
    names = Axis("win share", 100 / found["players"], " %")
    seats = [_share_mark(f"Seat {s['seat']}, {s['bot']}", s["win_share"]) for s in found["seats"]]
    yield Part("By seat", dots(seats, "Win share by seat", names))
    places = [_share_mark(f"Place {n}", share) for n, share in enumerate(found["places"], 1)]
    if [mark.value for mark in places] != [mark.value for mark in seats]:
        title = "By place in the initial turn order"
        yield Part(title, dots(places, "Win share by place in the initial turn order", names))


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


def _options(group: Data, found: Data) -> Part:
    marks = [_option_mark(option) for option in group["options"] if option["lift"]]
    title = group["title"] if group in found["chosen"] else f"Held at the end: {group['title']}"
    names = Axis("difference in win share", sign=True, aside=PER_SEAT)
    return Part(title, dots(marks, f"{title}: difference in win share", names))


def _option_mark(option: Data) -> Mark:
    value, low, high = (100 * option["lift"][name] for name in ("value", "low", "high"))
    return Mark(option["option"], value, low, high, interval(value, low, high, 1), aside=option["often"])


def _drawn(group: Data) -> Part:
    marks = [_drawn_mark(option) for option in group["options"] if option["effect"]]
    names = Axis("effect on the score", sign=True, aside="per game")
    return Part(group["title"], dots(marks, f"{group['title']}: effect on the score", names))


def _drawn_mark(option: Data) -> Mark:
    value, low, high = (option["effect"][name] for name in ("value", "low", "high"))
    return Mark(option["option"], value, low, high, interval(value, low, high, 2), aside=option["often"])


def _announced(found: Data) -> Part:
    lines = [line for line in found["announced"] if max(line["by_round"]) >= SELDOM][:MOST_LINES]
    rounds = max((len(line["by_round"]) for line in lines), default=0)
    head = ["", *(f"{found['round']} {n}" if found["round"] else "in all" for n in range(1, rounds + 1))]
    return Part(head=head, rows=[_round_row(line) for line in lines])


def _round_row(line: Data) -> Sequence[Cell]:
    most = max(line["by_round"]) or 1.0
    return [
        Cell(line["words"]),
        *(Cell(_often(often, amount), _shade(often / most)) for often, amount in _by_round(line)),
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
