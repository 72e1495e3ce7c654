"""The command `compare`, which plays two sets of rules with the same seeds and tests differences for significance."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import typer

from edict.agents.study.bot_games import GameSetup
from edict.agents.study.charts import choose_precision
from edict.agents.study.comparison import FAVOUR, WINS, Comparison, make_comparison_format
from edict.agents.study.comparison_summary import comparison_data
from edict.agents.study.reports import list_differing_details, render_comparison, render_comparison_rows
from edict.agents.study.summary import Data
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RULES, UsageError
from edict.apps.cli.long_runs import (
    StudyOptions,
    build_setup,
    open_checkpoint,
    report_bot_faults,
    report_stop,
    run_with_progress,
    validate_options,
)
from edict.apps.cli.rules_by_name import BASE, find_manifest, require_single_game, split_game_and_modules, split_names
from edict.apps.cli.seating import print_bot_remarks
from edict.apps.cli.shared_options import JSON, validate_format
from edict.apps.cli.study_output import (
    COMPARISON,
    OutputTargets,
    print_headline,
    print_table,
    print_verdict,
    to_json,
)
from edict.support.morphology import count_noun, join_words
from edict.support.records import dataclass
from edict.support.resources import command_name

MAX_DETAILS = 40
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
FirstPlans = Annotated[
    list[str] | None,
    typer.Option("--plan-a", metavar="[SEAT=]PLAN", help="Let a seat follow a plan under A; repeatable."),
]
SecondPlans = Annotated[
    list[str] | None,
    typer.Option("--plan-b", metavar="[SEAT=]PLAN", help="Let a seat follow a plan under B; repeatable."),
]
PairCount = Annotated[int, typer.Option("--games", metavar="N", help="Maximum number of pairs of games.")]


def compare(
    first: OneSide = BASE,
    second: OtherSide = BASE,
    game: o.Game = "",
    modules: o.Modules = None,
    players: o.PlayerCount = None,
    games: PairCount = 10_000,
    bots: o.BotKinds = "",
    seed: o.Seed = "",
    settings: o.Settings = None,
    first_plans: FirstPlans = None,
    second_plans: SecondPlans = None,
    workers: o.Workers = None,
    cluster: o.Cluster = "",
    output: o.StudyOutput = None,
    html: o.Html = None,
    resume: o.Resume = False,
    force: o.Force = False,
    form: o.DataFormat = "text",
) -> int:
    """Compare two sets of rules in games between bots, and print and write reports; return the exit code."""
    validate_format(form)
    options = StudyOptions(game, modules or (), players, games, bots, seed, settings or (), workers, cluster)
    options_by_side = [replace(options, plans=plans or ()) for plans in (first_plans, second_plans)]
    return _run_comparison(
        [first, second], options_by_side, OutputTargets.from_options(COMPARISON, output, html, resume, force), form
    )


def _run_comparison(
    specs: Sequence[str], options_by_side: Sequence[StudyOptions], targets: OutputTargets, output_format: str
) -> int:
    """Play the pairs, print and write the reports; return the exit code."""
    options = validate_options(options_by_side[0])
    sides = [ComparedSide.parse(spec) for spec in specs]
    game = o.merge_game_arguments(require_single_game(side.game for side in sides), options.game)
    first_options, second_options = (
        side.apply_to(replace(side_options, game=game))
        for side, side_options in zip(sides, options_by_side, strict=True)
    )
    first_spec, second_spec = (
        " + ".join([spec, *side_options.plans]) for spec, side_options in zip(specs, options_by_side, strict=True)
    )
    first, second = build_setup(first_options), build_setup(second_options)
    _require_comparable(first, second, second_spec)
    for setup in (first, second):
        print_bot_remarks(setup.bots, setup.program)
    with open_checkpoint(
        targets, make_comparison_format(first, second, options.games), options.games
    ) as checkpoint_file:
        comparison = Comparison(first, second, options.games, checkpoint=checkpoint_file)
        code = run_with_progress(comparison, options, f"{first_spec} against {second_spec}, pairs", comparison.budget)
        change = describe_change(first_options, second_options, second) or second_spec
        data = comparison_data(comparison, (first_spec, second_spec), change)
        renderers = {
            ".json": lambda: to_json(data),
            ".csv": lambda: render_comparison_rows(data),
            ".html": lambda: render_comparison(data),
        }
        failed = targets.write(renderers)
    if output_format == JSON:
        print(to_json(data), end="")
    else:
        _print_comparison(data)
    if code:
        report_stop(f"{comparison.played_pairs:,} of at most {comparison.budget:,} pairs", targets)
    return code or failed or _report_faults(comparison)


@dataclass(frozen=True)
class ComparedSide:
    """One of the two compared sets of rules, as typed."""

    game: str  # empty for that of the options
    modules: tuple[str, ...]
    settings: tuple[str, ...]  # as NAME=VALUE

    @staticmethod
    def parse(spec: str) -> ComparedSide:
        """Parse `base`, a game, modules and settings that are joined by +."""
        parts = split_names(spec)
        game, modules = split_game_and_modules(part for part in parts if "=" not in part)
        return ComparedSide(game, modules, tuple(part for part in parts if "=" in part))

    def apply_to(self, options: StudyOptions) -> StudyOptions:
        """Return the options with this side's modules and settings added."""
        modules, settings = (*options.modules, *self.modules), (*options.settings, *self.settings)
        return replace(options, modules=modules, settings=settings)


