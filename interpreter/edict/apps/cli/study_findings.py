"""Findings of `study` and `test`: what never happens in many games, assertions that fail, and best responses.

A failed assertion is printed with the shortest game found, as a scene.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from edict.agents.bots import BOTS
from edict.agents.bots.match import create_bot_table
from edict.agents.study.assertion_search import AssertionSearch, BrokenAssertion
from edict.agents.study.best_response import BestResponse, summarize_best_response
from edict.agents.study.never_happened import DEFAULT_BOTS, NeverSearch, collect_findings, create_setups, is_empty
from edict.agents.study.response_goals import CompiledGoal, parse_condition
from edict.agents.study.summary import Data
from edict.apps.cli.command_errors import RULES, STOPPED
from edict.apps.cli.command_output import show_progress
from edict.apps.cli.long_runs import (
    StudyOptions,
    build_setup,
    parse_seed,
    resolve_player_count,
    run_with_progress,
    select_workers,
    validate_options,
)
from edict.apps.cli.plan_options import compile_plan_sources
from edict.apps.cli.recorded_scenes import build_scene, scene_file_header
from edict.apps.cli.rules_by_name import default_game, load_rules_with_notes, load_sources, to_stable_name
from edict.apps.cli.seating import print_bot_remarks
from edict.apps.cli.shared_options import JSON, parse_settings, print_document, validate_format
from edict.apps.cli.study_output import print_headline, print_table, print_verdict, to_json
from edict.compiler.pipeline.assertions import compile_assertions
from edict.game.table import setup
from edict.game.table.game import Game
from edict.support.morphology import count_noun, count_players, quote_words
from edict.support.rendering import escape_terminal
from edict.support.text import Source

MAX_LINE_NUMBERS = 5
NEVER_GAMES = 50  # per kind of bot


def report_never(options: StudyOptions, output_format: str) -> int:
    """Play games, print what never happened in them, and return the exit code. Findings are no failure."""
    validate_format(output_format)
    validate_options(options)
    program = load_rules_with_notes(options.game, options.modules).program
    kinds = [BOTS.validate(kind.strip()) for kind in options.bots.split(",")] if options.bots else DEFAULT_BOTS
    players = None if options.players is None else resolve_player_count(program, options.players)
    settings = setup.check_settings(program, parse_settings(options.settings))
    seats = create_setups(program, kinds, players, tuple(sorted(settings.items())), parse_seed(options.seed))
    search = NeverSearch(seats, options.games)
    code = run_with_progress(search, options, f"{program.title}, games", search.total)
    if not search.played_games:  # stopped before the first game ended
        return code
    never_data = collect_findings(
        search, load_sources([to_stable_name(options.game or default_game()), *options.modules])
    )
    if output_format == JSON:
        print_document("never", **never_data)
    else:
        print("\n".join(escape_terminal(line) for line in describe_never(never_data)))
    return code


def describe_never(data: Data) -> Iterator[str]:
    """Yield the lines of a report of what never happened."""
    bots = f"{quote_words(data['bots'], 'and')} bots, {_describe_player_counts(data['players'])}"
    yield f"{data['game']['title']}: what never happened in {count_noun(data['games'], 'game')} ({bots})"
    if data["faults"]:
        yield f"{count_noun(data['faults'], 'game')} ended in an error; run `study` without --never to see which."
    if is_empty(data):
        yield ""
        yield "Nothing: every line ran, every thing was held, and every option was taken at least once."
        return
    names = [*reversed(data["game"]["modules"])]
    for name in names:
        rows = {part: [row for row in data[part] if row.get("module", names[-1]) == name] for part in PARTS}
        rows["gaps"] = data["gaps"] if name == names[0] else []  # what a module does to the questions of others
        findings = [*_describe_findings(rows)]
        if len(names) > 1 and (findings or name == names[0]):
            yield from ("", f"# {name}")
        if name == names[0] and not findings:
            yield "Nothing: its lines ran, its things were held, and its options were taken at least once."
        yield from findings


PARTS = ("lines", "things", "options", "gaps", "idle", "numbers", "flags", "unused", "unpaid")


def _describe_findings(data: Data) -> Iterator[str]:
    """Yield the lines about what never happened in the rules of one module."""
    plain_lines = [row for row in data["lines"] if not (row["because"] or {}).get("setting")]
    yield from _format_section("Lines that never ran", map(_describe_line, plain_lines))
    yield from _format_section("Things that no player ever had", map(_describe_thing, data["things"]))
    yield from _format_section("Options", map(_describe_option, data["options"]))
    yield from _format_section("Never asked in one round", map(_describe_gap, data["gaps"]))
    yield from _format_section("Lines that never changed anything", map(_describe_idle_line, data["idle"]))
    yield from _format_section("Numbers that were always the same", map(_describe_number, data["numbers"]))
    yield from _format_section("Flags that were set and never cleared", map(_describe_flag, data["flags"]))
    yield from _format_section("Gained too late to be used", map(_describe_unread_increment, data["unused"]))
    yield from _format_section("Not paid for", map(_describe_unpaid, data["unpaid"]))
    set_otherwise = [row for row in data["lines"] if row not in plain_lines]
    yield from _format_section("Lines that need other settings (`--set`)", map(_describe_line, set_otherwise))


FindingText = tuple[str, Data | str | None]  # a finding and its likely reason


def _format_section(title: str, findings: Iterable[FindingText]) -> Iterator[str]:
    """Yield an empty line, the title, and each finding with its reason indented below; nothing without findings."""
    rows = list(findings)
    if not rows:
        return
    yield ""
    yield title
    for text, reason in rows:
        yield f"  {text}"
        if reason:
            yield f"      {reason if isinstance(reason, str) else _describe_reason(reason)}"


def _describe_reason(reason: Data) -> str:
    """Return a reason as text, preceded by the quoted condition and its place if it has one."""
    if reason.get("words"):
        return f"{reason['words']} ({reason['file']}:{reason['line']})"
    if "file" not in reason:
        return str(reason["why"])
    text = f"`{reason['text']}`" if reason["text"] else "this"
    return f"{text} ({reason['file']}:{reason['line']}): {reason['why']}"


def _describe_player_counts(numbers: list[int]) -> str:
    return count_players(min(numbers), max(numbers))


def _describe_line(finding: Data) -> FindingText:
    """Return lines that never ran as `FILE:3, 4 and 2 more  TEXT`, with the reason."""
    lines = finding["lines"]
    numbers = [str(line) for line in lines[:MAX_LINE_NUMBERS]]
    more = f" and {len(lines) - MAX_LINE_NUMBERS} more" if len(lines) > MAX_LINE_NUMBERS else ""
    return f"{finding['file']}:{', '.join(numbers)}{more}  {finding['text']}", finding["because"]


def _describe_thing(finding: Data) -> FindingText:
    """Return that players never held a thing in any of its keeps, with the reason."""
    keeps = [f"“{keep}”" for keep in finding["keeps"]]
    return f"{finding['title']}: never in {' or '.join(keeps)}", finding["because"]


def _describe_option(finding: Data) -> FindingText:
    """Return that an option was never offered, never taken or always taken, and how often, with the reason."""
    times = count_noun(finding["times"], "time")
    use = {
        "never offered": f"never offered, though the question was asked {times}",
        "never taken": f"offered {times}, never taken",
        "always taken": f"taken every time, {times}, although there were other options",
    }[finding["what"]]
    return f"“{finding['question']}” {finding['option']}: {use} ({finding['file']}:{finding['line']})", finding[
        "because"
    ]


def _describe_gap(finding: Data) -> FindingText:
    """Return that a question was never asked while a number had one value; no reason."""
    asked = f"“{finding['question']}” was never asked while {finding['name']} was {finding['value']}"
    return f"{asked}, and often in all other rounds ({finding['file']}:{finding['line']})", None


def _describe_idle_line(finding: Data) -> FindingText:
    """Return that a line ran and changed nothing; no reason."""
    text = f"{finding['file']}:{finding['line']}  {finding['text']}"
    return f"{text}: done {count_noun(finding['times'], 'time')}, and nothing ever changed", None


BOUNDS = {"least": "minimum", "greatest": "maximum"}


def _describe_number(finding: Data) -> FindingText:
    """Return that a number was always the same, and if that is its least or greatest value; no reason."""
    bound = f", its {BOUNDS[finding['bound']]}" if finding["bound"] else ""
    return f"{finding['title']}: always {finding['value']:,}{bound}", None


def _describe_flag(finding: Data) -> FindingText:
    """Return how often a flag became yes without ever becoming no again; no reason."""
    return f"“{finding['title']}” was set {count_noun(finding['times'], 'time')}", None


def _describe_unread_increment(finding: Data) -> FindingText:
    """Return the place and text of a line that adds to a number, with the reason: nothing read it afterwards."""
    reason = f"nothing used it afterwards, in {count_noun(finding['games'], 'game')} in which the line ran"
    return f"{finding['file']}:{finding['line']}  {finding['text']}", reason


def _describe_unpaid(finding: Data) -> FindingText:
    """Return how often a payment was skipped because it could not be paid, with the exception as reason."""
    text = f"skipped {finding['times']:,} of {count_noun(finding['of'], 'time')} because it could not be paid"
    return f"{finding['file']}:{finding['line']}  {finding['text']}: {text}", finding["because"]


MAX_WHOLE_GAME_ANSWERS = (
    40  # up to so many answers, the scene has the whole game; else only the phase of the last answer
)
MAX_ASSERTION_GAMES = 100  # per kind of bot, in a study that also reports assertions


def report_assertions(options: StudyOptions, games: int) -> int:
    """Play games to test the assertions of the rules, print the result, and return the exit code.

    Does nothing if the rules assert nothing.
    """
    asserting_rules = compile_assertions(
        to_stable_name(options.game or default_game()), [to_stable_name(name) for name in options.modules]
    )
    if asserting_rules is None:
        return 0
    program, assertions = asserting_rules
    kinds: Sequence[str] = list(dict.fromkeys(options.bots.split(","))) if options.bots else DEFAULT_BOTS
    players = None if options.players is None else resolve_player_count(program, options.players)
    settings = tuple(sorted(setup.check_settings(program, parse_settings(options.settings)).items()))
    search = AssertionSearch(
        create_setups(program, kinds, players, settings, parse_seed(options.seed)), assertions, games
    )
    with show_progress("Assertions, games", search.total) as report_progress:
        search.run(select_workers(options), report_progress)
    print()
    print("\n".join(escape_terminal(line) for line in _describe_assertions(search, options)))
    return RULES if search.found else 0


def _describe_assertions(search: AssertionSearch, options: StudyOptions) -> Iterator[str]:
    """Yield how many assertions held in all games, then the description of each broken one."""
    held_count = len(search.assertions) - len(search.found)
    if held_count:
        passed = f"{held_count} of {len(search.assertions)} assertions" if search.found else _count_all(held_count)
        yield f"{passed} passed in {count_noun(search.played, 'game')}."
    for broken in search.found.values():
        yield from _describe_broken_assertion(broken, options)


def _count_all(assertions: int) -> str:
    return "The only assertion" if assertions == 1 else f"All {assertions} assertions"


def _describe_broken_assertion(case: BrokenAssertion, options: StudyOptions) -> Iterator[str]:
    """Yield where an assertion fails, and the shortest game found as a scene file."""
    rule = case.setup.program.causes[case.assertion.cause]
    after = f"after {count_noun(len(case.answers), 'answer')} in a game of {count_noun(case.setup.players, 'player')}"
    yield f"“{case.assertion.sentence}” failed {after} ({rule.file}:{rule.line}, assert {case.assertion.name})"
    if not case.answers:
        yield "  It is false before anybody has answered."
        return
    game = replay_broken_game(case, options)
    number = len(game.journal.answers)
    first = 1 if number <= MAX_WHOLE_GAME_ANSWERS else number
    scene = build_scene(game, first, number, case.assertion.sentence).to_page(
        scene_file_header(game.table.header, None)
    )
    yield "  The shortest game found, as a scene for the folder `scenes`:"
    yield ""
    yield from scene.splitlines()


def replay_broken_game(broken: BrokenAssertion, options: StudyOptions) -> Game:
    """Replay at a table the game in which an assertion failed."""
    names = create_bot_table(broken.setup.program, broken.setup.players, dict(broken.setup.settings)).players
    rules = load_rules_with_notes(options.game, options.modules)
    game = rules.new_game(names, broken.seed, dict(broken.setup.settings))
    for index in broken.answers:
        game.answer(index)
    return game


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
