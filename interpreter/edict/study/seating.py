"""Which bots of a study are policies of the machine, so that they play in native code, and which can play at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache

from edict.bots.kinds import BOTS, native_policy
from edict.program import Program
from edict.simulation.plans import Policy
from edict.study.errors import StudyError


def policies_of(program: Program, bots: Sequence[str]) -> list[Policy] | None:
    """A policy for each seat, if all of them can be had as such."""
    found = [native_policy(program, kind, len(bots)) for kind in bots]
    policies = [policy for policy in found if policy is not None]
    return policies if len(policies) == len(bots) else None


def check_seats(bots: Iterable[str]) -> None:
    """Raises `StudyError` for a bot of somebody's own that cannot be loaded in this process, as the machine of a worker
    may lack its file: games in which it answers at random would say nothing."""
    for kind in bots:
        if BOTS.is_code(kind):
            _check(kind)


@cache
def _check(kind: str) -> None:
    problem = BOTS.problem(kind)
    if problem:
        raise StudyError(f"a worker cannot play: {problem[0]}", "every worker needs it in the same place")
