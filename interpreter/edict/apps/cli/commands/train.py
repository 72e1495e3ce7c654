"""`train`: a bot learned by self-play, written to a file: weights for `greedy`, a network for `learned`."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from edict.agents.bots import nets, training, weights
from edict.agents.bots.nets import Network, network
from edict.agents.bots.self_play import CoursePlan, TrainingCourse
from edict.agents.bots.weights import Weights
from edict.apps.cli import shared_options as o
from edict.apps.cli.bounded_output import write_data
from edict.apps.cli.command_errors import STOPPED, USAGE, UsageError
from edict.apps.cli.long_runs import StudyOptions, between, checked, players_of, progress, seed_of, workers_for
from edict.apps.cli.reporting import tell
from edict.apps.cli.rules_by_name import rules_of
from edict.apps.cli.who_plays import warned
from edict.runtime.program import Program
from edict.runtime.simulation import native
from edict.runtime.simulation.plans import GREEDY, RANDOM
from edict.support.files import OutputTarget
from edict.support.processes.distribution import WorkersError, run_distributed
from edict.support.rendering import escape_terminal
from edict.support.report import suggest_word
from edict.support.resources import command_name, install_command

FEWEST, MOST = 50, 1_000_000
ROUNDS = 8
MATCHES = 400

Trained = Annotated[str, typer.Option("--bot", metavar="greedy|learned", help="Which bot to train.")]
TrainingGames = Annotated[
    int | None,
    typer.Option(
        "--games", metavar="N", show_default=False, help="Number of games [default: 800; for `learned`, 60000]."
    ),
]
TrainingPlayers = Annotated[
    int | None,
    typer.Option(
        "--players",
        metavar="N",
        show_default=False,
        help="Number of players [default: 4, if the game allows; for `learned`, every number in turn].",
    ),
]
TrainingStart = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="FILE|none",
        show_default=False,
        help="The network that `learned` learns on from [default: the one that ships, if any].",
    ),
]
TrainedFile = Annotated[
    Path | None,
    o.path("--output", "-o", metavar="FILE", help="Write to this file [default: weights.json or network.json]."),
]
TrainingWorkers = Annotated[int, typer.Option("--workers", metavar="N", help="Number of processes.")]


def train(
    game: o.GameFirst = "",
    named: o.GameToo = "",
    modules: o.Modules = None,
    bot: Trained = "greedy",
    games: TrainingGames = None,
    players: TrainingPlayers = None,
    start: TrainingStart = "",
    seed: o.Seed = "",
    workers: TrainingWorkers = 1,
    cluster: o.Cluster = "",
    output: TrainedFile = None,
    force: o.Force = False,
) -> int:
    """Train a bot and write it to a file; returns the exit code."""
    kind = trainable(bot)
    wanted, processes = o.one_game(game, named), None if cluster else workers
    count = kind.games if games is None else games
    options = StudyOptions(wanted, modules or (), players, count, "", seed, (), processes, cluster)
    return kind.train(options, OutputTarget(output or Path(kind.file), force), start)


@dataclass(frozen=True)
class Trainable:
    """How many games it learns from, and where the result is written, unless something else is wanted."""

    games: int
    file: str
    train: Callable[[StudyOptions, OutputTarget, str], int]


def trainable(bot: str) -> Trainable:
    """Raises `UsageError` for a bot that does not learn."""
    if bot not in TRAINABLE:
        remedy = suggest_word(bot, TRAINABLE) or f"choose one of: {', '.join(TRAINABLE)}"
        raise UsageError(f"the bot `{bot}` cannot be trained", remedy)
    return TRAINABLE[bot]


def train_weights(options: StudyOptions, output: OutputTarget, start: str = "") -> int:
    """Learn, measure, write; returns the exit code. Ctrl-C ends the learning, and what there is gets written."""
    if start:
        raise UsageError("--from names a network, and `greedy` has none", "leave it out, or add --bot learned")
    program, first = prepared_training(options, output)
    players = players_of(program, options.players)
    warned()
    course = training.lesson(training.LessonPlan(program, players, options.games, ROUNDS, MATCHES, first))
    if not course.places:
        raise UsageError(f"{program.title} keeps nothing for its players", "there is nothing to weigh positions by")
    stopped = ended_early(training.learn(course, spread_of(options)), options.games)
    if course.swift is None:
        print("Stopped before anything was learned; nothing was written.", file=sys.stderr)
        return STOPPED
    written = _judged(course, command_typed(options, first), stopped)
    if code := written_or_printed(output, written.to_json()):
        return code
    print(
        escape_terminal(
            f"{output.path}: {len(written.careful.features)} features weighed, {course.played} games played."
        )
    )
    for what, value in written.measured.items():
        print(f"  {what}: {json.dumps(value) if isinstance(value, dict) else value}")
    return STOPPED if stopped else 0


def prepared_training(options: StudyOptions, output: OutputTarget) -> tuple[Program, int]:
    """What is to be learned, and the seed of the first game. Raises `UsageError` for what cannot be."""
    between("games", options.games, FEWEST, MOST)
    checked(options)
    if not native.is_available():
        raise UsageError("learning needs native code", install_command("fast"))
    program = rules_of(options.game, options.modules).program
    output.check()
    return program, seed_of(options.seed, default=1, bits=62)


def spread_of(options: StudyOptions) -> training.Spread:
    """How the games are spread."""
    return partial(run_distributed, start=workers_for(options))


def written_or_printed(output: OutputTarget, text: str) -> int:
    """Write it; an exit code if that is not possible. Then it is printed: long work is not lost for want of room."""
    try:
        write_data(output, text)
    except OSError as problem:
        print(text)
        return tell(problem) or USAGE
    return 0


def ended_early(learning: Iterator[int], games: int) -> bool:
    """Learn; whether it ended early: somebody stopped it, or the workers are gone, which is reported."""
    try:
        with progress("Learning", games) as told:
            for played in learning:
                told(played)
    except KeyboardInterrupt:
        return True
    except WorkersError as problem:
        tell(problem)
        return True
    return False


def _judged(course: training.Lesson, command: str, stopped: bool) -> Weights:
    """The weights with as much of the rules' own judgement as does best, and how good that is on games of their own."""
    if stopped:
        return training.weights_of(course, course.swift, 0.0, command, {"stopped after games": course.played})
    with progress("Measuring", 0) as _:
        judge = training.chosen_judge(course, lambda: None)
        policy = training.policy_of(course, course.swift, judge)
        start = course.wanted.seed + 20_000_000
        found = {}
        for name, against in (("judge", GREEDY), ("random", RANDOM)):
            share, games = training.measured(course, policy, against, start, lambda: None)
            found[f"wins against {course.wanted.players - 1} {name}"] = {"share": round(share, 4), "games": games}
    return training.weights_of(course, course.swift, judge, command, found)


