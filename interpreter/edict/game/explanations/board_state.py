"""What stands on the board beside panels: cards that not everybody may see, and where the game is in its round.

Cards are the secret keeps of no player that hold things, single ones and piles. Whether somebody has looked at a card
tells only what the view of that seat, and that of everybody, tell anyway. Of the stages of the round in which a game is
played some are over, one is on, and some are to come.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from edict.game.table.addresses import PLAYER, phases
from edict.game.table.view import View
from edict.game.table.wording import NUMBER
from edict.runtime.program import Program, Stage, Thing, Variable
from edict.runtime.program.cells import counted
from edict.runtime.program.same import Same
from edict.support.morphology import capitalize, spell_name

# --- cards that lie there -------------------------------------------------------------------------------

UP, DOWN, EMPTY = "up", "down", "empty"
HOLDING = ("thing", "set", "order")  # shapes of what holds things, beside bags


@dataclass(frozen=True, slots=True)
class LaidCard:
    """A place where a card, or a pile of them, lies.

    state: up, down, or empty. secret: this seat knows the card, and not everybody does. thing: the card that is known.
    count: how many cards lie there; None where that may not be known.
    """

    name: str
    title: str
    kind: str
    pile: bool
    state: str
    secret: bool = False
    thing: Thing | None = None
    number: int = -1  # of the thing in its kind
    count: int | None = None


def laid_cards(view: View, everybody: View) -> Iterator[LaidCard]:
    """The places of a table as a seat sees them. everybody: the view of those who see what everybody may."""
    for variable in view.program.variables:
        kind = _kind(view.program, variable)
        if kind and variable.type.shape == "thing":
            yield _single(view, everybody, variable, kind)
        elif kind:
            yield _pile(view, variable, kind)


def _kind(program: Program, variable: Variable) -> str:
    """The kind of the cards that may lie in a variable; empty if it is no such place."""
    if variable.known < 0:
        return ""
    if variable.counts:
        of = variable.kinds[0] if len(variable.kinds) == 1 else ""
    else:
        of = variable.type.kind if not variable.kinds and variable.type.shape in HOLDING else ""
    return of if of not in ("", PLAYER, NUMBER) and program.kind_by_name[of].things else ""


def _single(view: View, everybody: View, variable: Variable, kind: str) -> LaidCard:
    name, title = variable.name, _title(variable)
    value = view.value(name)
    if value is None:
        return LaidCard(name, title, kind, False, DOWN, count=1)
    if value < 0:
        return LaidCard(name, title, kind, False, EMPTY, count=0)
    thing = view.program.kind_by_name[kind].things[value]
    return LaidCard(name, title, kind, False, UP, not everybody.knows(name), thing, value, 1)


def _pile(view: View, variable: Variable, kind: str) -> LaidCard:
    known = view.program.variable_by_name.get(counted(variable.name))
    count = view.value(known.name) if known is not None else None
    return LaidCard(variable.name, _title(variable), kind, True, EMPTY if count == 0 else DOWN, count=count)


def _title(variable: Variable) -> str:
    title = variable.title or spell_name(variable.name)
    return capitalize(title)


# --- the round ------------------------------------------------------------------------------------------

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


__all__ = [
    "DOWN",
    "EMPTY",
    "LATER",
    "NOW",
    "PAST",
    "UP",
    "LaidCard",
    "Passing",
    "laid_cards",
    "passing",
    "stage_now",
]
