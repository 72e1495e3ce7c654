"""`train`: weights for `greedy` learned by self-play, written to a file."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from functools import partial

from edict.bots import training
from edict.bots.weights import Weights
from edict.cli.errors import STOPPED, USAGE, UsageError
from edict.cli.loading import rules_of
from edict.cli.study.executors import hired
from edict.cli.study.progress import progress
from edict.cli.study.study_options import StudyOptions, between, checked, players_of, seed_of
from edict.cli.telling import tell
from edict.cli.warming import warned
from edict.files import Target
from edict.program import Program
from edict.resources import command, installing
from edict.simulation import native
from edict.simulation.plans import GREEDY, RANDOM
from edict.study.errors import StudyError
from edict.processes.spreading import WorkersError, spread

FEWEST, MOST = 50, 1_000_000
ROUNDS = 8
MATCHES = 400


def train(options: StudyOptions, output: Target, start: str = "") -> int:
    """Learn, measure, write; returns the exit code. Ctrl-C ends the learning, and what there is gets written."""
    if start:
        raise UsageError("--from names a network, and `greedy` has none", "leave it out, or add --bot learned")
    program, first = prepared(options, output)
    players = players_of(program, options.players)
    warned()
    course = training.lesson(training.LessonPlan(program, players, options.games, ROUNDS, MATCHES, first))
    if not course.places:
        raise UsageError(f"{program.title} keeps nothing for its players", "there is nothing to weigh positions by")
    stopped = ended_early(training.learn(course, spread_of(options)), options.games)
    if course.swift is None:
        print("Stopped before anything was learned; nothing was written.", file=sys.stderr)
        return STOPPED
    written = _judged(course, typed(options, first), stopped)
    if code := lost(output, written.to_json()):
        return code
    print(f"{output.path}: {len(written.careful.features)} features weighed, {course.played} games played.")
    for what, value in written.measured.items():
        print(f"  {what}: {json.dumps(value) if isinstance(value, dict) else value}")
    return STOPPED if stopped else 0


def prepared(options: StudyOptions, output: Target) -> tuple[Program, int]:
    """What is to be learned, and the seed of the first game. Raises `UsageError` for what cannot be."""
    between("games", options.games, FEWEST, MOST)
    checked(options)
    if not native.available():
        raise UsageError("learning needs native code", installing("fast"))
    program = rules_of(options.game, options.modules).program
    output.check()
    return program, seed_of(options.seed, default=1, bits=62)


def spread_of(options: StudyOptions) -> training.Spread:
    """How the games are spread."""
    return partial(spread, start=hired(options))


def lost(output: Target, text: str) -> int:
    """Write it; an exit code if that is not possible. Then it is printed: long work is not lost for want of room."""
    try:
        output.write(text)
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
    except (StudyError, WorkersError) as problem:
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


def typed(options: StudyOptions, seed: int, *more: str) -> str:
    """The command that does the same again."""
    words = [command(), "train", *rules_typed(options), *more, "--games", str(options.games)]
    words += [*(["--players", str(options.players)] if options.players else []), "--seed", str(seed)]
    return shlex.join(words)
