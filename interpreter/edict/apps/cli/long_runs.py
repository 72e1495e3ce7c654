"""Many games played by a command: what it is asked, who does the work, how far it has come, and what is kept of it."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from edict.agents.bots import BOTS
from edict.agents.study.bot_games import Setup, StudyError
from edict.agents.study.checkpoint import CheckpointFile, StoredForm, check_free
from edict.apps.cli.command_errors import STOPPED, USAGE, UsageError
from edict.apps.cli.option_values import settings_of
from edict.apps.cli.reporting import tell
from edict.apps.cli.rules_by_name import rules_of
from edict.apps.cli.study_output import Targets
from edict.apps.cli.who_plays import USUAL, checked_kind, warned
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
from edict.support.rendering import escape_terminal
from edict.support.report import RulesError
from edict.support.resources import command_name

if TYPE_CHECKING:
    from rich.progress import ProgressColumn

MOST_GAMES = 1_000_000_000
MOST_WORKERS = 1024
USUAL_BOTS = ("greedy",)


@dataclass(frozen=True)
class StudyOptions:
    """The options of a command, as typed."""

    game: str = ""
    modules: Sequence[str] = ()
    players: int | None = None
    games: int = 1000
    bots: str = ""
    seed: str = ""
    settings: Sequence[str] = ()
    workers: int | None = None
    cluster: str = ""

    @property
    def process_count(self) -> int:
        """How many processes to play in."""
        return count_usable_cpus() if self.workers is None else self.workers


def checked(options: StudyOptions) -> StudyOptions:
    """Raises `UsageError` for numbers that cannot be."""
    between("games", options.games, 1, MOST_GAMES)
    if options.workers is not None:
        between("workers", options.workers, 1, MOST_WORKERS)
    if options.workers is not None and options.cluster:
        raise UsageError("--workers are processes here, --cluster has workers of its own", "leave out one of the two")
    return options


def between(name: str, number: int, low: int, high: int) -> None:
    """Raises `UsageError` if the option's number cannot be."""
    if not low <= number <= high:
        raise UsageError(f"invalid value for --{name}: {number}", f"it must be a number from {low} to {high}")


def setup_of(options: StudyOptions, rules: Rules | None = None) -> Setup:
    """What is played; raises `UsageError`, `GameError` or `RulesError`."""
    written = settings_of(options.settings)
    program = (rules or rules_of(options.game, options.modules)).program
    bots = bots_of(options, program)
    settings = setup.check_settings(program, written)
    return Setup(program, bots, tuple(sorted(settings.items())), seed_of(options.seed))


def bots_of(options: StudyOptions, program: Program) -> tuple[str, ...]:
    """A kind for each seat."""
    kinds = [checked_kind(kind.strip()) for kind in options.bots.split(",")] if options.bots else [usual_bot()]
    several = len(kinds) if len(kinds) > 1 else None
    players = players_of(program, several if options.players is None else options.players)
    if len(kinds) not in (1, players):
        raise UsageError(
            f"{len(kinds)} kinds of bots for {players} players", "give --bots one kind for all, or one for each seat"
        )
    return tuple(kinds) if len(kinds) > 1 else tuple(kinds * players)


def players_of(program: Program, players: int | None) -> int:
    """Return how many play, by default the usual number; raises `UsageError` for too few or too many."""
    low, high = program.least_players, program.most_players
    players = min(USUAL, high) if players is None else players
    if not low <= players <= high:
        wanted = f"{program.title} is for {format_range(low, high)} players"
        raise UsageError(f"{wanted}, not {players}", f"give --players {low}, for example")
    return players


def usual_bot() -> str:
    return next((kind for kind in USUAL_BOTS if kind in BOTS), next(iter(BOTS)))


def seed_of(seed: str, default: int = 0, bits: int = 64) -> int:
    """The seed as written; without one, always the same: what was played can be repeated. Raises `UsageError`."""
    number = setup.parse_seed(seed)
    if number is None:
        return default
    if not seed.isdigit():
        return number & ((1 << bits) - 1)
    if number >> bits:
        raise UsageError(f"the seed {seed} is too large", f"use a word, or a number below 2**{bits}")
    return number


class Work(Protocol):
    """What is carried out piece by piece; how far it has come stays in it."""

    def run(self, start: ExecutorStarter, told: Callable[[int], None]) -> None: ...


def workers_for(options: StudyOptions) -> ExecutorStarter:
    """Where the pieces are carried out."""
    if options.cluster:
        from edict.support.processes.cluster import cluster_starter

        return cluster_starter(options.cluster)
    return process_starter(options.process_count) if options.process_count > 1 else start_inline


