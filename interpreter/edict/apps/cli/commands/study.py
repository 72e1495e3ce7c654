"""The command `study`, which reports on many games between bots, or with `--profile` on the cost of rules."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated

import typer

from edict.agents.study import table_files
from edict.agents.study.bot_games import GameSetup, StudyError, find_policies
from edict.agents.study.charts import format_frequency
from edict.agents.study.factors import describe_multiplicity, format_points, list_factors, mark_significance
from edict.agents.study.game_watching import Cost
from edict.agents.study.game_watching import profile_games as profile_games
from edict.agents.study.never_happened import explain_untaken
from edict.agents.study.option_groups import select_draws, select_groups
from edict.agents.study.plan_report import report_plans
from edict.agents.study.reports import (
    UNTAKEN_HEADINGS,
    UNTAKEN_TITLE,
    describe_ties,
    is_telling,
    render_csv,
    round_headings,
    untaken_rows,
)
from edict.agents.study.study_run import Study, make_study_format
from edict.agents.study.summary import Data, summarize_study
from edict.agents.study.table_files import WRITERS, OpenTables, TableParts
from edict.agents.study.tables import DECISIONS, TableColumn, game_columns
from edict.agents.study.verdict import places_match_seats
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RULES, USAGE, UsageError
from edict.apps.cli.command_output import show_progress
from edict.apps.cli.long_runs import (
    StudyOptions,
    build_setup,
    open_checkpoint,
    report_bot_faults,
    report_stop,
    require_between,
    run_with_progress,
    validate_options,
)
from edict.apps.cli.reporting import report_problem
from edict.apps.cli.rules_by_name import default_game, load_sources, to_stable_name
from edict.apps.cli.seating import print_bot_remarks
from edict.apps.cli.shared_options import JSON, print_document, validate_format
from edict.apps.cli.study_findings import (
    MAX_ASSERTION_GAMES,
    NEVER_GAMES,
    RESPONSE_GAMES,
    report_assertions,
    report_best_response,
    report_never,
)
from edict.apps.cli.study_output import (
    STUDY,
    OutputTargets,
    drop_empty_columns,
    print_headline,
    print_table,
    print_verdict,
    to_json,
)
from edict.support.files import OutputTarget
from edict.support.morphology import count_noun
from edict.support.records import dataclass
from edict.support.resources import command_name, install_command

TABLES_FOLDER = "tables"  # in the folder of a study
DEFAULT_GAMES = 1000

GamesTo = Annotated[
    Path | None, o.path_option("--games-to", metavar="FILE", help="Also write a table of all games (.parquet or .csv).")
]
DecisionsTo = Annotated[
    Path | None,
    o.path_option("--decisions-to", metavar="FILE", help="Also write a table of all decisions (.parquet or .csv)."),
]
StudyGames = Annotated[
    int | None,
    typer.Option(
        "--games",
        metavar="N",
        show_default=False,
        help="Games [default: 1000; with --never 50 of each bot, with --profile 30, with --best-response 2000].",
    ),
]
Profiled = Annotated[
    bool, typer.Option("--profile", help="Report which operations and rules take how long, instead of who wins.")
]
Rows = Annotated[int, typer.Option("--rows", metavar="N", help="Number of rows in each table of a profile.")]

Never = Annotated[
    bool,
    typer.Option(
        "--never", help="Report what never happened instead: lines, things, options, numbers, and the likely reasons."
    ),
]

BestResponseTo = Annotated[
    str,
    typer.Option(
        "--best-response",
        metavar="CONDITION",
        help='Search for the best bot that meets a condition, as "owns NAME by year 3" or "coin > 10".',
    ),
]


def study(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    players: o.PlayerCount = None,
    games: StudyGames = None,
    bots: o.BotKinds = "",
    seed: o.Seed = "",
    settings: o.Settings = None,
    plans: o.Plans = None,
    workers: o.Workers = None,
    cluster: o.Cluster = "",
    output: o.StudyOutput = None,
    html: o.Html = None,
    games_to: GamesTo = None,
    decisions_to: DecisionsTo = None,
    resume: o.Resume = False,
    force: o.Force = False,
    profile: Profiled = False,
    never: Never = False,
    best_response: BestResponseTo = "",
    rows: Rows = 25,
    form: o.DataFormat = "text",
) -> int:
    """Play games between bots; print and write statistics, a profile or what never happens. Return the exit code."""
    validate_format(form)
    game_name = o.merge_game_arguments(game, named)
    if games is not None:
        game_count = games
    elif profile:
        game_count = PROFILED_GAMES
    elif never:
        game_count = NEVER_GAMES
    elif best_response:
        game_count = RESPONSE_GAMES
    else:
        game_count = DEFAULT_GAMES
    options = StudyOptions(
        game_name, modules or (), players, game_count, bots, seed, settings or (), workers, cluster, plans or ()
    )
    if plans and (never or profile):
        raise UsageError("--plan cannot be combined with --never or --profile", "leave out one of them")
    if best_response:
        if plans or never or profile or output or html or games_to or decisions_to or resume:
            raise UsageError(
                "--best-response is a report of its own", "leave out other reports, plans and files; try --format json"
            )
        return report_best_response(options, best_response, form)
    if never:
        if profile:
            raise UsageError("--never and --profile are two reports", "write one of them")
        if output or html or games_to or decisions_to or resume:
            raise UsageError("--never prints what it finds", "leave out the files; --format json prints it as data")
        return report_never(options, form) or (0 if form == JSON else report_assertions(options, game_count))
    tables = TableTargets.from_options(games_to, decisions_to, force)
    targets = OutputTargets.from_options(STUDY, output, html, resume, force)
    if not profile:
        failed = _run_study(options, targets, tables, form)
        return failed or (0 if form == JSON else report_assertions(options, min(game_count, MAX_ASSERTION_GAMES)))
    if targets.files or targets.folder or tables.games or tables.decisions:
        raise UsageError("--profile writes no files", "leave out what names one, or write --format json")
    return _run_profile(replace(options, bots=bots or PROFILED_BOTS), rows, form)


def _run_study(options: StudyOptions, targets: OutputTargets, tables: TableTargets, output_format: str) -> int:
    """Play the games, print and write the reports; return the exit code."""
    setup = build_setup(validate_options(options))
    tables = tables.allow_overwrite(targets.resume)
    tables.check()
    print_bot_remarks(setup.bots, setup.program)
    with (
        open_checkpoint(targets, make_study_format(setup), options.games) as checkpoint_file,
        open_row_tables(setup, tables, targets) as open_tables,
    ):
        run = Study(setup, options.games, checkpoint_file, open_tables)
        code = run_with_progress(run, options, f"{setup.program.title}, games", run.games, run.played_games)
        data = summarize_study(setup, run.totals, options.games)
        _add_reasons(data, setup, options)
        if setup.plans:
            data["plans"] = report_plans(setup, options.games)
        failed = targets.write(_report_renderers(data))
        failed = write_tables(open_tables, tables) or failed
    if output_format == JSON:
        print(to_json(data), end="")
    else:
        print_study(data)
    if run.played_games < options.games:
        report_stop(f"{run.played_games:,} of {run.games:,} games", targets)
    return code or failed or _report_faults(data)


def _add_reasons(data: Data, setup: GameSetup, options: StudyOptions) -> None:
    """Add to each option that was never offered or taken the likely reason."""
    untaken = data.get("untaken", ())
    if untaken:
        names = [to_stable_name(name) for name in (options.game or default_game(), *options.modules)]
        for row, why in zip(untaken, explain_untaken(setup, untaken, load_sources(names)), strict=True):
            row["why"] = why


def _report_renderers(data: Data) -> dict[str, Callable[[], str]]:
    """Return by file suffix the function that renders a study: `.json`, `.csv` or `.html`."""
    from edict.agents.study.reports import render_study

    return {".json": lambda: to_json(data), ".csv": lambda: render_csv(data), ".html": lambda: render_study(data)}


def _report_faults(data: Data) -> int:
    """Report aborted games and faults of bots; return an exit code other than 0 if games were aborted."""
    for fault, count in data["faults"].items():
        print(f"{command_name()}: {count_noun(count, 'game')} aborted: the rules {fault}", file=sys.stderr)
    report_bot_faults(data["mishaps"])
    return RULES if data["faults"] else 0


@dataclass(frozen=True, slots=True)
class TableTargets:
    """The files for tables of games and decisions; None for no table."""

    games: OutputTarget | None = None
    decisions: OutputTarget | None = None

    @staticmethod
    def from_options(games: Path | None, decisions: Path | None, force: bool) -> TableTargets:
        """Build the targets from options."""
        return TableTargets(OutputTarget.from_option(games, force), OutputTarget.from_option(decisions, force))

    def allow_overwrite(self, resumed: bool) -> TableTargets:
        """Return the targets; a resumed run overwrites its tables."""
        if not resumed:
            return self
        games, decisions = (target and OutputTarget(target.path, True) for target in (self.games, self.decisions))
        return TableTargets(games, decisions)

    def check(self) -> None:
        """Raise `UsageError` or `OSError` if a table cannot be written."""
        for name, target in (("--games-to", self.games), ("--decisions-to", self.decisions)):
            if target is None:
                continue
            if target.path.suffix not in WRITERS:
                raise UsageError(f"{name} writes .parquet or .csv, not `{target.path}`", f"name it {name} FILE.parquet")
            if target.path.suffix == ".parquet" and not table_files.is_available():
                raise UsageError("Parquet needs pyarrow", f"{install_command('data')}, or name a .csv file")
            target.check()
        if self.games and self.decisions and self.games.path.absolute() == self.decisions.path.absolute():
            raise UsageError("--games-to and --decisions-to name the same file", "name two files")


@contextmanager
def open_row_tables(setup: GameSetup, table_targets: TableTargets, targets: OutputTargets) -> Iterator[OpenTables]:
    """Yield the partitions that store rows while games are played.

    They lie in the study's folder, so that the run can be resumed, or else in a temporary folder beside the table.
    """
    with ExitStack() as stack:

        def open_partitions(
            name: str, target: OutputTarget | None, columns: tuple[TableColumn, ...]
        ) -> TableParts | None:
            if target is None:
                return None
            if targets.folder is not None:
                return TableParts(targets.folder / TABLES_FOLDER / name, columns, target.path.suffix)
            temporary = tempfile.TemporaryDirectory(prefix=f".{target.path.name}.", dir=target.path.absolute().parent)
            return TableParts(Path(stack.enter_context(temporary)), columns, target.path.suffix)

        yield OpenTables(
            open_partitions("games", table_targets.games, game_columns(setup)),
            open_partitions("decisions", table_targets.decisions, DECISIONS),
        )


def write_tables(open_tables: OpenTables, table_targets: TableTargets) -> int:
    """Join the partitions into the files of the tables; return the exit code."""
    code = 0
    for parts, target in ((open_tables.games, table_targets.games), (open_tables.decisions, table_targets.decisions)):
        if parts is not None and target is not None:
            try:
                with show_progress(f"Writing {target.path.name}", len(parts.list_ranges())) as report_progress:
                    parts.join(target.path, report_progress)
            except (OSError, StudyError) as error:
                code = report_problem(error) or USAGE
    return code


MAX_ROWS = 30
UNKNOWN = "–"
SPREAD_HEADING = "10th to 90th percentile"
Row = list[str]


def print_study(data: Data) -> None:
    """Print the verdict and the tables of a study."""
    print_headline(format_headline(data))
    if not data["games"]:
        return
    print_verdict(data["said"])
    print_table("Who wins", ("seat", "bot", "wins", "win share", "mean score", SPREAD_HEADING), _seat_rows(data))
    if ties := describe_ties(data):
        print(ties)
    print_plans(data.get("plans", ()))
    if not places_match_seats(data):
        print_table("By place in the initial turn order", ("place", "win share"), _place_rows(data))
    for factor in list_factors(data):
        print_table(factor.title, factor.head, factor.rows)
    print_table("A game", ("", "mean", SPREAD_HEADING), _length_rows(data))
    print_table("Where the points come from, per player and game", ("rule", "points", "source"), _source_rows(data))
    print_table(UNTAKEN_TITLE, *drop_empty_columns(UNTAKEN_HEADINGS, untaken_rows(data)[:MAX_ROWS]))
    groups, draws = select_groups(data), select_draws(data)
    for group in groups:
        print_table(group["title"], *drop_empty_columns(OPTION_HEADINGS, option_rows(group)))
    for group in draws:
        _print_draws(group)
    print_table("What happens, per game", round_headings(data), _announcement_rows(data))
    if data["comparisons"]["made"] > 1:
        print(describe_multiplicity(data["comparisons"]))


def _print_draws(group: Data) -> None:
    """Print the significant draws of a group, and say how many others there are."""
    rows = _draw_effect_rows(group)
    title = f"Drawn: {group['title']}"
    print_table(title, ("", "per game", "score with it", "effect on the score"), rows)
    left = len(group["options"]) - len(rows)
    if left:
        print(f"{'' if rows else title + ' '}{left}{' others' if rows else ''}: no significant effect on the score.")


def print_plans(plans: Sequence[Data]) -> None:
    """Print how far each seat could follow its plan."""
    for plan in plans:
        title = f"The plan of seat {plan['seat']}, {plan['plan']}, in {count_noun(plan['games'], 'game')}"
        print_table(title, ("line", "", "followed"), [_plan_row(line) for line in plan["lines"]])


def _plan_row(line: Data) -> Row:
    """Return number, text and following of a plan's line."""
    return [str(line["line"]), line["text"], line["said"]]