def describe_change(first: StudyOptions, second: StudyOptions, setup: GameSetup) -> str:
    """Return the titles of the modules and settings that only the second rules have; empty if they only lack some."""
    titles = {setting.name: setting.title for setting in setup.program.settings}
    modules = [name for name in second.modules if name not in first.modules]
    settings = [text.partition("=") for text in second.settings if text not in first.settings]
    named = [manifest.title if (manifest := find_manifest(name)) else name for name in modules]
    plans = [plan for plan in second.plans if plan not in first.plans]
    return join_words([*named, *plans, *(f"{titles.get(name) or name}: {value}" for name, _, value in settings)])


def _require_comparable(first: GameSetup, second: GameSetup, spec: str) -> None:
    """Raise `UsageError` if the two have different numbers of players, or are the same."""
    if first.players != second.players:
        raise UsageError("the two are not for the same number of players", "give --players")
    one, other = ((setup.program.rules_hash, setup.settings, setup.plans) for setup in (first, second))
    if one == other:
        raise UsageError(f"`{spec}` is the same rules as those it is compared with", "name two that differ")


def _report_faults(comparison: Comparison) -> int:
    """Report aborted pairs and faults of bots; return the exit code."""
    for fault, count in comparison.faults.items():
        print(f"{command_name()}: {count:,} pairs were aborted by a fault: the rules {fault}", file=sys.stderr)
    report_bot_faults(comparison.mishaps)
    return RULES if comparison.broken_pairs else 0


# --- in the terminal --------------------------------------------------------------------------

HEAD = ("", "first", "second", "change", "interval", "")


def _print_comparison(data: Data) -> None:
    """Print tables of the main questions and the significant details, then the conclusions."""
    first, second = (rules["name"] for rules in data["rules"])
    about = count_noun(data["pairs"], "pair")
    print_headline(f"{data['rules'][0]['title']}: {first} (first) against {second} (second), {about} of games")
    print_verdict(data["said"])
    print_table("The main questions", HEAD, [_question_row(answer) for answer in data["main"]])
    differing = sorted(list_differing_details(data), key=_significance_key)
    frequencies = [answer for answer in differing if answer["about"] != FAVOUR]
    correlations = [answer for answer in differing if answer["about"] == FAVOUR]
    details = count_noun(len(data["details"]), "detail")
    title = f"Other significant differences, of {details} (per player and game; events: per game)"
    print_table(title, HEAD, [_question_row(answer) for answer in frequencies[:MAX_DETAILS]])
    detail_rows = [_question_row(answer) for answer in correlations[:MAX_DETAILS]]
    print_table("What goes with winning more, or less, than before", HEAD, detail_rows)
    left = max(0, len(frequencies) - MAX_DETAILS) + max(0, len(correlations) - MAX_DETAILS)
    if left:
        print(f"{left} more are not shown: -o FILE.json or --html FILE lists them all")
    if not differing:
        print(f"No other significant differences among {details}.")


def _significance_key(answer: Data) -> float:
    """Return a sort key, the largest ratio of the difference to the width of its interval first."""
    difference = answer["difference"]
    width = (difference["high"] - difference["low"]) or 1e-9
    return -abs(float(difference["value"])) / float(width)


def _question_row(answer: Data) -> list[str]:
    """Return a question's cells: name, both values, difference, interval and verdict; shares in percent."""
    share = answer["about"] in (WINS, FAVOUR)
    unit, sign = (100, " %") if share else (1, "")
    value, low, high = (unit * answer["difference"][name] for name in ("value", "low", "high"))
    digit_count = choose_precision((value, low, high))
    return [
        answer["name"],
        *(f"{unit * number:.{digit_count}f}{sign}" for number in answer["values"]),
        f"{value:+.{digit_count}f}",
        f"{low:+.{digit_count}f} to {high:+.{digit_count}f}",
        VERDICTS[answer["verdict"]],
    ]
