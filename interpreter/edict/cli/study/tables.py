"""What a study found, as tables in the terminal."""

from __future__ import annotations

from edict.study.findings import Data

MOST_ROWS = 30
Row = list[str]


def study_tables(found: Data) -> None:
    """Print the findings."""
    from edict.cli.study.printing import page, table

    page(headline(found))
    if not found["games"]:
        return
    table("Who wins", ("seat", "bot", "wins", "share of wins", "score, mean", "tenth to ninetieth"), _seats(found))
    if not _same(found):
        table("By place in the first order of play", ("place", "share of wins"), _places(found))
    table("Length of a game", ("", "mean", "tenth to ninetieth"), _lengths(found))
    table(
        "Where the score came from, for each player and game", ("rule", "brought", "where it stands"), _sources(found)
    )
    for group in shown_groups(found):
        table(f"{group['title']}", OPTION_HEAD, option_rows(group))
    for group in found["drawn"]:
        table(f"Drawn: {group['title']}", ("", "a game", "score with it", "effect"), _drawn(group))
    table(f"Announced, by {found['round'] or 'game'}", _round_head(found), _announced(found))


def headline(found: Data) -> str:
    game, bots = found["game"], found["bots"]
    who = f"{found['players']} x {bots[0]}" if len(set(bots)) == 1 else ", ".join(bots)
    modules = [name for name in game["modules"] if name != game["name"]]
    with_ = f" with {', '.join(modules)}" if modules else ""
    return f"{game['title']}{with_}: {found['games']:,} games, {who}, seed {found['seed']}"


def percent(share: Data | None) -> str:
    """`26.1 % (24.8 to 27.4)`."""
    if share is None:
        return ""
    return f"{100 * share['value']:.1f} % ({100 * share['low']:.1f} to {100 * share['high']:.1f})"


def measured(number: Data, digits: int = 1) -> str:
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
    names = {"choices": "questions to players", "draws": "questions to chance", "rounds": f"rounds ({found['round']})"}
    rows = [[names[name], measured(s["mean"]), _range(s)] for name, s in found["length"].items() if s["mean"]["value"]]
    spreads = {"score of a winner": found["winning_score"], "lead of the best": found["margin"]}
    return rows + [[name, measured(s["mean"]), _range(s)] for name, s in spreads.items()]


def _sources(found: Data) -> list[Row]:
    rows = [[s["rule"] or "not by a single rule", f"{s['brought']:+.2f}", s["place"]] for s in found["sources"]]
    return [row for row in rows if row[1] not in ("+0.00", "-0.00")]


OPTION_HEAD = ("", "a game", "taken when offered", "share of wins with it", "without", "difference")


def shown_groups(found: Data) -> list[Data]:
    """Questions about things, and what is held at the end: what a reader looks for first."""
    about = [group for group in found["chosen"] if group["of"] not in ("", "resource") and len(group["options"]) > 2]
    return [*about, *found["held"]]


def option_rows(group: Data) -> list[Row]:
    return [
        [
            o["option"], f"{o['often']:.2f}", f"{100 * o['taken']:.0f} %" if o["taken"] is not None else "",
            percent(o["with"]["win_share"]), f"{100 * o['without']['win_share']['value']:.1f} %",
            percent(o["lift"]),
        ]
        for o in group["options"][:MOST_ROWS]
    ]  # fmt: skip


def _drawn(group: Data) -> list[Row]:
    return [
        [o["option"], f"{o['often']:.3f}", measured(o["with"]["score"]), measured(o["effect"], 2)]
        for o in group["options"][:MOST_ROWS]
    ]


def _round_head(found: Data) -> tuple[str, ...]:
    return ("a game", *(f"{found['round']} {n}" for n in range(1, _rounds(found) + 1)))


def _rounds(found: Data) -> int:
    return max((len(line["by_round"]) for line in found["announced"]), default=0)


def _announced(found: Data) -> list[Row]:
    return [[line["words"], *(f"{often:.2f}" for often in line["by_round"])] for line in found["announced"]]