def format_headline(data: Data) -> str:
    """Return the line with the game, modules, number of games, bots and seed."""
    game, bots = data["game"], data["bots"]
    players = f"{data['players']} {bots[0]} bots" if len(set(bots)) == 1 else ", ".join(bots)
    modules = game["modules"][1:]  # the first is the game
    module_part = f" with {', '.join(modules)}" if modules else ""
    return f"{game['title']}{module_part}: {data['games']:,} games, {players}, seed {data['seed']}"


def format_ratio(part: int, whole: int) -> str:
    """Return a part of a whole as a percentage with one decimal."""
    return f"{100 * part / whole:.1f} %"


def format_share(share: Data | None) -> str:
    """Return a share with its interval, as `26.1 % (24.8 to 27.4)`; a dash for None."""
    if share is None:
        return UNKNOWN
    return f"{100 * share['value']:.1f} % ({100 * share['low']:.1f} to {100 * share['high']:.1f})"


def format_with_interval(number: Data | None, digits: int = 1) -> str:
    """Return a number with its interval; a dash for None."""
    if number is None:
        return UNKNOWN
    if number["low"] is None:  # observed once
        return f"{number['value']:.{digits}f}"
    return f"{number['value']:.{digits}f} ({number['low']:.{digits}f} to {number['high']:.{digits}f})"


