"""`study`: many games between bots, and what they show; or, with `--profile`, what in the rules costs how much."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated

import typer

from edict.agents.study import arrow
from edict.agents.study.bot_games import Setup, StudyError, policies_of
from edict.agents.study.charts import frequency
from edict.agents.study.profiling import Cost
from edict.agents.study.profiling import profile as profile_games
from edict.agents.study.reports import SHARED, as_csv, by_chance, shown_groups
from edict.agents.study.studying import Study, form_of
from edict.agents.study.summary import Data, study_data
from edict.agents.study.table_files import WRITERS, OpenTables, Partitions
from edict.agents.study.tables import DECISIONS, TableColumn, game_columns
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import RULES, USAGE, UsageError
from edict.apps.cli.long_runs import (
    StudyOptions,
    between,
    carried_out,
    checked,
    checkpoint,
    progress,
    setup_of,
    tell_bot_faults,
    tell_stopped,
)
from edict.apps.cli.option_values import JSON, checked_form, print_json
from edict.apps.cli.reporting import tell
from edict.apps.cli.study_findings import FEW, tell_asserted, tell_never
from edict.apps.cli.study_output import STUDY, Targets, as_json, print_headline, print_table
from edict.apps.cli.who_plays import remarked
from edict.support.files import OutputTarget
from edict.support.morphology import count_noun
from edict.support.resources import command_name, install_command

PARTS = "tables"  # in the folder of a study
USUAL_GAMES = 1000

GamesTo = Annotated[
    Path | None, o.path("--games-to", metavar="FILE", help="Also write a table of all games (.parquet or .csv).")
]
DecisionsTo = Annotated[
    Path | None,
    o.path("--decisions-to", metavar="FILE", help="Also write a table of all decisions (.parquet or .csv)."),
]
StudyGames = Annotated[
    int | None,
    typer.Option(
        "--games", metavar="N", show_default=False, help="Number of games [default: 1000; with --profile, 30]."
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


def study(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    players: o.PlayerCount = None,
    games: StudyGames = None,
    bots: o.BotKinds = "",
    seed: o.Seed = "",
    settings: o.Settings = None,
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
    rows: Rows = 25,
    form: o.DataFormat = "text",
) -> int:
    """Play, report, and write what is wanted; returns the exit code."""
    checked_form(form)
    wanted = o.one_game(game, named)
    count = games if games is not None else PROFILED_GAMES if profile else USUAL_GAMES
    options = StudyOptions(wanted, modules or (), players, count, bots, seed, settings or (), workers, cluster)
    if never:
        if profile:
            raise UsageError("--never and --profile are two reports", "write one of them")
        if output or html or games_to or decisions_to or resume:
            raise UsageError("--never prints what it finds", "leave out the files; --format json prints it as data")
        return tell_never(options, form) or (0 if form == JSON else tell_asserted(options, count))
    tables = TableTargets.of(games_to, decisions_to, force)
    targets = Targets.of(STUDY, output, html, resume, force)
    if not profile:
        failed = _study(options, targets, tables, form)
        return failed or (0 if form == JSON else tell_asserted(options, min(count, FEW)))
    if targets.files or targets.folder or tables.games or tables.decisions:
        raise UsageError("--profile writes no files", "leave out what names one, or write --format json")
    return _profiled(replace(options, bots=bots or PROFILED_BOTS), rows, form)


def _study(options: StudyOptions, targets: Targets, tables: TableTargets, form: str) -> int:
    """Play, print, write; returns the exit code."""
    setup = setup_of(checked(options))
    tables = tables.after(targets.resume)
    tables.check()
    remarked(setup.bots, setup.program)
    with checkpoint(targets, form_of(setup), options.games) as kept, recorded_rows(setup, tables, targets) as rows:
        run = Study(setup, options.games, kept, rows)
        code = carried_out(run, options, f"{setup.program.title}, games", run.games, run.played)
        found = study_data(setup, run.totals, options.games)
        failed = targets.write(_texts(found))
        failed = write_rows(rows, tables) or failed
    if form == JSON:
        print(as_json(found), end="")
    else:
        study_tables(found)
    if run.played < options.games:
        tell_stopped(f"{run.played:,} of {run.games:,} games", targets)
    return code or failed or _faults(found)


def _texts(found: Data) -> dict[str, Callable[[], str]]:
    from edict.agents.study.reports import study_page

    return {".json": lambda: as_json(found), ".csv": lambda: as_csv(found), ".html": lambda: study_page(found)}


def _faults(found: Data) -> int:
    """Games that were aborted are reported, and not hidden in an exit code of 0."""
    for what, often in found["faults"].items():
        print(f"{command_name()}: {count_noun(often, 'game')} aborted: the rules {what}", file=sys.stderr)
    tell_bot_faults(found["mishaps"])
    return RULES if found["faults"] else 0


@dataclass(frozen=True, slots=True)
class TableTargets:
    """Where the tables are written; None: not at all."""

    games: OutputTarget | None = None
    decisions: OutputTarget | None = None

    @staticmethod
    def of(games: Path | None, decisions: Path | None, force: bool) -> TableTargets:
        return TableTargets(OutputTarget.from_option(games, force), OutputTarget.from_option(decisions, force))

    def after(self, resume: bool) -> TableTargets:
        """The same, where a run that is resumed writes its tables anew."""
        if not resume:
            return self
        games, decisions = (target and OutputTarget(target.path, True) for target in (self.games, self.decisions))
        return TableTargets(games, decisions)

    def check(self) -> None:
        """Raises `UsageError` or `OSError` for what cannot be written."""
        for name, target in (("--games-to", self.games), ("--decisions-to", self.decisions)):
            if target is None:
                continue
            if target.path.suffix not in WRITERS:
                raise UsageError(f"{name} writes .parquet or .csv, not `{target.path}`", f"name it {name} FILE.parquet")
            if target.path.suffix == ".parquet" and not arrow.available():
                raise UsageError("Parquet needs pyarrow", f"{install_command('data')}, or name a .csv file")
            target.check()
        if self.games and self.decisions and self.games.path.absolute() == self.decisions.path.absolute():
            raise UsageError("--games-to and --decisions-to name the same file", "name two files")


@contextmanager
def recorded_rows(setup: Setup, wanted: TableTargets, targets: Targets) -> Iterator[OpenTables]:
    """Where rows are kept while games are played: in the study's folder, so that a run can continue, or else beside the
    table, only as long as it takes."""
    with ExitStack() as stack:

        def parts(name: str, target: OutputTarget | None, columns: tuple[TableColumn, ...]) -> Partitions | None:
            if target is None:
                return None
            if targets.folder is not None:
                return Partitions(targets.folder / PARTS / name, columns, target.path.suffix)
            beside = tempfile.TemporaryDirectory(prefix=f".{target.path.name}.", dir=target.path.absolute().parent)
            return Partitions(Path(stack.enter_context(beside)), columns, target.path.suffix)

        yield OpenTables(
            parts("games", wanted.games, game_columns(setup)), parts("decisions", wanted.decisions, DECISIONS)
        )


def write_rows(kept: OpenTables, wanted: TableTargets) -> int:
    """Put the tables together in their files; returns the exit code."""
    code = 0
    for parts, target in ((kept.games, wanted.games), (kept.decisions, wanted.decisions)):
        if parts is not None and target is not None:
            try:
                with progress(f"Writing {target.path.name}", len(parts.there())) as told:
                    parts.join(target.path, told)
            except (OSError, StudyError) as problem:
                code = tell(problem) or USAGE
    return code


MOST_ROWS = 30
UNKNOWN = "–"
SPREAD = "10th to 90th percentile"
Row = list[str]


def study_tables(found: Data) -> None:
    """Print the findings."""
    print_headline(headline(found))
    if not found["games"]:
        return
    print_table("Who wins", ("seat", "bot", "wins", "win share", "mean score", SPREAD), _seats(found))
    if found["shared"]:
        shared = percent_of(found["shared"], found["games"])
        print(f"In {shared} of the games several won. {SHARED}")
    if not _same(found):
        print_table("By place in the initial turn order", ("place", "win share"), _places(found))
    print_table("A game", ("", "mean", SPREAD), _lengths(found))
    print_table("Where the points come from, per player and game", ("rule", "points", "source"), _sources(found))
    for group in shown_groups(found):
        print_table(group["title"], OPTION_HEAD, option_rows(group))
    for group in found["drawn"]:
        print_table(f"Drawn: {group['title']}", ("", "per game", "score with it", "effect on the score"), _drawn(group))
    print_table("Announcements, per game", _round_head(found), _announced(found))
    differences = [
        *(o["lift"] for group in shown_groups(found) for o in group["options"][:MOST_ROWS]),
        *(o["effect"] for group in found["drawn"] for o in group["options"][:MOST_ROWS]),
    ]
    told = len(differences) - differences.count(None)
    if told > 1:
        print(by_chance(told))


def headline(found: Data) -> str:
    game, bots = found["game"], found["bots"]
    who = f"{found['players']} {bots[0]} bots" if len(set(bots)) == 1 else ", ".join(bots)
    modules = game["modules"][1:]  # the first is the game
    with_ = f" with {', '.join(modules)}" if modules else ""
    return f"{game['title']}{with_}: {found['games']:,} games, {who}, seed {found['seed']}"


def percent_of(some: int, all_: int) -> str:
    return f"{100 * some / all_:.1f} %"


def percent(share: Data | None) -> str:
    """`26.1 % (24.8 to 27.4)`; of what there was none, nothing is known."""
    if share is None:
        return UNKNOWN
    return f"{100 * share['value']:.1f} % ({100 * share['low']:.1f} to {100 * share['high']:.1f})"


def with_interval(number: Data | None, digits: int = 1) -> str:
    if number is None:
        return UNKNOWN
    if number["low"] is None:  # seen once
        return f"{number['value']:.{digits}f}"
    return f"{number['value']:.{digits}f} ({number['low']:.{digits}f} to {number['high']:.{digits}f})"


def _same(found: Data) -> bool:
    """Whether the order of play is that of the seats, so that places tell nothing new."""
    return all(
        abs(p["value"] - s["win_share"]["value"]) < 1e-9 for p, s in zip(found["places"], found["seats"], strict=True)
    )


def _seats(found: Data) -> list[Row]:
    return [
        [
            str(s["seat"]),
            s["bot"],
            f"{s['wins']:,.0f}",
            percent(s["win_share"]),
            with_interval(s["score"]["mean"]),
            _range(s["score"]),
        ]
        for s in found["seats"]
    ]


def _range(spread: Data) -> str:
    return f"{spread['tenth']} to {spread['ninetieth']}"


def _places(found: Data) -> list[Row]:
    return [[str(number), percent(share)] for number, share in enumerate(found["places"], 1)]


def _lengths(found: Data) -> list[Row]:
    names = {"choices": "choices by players", "draws": "draws and rolls", "rounds": f"rounds ({found['round']})"}
    lengths = ((names[name], s) for name, s in found["length"].items() if s["mean"]["value"])
    rows = [[name, with_interval(s["mean"]), _range(s)] for name, s in lengths]
    spreads = {"winning score": found["winning_score"], "winning margin": found["margin"]}
    return rows + [[name, with_interval(s["mean"]), _range(s)] for name, s in spreads.items()]


def _sources(found: Data) -> list[Row]:
    rows = [[s["rule"] or "not from a single rule", f"{s['brought']:+.2f}", s["place"]] for s in found["sources"]]
    return [row for row in rows if row[1] not in ("+0.00", "-0.00")]


OPTION_HEAD = ("", "per player", "taken when offered", "win share with it", "without it", "difference")


def option_rows(group: Data) -> list[Row]:
    return [
        [
            o["option"],
            frequency(o["often"]),
            f"{100 * o['taken']:.0f} %" if o["taken"] is not None else "",
            percent(o["with"]["win_share"]),
            _bare(o["without"]["win_share"]),
            percent(o["lift"]),
        ]
        for o in group["options"][:MOST_ROWS]
    ]


def _bare(share: Data | None) -> str:
    return UNKNOWN if share is None else f"{100 * share['value']:.1f} %"


def _drawn(group: Data) -> list[Row]:
    return [
        [o["option"], f"{o['often']:.3f}", with_interval(o["with"]["score"]), with_interval(o["effect"], 2)]
        for o in group["options"][:MOST_ROWS]
    ]


def _round_head(found: Data) -> tuple[str, ...]:
    numbers = range(1, _rounds(found) + 1)
    return ("", *(f"{found['round']} {n}" if found["round"] else "in all" for n in numbers))


def _rounds(found: Data) -> int:
    return max((len(line["by_round"]) for line in found["announced"]), default=0)


def _announced(found: Data) -> list[Row]:
    return [[line["words"], *(frequency(often) for often in line["by_round"])] for line in found["announced"]]


# --- what costs how much ---------------------------------------------------------------------------

PROFILED_GAMES, MOST_PROFILED = 30, 100_000
PROFILED_BOTS = "random"  # so that the rules are measured, and not what bots think
COST_HEAD = ("", "runs a game", "share of runs", "share of time", "")


def _profiled(options: StudyOptions, most: int, form: str) -> int:
    """Play and print; returns the exit code."""
    between("games", options.games, 1, MOST_PROFILED)
    if most < 1:
        raise UsageError(f"invalid value for --rows: {most}", "it must be at least 1")
    setup = setup_of(options)
    seats = policies_of(setup.program, setup.bots)
    if seats is None:
        raise UsageError("only bots that the machine plays itself can be profiled", "use --bots random")
    found = profile_games(setup.program, seats, options.games, dict(setup.settings))
    if form == JSON:
        print_json({"game": setup.program.title, "players": setup.players, "bots": list(setup.bots), **asdict(found)})
        return 0
    print_headline(
        f"{setup.program.title}: {found.instructions:,.0f} instructions and {found.questions:,.0f} questions a game, "
        f"over {found.games:,} games of {setup.players} {setup.bots[0]} players"
    )
    print_table("By operation", COST_HEAD[:4], [row[:4] for row in _costs(found.operations, most)])
    print_table("By rule", COST_HEAD, _costs(found.rules, most))
    return 0


def _costs(costs: Sequence[Cost], most: int) -> list[list[str]]:
    rows = [[c.name, f"{c.ran:,.1f}", f"{100 * c.share:.1f} %", f"{100 * c.time:.1f} %", c.place] for c in costs[:most]]
    rest = costs[most:]
    if rest:
        shares = [f"{100 * sum(c.share for c in rest):.1f} %", f"{100 * sum(c.time for c in rest):.1f} %"]
        rows.append([f"{len(rest)} others", f"{sum(c.ran for c in rest):,.1f}", *shares, ""])
    return rows