def carried_out(work: Work, options: StudyOptions, what: str, whole: int, done: int = 0, compiled: bool = True) -> int:
    """Do the work, with a bar that shows how far it is; returns the exit code. What was done is kept in any case."""
    if compiled:
        warned()
    try:
        with progress(what, whole, done) as told:
            work.run(workers_for(options), told)
    except KeyboardInterrupt:
        return STOPPED
    except (StudyError, WorkersError, OSError, RulesError) as problem:
        return tell(problem) or USAGE
    return 0


@contextmanager
def progress(what: str, whole: int | None, done: int = 0) -> Iterator[Callable[[int], None]]:
    """A bar with the time left, or without a `whole` one that only moves; Ctrl-C is acknowledged at once.

    Returns a function to call with the number of those that are done.
    """
    with _acknowledged():
        if not sys.stderr.isatty():
            yield lambda done: None
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(*_columns(whole), console=Console(stderr=True), transient=True, expand=True) as bar:
            task = bar.add_task(what, total=whole, completed=done)
            yield lambda done: bar.update(task, completed=done)


def _columns(whole: int | None) -> list[ProgressColumn]:
    """The spinner and the time move also while nothing is finished."""
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    begin: list[ProgressColumn] = [SpinnerColumn(), TextColumn("{task.description}", markup=False)]
    begin.append(BarColumn(bar_width=None))  # as wide as there is room
    if whole is None:
        return [*begin, TimeElapsedColumn()]
    times = [TimeElapsedColumn(), TextColumn("elapsed,"), TimeRemainingColumn(), TextColumn("left")]
    return [*begin, MofNCompleteColumn(), *times]


@contextmanager
def _acknowledged() -> Iterator[None]:
    """Whoever presses Ctrl-C reads so, though it may take a moment until all has been put away; and it stops, though
    what was running may have made something else of it, as compilers do. SIGTERM, by which schedulers of jobs and
    systems that shut down ask for an end, does the same."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    pressed = False

    def stop(number: int, frame: object) -> None:
        nonlocal pressed
        pressed = True
        with contextlib.suppress(OSError):
            os.write(2, b"\nStopping ...\n")  # what is buffered may be in use at this very moment
        raise KeyboardInterrupt

    heeded = [one for one in (signal.SIGINT, signal.SIGTERM) if signal.getsignal(one) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heeded}  # in the background, shells ignore Ctrl-C
    try:
        yield
    except Exception:
        if not pressed:
            raise
    finally:
        for known, handler in before.items():
            signal.signal(known, handler)
    if pressed:
        raise KeyboardInterrupt


Result = TypeVar("Result")
MOST_TOLD = 5


def checkpoint(
    targets: Targets, form: StoredForm[Result], games: int
) -> AbstractContextManager[CheckpointFile[Result] | None]:
    """What is kept in the folder that was named, if any; what of it cannot be used is reported.

    Raises `StudyError` or `OSError` for what cannot be, and before anything would be written over.
    """
    if targets.folder and not targets.resume:
        check_free(targets.folder)
    targets.check()
    if targets.folder is None:
        return nullcontext()
    if not targets.resume:
        return CheckpointFile.begin(targets.folder, form)
    kept = CheckpointFile.resume(targets.folder, form, games)
    _tell_what_is_left_out(kept)
    return kept


def _tell_what_is_left_out(kept: CheckpointFile[Result]) -> None:
    for reason in kept.left_out[:MOST_TOLD]:
        print(escape_terminal(f"{command_name()}: {kept.path}, {reason}"), file=sys.stderr)
    more = len(kept.left_out) - MOST_TOLD
    if more > 0:
        print(f"{command_name()}: and {more:,} more lines like that", file=sys.stderr)
    if kept.left_out:
        print("help: nothing to do: these lines are ignored, and their games are played again", file=sys.stderr)


def tell_stopped(where: str, targets: Targets) -> None:
    """That it was stopped, and how to continue it."""
    print(f"Stopped after {where}.", file=sys.stderr)
    if targets.folder is not None:
        going_on = f"the same command with {targets.to_resume} continues in {targets.folder}"
        print(escape_terminal(f"What was played is kept: {going_on}"), file=sys.stderr)


MOST_FAULTS = 10


def tell_bot_faults(mishaps: Mapping[str, int]) -> None:
    """The most frequent first; the games went on with a random option each time."""
    known = sorted(mishaps.items(), key=lambda one: -one[1])
    for what, often in known[:MOST_FAULTS]:
        times = f" ({often:,} times)" if often > 1 else ""
        print(escape_terminal(f"{command_name()}: the bot {what}{times}"), file=sys.stderr)
    if len(known) > MOST_FAULTS:
        print(f"{command_name()}: and {len(known) - MOST_FAULTS:,} other faults of bots", file=sys.stderr)
    if known:
        print("help: each time, a random option was chosen instead", file=sys.stderr)