def _seat_rows(data: Data) -> list[Row]:
    """Return a row for each seat: number, bot, wins, win share, mean score and spread."""
    return [
        [
            str(s["seat"]),
            s["bot"],
            f"{s['wins']:,.0f}",
            format_share(s["win_share"]),
            format_with_interval(s["score"]["mean"]),
            _format_spread(s["score"]),
        ]
        for s in data["seats"]
    ]


def _format_spread(spread: Data) -> str:
    return f"{spread['tenth']} to {spread['ninetieth']}"


def _place_rows(data: Data) -> list[Row]:
    """Return a row for each place in the initial turn order, with its win share."""
    return [[str(number), format_share(share)] for number, share in enumerate(data["places"], 1)]


def _length_rows(data: Data) -> list[Row]:
    """Return rows of choices, draws and rounds per game if any, then of winning score and margin."""
    names = {"choices": "choices by players", "draws": "draws and rolls", "rounds": f"rounds ({data['round']})"}
    lengths = ((names[name], s) for name, s in data["length"].items() if s["mean"]["value"])
    rows = [[name, format_with_interval(s["mean"]), _format_spread(s)] for name, s in lengths]
    spreads = {"winning score": data["winning_score"], "winning margin": data["margin"]}
    return rows + [[name, format_with_interval(s["mean"]), _format_spread(s)] for name, s in spreads.items()]


