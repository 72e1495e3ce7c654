"""Commands that play many games: their options, workers, progress bar and checkpoints."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeVar

from edict.agents.bots import BOTS
from edict.agents.bots.networks import find_shipped_network
from edict.agents.study.bot_games import GameSetup, StudyError
from edict.agents.study.checkpoint import CheckpointFile, ResultFormat, require_no_results
from edict.apps.cli.command_errors import STOPPED, USAGE, UsageError
from edict.apps.cli.command_output import show_progress
from edict.apps.cli.plan_options import load_plans
from edict.apps.cli.reporting import report_problem
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.apps.cli.seating import DEFAULT_PLAYER_COUNT, print_speed_notice
from edict.apps.cli.shared_options import parse_settings
from edict.apps.cli.study_output import OutputTargets
from edict.game.table import setup
from edict.game.table.rules import Rules
from edict.runtime.program import Program
from edict.support.morphology import format_range
from edict.support.processes.distribution import (
    ExecutorStarter,
    WorkersError,
    count_usable_cpus,
    process_starter,
    start_inline,
)
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError
from edict.support.resources import command_name

MAX_GAMES = 1_000_000_000
MAX_WORKERS = 1024
PREFERRED_BOTS = ("learned", "greedy")  # the first that is installed and fits the rules is the default


@dataclass(frozen=True)
class StudyOptions:
    """The options of a command that plays many games, as typed."""

    game: str = ""
    modules: Sequence[str] = ()
    players: int | None = None
    games: int = 1000
    bots: str = ""
    seed: str = ""
    settings: Sequence[str] = ()
    workers: int | None = None
    cluster: str = ""
    plans: Sequence[str] = ()  # as [SEAT=]PLAN

    @property
    def process_count(self) -> int:
        """Return the number of processes to play in."""
        return count_usable_cpus() if self.workers is None else self.workers


def validate_options(options: StudyOptions) -> StudyOptions:
    """Return the options. Raises `UsageError` if their numbers are out of range or exclude each other."""
    require_between("games", options.games, 1, MAX_GAMES)
    if options.workers is not None:
        require_between("workers", options.workers, 1, MAX_WORKERS)
    if options.workers is not None and options.cluster:
        raise UsageError(
            "--workers cannot be combined with --cluster, which has its own workers", "use only one of them"
        )
    return options


def require_between(name: str, number: int, low: int, high: int) -> None:
    """Raise `UsageError` if the number given for an option is out of range."""
    if not low <= number <= high:
        raise UsageError(f"invalid value for --{name}: {number}", f"it must be a number from {low} to {high}")


def build_setup(options: StudyOptions, rules: Rules | None = None) -> GameSetup:
    """Return program, bots by seat, settings and seed of the games that the options ask for."""
    typed_settings = parse_settings(options.settings)
    rules = rules or load_rules_with_notes(options.game, options.modules)
    bots = resolve_bot_kinds(options, rules.program)
    settings = setup.check_settings(rules.program, typed_settings)
    program, plans = load_plans(rules, options.plans, len(bots), bots) if options.plans else (rules.program, ())
    return GameSetup(program, bots, tuple(sorted(settings.items())), parse_seed(options.seed), plans)


def resolve_bot_kinds(options: StudyOptions, program: Program) -> tuple[str, ...]:
    """Return the kind of bot for each seat; raises `RequestError`."""
    if options.bots:
        kinds = [BOTS.validate(kind.strip()) for kind in options.bots.split(",")]
    else:
        kinds = [default_study_bot(program)]
    bot_count = len(kinds) if len(kinds) > 1 else None
    players = resolve_player_count(program, bot_count if options.players is None else options.players)
    if len(kinds) not in (1, players):
        raise UsageError(
            f"{len(kinds)} kinds of bots for {players} players", "give --bots one kind for all seats, or one for each"
        )
    return tuple(kinds) if len(kinds) > 1 else tuple(kinds * players)


def resolve_player_count(program: Program, players: int | None) -> int:
    """Return the number of players, by default the usual number; raises `UsageError` for too few or too many."""
    low, high = program.least_players, program.most_players
    players = min(DEFAULT_PLAYER_COUNT, high) if players is None else players
    if not low <= players <= high:
        supported = f"{program.title} is for {format_range(low, high)} players"
        raise UsageError(f"{supported}, not {players}", f"try `--players {low}`")
    return players


def default_study_bot(program: Program) -> str:
    """Return the kind of bot for all seats if none is named; `learned` only where a network ships."""
    kinds = [kind for kind in PREFERRED_BOTS if kind in BOTS]
    trained = [kind for kind in kinds if kind != "learned" or find_shipped_network(program) is not None]
    return next(iter(trained), next(iter(BOTS)))


def parse_seed(seed: str, default: int = 0, bits: int = 64) -> int:
    """Return the seed as a number of at most `bits` bits; `default` without one, so that runs can be repeated.

    A word is hashed. Raises `UsageError` for a number that is too large.
    """
    number = setup.parse_seed(seed)
    if number is None:
        return default
    if not seed.isdigit():
        return number & ((1 << bits) - 1)
    if number >> bits:
        raise UsageError(f"the seed {seed} is too large", f"use a word, or a number below 2**{bits}")
    return number


class ResumableRun(Protocol):
    """A run that workers carry out piece by piece, which holds its own results so far."""

    def run(self, start: ExecutorStarter, report_progress: Callable[[int], None]) -> None:
        """Carry out what remains, and report the number of finished games."""


def select_workers(options: StudyOptions) -> ExecutorStarter:
    """Return the function that starts workers: on the cluster, in several processes, or in this process."""
    if options.cluster:
        from edict.support.processes.cluster import cluster_starter

        return cluster_starter(options.cluster)
    if options.process_count > 1:
        return process_starter(options.process_count)
    return start_inline


def run_with_progress(
    work: ResumableRun, options: StudyOptions, label: str, total: int, done: int = 0, compiled: bool = True
) -> int:
    """Run the work under a progress bar and return the exit code; results so far are kept in any case.

    Args:
        work: The run.
        options: Where to run it.
        label: The label of the bar.
        total: The total number of games.
        done: The number that is finished already.
        compiled: Whether native code is wanted, so that its absence is reported.
    """
    if compiled:
        print_speed_notice()
    try:
        with show_progress(label, total, done) as report_progress:
            work.run(select_workers(options), report_progress)
    except KeyboardInterrupt:
        return STOPPED
    except (StudyError, WorkersError, OSError, RulesError) as problem:
        return report_problem(problem) or USAGE
    return 0


Result = TypeVar("Result")
MAX_LISTED_LINES = 5  # skipped lines of a checkpoint that are printed


def open_checkpoint(
    targets: OutputTargets, form: ResultFormat[Result], games: int
) -> AbstractContextManager[CheckpointFile[Result] | None]:
    """Open the checkpoint in the named folder, if there is one, and report its lines that cannot be used.

    Raises `StudyError` or `OSError` if the run cannot be stored there, before anything is overwritten.
    """
    if targets.folder and not targets.resume:
        require_no_results(targets.folder)
    targets.check()
    if targets.folder is None:
        return nullcontext()
    if not targets.resume:
        return CheckpointFile.create(targets.folder, form)
    checkpoint_file = CheckpointFile.resume(targets.folder, form, games)
    _report_skipped_lines(checkpoint_file)
    return checkpoint_file


def _report_skipped_lines(checkpoint: CheckpointFile[Result]) -> None:
    """Print the checkpoint's damaged lines to standard error, at most `MAX_LISTED_LINES`, with a remedy."""
    for reason in checkpoint.left_out[:MAX_LISTED_LINES]:
        print(escape_terminal(f"{command_name()}: {checkpoint.path}, {reason}"), file=sys.stderr)
    more = len(checkpoint.left_out) - MAX_LISTED_LINES
    if more > 0:
        print(f"{command_name()}: and {more:,} more lines like that", file=sys.stderr)
    if checkpoint.left_out:
        print("help: no action needed: these lines are ignored, and their games are played again", file=sys.stderr)


def report_stop(progress: str, targets: OutputTargets) -> None:
    """Print how far a stopped run came and how to continue it."""
    print(f"Stopped after {progress}.", file=sys.stderr)
    if targets.folder is not None:
        continuation = f"run the same command with {targets.resume_options} to continue in {targets.folder}"
        print(escape_terminal(f"Finished games are saved: {continuation}"), file=sys.stderr)


MAX_LISTED_FAULTS = 10


def report_bot_faults(mishaps: Mapping[str, int]) -> None:
    """Print the faults of bots, the most frequent first.

    Args:
        mishaps: The number of times by description; each time, the game continued with a random option.
    """
    sorted_faults = sorted(mishaps.items(), key=lambda item: -item[1])
    for fault, count in sorted_faults[:MAX_LISTED_FAULTS]:
        times = f" ({count:,} times)" if count > 1 else ""
        print(escape_terminal(f"{command_name()}: the bot {fault}{times}"), file=sys.stderr)
    if len(sorted_faults) > MAX_LISTED_FAULTS:
        print(f"{command_name()}: and {len(sorted_faults) - MAX_LISTED_FAULTS:,} other faults of bots", file=sys.stderr)
    if sorted_faults:
        print("help: each time, a random option was chosen instead", file=sys.stderr)
