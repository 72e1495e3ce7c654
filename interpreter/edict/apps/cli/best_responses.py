"""The report of `study --best-response`: the best bot found that meets a condition, and the best without it."""

from __future__ import annotations

from dataclasses import replace

from edict.agents.study.best_response import BestResponse, summarize_best_response
from edict.agents.study.response_goals import CompiledGoal, parse_condition
from edict.agents.study.summary import Data
from edict.apps.cli.command_errors import STOPPED
from edict.apps.cli.long_runs import StudyOptions, build_setup, run_with_progress, validate_options
from edict.apps.cli.plan_options import compile_plan_sources
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.apps.cli.seating import print_bot_remarks
from edict.apps.cli.shared_options import JSON
from edict.apps.cli.study_output import print_headline, print_table, print_verdict, to_json
from edict.support.text import Source

RESPONSE_GAMES = 2000
MAX_ROWS = 8
HEADINGS = ("bot", "way", "games", "met", "wins", "wins that met it")


def report_best_response(options: StudyOptions, condition: str, output_format: str) -> int:
    """Search for a best response, print it, and return the exit code."""
    rules = load_rules_with_notes(options.game, options.modules)
    setup = build_setup(validate_options(options), rules)
    texts = parse_condition(condition, rules.program).list_plans(rules.program, setup.players)
    sources = [Source("--best-response" if not i else f"plan {i}", text) for i, text in enumerate(texts)]
    compile_plan_sources(rules, sources[:1])  # so that a mistake is reported once
    program, plans = compile_plan_sources(rules, sources, marked=True)
    goal = CompiledGoal(condition, program, plans, texts)
    print_bot_remarks(setup.bots, rules.program)
    search = BestResponse(replace(setup, program=program), goal, options.games)
    code = run_with_progress(search, options, f"{program.title}, games", search.total)
    if not search.is_finished:
        return code or STOPPED
    data = summarize_best_response(search)
    if output_format == JSON:
        print(to_json(data), end="")
    else:
        _print_best_response(data)
    return code


def _print_best_response(data: Data) -> None:
    """Print the verdict, and the candidates that came nearest with the condition and without."""
    print_headline(f"{data['game']['title']}: the best response to `{data['condition']}`, seed {data['seed']}")
    print_verdict(data["said"])
    for title, key, order in (
        (f"Candidates that work for `{data['plan']}`", "held", "met_wins"),
        ("Candidates without the condition", "free", "wins"),
    ):
        arms = sorted(data["searched"][key], key=lambda arm: (-arm["games"], -arm[order]))
        print_table(title, HEADINGS, [_candidate_row(arm) for arm in arms[:MAX_ROWS]])


def _candidate_row(arm: Data) -> list[str]:
    """Return a candidate with its results as a row of a table."""
    shares = (f"{100 * arm[key]:.1f} %" for key in ("met", "wins", "met_wins"))
    return [arm["bot"], arm["way"], f"{arm['games']:,}", *shares]
