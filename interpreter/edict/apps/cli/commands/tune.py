"""The command `tune`, which searches for the value of a number in the rules with which games meet goals."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from edict.agents.study.bot_games import GameSetup
from edict.agents.study.charts import draw_interval
from edict.agents.study.retraining import ALWAYS, AUTO, RETRAINING_MODES
from edict.agents.study.summary import Data
from edict.agents.study.tuned_rules import collect_facts, create_arms, find_title, resolve_numbers
from edict.agents.study.tuning import (
    Tuning,
    describe_tuning,
    find_untrained,
    format_estimate,
    format_untrained,
    summarize_tuning,
)
from edict.agents.study.tuning_report import render_tuning, render_tuning_rows
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RULES, UsageError
from edict.apps.cli.commands.compare import ComparedSide
from edict.apps.cli.long_runs import StudyOptions, build_setup, report_stop, run_with_progress, validate_options
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.apps.cli.seating import print_bot_remarks
from edict.apps.cli.shared_options import JSON, validate_format
from edict.apps.cli.study_output import (
    TUNING,
    OutputTargets,
    drop_empty_columns,
    print_headline,
    print_table,
    print_verdict,
    to_json,
)
from edict.runtime.program import Program
from edict.support.morphology import count_noun, join_words
from edict.support.report import suggest_word
from edict.support.resources import command_name

TunedRules = Annotated[
    str, typer.Argument(metavar="RULES", help="`base`, a game, or modules and settings (NAME=VALUE) joined by +.")
]
NumbersAndValues = Annotated[
    list[str],
    typer.Argument(
        metavar="NUMBER VALUES", help="A number in the rules by words or FILE:LINE, then its values, as 3..8."
    ),
]
Until = Annotated[
    str, typer.Option("--until", metavar="GOAL", help='What games must show, as in "built in 25 to 40 % of games".')
]
And = Annotated[list[str] | None, typer.Option("--and", metavar="GOAL", help="Another goal; repeatable.")]
ValueGames = Annotated[int, typer.Option("--games", metavar="N", help="Maximum number of games of a value.")]
Retrain = Annotated[
    str,
    typer.Option(
        "--retrain",
        metavar="auto|always|never",
        help="Train `learned` further for each value, and use it where it then wins more (auto) or always.",
    ),
]
TuneOutput = Annotated[
    Path | None,
    o.path_option("--output", "-o", metavar="FOLDER|FILE", help="Write to a folder, or a .json, .csv or .html file."),
]


def tune(
    rules: TunedRules,
    numbers: NumbersAndValues,
    until: Until,
    also: And = None,
    game: o.Game = "",
    modules: o.Modules = None,
    players: o.PlayerCount = None,
    games: ValueGames = 8000,
    bots: o.BotKinds = "",
    seed: o.Seed = "",
    settings: o.Settings = None,
    workers: o.Workers = None,
    cluster: o.Cluster = "",
    output: TuneOutput = None,
    html: o.Html = None,
    force: o.Force = False,
    form: o.DataFormat = "text",
    retrain: Retrain = AUTO,
) -> int:
    """Search for values of numbers that meet the goals, print and write reports; return the exit code."""
    validate_format(form)
    if retrain not in RETRAINING_MODES:
        remedy = suggest_word(retrain, RETRAINING_MODES) or f"write {join_words(RETRAINING_MODES, 'or')}"
        raise UsageError(f"invalid value `{retrain}` for --retrain", remedy)
    options = StudyOptions(game, modules or (), players, games, bots, seed, settings or (), workers, cluster)
    targets = OutputTargets.from_options(TUNING, output, html, False, force)
    targets.check()
    side = ComparedSide.parse(rules)
    options = side.apply_to(replace(validate_options(options), game=o.merge_game_arguments(side.game, game)))
    loaded = load_rules_with_notes(options.game, options.modules)
    chosen, ranges, phrases = resolve_numbers(loaded, numbers)
    setup = build_setup(options, loaded)
    subject = find_title(setup.program, chosen[0].definition)
    print_bot_remarks(setup.bots, setup.program)

    def build_arm_setup(program: Program) -> GameSetup:
        return build_setup(options, replace(loaded, program=program))

    goals = (until, *(also or ()))
    arms = list(create_arms(loaded, build_arm_setup, chosen, ranges, phrases, goals, subject))
    search = Tuning(arms, games, tuple(number.value for number in chosen), retrain)
    if retrain == ALWAYS and not search.retrained_values:
        raise UsageError("none of these bots has a network that could be trained", "give --bots learned")
    code = run_with_progress(search, options, f"{loaded.title}, games", search.total)
    data = summarize_tuning(search, collect_facts(search, setup, loaded, chosen, phrases))
    data["said"] = describe_tuning(data)
    renderers = {
        ".json": lambda: to_json(data),
        ".csv": lambda: render_tuning_rows(data),
        ".html": lambda: render_tuning(data),
    }
    failed = targets.write(renderers)
    if form == JSON:
        print(to_json(data), end="")
    else:
        _print_tuning(data)
    if code:
        report_stop(count_noun(search.done, "game"), targets)
    faults = [(value, fault, count) for value in data["values"] for fault, count in value["faults"].items()]
    for value, fault, count in faults:
        print(
            f"{command_name()}: {count_noun(count, 'game')} with {value['values']} aborted: the rules {fault}",
            file=sys.stderr,
        )
    return code or failed or (RULES if faults else 0)


def _print_tuning(data: Data) -> None:
    """Print the verdict, a table with a curve for each goal, and the change of the rules."""
    bots = f"{data['players']} {data['bots'][0]} bots" if len(set(data["bots"])) == 1 else ", ".join(data["bots"])
    print_headline(f"{data['game']['title']}: {', '.join(number['phrase'] for number in data['numbers'])}, {bots}")
    print_verdict([*data["said"], *data["notes"]])
    for index, goal in enumerate(data["goals"]):
        for place, measure in enumerate(goal["measures"]):
            estimates = [value["estimates"][index][place] for value in data["values"]]
            rows = [
                [
                    ", ".join(map(str, value["values"])),
                    draw_interval(estimate, estimates, (goal["low"], goal["high"])),
                    format_estimate(estimate, measure["unit"]),
                    format_untrained(find_untrained(value, index, place), measure["unit"]),
                    f"{value['games']:,}",
                    value["verdict"],
                ]
                for value, estimate in zip(data["values"], estimates, strict=True)
            ]
            title = f"{measure['name']} (wanted {goal['range']})"
            headings = ("value", "", "measured", "before training", "games", "all goals")
            print_table(title, *drop_empty_columns(headings, rows))
    if data["diff"]:
        print("\n".join(["", *data["diff"]]))
    else:
        print("\nThe rules have this value already.")
