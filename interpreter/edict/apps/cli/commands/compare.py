"""The command `compare`, which plays two sets of rules with the same seeds and tests differences for significance."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from edict.agents.study.bot_games import GameSetup
from edict.agents.study.charts import choose_precision
from edict.agents.study.comparison import (
    FAVOUR,
    LESS,
    MORE,
    SIGNIFICANT,
    WINS,
    ComparedQuestion,
    Comparison,
    comparison_data,
    make_comparison_format,
)
from edict.agents.study.reports import render_comparison
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
from edict.apps.cli.option_values import JSON, validate_format
from edict.apps.cli.rules_by_name import require_single_game, split_game_and_modules, split_names
from edict.apps.cli.seating import print_bot_remarks
from edict.apps.cli.study_output import COMPARISON, OutputTargets, print_headline, print_table, to_json
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
    validate_format(form)
    options = StudyOptions(game, modules or (), players, games, bots, seed, settings or (), workers, cluster)
    return _run_comparison(
        first, second, options, OutputTargets.from_options(COMPARISON, output, html, resume, force), form
    )


def _run_comparison(
    first_spec: str, second_spec: str, options: StudyOptions, targets: OutputTargets, output_format: str
) -> int:
    """Play the pairs, print and write the reports; return the exit code."""
    validate_options(options)
    sides = [ComparedSide.parse(first_spec), ComparedSide.parse(second_spec)]
    options = replace(
        options, game=o.merge_game_arguments(require_single_game(side.game for side in sides), options.game)
    )
    first, second = (build_setup(side.apply_to(options)) for side in sides)
    _require_comparable(first, second, second_spec)
    for setup in (first, second):
        print_bot_remarks(setup.bots, setup.program)
    with open_checkpoint(
        targets, make_comparison_format(first, second, options.games), options.games
    ) as checkpoint_file:
        comparison = Comparison(first, second, options.games, checkpoint=checkpoint_file)
        code = run_with_progress(comparison, options, f"{first_spec} against {second_spec}, pairs", comparison.budget)
        data = comparison_data(comparison, (first_spec, second_spec))
        failed = targets.write({".json": lambda: to_json(data), ".html": lambda: render_comparison(data)})
    if output_format == JSON:
        print(to_json(data), end="")
    else:
        _print_comparison(comparison, data)
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


def _require_comparable(first: GameSetup, second: GameSetup, spec: str) -> None:
    """Raise `UsageError` if the two have different numbers of players, or are the same."""
    if first.players != second.players:
        raise UsageError("the two are not for the same number of players", "give --players")
    if (first.program.rules_hash, first.settings) == (second.program.rules_hash, second.settings):
        raise UsageError(f"`{spec}` is the same rules as those it is compared with", "name two that differ")


def _report_faults(comparison: Comparison) -> int:
    """Report aborted pairs and faults of bots; return the exit code."""
    for fault, count in comparison.faults.items():
        print(f"{command_name()}: {count:,} pairs were aborted by a fault: the rules {fault}", file=sys.stderr)
    report_bot_faults(comparison.mishaps)
    return RULES if comparison.broken_pairs else 0


# --- in the terminal --------------------------------------------------------------------------

HEAD = ("", "first", "second", "change", "interval", "")


def _print_comparison(comparison: Comparison, data: Data) -> None:
    first, second = (rules["name"] for rules in data["rules"])
    about = f"{comparison.pairs:,} pairs of games"
    print_headline(f"{data['rules'][0]['title']}: {first} (first) against {second} (second), {about}")
    answers = comparison.evaluate()
    print_table("The main questions", HEAD, [_question_row(answer) for answer in answers if answer.question.main])
    significant = [answer for answer in answers if not answer.question.main and answer.verdict in (MORE, LESS)]
    frequency_rows = sorted(
        (answer for answer in significant if answer.question.about != FAVOUR), key=_significance_key
    )
    print_table(
        f"What else differs by {SIGNIFICANT} (per player and game; announcements: per game)",
        HEAD,
        [_question_row(answer) for answer in frequency_rows[:MAX_DETAILS]],
    )
    favored_rows = sorted((answer for answer in significant if answer.question.about == FAVOUR), key=_significance_key)
    detail_rows = [_question_row(answer) for answer in favored_rows[:MAX_DETAILS]]
    print_table("What correlates with winning more, or less, than before", HEAD, detail_rows)
    left = max(0, len(frequency_rows) - MAX_DETAILS) + max(0, len(favored_rows) - MAX_DETAILS)
    if left:
        print(f"{left} more are not shown: -o FILE.json or --html FILE lists them all")
    print()
    for sentence in data["said"]:
        print_headline(sentence)


def _significance_key(answer: ComparedQuestion) -> float:
    """Return a sort key, the largest ratio of the difference to the width of its interval first."""
    width = (answer.high - answer.low) or 1e-9
    return -abs(answer.value) / width


def _question_row(answer: ComparedQuestion) -> list[str]:
    share = answer.question.about in (WINS, FAVOUR)
    unit, sign = (100, " %") if share else (1, "")
    digit_count = choose_precision((unit * answer.value, unit * answer.low, unit * answer.high))
    return [
        answer.question.name,
        f"{unit * answer.one:.{digit_count}f}{sign}",
        f"{unit * answer.other:.{digit_count}f}{sign}",
        f"{unit * answer.value:+.{digit_count}f}",
        f"{unit * answer.low:+.{digit_count}f} to {unit * answer.high:+.{digit_count}f}",
        VERDICTS[answer.verdict],
    ]
