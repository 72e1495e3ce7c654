"""`docs/claims.md`: claims about Kingsburg that players publish, each tested by one command.

    python benchmarks/claims.py --run        # runs the commands (two minutes), and writes results and page
    python benchmarks/claims.py --write      # writes the page from `claims.json`, the results of the last run
    python benchmarks/claims.py --run inn    # runs one again

`tests/project/test_made_pages.py` compares the page with the results, and the commands with their options.
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RESULTS, PAGE = Path(__file__).with_name("claims.json"), ROOT / "docs" / "claims.md"

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim with its experiment.

    Attributes:
        name: Its name in the results.
        text: The claim.
        origin: Where it was published or heard, as Markdown.
        command: The words of the command, after `kingsburg`.
        answer: Puts the results of the command into sentences.
        remark: What the experiment leaves open.
    """

    name: str
    text: str
    origin: str
    command: tuple[str, ...]
    answer: Callable[[Data], str]
    remark: str = ""

    def run(self) -> Data:
        """Return what the answer needs of the command's results."""
        words = [sys.executable, "-m", "edict", *self.command, "--format", "json"]
        done = subprocess.run(words, capture_output=True, text=True, check=True)
        return select_results(json.loads(done.stdout))


def select_results(data: Data) -> Data:
    """Return the parts of a report that answers and the page need."""
    kept = ("format", "games", "pairs", "seed", "places", "said", "held", "free", "difference", "search_games", "lacks")
    selected = {key: data[key] for key in kept if key in data and not (key == "held" and "places" in data)}
    wins = [answer for answer in data.get("main", ()) if answer["name"].endswith("with the plan")]
    return selected | ({"wins": wins[0]} if wins else {})


# --- answers ------------------------------------------------------------------------------------------


def answer_by_places(data: Data) -> str:
    """Answer whether the place in the first turn order matters."""
    places = data["places"]
    shares = ", ".join(format_share(place) for place in places)
    even = 1 / len(places)
    far = [place for place in places if not place["low"] <= even <= place["high"]]
    verdict = "Not the first one" if not far else "Yes"
    widest = max(place["high"] - place["low"] for place in places) / 2
    return (
        f"**{verdict}.** From first to last in the initial order, wins are {shares} of {data['games']:,} games; an "
        f"even share is {100 * even:.0f} %, and each figure is known to about {100 * widest:.1f} points."
    )


def answer_by_response(yes: str, no: str, unclear: str) -> Callable[[Data], str]:
    """Return an answer by what meeting a condition costs."""

    def answer(data: Data) -> str:
        low, high = data["difference"]["low"], data["difference"]["high"]
        verdict = yes if low > 0 else no if high < 0 else unclear
        held, free = data["held"], data["free"]
        change = format_change(data["difference"])
        way = f", which {held['way']}" if held["way"] else ""
        return (
            f"**{verdict}** The best bot that does wins {format_share(held['met_wins'])} of games against three "
            f"`learned` (it meets the condition in {100 * held['met']['value']:.0f} %): {held['bot']}{way}. The best "
            f"that need not wins {format_share(free['wins'])}. That is {change}, in {data['games']:,} games with the "
            f"same luck, after {data['search_games']:,} games of search."
        )

    return answer


def answer_by_plan(more: str, less: str, unclear: str) -> Callable[[Data], str]:
    """Return an answer by what a plan changes."""

    def answer(data: Data) -> str:
        wins = data["wins"]
        verdict = {"more": more, "less": less}.get(wins["verdict"], unclear)
        before, after = (100 * value for value in wins["values"])
        return (
            f"**{verdict}** Wins go from {before:.1f} % to {after:.1f} %: {format_change(wins['difference'])}, in "
            f"{data['pairs']:,} pairs of games with the same luck."
        )

    return answer


def format_share(share: Mapping[str, float]) -> str:
    """Return a share with its interval: `25.9 % (24.0 to 27.8)`."""
    return f"{100 * share['value']:.1f} % ({100 * share['low']:.1f} to {100 * share['high']:.1f})"


def format_change(change: Mapping[str, float]) -> str:
    """Return a difference of shares with its interval: `−22.9 points (−24.9 to −20.8)`."""
    value, low, high = (f"{100 * change[key]:+.1f}".replace("-", "−") for key in ("value", "low", "high"))
    return f"{value} points ({low} to {high})"


# --- the claims ---------------------------------------------------------------------------------------

SEARCH, PAIRS = ("--games", "800"), ("--games", "1600")
HEARD = "heard at tables; no publication was found"
PATHS = "the publisher's text names it as a path to victory ([shop](https://juegoenmesa.com/juegos/kingsburg-2007))"
TESTED = (
    "among strategies that players published, collected in a [blog]"
    "(http://lorddicely.blogspot.co.uk/2013/09/on-strategy-of-kingsburg-part-second.html)"
)
PLANS = "The bot keeps to the plan at any price; a player would know when to stop."


def respond(condition: str) -> tuple[str, ...]:
    """Return the command that searches for the best response to a condition."""
    return ("study", "--best-response", condition, *SEARCH)


