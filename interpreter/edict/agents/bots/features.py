"""The features by which a position is judged: found in a program's declarations, for any game.

For every player a program declares how much they have of each resource and what it keeps for them. Each of these is a
feature, by a name that stays the same from one set of rules to another:

    coin                  how much of a resource, or a number kept for the player (yes counts 1)
    calls[baker]          the same where it is kept for a player and for other things
    owned: mill           a thing in the player's set, or the thing kept for the player
    hand: blue-die 3      how many dice of that kind and face the player has
    crown                 whether what is kept for the table is the player, or has the player in it
    line                  the player's place in an order, counted from 0

Every feature counts for oneself and, with another weight, for the mean of the others. A number kept for the whole
table (a year, a round) can be the clock: weights then change in a straight line from its beginning to its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from edict.game.table.addresses import PLAYER, find_phase_cells, thing_name
from edict.runtime.program import Program, StateVariable
from edict.runtime.program.opcodes import PLAYERS
from edict.runtime.simulation import plans

MOST_CELLS = 64  # of a variable kept for other things too
FEW = 12  # values of a number, each read by itself


@dataclass(frozen=True, slots=True)
class FeaturePlace:
    """Where features are read: shape as the policies have it, the cell `base + step * seat`, and their names."""

    shape: int
    base: int
    step: int
    names: tuple[str, ...]


def places(program: Program) -> tuple[FeaturePlace, ...]:
    """All places of a program, in the order of its declarations."""
    return tuple(place for variable in program.variables for place in _places(program, variable))


def clocks(program: Program) -> tuple[StateVariable, ...]:
    """What can measure the progress of a game: numbers kept for the whole table, open to everyone."""
    return tuple(v for v in program.variables if not v.kinds and v.type.shape == "number" and v.known < 0)


def surroundings(program: Program) -> tuple[FeaturePlace, ...]:
    """Places read once, for the whole table, which say nothing of any player: what only a network makes use of.

    players                 how many there are
    phase: harvest          whether that phase is on
    year: 3                 a number with few values, each by itself
    danger, season[baker]   any other number
    enemy: wolf             a thing, or one in a set, kept for the table
    """
    players = FeaturePlace(plans.NUMBER, PLAYERS, 0, ("players",))
    on = (FeaturePlace(plans.NUMBER, cell, 0, (f"phase: {name}",)) for name, cell in find_phase_cells(program).items())
    return (players, *on, *_of_table(program))


def _of_table(program: Program) -> Iterator[FeaturePlace]:
    """What is kept for the table, or for things that are no players."""
    for variable in program.variables:
        if PLAYER in (*variable.kinds, variable.type.kind):
            continue
        shape, names = _shape(program, variable)
        few = variable.greatest is not None and variable.least == 0 and variable.greatest < FEW
        if few and variable.type.shape == "number":
            shape, names = plans.THING, tuple(f": {i}" for i in range((variable.greatest or 0) + 1))
        cells = list(product(*(range(size) for size in variable.sizes)))
        if not names or len(cells) * len(names) > MOST_CELLS:
            continue
        for offset, of in enumerate(cells):
            called = [thing_name(program, kind, i) for kind, i in zip(variable.kinds, of, strict=True)]
            head = f"{variable.name}[{', '.join(called)}]" if called else variable.name
            yield FeaturePlace(shape, variable.base + offset, 0, tuple(f"{head}{name}" for name in names))


def _places(program: Program, variable: StateVariable) -> Iterator[FeaturePlace]:
    if variable.kinds.count(PLAYER) == 1:
        yield from _of_players(program, variable)
    elif not variable.kinds and variable.type.kind == PLAYER:
        shape = {"thing": plans.MINE, "set": plans.AMONG, "order": plans.PLACE}.get(variable.type.shape)
        if shape is not None:
            yield FeaturePlace(shape, variable.base, 0, (variable.name,))


def _of_players(program: Program, variable: StateVariable) -> Iterator[FeaturePlace]:
    """One place for each combination of the other things it is kept for."""
    at = variable.kinds.index(PLAYER)
    others = [range(1 if i == at else size) for i, size in enumerate(variable.sizes)]
    steps = [1] * len(variable.sizes)
    for i in reversed(range(len(steps) - 1)):
        steps[i] = steps[i + 1] * variable.sizes[i + 1]
    shape, names = _shape(program, variable)
    cells = list(product(*others))
    if not names or len(cells) * len(names) > MOST_CELLS:
        return
    for of in cells:
        about = [(kind, i) for k, (kind, i) in enumerate(zip(variable.kinds, of, strict=True)) if k != at]
        called = [thing_name(program, kind, i) for kind, i in about]
        head = f"{variable.name}[{', '.join(called)}]" if called else variable.name
        base = variable.base + sum(i * step for i, step in zip(of, steps, strict=True))
        yield FeaturePlace(shape, base, steps[at], tuple(f"{head}{name}" for name in names))


def _shape(program: Program, variable: StateVariable) -> tuple[int, tuple[str, ...]]:
    """How a cell of the variable is read, and what stands behind its name for each feature; none: not read."""
    kind, shape = variable.type.kind, variable.type.shape
    if shape in ("number", "truth"):
        return plans.NUMBER, ("",)
    if shape == "dice" and variable.type.cells == 1:
        dice = [(name, face) for name, _, sides, _ in program.dice.kinds for face in range(1, sides + 1)]
        return plans.DICE, tuple(f": {name} {face}" for name, face in dice)
    if variable.type.cells > 1:
        return plans.NUMBER, ()  # too many things, or dice, to look at each
    if shape in ("set", "thing") and kind in program.kind_by_name and kind != PLAYER:
        names = tuple(f": {thing.name}" for thing in program.kind_by_name[kind].things)
        return plans.SET if shape == "set" else plans.THING, names
    return plans.NUMBER, ()
