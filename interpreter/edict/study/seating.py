"""Which bots sit at the table of a study: as policies of the machine where they are such, else thinking in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.bots import BOTS, policy_of
from edict.machine.counting import Pick
from edict.machine.mixing import GOLDEN, MASK, mixed
from edict.machine.orders import Policy
from edict.program import Program


def policies_of(program: Program, bots: Sequence[str]) -> list[Policy] | None:
    """A policy for each seat, if all of them can be had as such."""
    found = [policy_of(program, kind, len(bots)) for kind in bots]
    policies = [policy for policy in found if policy is not None]
    return policies if len(policies) == len(bots) else None


def picks_of(program: Program, bots: Sequence[str]) -> Callable[[int], Sequence[Pick]]:
    """For a game's seed, who answers for each seat."""

    def picks(seed: int) -> Sequence[Pick]:
        return [BOTS[kind](program, mixed((seed ^ (seat + 1) * GOLDEN) & MASK)).pick for seat, kind in enumerate(bots)]

    return picks
