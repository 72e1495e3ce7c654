"""What a study found, as tables in the terminal."""

from __future__ import annotations

from edict.study.summary import Data
from edict.study.charts import frequency

MOST_ROWS = 30
UNKNOWN = "–"
SPREAD = "10th to 90th percentile"
Row = list[str]


def study_tables(found: Data) -> None:
    """Print the findings."""
    from edict.cli.study.printing import page, table

    page(headline(found))
    if not found["games"]:
        return
    table("Who wins", ("seat", "bot", "wins", "win share", "mean score", SPREAD), _seats(found))
    if not _same(found):
        table("By place in the initial turn order", ("place", "win share"), _places(found))
    table("A game", ("", "mean", SPREAD), _lengths(found))
    table("Where the points come from, per player and game", ("rule", "points", "source"), _sources(found))
    for group in shown_groups(found):
        table(group["title"], OPTION_HEAD, option_rows(group))
    for group in found["drawn"]:
        table(f"Drawn: {group['title']}", ("", "per game", "score with it", "effect on the score"), _drawn(group))
    table("Announcements, per game", _round_head(found), _announced(found))


def headline(found: Data) -> str:
    game, bots = found["game"], found["bots"]
    who = f"{found['players']} {bots[0]} bots" if len(set(bots)) == 1 else ", ".join(bots)
    modules = [name for name in game["modules"] if name != game["name"]]
    with_ = f" with {', '.join(modules)}" if modules else ""
    return f"{game['title']}{with_}: {found['games']:,} games, {who}, seed {found['seed']}"


def percent(share: Data | None) -> str:
    """`26.1 % (24.8 to 27.4)`; of what there was none, nothing is known."""
    if share is None:
        return UNKNOWN
    return f"{100 * share['value']:.1f} % ({100 * share['low']:.1f} to {100 * share['high']:.1f})"


def measured(number: Data | None, digits: int = 1) -> str:
    if number is None:
        return UNKNOWN
    if number["low"] is None:  # seen once
        return f"{number['value']:.{digits}f}"
    return f"{number['value']:.{digits}f} ({number['low']:.{digits}f} to {number['high']:.{digits}f})"


def _same(found: Data) -> bool:
    """Whether the order of play is that of the seats, so that places tell nothing new."""
    return all(
        abs(p["value"] - s["win_share"]["value"]) < 1e-9 for p, s in zip(found["places"], found["seats"], strict=True)
    )


def _seats(found: Data) -> list[Row]:
    return [
        [
            str(s["seat"]),
            s["bot"],
            f"{s['wins']:,.0f}",
            percent(s["win_share"]),
            measured(s["score"]["mean"]),
            _range(s["score"]),
        ]
        for s in found["seats"]
    ]


def _range(spread: Data) -> str:
    return f"{spread['tenth']} to {spread['ninetieth']}"


def _places(found: Data) -> list[Row]:
    return [[str(number), percent(share)] for number, share in enumerate(found["places"], 1)]


def _lengths(found: Data) -> list[Row]:
    names = {"choices": "choices by players", "draws": "draws and rolls", "rounds": f"rounds ({found['round']})"}
    rows = [[names[name], measured(s["mean"]), _range(s)] for name, s in found["length"].items() if s["mean"]["value"]]
    spreads = {"winning score": found["winning_score"], "winning margin": found["margin"]}
    return rows + [[name, measured(s["mean"]), _range(s)] for name, s in spreads.items()]


def _sources(found: Data) -> list[Row]:
    rows = [[s["rule"] or "not from a single rule", f"{s['brought']:+.2f}", s["place"]] for s in found["sources"]]
    return [row for row in rows if row[1] not in ("+0.00", "-0.00")]


OPTION_HEAD = ("", "per player", "taken when offered", "win share with it", "without it", "difference")


def shown_groups(found: Data) -> list[Data]:
    """Questions about things, and what is held at the end: what a reader looks for first."""
    about = [group for group in found["chosen"] if group["of"] not in ("", "resource") and len(group["options"]) > 2]
    return [*about, *found["held"]]


def option_rows(group: Data) -> list[Row]:
    return [
        [
            o["option"], frequency(o["often"]), f"{100 * o['taken']:.0f} %" if o["taken"] is not None else "",
            percent(o["with"]["win_share"]), _bare(o["without"]["win_share"]),
            percent(o["lift"]),
        ]
        for o in group["options"][:MOST_ROWS]
    ]  # fmt: skip


def _bare(share: Data | None) -> str:
    return UNKNOWN if share is None else f"{100 * share['value']:.1f} %"


def _drawn(group: Data) -> list[Row]:
    return [
        [o["option"], f"{o['often']:.3f}", measured(o["with"]["score"]), measured(o["effect"], 2)]
        for o in group["options"][:MOST_ROWS]
    ]


def _round_head(found: Data) -> tuple[str, ...]:
    numbers = range(1, _rounds(found) + 1)
    return ("", *(f"{found['round']} {n}" if found["round"] else "in all" for n in numbers))


def _rounds(found: Data) -> int:
    return max((len(line["by_round"]) for line in found["announced"]), default=0)


def _announced(found: Data) -> list[Row]:
    return [[line["words"], *(frequency(often) for often in line["by_round"])] for line in found["announced"]]

