"""The observation of a game by a seat, as a vector of numbers of constant length.

Its parts are, in this order: the seat asked, the question asked, the active phases, the number of players, the
settings, the abilities used up until their phase starts again, every resource and `keep`, and the dice of the first
options of a question about dice to pay with. Players are counted from the observing seat. Hidden cells read as 0, and
each cell that may be hidden has a number that tells whether it is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, product
from math import inf

from edict.agents.spaces.action_space import list_relative_seats
from edict.game.table.addresses import PLAYER, find_phase_cells, thing_name
from edict.runtime.machine import encoding as m
from edict.runtime.program import Program, StateVariable, opcodes
from edict.runtime.program.listing import find_instructions
from edict.runtime.program.opcodes import FIELDS, PLAYERS, QUESTION, SEAT

MAX_SHOWN_PAYMENTS = 32  # options whose dice are shown
MOST_PLACES = 15
MOST_MEMBERS = 62  # of a set


@dataclass(frozen=True)
class CellReading:
    """A cell to read, and the numbers that it gives."""

    shape: int
    cell: int
    names: tuple[str, ...]  # a name for each number, without the suffix of a seat
    known: int = -1  # the cell that tells who knows it; -1 if it is open
    step: int = 0  # distance to the same cell of the next player; 0 if it is not kept by player
    second: int = 0  # the same for a second player, of variables kept for pairs of players
    # least and greatest number, except for whether it is known; infinite without a bound
    bounds: tuple[float, float] = (0, 1)

    @property
    def ranges(self) -> list[tuple[float, float]]:
        """The bounds of each number that the cell gives."""
        return [(0, 1)] * (self.known >= 0) + [self.bounds] * (len(self.names) - (self.known >= 0))


@dataclass(frozen=True)
class ObservationSpace:
    """The layout of observations of a program's states."""

    names: tuple[str, ...]  # the name of each number
    ranges: tuple[tuple[float, float], ...]  # the bounds of each number, infinite where the rules set none
    _placements: tuple[tuple[CellReading, int], ...]  # each reading with the index of its first number
    _max_players: int
    _reads_by_players: dict[int, tuple[int, ...]] = field(default_factory=dict, compare=False)

    @staticmethod
    def from_program(program: Program) -> ObservationSpace:
        """Build the observation space of a program."""
        placements: list[tuple[CellReading, int]] = []
        names: list[str] = []
        ranges: list[tuple[float, float]] = []
        for reading in _iter_readings(program):
            placements.append((reading, len(names)))
            names += _expand_names(reading, program.most_players)
            ranges += reading.ranges * ((len(names) - len(ranges)) // len(reading.names))
        return ObservationSpace(tuple(names), tuple(ranges), tuple(placements), program.most_players)

    @property
    def size(self) -> int:
        """The length of an observation."""
        return len(self.names)

    def reads(self, players: int) -> tuple[int, ...]:
        """Return, flat, where to read and write each number of an observation, seat by seat; see `encoding.observe`."""
        if players not in self._reads_by_players:
            headers, rows = list[int](), list[int]()
            for seat in range(players):
                headers.append(players + len(rows))
                rows += _build_seat_reads(self._placements, seat, players, self._max_players)
            self._reads_by_players[players] = (*headers, *rows)
        return self._reads_by_players[players]

    def observe(self, state: Sequence[int], seat: int) -> list[int]:
        """Return the observation of a state by a seat: `size` integers, without anything hidden from it."""
        numbers = [0] * self.size
        m.observe(state, self.reads(state[PLAYERS]), seat, numbers)
        return numbers


def _build_seat_reads(
    placements: Sequence[tuple[CellReading, int]], seat: int, players: int, max_players: int
) -> list[int]:
    """Return one seat's reads, flat: count and pairs of open numbers, count and fives of all others by shape."""
    plain, others = list[tuple[int, int]](), list[tuple[int, ...]]()
    for read, start in placements:
        width = len(read.names)
        for i in range(players if read.step else 1):
            for j in range(players if read.second else 1):
                first, second = (m.rotate_seat(seat, distance, players) for distance in (i, j))
                offset = read.step * first + read.second * second
                out = start + (i * (max_players if read.second else 1) + j) * width
                if read.shape == m.NUMBER and read.known < 0:
                    plain.append((read.cell + offset, out))
                else:
                    known = read.known + offset if read.known >= 0 else -1
                    others.append((read.shape, read.cell + offset, known, width - (read.known >= 0), out))
    return [len(plain), *chain(*plain), len(others), *chain(*sorted(others))]


def _expand_names(reading: CellReading, max_players: int) -> list[str]:
    """Return a name for every number of a reading, such as `gold (own)` and `gold (seat +1)`."""
    seat_names = ["own", *(f"seat +{i}" for i in range(1, max_players))]
    if not reading.step:
        return list(reading.names)
    if not reading.second:
        return [f"{name} ({seat})" for seat in seat_names for name in reading.names]
    return [f"{name} ({seat}, {other})" for seat in seat_names for other in seat_names for name in reading.names]


def _iter_readings(program: Program) -> Iterator[CellReading]:
    """Yield the readings in order: seat asked, question, phases, players, settings, periods, variables, payments."""
    yield CellReading(m.SEATED, SEAT, tuple(f"asked: {seat}" for seat in list_relative_seats(program)))
    questions = tuple(f"question {number}: {question.name}" for number, question in enumerate(program.questions))
    if questions:
        yield CellReading(m.THING, QUESTION, questions)
    for name, cell in find_phase_cells(program).items():
        yield CellReading(m.NUMBER, cell, (f"phase {name}",), bounds=(0, _max_phase_depth(program)))
    yield CellReading(m.NUMBER, PLAYERS, ("players",), bounds=(0, program.most_players))
    for setting in program.settings:
        bounds = (0.0, 1.0) if setting.truth else _extend_bounds_to_zero(setting.low, setting.high)
        yield CellReading(m.NUMBER, setting.cell, (f"setting {setting.name}",), bounds=bounds)
    for period in program.periods:
        names = tuple(f"done in {period.phase}: {i}" for i in range(min(MOST_MEMBERS, len(period.abilities))))
        yield CellReading(m.SET, period.base, names, step=1)
    for variable in program.variables:
        yield from _iter_variable_readings(program, variable)
    if any(question.domain == "ways" for question in program.questions):
        fields = tuple(f"option {i}: {field}" for i in range(MAX_SHOWN_PAYMENTS) for field in _name_dice_faces(program))
        yield CellReading(m.WAYS, FIELDS, fields, bounds=_dice_count_bounds(program))


def _max_phase_depth(program: Program) -> int:
    """Return how many times one phase can be in progress at once: 1, or the stack size if rules recur.

    This is 1 unless rules are recursive; then the stack sets the limit.
    """
    is_recursive = any(program.code[pc] == opcodes.SAVE for pc in find_instructions(program)[1])
    return len(program.initial) - program.stack if is_recursive else 1


def _extend_bounds_to_zero(least: int | None, greatest: int | None) -> tuple[float, float]:
    """Return the bounds of a number that reads as 0 while it is hidden."""
    return -inf if least is None else min(0, least), inf if greatest is None else max(0, greatest)


def _dice_count_bounds(program: Program) -> tuple[float, float]:
    """Return the bounds of the number of dice of a kind and face."""
    return 0, (1 << program.dice.width) - 1


def _variable_bounds(program: Program, variable: StateVariable, shape: int) -> tuple[float, float]:
    """Return the bounds of the numbers that a cell of a variable gives."""
    if shape == m.DICE:
        return _dice_count_bounds(program)
    if shape in (m.LINE, m.ORDER):
        return 0, MOST_PLACES
    if shape != m.NUMBER or variable.type.shape == "truth":
        return 0, 1
    if variable.type.shape == "order":  # a thing at each place
        return -1, max(1, len(program.kind_by_name[variable.type.kind].things) - 1)
    return _extend_bounds_to_zero(0 if variable.counts else variable.least, variable.greatest)


def _iter_variable_readings(program: Program, variable: StateVariable) -> Iterator[CellReading]:
    """Yield a `CellReading` for each combination of a variable's non-player keys and each cell of its value."""
    shape, names = _get_shape(program, variable)
    if not names:
        return
    cells = variable.type.cells
    strides = [stride * cells for stride in _compute_strides(variable.sizes)]
    player_axes = [i for i, kind in enumerate(variable.kinds) if kind == PLAYER][:2]
    steps = [strides[i] for i in player_axes]
    ranges = [range(1 if i in player_axes else size) for i, size in enumerate(variable.sizes)]
    for indices in product(*ranges):
        offset = sum(i * stride for i, stride in zip(indices, strides, strict=True))
        things = [
            thing_name(program, kind, i)
            for axis, (kind, i) in enumerate(zip(variable.kinds, indices, strict=True))
            if axis not in player_axes
        ]
        head = f"{variable.name}[{', '.join(things)}]" if things else variable.name
        known = variable.known + offset if variable.known >= 0 else -1
        for part, part_names in enumerate(_iter_cell_names(program, variable, names)):
            part_head = f"{head} {part + 1}" if part else head
            number_names = [f"{part_head}: known"] * (known >= 0) + [
                f"{head}: {name}" if name else head for name in part_names
            ]
            bounds = _variable_bounds(program, variable, shape)
            step, second = (*steps, 0, 0)[:2]
            yield CellReading(shape, variable.base + offset + part, tuple(number_names), known, step, second, bounds)


def _iter_dice_cell_names(program: Program) -> Iterator[tuple[str, ...]]:
    """Yield the names of the fields in each cell of a dice value, with placeholders for unused fields."""
    names = dict(zip(program.dice.fields, _name_dice_faces(program), strict=True))
    for cell in range(program.dice.cells):
        cell_fields = [field for field in names if field // opcodes.BITS == cell]
        yield tuple(names.get(i, f"no die {i}") for i in range(cell * opcodes.BITS, max(cell_fields) + 1))


def _iter_cell_names(program: Program, variable: StateVariable, names: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """Yield the names of the numbers that each cell of a value gives."""
    cells = variable.type.cells
    if cells == 1:
        yield names
    elif variable.type.shape == "dice":
        yield from _iter_dice_cell_names(program)
    elif variable.type.shape == "order":
        yield from ((f"place {place}",) for place in range(1, cells + 1))
    else:
        yield from (names[opcodes.BITS * i : opcodes.BITS * (i + 1)] for i in range(cells))


def _get_shape(program: Program, variable: StateVariable) -> tuple[int, tuple[str, ...]]:
    """Return the machine's shape for reading a variable's cells, and the names of the numbers of each reading."""
    shape, kind = variable.type.shape, variable.type.kind
    if shape in ("number", "truth"):
        return m.NUMBER, ("",)
    if shape == "dice":
        return m.DICE, _name_dice_faces(program)
    if kind == PLAYER:
        return {"thing": m.SEATED, "set": m.SEATS, "order": m.LINE}[shape], list_relative_seats(program)
    if kind in program.kind_by_name:
        names = tuple(thing.name for thing in program.kind_by_name[kind].things)
    else:
        names = ()
    if shape == "order" and variable.type.cells > 1:
        return m.NUMBER, names
    if shape == "order":
        return m.ORDER, names[:MOST_PLACES]
    return (m.THING if shape == "thing" else m.SET), names


def _name_dice_faces(program: Program) -> tuple[str, ...]:
    """Return the names of all faces of all kinds of dice."""
    return tuple(f"{name} {face}" for name, _, sides, _ in program.dice.kinds for face in range(1, sides + 1))


def _compute_strides(sizes: Sequence[int]) -> list[int]:
    """Return how far apart neighbours along each axis lie in row-major order: sizes (2, 3, 4) give [12, 4, 1]."""
    strides = [1] * len(sizes)
    for i in reversed(range(len(sizes) - 1)):
        strides[i] = strides[i + 1] * sizes[i + 1]
    return strides
