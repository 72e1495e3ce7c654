"""`compare`: two sets of rules over the same seeds, and whether what differs is more than chance."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from edict.agents.study.bot_games import Setup
from edict.agents.study.charts import digits
from edict.agents.study.comparison import (
    CERTAIN,
    FAVOUR,
    LESS,
    MORE,
    WINS,
    ComparedQuestion,
    Comparison,
    comparison_data,
    form_of,
)
from edict.agents.study.reports import comparison_page
from edict.agents.study.summary import Data
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RULES, UsageError
from edict.apps.cli.long_runs import (
    StudyOptions,
    carried_out,
    checked,
    checkpoint,
    setup_of,
    tell_bot_faults,
    tell_stopped,
)
from edict.apps.cli.option_values import JSON, checked_form
from edict.apps.cli.rules_by_name import game_and_modules, names_joined, the_game
from edict.apps.cli.study_output import COMPARISON, Targets, as_json, print_headline, print_table
from edict.apps.cli.who_plays import remarked
from edict.support.resources import command_name

MOST_DETAILS = 40
VERDICTS = {
    "more": "higher",
    "less": "lower",
    "same": "no meaningful difference",
    "open": "unclear",
    "rare": "too rare to tell",
}

OneSide = Annotated[
    str, typer.Argument(metavar="A", help="`base`, a game, or modules and settings (NAME=VALUE) joined by +.")
]
OtherSide = Annotated[str, typer.Argument(metavar="B", help="What to compare it with, as in `base my-variant`.")]
PairCount = Annotated[int, typer.Option("--games", metavar="N", help="Maximum number of pairs of games.")]


def compare(
    first: OneSide,
    second: OtherSide,
    game: o.Game = "",
    modules: o.Modules = None,
    players: o.PlayerCount = None,
    games: PairCount = 10_000,
    bots: o.BotKinds = "",
    seed: o.Seed = "",
    settings: o.Settings = None,
    workers: o.Workers = None,
    cluster: o.Cluster = "",
    output: o.StudyOutput = None,
    html: o.Html = None,
    resume: o.Resume = False,
    force: o.Force = False,
    form: o.DataFormat = "text",
) -> int:
    """Compare two sets of rules, report, and write what is wanted; returns the exit code."""
    checked_form(form)
    options = StudyOptions(game, modules or (), players, games, bots, seed, settings or (), workers, cluster)
    return _compare(first, second, options, Targets.of(COMPARISON, output, html, resume, force), form)


def _compare(one: str, other: str, options: StudyOptions, targets: Targets, form: str) -> int:
    """Play in pairs, print, write; returns the exit code."""
    checked(options)
    sides = [Side.of(one), Side.of(other)]
    options = replace(options, game=o.one_game(the_game(side.game for side in sides), options.game))
    first, second = (setup_of(side.added_to(options)) for side in sides)
    _check_differ(first, second, other)
    for setup in (first, second):
        remarked(setup.bots, setup.program)
    with checkpoint(targets, form_of(first, second, options.games), options.games) as kept:
        found = Comparison(first, second, options.games, kept=kept)
        code = carried_out(found, options, f"{one} against {other}, pairs", found.budget)
        data = comparison_data(found, (one, other))
        failed = targets.write({".json": lambda: as_json(data), ".html": lambda: comparison_page(data)})
    if form == JSON:
        print(as_json(data), end="")
    else:
        _print(found, data)
    if code:
        tell_stopped(f"{found.played:,} of at most {found.budget:,} pairs", targets)
    return code or failed or _broken(found)


@dataclass(frozen=True)
class Side:
    """One of the two, as typed: `base`, a game, modules, and settings as NAME=VALUE among these."""

    game: str
    modules: tuple[str, ...]
    settings: tuple[str, ...]

    @staticmethod
    def of(spec: str) -> Side:
        parts = names_joined(spec)
        game, modules = game_and_modules(part for part in parts if "=" not in part)
        return Side(game, modules, tuple(part for part in parts if "=" in part))

    def added_to(self, options: StudyOptions) -> StudyOptions:
        modules, settings = (*options.modules, *self.modules), (*options.settings, *self.settings)
        return replace(options, modules=modules, settings=settings)


def _check_differ(one: Setup, other: Setup, spec: str) -> None:
    """Raises `UsageError` for two sets of rules that cannot be compared."""
    if one.players != other.players:
        raise UsageError("the two are not for the same number of players", "give --players")
    if (one.program.rules_hash, one.settings) == (other.program.rules_hash, other.settings):
        raise UsageError(f"`{spec}` is the same rules as those it is compared with", "name two that differ")


def _broken(found: Comparison) -> int:
    for what, often in found.faults.items():
        print(f"{command_name()}: {often:,} pairs were aborted by a fault: the rules {what}", file=sys.stderr)
    tell_bot_faults(found.mishaps)
    return RULES if found.broken else 0


# --- in the terminal --------------------------------------------------------------------------

HEAD = ("", "first", "second", "change", "interval", "")


def _print(found: Comparison, data: Data) -> None:
    one, other = (rules["name"] for rules in data["rules"])
    about = f"{found.pairs:,} pairs of games"
    print_headline(f"{data['rules'][0]['title']}: {one} (first) against {other} (second), {about}")
    answers = found.answers()
    print_table("The main questions", HEAD, [_row(a) for a in answers if a.question.main])
    certain = [a for a in answers if not a.question.main and a.verdict in (MORE, LESS)]
    often = sorted((a for a in certain if a.question.about != FAVOUR), key=_surety)
    print_table(
        f"What else differs by {CERTAIN} (per player and game; announcements: per game)",
        HEAD,
        [_row(a) for a in often[:MOST_DETAILS]],
    )
    favoured = sorted((a for a in certain if a.question.about == FAVOUR), key=_surety)
    more = [_row(a) for a in favoured[:MOST_DETAILS]]
    print_table("What correlates with winning more, or less, than before", HEAD, more)
    left = max(0, len(often) - MOST_DETAILS) + max(0, len(favoured) - MOST_DETAILS)
    if left:
        print(f"{left} more are not shown: -o FILE.json or --html FILE lists them all")
    print()
    for sentence in data["said"]:
        print_headline(sentence)


def _surety(answer: ComparedQuestion) -> float:
    """The surest first: how far the interval is from nothing, for its width."""
    width = (answer.high - answer.low) or 1e-9
    return -abs(answer.value) / width


def _row(answer: ComparedQuestion) -> list[str]:
    share = answer.question.about in (WINS, FAVOUR)
    unit, sign = (100, " %") if share else (1, "")
    n = digits((unit * answer.value, unit * answer.low, unit * answer.high))
    return [
        answer.question.name,
        f"{unit * answer.one:.{n}f}{sign}",
        f"{unit * answer.other:.{n}f}{sign}",
        f"{unit * answer.value:+.{n}f}",
        f"{unit * answer.low:+.{n}f} to {unit * answer.high:+.{n}f}",
        VERDICTS[answer.verdict],
    ]