def _source_rows(data: Data) -> list[Row]:
    """Return a row for each source of score with points per player and game, except those that round to 0."""
    rows = [[s["rule"] or "not from a single rule", f"{s['brought']:+.2f}", s["place"]] for s in data["sources"]]
    return [row for row in rows if row[1] not in ("+0.00", "-0.00")]


OPTION_HEADINGS = (
    "",
    "per player",
    "taken when offered",
    "held at the end",
    "win share with it",
    "without it",
    "points more",
    "",
)


def option_rows(group: Data) -> list[Row]:
    """Return the rows of the most frequent options of a group, with wins with and without each."""
    return [
        [
            o["option"],
            format_frequency(o["often"]),
            f"{100 * o['taken']:.0f} %" if o["taken"] is not None else "",
            format_frequency(o["held"]) if o.get("held") is not None else "",
            format_share(o["with"]["win_share"]),
            _format_bare_share(o["without"]["win_share"]),
            format_points(o["lift"]),
            mark_significance(o["lift"]),
        ]
        for o in group["options"][:MAX_ROWS]
    ]


def _format_bare_share(share: Data | None) -> str:
    """Return a share in percent without its interval; a dash for None."""
    return UNKNOWN if share is None else f"{100 * share['value']:.1f} %"


def _draw_effect_rows(group: Data) -> list[Row]:
    """Return the drawn things with a significant effect: frequency, score with it, and its effect on the score."""
    return [
        [
            o["option"],
            f"{o['often']:.3f}",
            format_with_interval(o["with"]["score"]),
            format_with_interval(o["effect"], 2),
        ]
        for o in group["options"]
        if o["effect"]["significant"]
    ]


