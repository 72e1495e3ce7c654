"""`train --bot learned`: a network learned by self-play, written to a file."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Mapping
from dataclasses import replace

from edict.bots.learned import network
from edict.bots.nets import Network
from edict.bots.self_play import Course, CoursePlan
from edict.cli.errors import STOPPED, UsageError
from edict.cli.study.progress import progress
from edict.cli.study.study_options import StudyOptions, players_of
from edict.cli.study.training import MATCHES, ended_early, lost, prepared, rules_typed, spread_of, typed
from edict.files import Target
from edict.program import Program
from edict.resources import command


AFRESH = "none"


def train_network(options: StudyOptions, output: Target, start: str = "") -> int:
    """Learn, measure, write; returns the exit code. Ctrl-C ends the learning, and what there is gets written.

    start: the file of a network to learn on from, `none`, or nothing for the one that ships, if there is one.
    """
    program, first = prepared(options, output)
    known = None if start == AFRESH else network(program, start)
    course = Course(CoursePlan(program, _numbers(program, options.players), options.games, first, start=known))
    stopped = ended_early(course.learn(spread_of(options)), options.games)
    if course.rounds == 0 and stopped:
        print("Stopped before anything was learned; nothing was written.", file=sys.stderr)
        return STOPPED
    if course.network is None or course.rounds == 0:
        raise UsageError(f"{program.title} gave too few positions to learn from", "play more games: --games 10000")
    wins = {} if stopped else _wins(course)
    words = ["--bot", "learned", *(["--from", start] if start else [])]
    found = replace(course.network, command=typed(options, first, *words), measured=_told(course, wins))
    if code := lost(output, found.to_json()):
        return code
    print(f"{output.path}: {len(found.weights)} hidden units, {course.played} games played{_after(known)}.")
    for what, value in found.measured.items():
        print(f"  {what}: {value:.1%}" if isinstance(value, float) else f"  {what}: {value}")
    if any(share < 1 / players for players, share in wins.items()):
        print("It does not beat `greedy` yet, and may do so after more games (--games).")
    print(f"Play against it: {_play(options, output)}")
    return STOPPED if stopped else 0


def _after(known: Network | None) -> str:
    return f", after those of `{known.command}`" if known and known.command else ""


def _numbers(program: Program, players: int) -> tuple[int, ...]:
    """For how many players to learn: all numbers of them, unless one is named."""
    if players:
        return (players_of(program, players),)
    return tuple(range(min(max(2, program.least_players), program.most_players), program.most_players + 1))


def _wins(course: Course) -> dict[int, float]:
    with progress("Measuring", None):
        return course.wins(MATCHES)


def _told(course: Course, wins: Mapping[int, float]) -> dict[str, float]:
    """How good it is on games of their own, as the file says it."""
    if not wins:
        return {"stopped after games": course.played}
    return {f"wins against {players - 1} greedy": round(share, 4) for players, share in wins.items()}


def _play(options: StudyOptions, output: Target) -> str:
    return shlex.join([command(), "play", *rules_typed(options), "--bot", f"learned@{output.path}"])