CLAIMS = (
    Claim(
        "turn-order",
        "The turn order matters.",
        "low dice choose first, which is said to make up for them ([review](https://funboardgames.org/?p=1286))",
        ("study", "--games", "4000"),
        answer_by_places,
        "This is the order of the first season, which is dealt; later orders are rolled.",
    ),
    Claim(
        "religious-row",
        "The religious row, up to the Cathedral, is a way to win.",
        PATHS,
        respond("owns cathedral"),
        answer_by_response("Yes.", "Not against these bots.", "Perhaps."),
    ),
    Claim(
        "military-row",
        "The military row, up to the Wizards' Guild, wins.",
        f"{PATHS}; others say it wins battles and loses the game "
        "([blog](http://yetanotherfriggingamingblog.blogspot.com/2012/10/a-good-defense-is-gooddefense-kingsburg.html))",
        respond("owns wizards-guild"),
        answer_by_response("Yes.", "It does not.", "It does not hurt, and was not seen to help."),
    ),
    Claim(
        "fortress",
        "The strong Fortress: whoever builds it early wins.",
        TESTED,
        respond("owns fortress by year 3"),
        answer_by_response("Yes.", "Not by having to.", "It is as good as anything else that was found."),
    ),
    Claim(
        "inn",
        "The Inn is weak.",
        HEARD,
        ("compare", "--plan-b", "never inn", *PAIRS),
        answer_by_plan(
            "Yes: who never builds it wins more.", "No: who never builds it wins less.", "It is not missed."
        ),
    ),
    Claim(
        "market",
        "The Market is powerful, and should come early.",
        "a player's favorite ([blog](http://fthisgame.blogspot.com/2012/05/f-kingsburg.html))",
        respond("owns market by year 2"),
        answer_by_response("Yes.", "Not against these bots.", "Perhaps."),
    ),
    Claim(
        "farms",
        "The Farms are too strong: another die in every season.",
        HEARD,
        respond("owns farms by year 3"),
        answer_by_response("They may be.", "Not against these bots.", "Perhaps."),
        "No bot that ships builds them, so all know little of how to use a fourth die.",
    ),
    Claim(
        "alchemist",
        "The Alchemist is underrated.",
        HEARD,
        ("compare", "--plan-b", "never alchemist", *PAIRS),
        answer_by_plan(
            "No: who never visits him wins more.", "He is worth a visit: who never goes wins less.", "He is not missed."
        ),
    ),
    Claim(
        "first-good",
        "Gold is the best good to begin with.",
        HEARD,
        ("compare", "--plan-a", "prefer wood until year > 1", "--plan-b", "prefer gold until year > 1", *PAIRS),
        answer_by_plan("Yes, better than wood.", "No, wood is better.", "Gold and wood are about the same."),
        "Each is preferred at any price in the first year; write `stone` for one of them to compare that.",
    ),
    Claim(
        "soldiers",
        "Who hires as many soldiers as possible wins the battles, and the game.",
        "overdone by one player's own account "
        "([blog](http://yetanotherfriggingamingblog.blogspot.com/2012/10/a-good-defense-is-gooddefense-kingsburg.html))",
        ("compare", "--plan-b", "prefer soldier of you when during recruiting", *PAIRS),
        answer_by_plan("Yes.", "No: it costs the game.", "No effect was found."),
        PLANS,
    ),
)

HEAD = """\
# Ten claims

What players say about Kingsburg, tested in games between bots: four players, the base game, and `learned` in all seats
of which nothing else is said. Each answer is what one command prints; brackets hold 95 % intervals. The numbers of
games were chosen so that all ten take about two minutes of two free processors; `--games` with a greater
number gives narrower intervals. `python benchmarks/claims.py --run` writes this page.

**Read it with care.** Bots are not people. A best response is the best that a short search found: what wins at least so
much may win more. What loses against these bots need not lose at your table.
"""


def render_page(results: Mapping[str, Data]) -> str:
    """Return the page."""
    parts = [HEAD]
    for number, claim in enumerate(CLAIMS, 1):
        data = results.get(claim.name)
        answer = claim.answer(data) if data else "Not tested yet."
        parts.append(
            f"## {number}. {claim.text}\n\n*{claim.origin[0].upper()}{claim.origin[1:]}.*\n\n{answer}"
            f"{' ' + claim.remark if claim.remark else ''}\n\n```\nkingsburg {shlex.join(claim.command)}\n```\n"
        )
    return "\n".join(parts)


def load_results() -> dict[str, Data]:
    """Return the results of the last run."""
    return dict(json.loads(RESULTS.read_text(encoding="utf-8"))) if RESULTS.exists() else {}


def main() -> None:
    """Run the commands or render the page, as the options say."""
    results = load_results()
    if "--run" in sys.argv:
        named = [word for word in sys.argv[1:] if not word.startswith("-")]
        for claim in CLAIMS:
            if not named or claim.name in named:
                results[claim.name] = claim.run()
                print(claim.name, results[claim.name]["said"][0], flush=True)
                RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    if {"--run", "--write"} & set(sys.argv):
        PAGE.write_text(render_page(results), encoding="utf-8")
    else:
        print(render_page(results))


if __name__ == "__main__":
    main()