def rules_typed(options: StudyOptions) -> list[str]:
    """The game and its modules, as they are given to a command."""
    modules = (word for module in options.modules for word in ("--with", module))
    return [*([options.game] if options.game else []), *modules]


def command_typed(options: StudyOptions, seed: int, *more: str) -> str:
    """The command that does the same again."""
    words = [command_name(), "train", *rules_typed(options), *more, "--games", str(options.games)]
    words += [*(["--players", str(options.players)] if options.players is not None else []), "--seed", str(seed)]
    return shlex.join(words)


AFRESH = "none"


def train_network(options: StudyOptions, output: OutputTarget, start: str = "") -> int:
    """Learn, measure, write; returns the exit code. Ctrl-C ends the learning, and what there is gets written.

    start: the file of a network to learn on from, `none`, or nothing for the one that ships, if there is one.
    """
    program, first = prepared_training(options, output)
    known = None if start == AFRESH else network(program, start)
    course = TrainingCourse(CoursePlan(program, _numbers(program, options.players), options.games, first, start=known))
    stopped = ended_early(course.learn(spread_of(options)), options.games)
    if course.rounds == 0 and stopped:
        print("Stopped before anything was learned; nothing was written.", file=sys.stderr)
        return STOPPED
    if course.network is None or course.rounds == 0:
        raise UsageError(f"{program.title} gave too few positions to learn from", "play more games: --games 10000")
    wins = {} if stopped else _wins(course)
    words = ["--bot", "learned", *(["--from", start] if start else [])]
    found = replace(course.network, command=command_typed(options, first, *words), measured=_told(course, wins))
    if code := written_or_printed(output, found.to_json()):
        return code
    print(
        escape_terminal(
            f"{output.path}: {len(found.weights)} hidden units, {course.played} games played{_after(known)}."
        )
    )
    for what, value in found.measured.items():
        print(f"  {what}: {value:.1%}" if isinstance(value, float) else f"  {what}: {value}")
    if any(share < 1 / players for players, share in wins.items()):
        print("It does not beat `greedy` yet, and may do so after more games (--games).")
    print(escape_terminal(f"Play against it: {_play_command(options, output)}"))
    return STOPPED if stopped else 0


def _after(known: Network | None) -> str:
    return f", after those of `{known.command}`" if known and known.command else ""


def _numbers(program: Program, players: int | None) -> tuple[int, ...]:
    """Return the numbers of players to learn for: all of them, unless one is named."""
    if players is not None:
        return (players_of(program, players),)
    return tuple(range(min(max(2, program.least_players), program.most_players), program.most_players + 1))


def _wins(course: TrainingCourse) -> dict[int, float]:
    with progress("Measuring", None):
        return course.wins(MATCHES)


def _told(course: TrainingCourse, wins: Mapping[int, float]) -> dict[str, float]:
    """How good it is on games of their own, as the file says it."""
    if not wins:
        return {"stopped after games": course.played}
    return {f"wins against {players - 1} greedy": round(share, 4) for players, share in wins.items()}


def _play_command(options: StudyOptions, output: OutputTarget) -> str:
    return shlex.join([command_name(), "play", *rules_typed(options), "--bot", f"learned@{output.path}"])


TRAINABLE = {
    "greedy": Trainable(800, weights.FILE, train_weights),
    "learned": Trainable(60_000, nets.FILE, train_network),
}
