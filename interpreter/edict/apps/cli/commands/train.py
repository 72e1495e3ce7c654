"""The command `train`, which trains a bot by self-play: weights for `greedy`, a network for `learned`."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from edict.agents.bots import networks, weight_training, weights
from edict.agents.bots.networks import Network, load_network
from edict.agents.bots.self_play import SelfPlayPlan, SelfPlayTraining
from edict.agents.bots.weights import Weights
from edict.apps.cli import shared_options as o
from edict.apps.cli.command_errors import STOPPED, USAGE, UsageError
from edict.apps.cli.command_output import show_progress, write_data
from edict.apps.cli.long_runs import (
    StudyOptions,
    parse_seed,
    require_between,
    resolve_player_count,
    select_workers,
    validate_options,
)
from edict.apps.cli.reporting import report_problem
from edict.apps.cli.rules_by_name import load_rules_with_notes
from edict.apps.cli.seating import print_speed_notice
from edict.runtime.program import Program
from edict.runtime.simulation import native
from edict.runtime.simulation.plans import GREEDY, RANDOM
from edict.support.files import OutputTarget
from edict.support.processes.distribution import WorkersError, run_in_workers
from edict.support.records import dataclass
from edict.support.rendering import escape_terminal
from edict.support.report import suggest_word
from edict.support.resources import command_name, install_command

MIN_TRAINING_GAMES, MAX_TRAINING_GAMES = 50, 1_000_000
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
        help="Network that `learned` starts from [default: the built-in one, if any].",
    ),
]
TrainedFile = Annotated[
    Path | None,
    o.path_option("--output", "-o", metavar="FILE", help="Write to this file [default: weights.json or network.json]."),
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
    """Train the weights or network of a kind of bot by self-play and write them to a file; return the exit code."""
    kind = require_trainable(bot)
    game_name, worker_count = o.merge_game_arguments(game, named), None if cluster else workers
    count = kind.games if games is None else games
    options = StudyOptions(game_name, modules or (), players, count, "", seed, (), worker_count, cluster)
    return kind.train(options, OutputTarget(output or Path(kind.file), force), start)


@dataclass(frozen=True)
class Trainable:
    """A kind of bot that can be trained, with its defaults."""

    games: int  # default number of games
    file: str  # default file
    train: Callable[[StudyOptions, OutputTarget, str], int]


def require_trainable(bot: str) -> Trainable:
    """Return how a bot is trained; raise `UsageError` if it cannot be trained."""
    if bot not in TRAINABLE:
        remedy = suggest_word(bot, TRAINABLE) or f"choose one of: {', '.join(TRAINABLE)}"
        raise UsageError(f"the bot `{bot}` cannot be trained", remedy)
    return TRAINABLE[bot]


def train_weights(options: StudyOptions, output: OutputTarget, start: str = "") -> int:
    """Train weights, measure them and write them to a file; return the exit code. Ctrl-C writes those so far."""
    if start:
        raise UsageError("--from names a network, but `greedy` has none", "drop it, or add --bot learned")
    program, seed = prepare_training(options, output)
    players = resolve_player_count(program, options.players)
    print_speed_notice()
    course = weight_training.start_training(
        weight_training.WeightTrainingPlan(program, players, options.games, ROUNDS, MATCHES, seed)
    )
    if not course.places:
        raise UsageError(f"{program.title} keeps nothing for its players", "there are no values to learn weights for")
    stopped_early = run_training(weight_training.train_weights(course, make_spread(options)), options.games)
    if course.weights is None:
        print("Stopped before learning anything; no file was written.", file=sys.stderr)
        return STOPPED
    trained = _measure_weights(course, format_training_command(options, seed), stopped_early)
    if code := write_or_print(output, trained.to_json()):
        return code
    print(
        escape_terminal(
            f"{output.path}: {len(trained.careful.features)} features weighed, {course.played} games played."
        )
    )
    for name, value in trained.measured.items():
        print(f"  {name}: {json.dumps(value) if isinstance(value, dict) else value}")
    return STOPPED if stopped_early else 0


def prepare_training(options: StudyOptions, output: OutputTarget) -> tuple[Program, int]:
    """Return the program to train for and the seed of the first game. Raises `UsageError`."""
    require_between("games", options.games, MIN_TRAINING_GAMES, MAX_TRAINING_GAMES)
    validate_options(options)
    if not native.is_available():
        raise UsageError("learning needs native code", install_command("fast"))
    program = load_rules_with_notes(options.game, options.modules).program
    output.check()
    return program, parse_seed(options.seed, default=1, bits=62)


def make_spread(options: StudyOptions) -> weight_training.PieceMapper:
    """Return a function that spreads games over the workers of the options."""
    return partial(run_in_workers, start=select_workers(options))


def write_or_print(output: OutputTarget, text: str) -> int:
    """Write a text to a file; return an exit code other than 0 if that fails.

    The text is then printed instead, so that hours of training are not lost to a full disk.
    """
    try:
        write_data(output, text)
    except OSError as error:
        print(text)
        return report_problem(error) or USAGE
    return 0


def run_training(learning: Iterator[int], games: int) -> bool:
    """Train under a progress bar; return True if Ctrl-C or a loss of workers ended it early."""
    try:
        with show_progress("Learning", games) as report_progress:
            for played in learning:
                report_progress(played)
    except KeyboardInterrupt:
        return True
    except WorkersError as error:
        report_problem(error)
        return True
    return False


def _measure_weights(course: weight_training.WeightTraining, command: str, stopped_early: bool) -> Weights:
    """Return the weights with the best share of the rules' own judgement, and their results in separate games."""
    if stopped_early:
        return weight_training.build_weights(
            course, course.weights, 0.0, command, {"stopped after games": course.played}
        )
    with show_progress("Measuring", 0) as _:
        judge = weight_training.select_judge_weight(course, lambda: None)
        policy = weight_training.build_policy(course, course.weights, judge)
        start = course.plan.seed + 20_000_000
        results = {}
        for name, opponent in (("judge", GREEDY), ("random", RANDOM)):
            share, games = weight_training.measure_policy(course, policy, opponent, start, lambda: None)
            results[f"wins against {course.plan.players - 1} {name}"] = {"share": round(share, 4), "games": games}
    return weight_training.build_weights(course, course.weights, judge, command, results)


