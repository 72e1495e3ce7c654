"""The command `tune`, which searches for the value of a number in the rules with which games meet goals."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Annotated

import typer

from edict.agents.study.bot_games import GameSetup, get_plan
from edict.agents.study.charts import draw_interval
from edict.agents.study.summary import Data
from edict.agents.study.tuning import TunedValue, Tuning, describe_tuning, format_estimate, summarize_tuning
from edict.agents.study.tuning_goals import parse_goal
from edict.agents.study.tuning_report import render_tuning
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RULES, UsageError
from edict.apps.cli.commands.compare import ComparedSide
from edict.apps.cli.long_runs import StudyOptions, build_setup, report_stop, run_with_progress, validate_options
from edict.apps.cli.option_values import JSON, validate_format
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.apps.cli.seating import print_bot_remarks
from edict.apps.cli.study_output import TUNING, OutputTargets, print_headline, print_table, print_verdict, to_json
from edict.compiler.pipeline.compile import compile_modules
from edict.compiler.sources.module_set import Modules
from edict.game.table.rules import Rules
from edict.prose.rulebook.rule_numbers import (
    RuleNumber,
    find_numbers,
    list_numbers,
    render_diff,
    replace_numbers,
    suggest_numbers,
)
from edict.runtime.program import Program
from edict.support.morphology import count_noun
from edict.support.report import limit_diagnostics
from edict.support.resources import command_name

MAX_VALUES = 64  # values, or combinations of them, of a search
LARGE_CHANGE = 0.5  # relative change of a number beyond which bots should learn anew
_VALUES = re.compile(r"(\d{1,9})\.\.(\d{1,9})(?:\.\.(\d{1,9}))?")
RANGE_REMEDY = "write a range, as in 3..8 or 50..150..25 (in steps of 25), or values, as in 3,5,8"

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
TuneOutput = Annotated[
    Path | None,
    o.path_option("--output", "-o", metavar="FOLDER|FILE", help="Write to a folder, or a .json or .html file."),
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
) -> int:
    """Search for values of numbers that meet the goals, print and write reports; return the exit code."""
    validate_format(form)
    options = StudyOptions(game, modules or (), players, games, bots, seed, settings or (), workers, cluster)
    targets = OutputTargets.from_options(TUNING, output, html, False, force)
    targets.check()
    side = ComparedSide.parse(rules)
    options = side.apply_to(replace(validate_options(options), game=o.merge_game_arguments(side.game, game)))
    loaded = load_rules_with_notes(options.game, options.modules)
    chosen, ranges, phrases = _resolve_numbers(loaded, numbers)
    setup = build_setup(options, loaded)
    subject = _find_title(setup.program, chosen[0].definition)
    print_bot_remarks(setup.bots, setup.program)
    search = Tuning(
        list(_create_arms(options, loaded, chosen, ranges, phrases, (until, *(also or ())), subject)), games
    )
    total = games * len(search.arms)
    code = run_with_progress(search, options, f"{loaded.title}, games", total)
    data = summarize_tuning(search, _collect_facts(search, setup, loaded, chosen, phrases))
    data["said"] = describe_tuning(data)
    failed = targets.write({".json": lambda: to_json(data), ".html": lambda: render_tuning(data)})
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


# --- numbers and their values ----------------------------------------------------------------------


def _resolve_numbers(rules: Rules, texts: Sequence[str]) -> tuple[list[RuleNumber], list[list[int]], list[str]]:
    """Return the numbers that were named, the values of each, and the phrases that name them."""
    if len(texts) not in (2, 4):
        raise UsageError(
            "name one or two numbers, each with its values", 'write "cost of CARD in COIN" 1..4, for example'
        )
    known, phrases = list_numbers(rules.sources), list(texts[::2])
    chosen = [_find_number(known, phrase) for phrase in phrases]
    ranges = [_parse_values(text) for text in texts[1::2]]
    if len(set(chosen)) < len(chosen):
        raise UsageError("both names stand for the same number", "name two numbers")
    if len(ranges[0]) * len(ranges[-1] if len(ranges) > 1 else (0,)) > MAX_VALUES:
        raise UsageError(f"more than {MAX_VALUES} values, or combinations of values", "take a step, as in 50..150..25")
    return chosen, ranges, phrases


def _find_number(known: Sequence[RuleNumber], phrase: str) -> RuleNumber:
    """Return the number that a phrase names; raise `UsageError`, with those it may mean, unless there is one."""
    found = find_numbers(known, phrase)
    if len(found) == 1:
        return found[0]
    listed = "\n".join(f"  {number.span}  {number.line}" for number in found or suggest_numbers(known, phrase))
    if found:
        raise UsageError(f"`{phrase}` may be any of {len(found)} numbers", f"add a word, or name its place:\n{listed}")
    remedy = f"name the definition and the words beside the number, or its place:\n{listed}" if listed else RANGE_REMEDY
    raise UsageError(f"no number in the rules is described by `{phrase}`", remedy)


def _parse_values(text: str) -> list[int]:
    """Return the values of `3..8`, `50..150..25` or `3,5,8`; raises `UsageError`."""
    if match := _VALUES.fullmatch(text):
        low, high, step = int(match[1]), int(match[2]), int(match[3] or 1)
        values = list(range(low, high + 1, step)) if step and (high - low) // step < MAX_VALUES else []
    else:
        parts = text.split(",")
        values = sorted({int(part) for part in parts}) if all(re.fullmatch(r"\d{1,9}", part) for part in parts) else []
    if not values:
        raise UsageError(f"`{text}` is not a range of at most {MAX_VALUES} values", RANGE_REMEDY)
    return values


def _find_title(program: Program, name: str) -> str:
    """Return the title of a thing by its name; empty if a definition is no thing."""
    things = (thing for kind in program.kinds for thing in kind.things if thing.name == name)
    return next((thing.title or thing.name for thing in things), "")


def _create_arms(
    options: StudyOptions,
    rules: Rules,
    chosen: Sequence[RuleNumber],
    ranges: Sequence[Sequence[int]],
    phrases: Sequence[str],
    goals: Sequence[str],
    subject: str,
) -> Iterator[TunedValue]:
    """Yield the rules with each combination of values; raise `UsageError` for one that they do not allow."""
    hashes = set()
    combinations = list(product(*ranges))
    for values in combinations:
        program = _compile(replace_numbers(rules.sources, list(zip(chosen, values, strict=True))), phrases, values)
        setup = build_setup(options, replace(rules, program=program))  # a tuned setting changes its default
        hashes.add((program.meaning, setup.settings))
        plan = get_plan(setup)
        yield TunedValue(values, setup, tuple(parse_goal(goal, plan, subject) for goal in goals))
    if len(combinations) > 1 and len(hashes) == 1:
        place = f"{chosen[0].span} is replaced by a module or by --set"
        raise UsageError(f"`{phrases[0]}` changes nothing", f"{place}; name the number that counts by FILE:LINE")


def _compile(modules: Modules, phrases: Sequence[str], values: Sequence[int]) -> Program:
    """Compile rules with other values; raise `UsageError` with the first error that they cause."""
    outcome = compile_modules(modules)
    if outcome.value is None or not outcome.ok:
        error = next(found for found in limit_diagnostics(outcome.diagnostics) if found.is_error)
        shown = ", ".join(f"{phrase} = {value}" for phrase, value in zip(phrases, values, strict=True))
        raise UsageError(f"the rules do not allow {shown}: {error.title}", "leave that value out of the range")
    return outcome.value


# --- reports ---------------------------------------------------------------------------------------


def _collect_facts(
    search: Tuning, setup: GameSetup, rules: Rules, chosen: Sequence[RuleNumber], phrases: Sequence[str]
) -> Data:
    """Return the facts of a tuning besides its games: rules, bots, numbers with their places, and the winning lines."""
    program, best = setup.program, search.best.values
    winning = replace_numbers(rules.sources, list(zip(chosen, best, strict=True)))
    is_large = any(
        abs(value - number.value) > LARGE_CHANGE * max(1, number.value)
        for number, value in zip(chosen, best, strict=True)
    )
    return {
        "game": {"title": program.title, "modules": list(program.modules), "rules": program.rules_hash},
        "players": setup.players,
        "bots": list(setup.bots),
        "seed": setup.seed,
        "numbers": [
            {"phrase": phrase, "place": str(number.span), "line": number.line, "current": number.value}
            for phrase, number in zip(phrases, chosen, strict=True)
        ],
        "diff": render_diff(rules.sources, winning),
        "notes": [
            "Bots do not learn while you tune, and may misjudge so large a change: save it as a module, and run "
            f"`{command_name()} train --bot learned` with it."
        ]
        if is_large and set(setup.bots) != {"random"}
        else [],
    }


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
                    f"{value['games']:,}",
                    value["verdict"],
                ]
                for value, estimate in zip(data["values"], estimates, strict=True)
            ]
            title = f"{measure['name']} (wanted {goal['range']})"
            print_table(title, ("value", "", "measured", "games", "all goals"), rows)
    if data["diff"]:
        print("\n".join(["", *data["diff"]]))
    else:
        print("\nThe rules have this value already.")
