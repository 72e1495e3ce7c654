"""Which bots of a study are policies of the machine, so that they play in native code."""

from __future__ import annotations

from collections.abc import Sequence

from edict.bots.kinds import native_policy
from edict.machine.orders import Policy
from edict.program import Program


def policies_of(program: Program, bots: Sequence[str]) -> list[Policy] | None:
    """A policy for each seat, if all of them can be had as such."""
    found = [native_policy(program, kind, len(bots)) for kind in bots]
    policies = [policy for policy in found if policy is not None]
    return policies if len(policies) == len(bots) else None