def rules_arguments(options: StudyOptions) -> list[str]:
    """Return the game and modules as arguments of a command."""
    modules = (argument for module in options.modules for argument in ("--with", module))
    return [*([options.game] if options.game else []), *modules]


def format_training_command(options: StudyOptions, seed: int, *arguments: str) -> str:
    """Return the command that repeats the training."""
    words = [command_name(), "train", *rules_arguments(options), *arguments, "--games", str(options.games)]
    words += [*(["--players", str(options.players)] if options.players is not None else []), "--seed", str(seed)]
    return shlex.join(words)


FROM_SCRATCH = "none"  # value of --from for an untrained network


def train_network(options: StudyOptions, output: OutputTarget, start: str = "") -> int:
    """Train a network, measure it and write it to a file; return the exit code. Ctrl-C writes the network so far.

    Args:
        options: The game and the extent of the training.
        output: The file to write.
        start: The file of a network to continue from, `none`, or empty for the one that ships, if any.
    """
    program, seed = prepare_training(options, output)
    start_network = None if start == FROM_SCRATCH else load_network(program, start)
    course = SelfPlayTraining(
        SelfPlayPlan(program, _player_counts(program, options.players), options.games, seed, start=start_network)
    )
    stopped_early = run_training(course.train(make_spread(options)), options.games)
    if course.rounds == 0 and stopped_early:
        print("Stopped before learning anything; no file was written.", file=sys.stderr)
        return STOPPED
    if course.network is None or course.rounds == 0:
        raise UsageError(f"{program.title} gave too few positions to learn from", "play more games: --games 10000")
    wins = {} if stopped_early else _measure_wins(course)
    words = ["--bot", "learned", *(["--from", start] if start else [])]
    trained = replace(
        course.network, command=format_training_command(options, seed, *words), measured=_results_data(course, wins)
    )
    if code := write_or_print(output, trained.to_json()):
        return code
    print(
        escape_terminal(
            f"{output.path}: {len(trained.weights)} hidden units, {course.played} games played"
            f"{_describe_start(start_network)}."
        )
    )
    for name, value in trained.measured.items():
        print(f"  {name}: {value:.1%}" if isinstance(value, float) else f"  {name}: {value}")
    if any(share < 1 / players for players, share in wins.items()):
        print("It does not beat `greedy` yet; more games may help (--games).")
    print(escape_terminal(f"Play against it: {_format_play_command(options, output)}"))
    return STOPPED if stopped_early else 0


def _describe_start(start_network: Network | None) -> str:
    """Return a phrase with the command that trained the initial network; empty if there is none."""
    if start_network and start_network.command:
        return f", after those of `{start_network.command}`"
    return ""


def _player_counts(program: Program, players: int | None) -> tuple[int, ...]:
    """Return the numbers of players to train for: all of them, unless one is named."""
    if players is not None:
        return (resolve_player_count(program, players),)
    return tuple(range(min(max(2, program.least_players), program.most_players), program.most_players + 1))


def _measure_wins(course: SelfPlayTraining) -> dict[int, float]:
    """Return the trained network's win share by number of players, in matches under a progress bar."""
    with show_progress("Measuring", None):
        return course.measure_win_shares(MATCHES)


def _results_data(course: SelfPlayTraining, wins: Mapping[int, float]) -> dict[str, float]:
    """Return the results in separate games, as the file holds them."""
    if not wins:
        return {"stopped after games": course.played}
    return {f"wins against {players - 1} greedy": round(share, 4) for players, share in wins.items()}


def _format_play_command(options: StudyOptions, output: OutputTarget) -> str:
    """Return the shell command that plays against the trained bot in the output file."""
    return shlex.join([command_name(), "play", *rules_arguments(options), "--bot", f"learned@{output.path}"])


TRAINABLE = {
    "greedy": Trainable(800, weights.WEIGHTS_FILE, train_weights),
    "learned": Trainable(60_000, networks.NETWORK_FILE, train_network),
}
