"""The report of a study: what is told about its findings, and which charts show it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from edict.study.drawing import Mark, bars, dots, histogram
from edict.study.findings import Data
from edict.study.pages import Cell, Page, Part, Section, as_html

SELDOM = 0.005  # times a game; what is announced less often is left out
MOST_SOURCES = 20  # told one by one
MOST_LINES = 24
PALEST, DARKEST = 0.04, 0.45

READING = (
    "Lines are 95 % intervals: Wilson's for shares, those of the mean for scores. Seats of one game are counted as if "
    "they were independent."
)
NO_CAUSE = (
    "What goes with winning need not bring it about: whoever is ahead can afford more. The bar shows how often it "
    "happened to a player in a game, the dot how much more often those win who had it than those who had not, in "
    "percent of games."
)


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
    who = f"{found['players']} bots of the kind {bots[0]}" if len(set(bots)) == 1 else "the bots " + ", ".join(bots)
    modules = [name for name in found["game"]["modules"] if name != found["game"]["name"]]
    with_ = f", with {', '.join(modules)}," if modules else ""
    luck = f"Every game had luck of its own, from seed {found['seed']} on."
    return f"{found['games']:,} games{with_} played by {who}. {luck}"


def _warnings(found: Data) -> list[str]:
    told = [
        f"{often:,} games broke off and are not counted: the rules {what}." for what, often in found["faults"].items()
    ]
    if found["games"] < found["asked"]:
        told.append(f"The study was stopped early: {found['asked']:,} games were wanted.")
    return told


def _facts(found: Data) -> list[tuple[str, str]]:
    if not found["games"]:
        return []
    rounds = found["length"]["rounds"]["mean"]["value"]
    facts = [
        ("games", f"{found['games']:,}"),
        ("mean score", f"{found['score']['mean']['value']:.1f}"),
        ("mean winning score", f"{found['winning_score']['mean']['value']:.1f}"),
        ("lead of the winner", f"{found['margin']['mean']['value']:.1f}"),
        ("choices in a game", f"{found['length']['choices']['mean']['value']:.0f}"),
        ("wins that were shared", f"{100 * found['shared'] / found['games']:.1f} %"),
    ]
    return facts + ([(f"rounds ({found['round']})", f"{rounds:.1f}")] if found["round"] else [])


def _sections(found: Data) -> Iterator[Section]:
    if not found["games"]:
        return
    yield Section("Who wins", f"The dashed line is an even share. {READING}", list(_winners(found)))
    yield Section("Scores", "Of all players, and of the winners.", [Part(svg=_scores(found))])
    yield Section(
        "Where the score came from", "Score for each player and game, by the rule that gave or took it.",
        [Part(svg=_sources(found))],
    )  # fmt: skip
    yield Section("What goes with winning", NO_CAUSE, [_options(group, found) for group in shown_groups(found)])
    yield Section("What was drawn", "What it does to the score of a player.", [_drawn(g) for g in found["drawn"]])
    yield Section(
        f"Game by {found['round'].lower()}" if found["round"] else "What was announced",
        "How often each announcement was made in a game.", [_announced(found)],
    )  # fmt: skip
    yield Section("Length", "Choices made by all players in a game.", [Part(svg=_length(found))])


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"


def _winners(found: Data) -> Iterator[Part]:
    even = 1 / found["players"]
    seats = [_share_mark(f"Seat {s['seat']}, {s['bot']}", s["win_share"]) for s in found["seats"]]
    yield Part("By seat", dots(seats, even, "share of wins", _percent))
    places = [_share_mark(f"Place {n} in the first order", share) for n, share in enumerate(found["places"], 1)]
    if [mark.value for mark in places] != [mark.value for mark in seats]:
        yield Part("By place in the first order of play", dots(places, even, "share of wins", _percent))


def _share_mark(label: str, share: Data) -> Mark:
    low, high = 100 * share["low"], 100 * share["high"]
    return Mark(
        label, share["value"], share["low"], share["high"], f"{100 * share['value']:.1f} % ({low:.1f} to {high:.1f})"
    )


def _shares(spread: Data) -> dict[int, float]:
    whole = sum(spread["counts"].values())
    return {int(value): often / whole for value, often in spread["counts"].items()}


def _scores(found: Data) -> str:
    both = (("all players", found["score"]), ("winners", found["winning_score"]))
    return histogram([(name, _shares(spread), spread["median"]) for name, spread in both], "scores")


def _length(found: Data) -> str:
    spread = found["length"]["choices"]
    return histogram([("choices in a game", _shares(spread), spread["median"])], "length of games")


def _sources(found: Data) -> str:
    rows = [(s["rule"] or "not by a single rule", s["brought"], s["place"]) for s in found["sources"]]
    large = sorted(sorted(rows, key=lambda row: -abs(row[1]))[:MOST_SOURCES], key=lambda row: -row[1])
    rest = [row[1] for row in rows if row not in large and row[1]]
    if rest:
        large.append((f"{len(rest)} other rules", sum(rest), ""))
    return bars([(name, much, f"{much:+.2f}", place) for name, much, place in large], "score a player and game")


def shown_groups(found: Data) -> list[Data]:
    """Questions about things, and what is held at the end: what a reader looks for first."""
    about = [group for group in found["chosen"] if group["of"] not in ("", "resource") and len(group["options"]) > 2]
    return [*about, *found["held"]]


def _options(group: Data, found: Data) -> Part:
    marks = [_option_mark(option) for option in group["options"] if option["with"]["of"] and option["without"]["of"]]
    title = group["title"] if group in found["chosen"] else f"Held at the end: {group['title']}"
    return Part(title, dots(marks, 0.0, "difference in share of wins", _hundredths, "a player and game"))


def _hundredths(difference: float) -> str:
    return f"{100 * difference:+.0f}"


def _option_mark(option: Data) -> Mark:
    lift = option["lift"]
    text = f"{100 * lift['value']:+.1f} ({100 * lift['low']:+.1f} to {100 * lift['high']:+.1f})"
    return Mark(
        option["option"], lift["value"], lift["low"], lift["high"], text, option["often"], f"{option['often']:.2f}"
    )


def _drawn(group: Data) -> Part:
    marks = [_drawn_mark(option) for option in group["options"] if option["with"]["of"] and option["without"]["of"]]
    return Part(group["title"], dots(marks, 0.0, "brought", lambda value: f"{value:+.1f}", "times a game"))


def _drawn_mark(option: Data) -> Mark:
    effect = option["effect"]
    text = f"{effect['value']:+.2f} ({effect['low']:+.2f} to {effect['high']:+.2f})"
    often = f"{option['often']:.2f}"
    return Mark(option["option"], effect["value"], effect["low"], effect["high"], text, option["often"], often)


def _announced(found: Data) -> Part:
    lines = [line for line in found["announced"] if max(line["by_round"]) >= SELDOM][:MOST_LINES]
    rounds = max((len(line["by_round"]) for line in lines), default=0)
    head = ["", *(f"{found['round'] or 'in all'} {n if found['round'] else ''}" for n in range(1, rounds + 1))]
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
    return f"{often:.2f}" if amount is None else f"{often:.2f} (mean {amount:.1f})"


def _shade(part: float) -> float:
    return PALEST + (DARKEST - PALEST) * part if part else 0.0


def _footer(found: Data) -> str:
    game = found["game"]
    return (
        f"{game['title']} {game['version']}, rules {game['rules']}; bots {', '.join(found['bots'])}; "
        f"seed {found['seed']}; "
        f"settings {', '.join(f'{name} = {value}' for name, value in found['settings'].items()) or 'none'}."
    )
