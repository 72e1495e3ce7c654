"""The results of a search for a best response, as data and in sentences."""

from __future__ import annotations

from collections.abc import Sequence

from edict.agents.study.best_response import SEAT, BestResponse, Candidate
from edict.agents.study.inference import estimate_mean, estimate_share
from edict.agents.study.plan_report import list_lacks
from edict.agents.study.summary import Data
from edict.support.morphology import count_noun, join_words

FORMAT = "edict best-response 1"
MAX_SHOWN_LACKS = 3


def summarize_best_response(search: BestResponse) -> Data:
    """Return the results of a search that has ended as data."""
    setup, program = search.setup, search.setup.program
    held, free, games = search.final[True], search.final[False], search.games
    differences = [one - other for one, other in zip(held.met_wins, free.wins, strict=True)]
    difference = estimate_mean(sum(differences), sum(d * d for d in differences), len(differences))
    data: Data = {
        "format": FORMAT,
        "game": {"title": program.title, "modules": list(program.modules), "rules": program.rules_hash},
        "players": setup.players,
        "opponents": list(setup.bots[1:]),
        "settings": dict(setup.settings),
        "seed": setup.seed,
        "condition": search.goal.condition,
        "plan": search.goal.texts[0],
        "games": games,
        "search_games": search.done - 2 * games,
        "training_games": search.training_games,
        "held": {
            **_name_candidate(search.best[True]),
            "met_wins": _share(sum(held.met_wins), games),
            "met": _share(sum(held.met), games),
            "wins": _share(sum(held.wins), games),
        },
        "free": {
            **_name_candidate(search.best[False]),
            "met": _share(sum(free.met), games),
            "wins": _share(sum(free.wins), games),
        },
        "difference": {"value": difference.value, "low": difference.low, "high": difference.high},
        "lacks": list_lacks(program, search.goal.line, SEAT, held.unmet_ends) if held.unmet_ends else [],
        "searched": {
            "held": [_candidate_to_data(arm) for arm in search.held],
            "free": [_candidate_to_data(arm) for arm in search.free],
        },
    }
    return data | {"said": describe_best_response(data)}


def _name_candidate(candidate: Candidate) -> Data:
    """Return the bot of a candidate and what it does for the condition as data."""
    return {"bot": candidate.name, "way": candidate.variant.title, "trained": candidate.is_trained}


def _candidate_to_data(candidate: Candidate) -> Data:
    """Return a candidate with its shares of games in the search as data."""
    games = max(1, candidate.games)
    return {
        **_name_candidate(candidate),
        "games": candidate.games,
        "wins": candidate.wins / games,
        "met": candidate.met / games,
        "met_wins": candidate.met_wins / games,
    }


def _share(hits: float, games: int) -> Data:
    estimate = estimate_share(hits, games)
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high}


def describe_best_response(data: Data) -> list[str]:
    """Return the result in sentences: what the condition costs, how often it was met, and what was searched."""
    held, free, games = data["held"], data["free"], f"{data['games']:,} games"
    against = describe_opponents(data["opponents"])
    without = f"{_format_percent(free['wins'])} ({_format_interval(free['wins'])}) without it"
    if not held["met"]["value"]:
        lacks = [f"{lack['what']} ({100 * lack['share']:.0f} %)" for lack in data["lacks"][:MAX_SHOWN_LACKS]]
        why = f"; missing at the end of games: {', '.join(lacks)}" if lacks else ""
        said = [
            f"No bot that was found ever met `{data['condition']}` against {against}, in {games}{why}. "
            f"The best bot wins {without}."
        ]
    else:
        change, low, high = (100 * data["difference"][key] for key in ("value", "low", "high"))
        said = [
            f"`{data['condition']}`: at best {_format_percent(held['met_wins'])} of wins "
            f"({_format_interval(held['met_wins'])}) against {against}; {without}. "
            f"The difference is {change:+.1f} points ({low:+.1f} to {high:+.1f}), in {games} each with the same luck.",
            f"The condition was met in {_format_percent(held['met'])} of games; a win without it does not count"
            + (f" (with those, {_format_percent(held['wins'])})." if held["wins"] != held["met_wins"] else "."),
        ]
    said.append(f"Best with it: {_title(held)}. Best without: {_title(free)}.")
    return [*said, _describe_search(data)]


def describe_opponents(bots: Sequence[str]) -> str:
    """Return the bots of the other seats in words: `three learned`."""
    words = ("no", "one", "two", "three", "four", "five", "six")
    counts = {kind: bots.count(kind) for kind in dict.fromkeys(bots)}
    return join_words([f"{words[n] if n < len(words) else n} {kind}" for kind, n in counts.items()]) or "nobody"


def _title(row: Data) -> str:
    return f"{row['bot']}, which {row['way']}" if row["way"] else str(row["bot"])


def _describe_search(data: Data) -> str:
    """Return what was searched, so that a reader knows what "best" means."""
    arms = data["searched"]["held"]
    kinds = list(dict.fromkeys(arm["bot"] for arm in arms if not arm["trained"]))
    ways = len({arm["way"] for arm in arms if arm["way"]})
    trained = f"networks trained in {data['training_games']:,} games against this table"
    kinds += [trained] if data["training_games"] else []
    return (
        f"Searched: {count_noun(len(arms), 'bot')} with the condition and {len(data['searched']['free'])} without "
        f"({join_words(kinds)}; each alone and with {count_noun(ways, 'plan')}), in {data['search_games']:,} games. "
        "The figures come from other games than the choice. A better bot may exist: they are lower bounds."
    )


def _format_percent(share: Data) -> str:
    return f"{100 * share['value']:.1f} %"


def _format_interval(share: Data) -> str:
    return f"{100 * share['low']:.1f} to {100 * share['high']:.1f}"
