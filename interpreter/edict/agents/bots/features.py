"""Features by which positions are evaluated, found in a program's declarations for any game.

A program declares how much of each resource each player has, and the state variables kept for players. Each is a
feature, with a name that is stable from one set of rules to another:

    coin                  the amount of a resource, or a number kept for the player (yes counts 1)
    calls[baker]          the same, kept for a player and for other things
    owned: mill           a thing in the player's set, or the thing kept for the player
    hand: blue-die 3      the number of the player's dice of that kind and face
    crown                 1 if the player is the value of a table's variable, or in it
    line                  the player's place in an order, counted from 0

Every feature counts for the player and, with another weight, for the mean of the others. A number kept for the whole
table (a year, a round) can be the clock: weights then change linearly from its beginning to its end.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from edict.game.table.addresses import PLAYER, find_phase_cells, thing_name
from edict.runtime.program import Program, StateVariable
from edict.runtime.program.opcodes import PLAYERS
from edict.runtime.simulation import plans
from edict.support.records import dataclass

MAX_FEATURES = 64
ONE_HOT_VALUES = 12


@dataclass(frozen=True, slots=True)
class FeaturePlace:
    """A place from which features are read: the cell `base + step * seat`."""

    shape: int  # as in `simulation.plans`
    base: int
    step: int
    names: tuple[str, ...]


def list_player_features(program: Program) -> tuple[FeaturePlace, ...]:
    """Return the features of players, in the order of the declarations."""
    return tuple(place for variable in program.variables for place in _iter_variable_places(program, variable))


def list_clock_variables(program: Program) -> tuple[StateVariable, ...]:
    """Return the variables that may serve as clock: open numbers of the whole table, without keys."""
    return tuple(v for v in program.variables if not v.kinds and v.type.shape == "number" and v.known < 0)


def list_table_features(program: Program) -> tuple[FeaturePlace, ...]:
    """Return the features of the whole table, which only networks use.

    players                 the number of players
    phase: harvest          1 if that phase is active
    year: 3                 a number with few values, each by itself
    danger, season[baker]   any other number
    enemy: wolf             a thing, or one in a set, kept for the table
    """
    players = FeaturePlace(plans.NUMBER, PLAYERS, 0, ("players",))
    phase_places = (
        FeaturePlace(plans.NUMBER, cell, 0, (f"phase: {name}",)) for name, cell in find_phase_cells(program).items()
    )
    return (players, *phase_places, *_iter_table_places(program))


def _iter_table_places(program: Program) -> Iterator[FeaturePlace]:
    """Yield a `FeaturePlace` for each cell of variables that neither belong to players nor hold any."""
    for variable in program.variables:
        if PLAYER in (*variable.kinds, variable.type.kind):
            continue
        shape, names = _get_shape(program, variable)
        is_one_hot = variable.greatest is not None and variable.least == 0 and variable.greatest < ONE_HOT_VALUES
        if is_one_hot and variable.type.shape == "number":
            shape, names = plans.THING, tuple(f": {i}" for i in range((variable.greatest or 0) + 1))
        cells = list(product(*(range(size) for size in variable.sizes)))
        if not names or len(cells) * len(names) > MAX_FEATURES:
            continue
        for offset, indices in enumerate(cells):
            key_names = [thing_name(program, kind, i) for kind, i in zip(variable.kinds, indices, strict=True)]
            head = f"{variable.name}[{', '.join(key_names)}]" if key_names else variable.name
            yield FeaturePlace(shape, variable.base + offset, 0, tuple(f"{head}{name}" for name in names))


def _iter_variable_places(program: Program, variable: StateVariable) -> Iterator[FeaturePlace]:
    """Yield the places of a variable's features about players: kept for each player, or holding players."""
    if variable.kinds.count(PLAYER) == 1:
        yield from _iter_player_places(program, variable)
    elif not variable.kinds and variable.type.kind == PLAYER:
        shape = {"thing": plans.MINE, "set": plans.AMONG, "order": plans.PLACE}.get(variable.type.shape)
        if shape is not None:
            yield FeaturePlace(shape, variable.base, 0, (variable.name,))


def _iter_player_places(program: Program, variable: StateVariable) -> Iterator[FeaturePlace]:
    """Yield a `FeaturePlace` for each combination of keys besides the player; `step` leads to the next player."""
    player_axis = variable.kinds.index(PLAYER)
    others = [range(1 if i == player_axis else size) for i, size in enumerate(variable.sizes)]
    steps = [1] * len(variable.sizes)
    for i in reversed(range(len(steps) - 1)):
        steps[i] = steps[i + 1] * variable.sizes[i + 1]
    shape, names = _get_shape(program, variable)
    cells = list(product(*others))
    if not names or len(cells) * len(names) > MAX_FEATURES:
        return
    for indices in cells:
        keys = [(kind, i) for k, (kind, i) in enumerate(zip(variable.kinds, indices, strict=True)) if k != player_axis]
        key_names = [thing_name(program, kind, i) for kind, i in keys]
        head = f"{variable.name}[{', '.join(key_names)}]" if key_names else variable.name
        base = variable.base + sum(i * step for i, step in zip(indices, steps, strict=True))
        yield FeaturePlace(shape, base, steps[player_axis], tuple(f"{head}{name}" for name in names))


def _get_shape(program: Program, variable: StateVariable) -> tuple[int, tuple[str, ...]]:
    """Return how a variable's cell is read (number, dice, set, thing) and its features' suffixes; none to skip it."""
    kind, shape = variable.type.kind, variable.type.shape
    if shape in ("number", "truth"):
        return plans.NUMBER, ("",)
    if shape == "dice" and variable.type.cells == 1:
        dice = [(name, face) for name, _, sides, _ in program.dice.kinds for face in range(1, sides + 1)]
        return plans.DICE, tuple(f": {name} {face}" for name, face in dice)
    if variable.type.cells > 1:
        return plans.NUMBER, ()  # too many things or dice for a feature each
    if shape in ("set", "thing") and kind in program.kind_by_name and kind != PLAYER:
        names = tuple(f": {thing.name}" for thing in program.kind_by_name[kind].things)
        return plans.SET if shape == "set" else plans.THING, names
    return plans.NUMBER, ()
