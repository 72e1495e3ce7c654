"""`train`: weights learned by self-play, written to a file."""

from __future__ import annotations

import json
import shlex
import sys
from functools import partial

from edict.bots import training
from edict.bots.weights import Weights
from edict.cli.errors import STOPPED, USAGE, UsageError
from edict.cli.loading import rules_of
from edict.cli.study.executors import hired
from edict.cli.study.progress import progress
from edict.cli.warming import warned
from edict.cli.study.study_options import StudyOptions, between, checked, players_of, seed_of
from edict.cli.telling import tell
from edict.files import Target
from edict.machine import native
from edict.machine.orders import GREEDY, RANDOM
from edict.resources import command
from edict.resources import installing
from edict.study.errors import StudyError
from edict.study.workers import spread

FEWEST, MOST = 50, 1_000_000
ROUNDS = 8
MATCHES = 400


def train(options: StudyOptions, output: Target) -> int:
    """Learn, measure, write; returns the exit code. Ctrl-C ends the learning, and what there is gets written."""
    between("games", options.games, FEWEST, MOST)
    checked(options)
    if not native.available():
        raise UsageError("learning needs native code", installing("fast"))
    program = rules_of(options.game, options.modules).program
    output.check()
    first = seed_of(options.seed, default=1, bits=62)
    players = players_of(program, options.players)
    warned()
    course = training.lesson(training.LessonPlan(program, players, options.games, ROUNDS, MATCHES, first))
    if not course.places:
        raise UsageError(f"{program.title} keeps nothing for its players", "there is nothing to weigh positions by")
    stopped = _learn(course, partial(spread, hire=hired(options)))
    if course.swift is None:
        print("Stopped before anything was learned; nothing was written.", file=sys.stderr)
        return STOPPED
    written = _judged(course, _command(options, first), stopped)
    try:
        output.write(written.to_json())
    except OSError as problem:
        print(written.to_json())  # long work is not lost for want of room
        return tell(problem) or USAGE
    print(f"{output.path}: {len(written.careful.features)} features weighed, {course.played} games played.")
    for what, value in written.measured.items():
        print(f"  {what}: {json.dumps(value) if isinstance(value, dict) else value}")
    return STOPPED if stopped else 0


def _learn(course: training.Lesson, spread: training.Spread) -> bool:
    """Whether it ended early: somebody stopped it, or the workers are gone, which is reported."""
    try:
        with progress("Learning", course.wanted.games) as told:
            for played in training.learn(course, spread):
                told(played)
    except KeyboardInterrupt:
        return True
    except StudyError as problem:
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


def _command(options: StudyOptions, seed: int) -> str:
    modules = (word for module in options.modules for word in ("--with", module))
    words = [command(), "train", *([options.game] if options.game else []), *modules, "--games", str(options.games)]
    words += [*(["--players", str(options.players)] if options.players else []), "--seed", str(seed)]
    return shlex.join(words)
