"""Where a game is in the round in which it is played: which of its stages are over, on, and to come."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from edict.program import Program, Stage
from edict.program.same import Same
from edict.table.addresses import phases

PAST, NOW, LATER = "past", "now", "later"


@dataclass(frozen=True, slots=True)
class Passing:
    """A stage and when it is: past, now or later. within: the phases in it, without those that do not come now."""

    stage: Stage
    when: str
    within: tuple[Passing, ...] = ()


def passing(program: Program, state: Sequence[int]) -> tuple[Passing, ...]:
    """The stages of the round. Between two of them, and before the first, none is on and all are later."""
    cells = _cells(Same(program))

    def on(stage: Stage) -> bool:
        return state[cells[stage.name]] > 0 if stage.name in cells else False

    def steps(stage: Stage, around: str) -> Iterator[Passing]:
        """Those of a stage that is not on are as it is, though others may play the same just now."""
        here = _first(map(on, stage.within)) if around == NOW else -1
        for number, step in enumerate(stage.within):
            if number == here or not step.sometimes:
                yield Passing(step, _when(number, here) if around == NOW else around)

    here = _first(map(on, program.stages))
    told = ((stage, _when(number, here)) for number, stage in enumerate(program.stages))
    return tuple(Passing(stage, when, tuple(steps(stage, when))) for stage, when in told)


def _first(found: Iterable[bool]) -> int:
    """The number of the first that is so; -1 if none is."""
    return next((number for number, one in enumerate(found) if one), -1)


def _when(number: int, here: int) -> str:
    return NOW if number == here else PAST if number < here else LATER


@lru_cache(maxsize=16)
def _cells(same: Same) -> Mapping[str, int]:
    return phases(same.program)


def stage_now(found: Sequence[Passing]) -> tuple[int, Passing | None]:
    """The number, from 1, of the stage that is on, and the one that comes after it; 0 if none is on."""
    here = next((number for number, one in enumerate(found, 1) if one.when == NOW), 0)
    return here, found[here] if 0 < here < len(found) else None


__all__ = ["LATER", "NOW", "PAST", "Passing", "passing", "stage_now"]
