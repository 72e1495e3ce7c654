"""The state of the board beside panels: cards that not everybody may see, and the stages of the round.

Cards are the secret keeps of no player that hold things, single ones and piles. Their state reveals only what the
view of the seat and the public view reveal anyway. Of the stages of the round some are over, one is in progress, and
some are to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from edict.game.table.addresses import PLAYER, find_phase_cells
from edict.game.table.view import View
from edict.game.table.wording import NUMBER
from edict.runtime.program import LinkedThing, Program, ProgramKey, Stage, StateVariable
from edict.runtime.program.cell_values import count_name
from edict.support.morphology import capitalize, spell_name
from edict.support.records import dataclass

# --- cards that lie there -------------------------------------------------------------------------------

UP, DOWN, EMPTY = "up", "down", "empty"
CONTAINER_SHAPES = ("thing", "set", "order")  # shapes of variables that hold things, besides bags


@dataclass(frozen=True, slots=True)
class LaidCard:
    """A place on the table for a card or a pile of cards."""

    name: str
    title: str
    kind: str
    pile: bool
    state: str  # up, down or empty
    secret: bool = False  # this seat knows the card, and not everybody does
    thing: LinkedThing | None = None  # the card if known
    number: int = -1  # index of the thing in its kind
    count: int | None = None  # number of cards there, None if unknown


def iter_laid_cards(view: View, everybody: View) -> Iterator[LaidCard]:
    """Yield a `LaidCard` for each variable that holds a card or a pile of cards, as a seat sees it.

    `everybody` is the public view.
    """
    for variable in view.program.variables:
        kind = _card_kind(view.program, variable)
        if kind and variable.type.shape == "thing":
            yield _make_single(view, everybody, variable, kind)
        elif kind:
            yield _make_pile(view, variable, kind)


def _card_kind(program: Program, variable: StateVariable) -> str:
    """Return the kind of the cards that a variable may hold, or an empty text if it holds none."""
    if variable.known < 0:
        return ""
    if variable.counts:
        kind_name = variable.kinds[0] if len(variable.kinds) == 1 else ""
    else:
        if not variable.kinds and variable.type.shape in CONTAINER_SHAPES:
            kind_name = variable.type.kind
        else:
            kind_name = ""
    if kind_name not in ("", PLAYER, NUMBER) and program.kind_by_name[kind_name].things:
        return kind_name
    return ""


def _make_single(view: View, everybody: View, variable: StateVariable, kind: str) -> LaidCard:
    """Build the place of one card: face down if hidden from the seat, empty if it holds none, else face up."""
    name, title = variable.name, _variable_title(variable)
    value = view.value(name)
    if value is None:
        return LaidCard(name, title, kind, False, DOWN, count=1)
    if value < 0:
        return LaidCard(name, title, kind, False, EMPTY, count=0)
    thing = view.program.kind_by_name[kind].things[value]
    return LaidCard(name, title, kind, False, UP, not everybody.knows(name), thing, value, 1)


def _make_pile(view: View, variable: StateVariable, kind: str) -> LaidCard:
    """Build the place of a pile, with its public count (None if there is none), face down unless empty."""
    tally = view.program.variable_by_name.get(count_name(variable.name))
    count = view.value(tally.name) if tally is not None else None
    return LaidCard(variable.name, _variable_title(variable), kind, True, EMPTY if count == 0 else DOWN, count=count)


def _variable_title(variable: StateVariable) -> str:
    """Return the capitalized title of a variable, or its name spelled out without one."""
    title = variable.title or spell_name(variable.name)
    return capitalize(title)


# --- the round ------------------------------------------------------------------------------------------

PAST, NOW, LATER = "past", "now", "later"


@dataclass(frozen=True, slots=True)
class StageProgress:
    """A stage of the round and its progress."""

    stage: Stage
    when: str  # past, now or later
    within: tuple[StageProgress, ...] = ()  # phases in it, without those that do not come now


def stage_progress(program: Program, state: Sequence[int]) -> tuple[StageProgress, ...]:
    """Return each stage of the round as past, current or later; all are later if none is in progress."""
    cells = _phase_cells(ProgramKey(program))

    def is_in_progress(stage: Stage) -> bool:
        """Return True if the counter of the stage's phase is above 0; False if it has none."""
        return state[cells[stage.name]] > 0 if stage.name in cells else False

    def iter_steps(stage: Stage, when: str) -> Iterator[StageProgress]:
        """Iterate over the phases of a stage.

        Only the current stage looks at their state, because others may play the same phases.
        """
        current = _find_first(map(is_in_progress, stage.within)) if when == NOW else -1
        for number, step in enumerate(stage.within):
            if number == current or not step.sometimes:
                yield StageProgress(step, _stage_time(number, current) if when == NOW else when)

    current = _find_first(map(is_in_progress, program.stages))
    timed = ((stage, _stage_time(number, current)) for number, stage in enumerate(program.stages))
    return tuple(StageProgress(stage, when, tuple(iter_steps(stage, when))) for stage, when in timed)


def _find_first(flags: Iterable[bool]) -> int:
    """Return the index of the first true value, or -1."""
    return next((number for number, flag in enumerate(flags) if flag), -1)


def _stage_time(number: int, current: int) -> str:
    """Return NOW, PAST or LATER for a stage's number relative to that of the current one."""
    if number == current:
        return NOW
    if number < current:
        return PAST
    return LATER


@lru_cache(maxsize=16)
def _phase_cells(same: ProgramKey) -> Mapping[str, int]:
    """Return the cached cell that counts how often each phase is in progress, by phase."""
    return find_phase_cells(same.program)


def find_current_stage(stages: Sequence[StageProgress]) -> tuple[int, StageProgress | None]:
    """Return the number of the current stage from 1 and the stage after it; 0 if none is in progress."""
    current = next((number for number, stage in enumerate(stages, 1) if stage.when == NOW), 0)
    return current, stages[current] if 0 < current < len(stages) else None


__all__ = [
    "DOWN",
    "EMPTY",
    "LATER",
    "NOW",
    "PAST",
    "UP",
    "LaidCard",
    "StageProgress",
    "iter_laid_cards",
    "stage_progress",
    "find_current_stage",
]
