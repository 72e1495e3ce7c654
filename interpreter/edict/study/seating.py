"""Which bots sit at the table of a study."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from edict.bots import BOTS
from edict.machine.counting import Pick
from edict.machine.mixing import GOLDEN, MASK, mixed
from edict.program import Program

RANDOM = "random"


def python_picks(program: Program, bots: Sequence[str]) -> Callable[[int], Sequence[Pick]] | None:
    """For a game's seed, who answers for each seat in Python; None if native policies play them all."""
    if all(kind == RANDOM for kind in bots):
        return None

    def picks(seed: int) -> Sequence[Pick]:
        return [BOTS[kind](program, mixed((seed ^ (seat + 1) * GOLDEN) & MASK)).pick for seat, kind in enumerate(bots)]

    return picks