def _announcement_rows(data: Data) -> list[Row]:
    """Return a row for each announcement: its words, and its frequency per game in each round."""
    lines = (line for line in data["announced"] if is_telling(line))
    return [[line["label"], *(format_frequency(often) for often in line["by_round"])] for line in lines]


# --- what costs how much ---------------------------------------------------------------------------

PROFILED_GAMES, MAX_PROFILED_GAMES = 30, 100_000
PROFILED_BOTS = "random"  # random bots take no time, so the profile shows the rules
COST_HEADINGS = ("", "runs a game", "share of runs", "share of time", "")


def _run_profile(options: StudyOptions, max_rows: int, output_format: str) -> int:
    """Play games and print the cost of operations and rules; return the exit code."""
    require_between("games", options.games, 1, MAX_PROFILED_GAMES)
    if max_rows < 1:
        raise UsageError(f"invalid value for --rows: {max_rows}", "it must be at least 1")
    setup = build_setup(options)
    seats = find_policies(setup.program, setup.bots)
    if seats is None:
        raise UsageError("only bots that the machine plays itself can be profiled", "use --bots random")
    result = profile_games(setup.program, seats, options.games, dict(setup.settings))
    if output_format == JSON:
        print_document(
            "profile", game=setup.program.title, players=setup.players, bots=list(setup.bots), **asdict(result)
        )
        return 0
    print_headline(
        f"{setup.program.title}: {result.instructions:,.0f} instructions and {result.questions:,.0f} questions a game, "
        f"over {result.games:,} games of {setup.players} {setup.bots[0]} players"
    )
    print_table("By operation", COST_HEADINGS[:4], [row[:4] for row in _cost_rows(result.operations, max_rows)])
    print_table("By rule", COST_HEADINGS, _cost_rows(result.rules, max_rows))
    return 0


def _cost_rows(costs: Sequence[Cost], max_rows: int) -> list[list[str]]:
    """Return the first `max_rows` costs: name, runs per game, shares of runs and time, place; the rest summed up."""
    rows = [
        [cost.name, f"{cost.ran:,.1f}", f"{100 * cost.share:.1f} %", f"{100 * cost.time:.1f} %", cost.place]
        for cost in costs[:max_rows]
    ]
    rest = costs[max_rows:]
    if rest:
        shares = [f"{100 * sum(cost.share for cost in rest):.1f} %", f"{100 * sum(cost.time for cost in rest):.1f} %"]
        rows.append([f"{len(rest)} others", f"{sum(cost.ran for cost in rest):,.1f}", *shares, ""])
    return rows
